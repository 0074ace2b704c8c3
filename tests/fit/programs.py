# SPDX-License-Identifier: Apache-2.0
"""Random compiled programs as lists of operations, with the changes that ttmem fit names applied to them, and as TTNN text."""
import random
import re

DESC = (
    '#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], [{arch = <wormhole_b0>, grid = 8x8, '
    "coord_translation_offsets = 18x18, l1_size = 1499136, num_dram_channels = 12, dram_channel_size = %d, "
    "noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, "
    "l1_unreserved_base = 103776, erisc_l1_unreserved_base = 98304, dram_unreserved_base = 1920032, "
    "dram_unreserved_end = 1073136448}], [0], [1 : i32], [ 0x0x0x0]>"
)
DRAM_BASE = 1920032
TILE_BYTES = {"bf16": 2048, "f32": 4096, "bfp_bf8": 1088, "bfp_bf4": 576}


class Type:
    """A tiled tensor in DRAM."""

    def __init__(self, height, width, element):
        self.height, self.width, self.element = height, width, element

    def key(self):
        return (self.height, self.width, self.element)

    def bank_bytes(self, banks=12):
        tiles = -(-self.height // 32) * -(-self.width // 32)
        return -(-tiles // banks) * TILE_BYTES[self.element]

    def with_element(self, element):
        return Type(self.height, self.width, element)


class Program:
    """Arguments (name, role, type), const-eval functions (argument, result type), operations in order."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.arguments = []
        for i in range(r.randint(2, 6)):
            rows = r.randint(1, 60) if seed % 3 == 0 else r.randint(1, 12)
            name = f"layers.{i}.{('attn', 'mlp')[i % 2]}.weight"
            self.arguments.append((name, "parameter", Type(32 * rows, 32 * r.randint(8, 90), "bf16")))
            if seed % 4 == 1 and i % 2 == 0:
                self.arguments[-1] = (name, "parameter", self.arguments[-1][2].with_element("f32"))
        first = Type(32 * r.randint(20, 60), 32 * r.randint(20, 60), r.choice(["bf16", "f32"]))
        self.arguments.append(("x", "input", first))
        r.shuffle(self.arguments)
        self.body = []  # ("op", result, name, operands) | ("load", result, function, argument) | ("free", value)
        self.types = {f"%arg{i}": a[2] for i, a in enumerate(self.arguments)}
        self.const_evals = []
        self.count = 0
        self.grow(r)
        self.frees(r)
        need = sum(t.bank_bytes() for _, _, t in self.arguments)
        self.channel = DRAM_BASE + need + r.randint(1, 40) * 65536 + r.randint(4, 14) * first.bank_bytes() // 4
        self.weights = None  # element of what const-eval returns and parameters are, where another one was asked for

    def new(self, type_):
        value = f"%{self.count}"
        self.count += 1
        self.types[value] = type_
        return value

    def grow(self, r):
        x = next(f"%arg{i}" for i, a in enumerate(self.arguments) if a[0] == "x")
        live = [x]
        for i, (name, role, type_) in enumerate(self.arguments):
            if role == "parameter" and r.random() < 0.6:
                self.const_evals.append((f"main_const_eval_{len(self.const_evals)}", f"%arg{i}", type_))
        pending = list(self.const_evals)
        for _ in range(r.randint(8, 18)):
            if pending and r.random() < 0.5:
                function, argument, type_ = pending.pop(0)
                made = self.new(type_.with_element(r.choice(["bf16", "f32"])))
                self.body.append(("load", made, function, argument))
            source = r.choice(live[-3:])
            type_ = self.types[source]
            choice = r.random()
            if choice < 0.2:
                self.body.append(("op", self.new(type_.with_element(r.choice(["bf16", "f32"]))), "typecast", [source]))
            elif choice < 0.4 and type_.width % 64 == 0:
                # the last dimension changes: a copy with a map
                self.body.append(("op", self.new(Type(type_.height * 2, type_.width // 2, type_.element)), "reshape", [source]))
            elif choice < 0.65:
                same = [v for v in live if self.types[v].key() == type_.key()]
                self.body.append(("op", self.new(type_), "add", [source, r.choice(same)]))
            else:
                self.body.append(("op", self.new(type_), r.choice(["relu", "neg", "abs", "exp"]), [source]))
            live.append(self.body[-1][1])
        self.result = live[-1]

    def last_use(self, value):
        last = None
        for i, entry in enumerate(self.body):
            if entry[0] == "op" and (value in entry[3] or entry[1] == value):
                last = i
            if entry[0] == "load" and entry[1] == value:
                last = i
        return last

    def frees(self, r):
        """A deallocate somewhere after the last use of every value: often right after it, sometimes late."""
        values = [e[1] for e in self.body if e[0] == "op" and e[1] != self.result]
        for value in values:
            late = 0 if r.random() < 0.45 else r.randint(1, 8)
            at = self.last_use(value) + 1
            while late and at < len(self.body):
                late -= self.body[at][0] == "op"
                at += 1
            self.body.insert(at, ("free", value))

    def copy(self):
        made = Program.__new__(Program)
        made.__dict__.update(self.__dict__)
        made.body = list(self.body)
        made.arguments = list(self.arguments)
        made.types = dict(self.types)
        made.const_evals = list(self.const_evals)
        return made

    # --- changes, each to the program itself ---

    def free_early(self, values=None):
        made = self.copy()
        for value in values or [e[1] for e in self.body if e[0] == "free"]:
            made.body.remove(("free", value))
        for value in values or [e[1] for e in self.body if e[0] == "free"]:
            at = made.last_use(value) + 1
            while at < len(made.body) and made.body[at][0] == "free":
                at += 1  # what was freed there already goes first
            made.body.insert(at, ("free", value))
        return made

    def place_first(self, value):
        """Its operation right after the last one that makes an operand of it."""
        made = self.copy()
        entry = next(e for e in self.body if e[0] == "op" and e[1] == value)
        made.body.remove(entry)
        made.body.insert(max([i + 1 for i, e in enumerate(made.body) if e[0] != "free" and e[1] in entry[3]], default=0), entry)
        return made

    def largest_first(self):
        made = self.copy()
        order = sorted(range(len(self.arguments)), key=lambda i: -self.arguments[i][2].bank_bytes())
        made.arguments = [self.arguments[i] for i in order]
        new_name = {f"%arg{old}": f"%arg{new}" for new, old in enumerate(order)}
        swap = lambda v: new_name.get(v, v)
        made.types = {swap(k): v for k, v in self.types.items()}
        made.const_evals = [(f, swap(a), t) for f, a, t in self.const_evals]
        made.body = []
        for e in self.body:
            if e[0] == "op":
                e = ("op", e[1], e[2], [swap(v) for v in e[3]])
            elif e[0] == "load":
                e = ("load", e[1], e[2], swap(e[3]))
            made.body.append(e)
        made.result = swap(self.result)
        return made

    def const_eval_first(self):
        made = self.copy()
        made.body = [e for e in self.body if e[0] == "load"] + [e for e in self.body if e[0] != "load"]
        return made

    def activations_as(self, element, op=None):
        made = self.copy()
        made_by_ops = {e[1] for e in self.body if e[0] == "op" and op in (None, e[2])}
        made.types = {
            v: t.with_element(element) if v in made_by_ops and t.element == "f32" else t for v, t in self.types.items()
        }
        return made

    def const_evals_as(self, element):
        made = self.copy()
        loaded = {e[1] for e in self.body if e[0] == "load"}
        made.types = {v: t.with_element(element) if v in loaded and t.element == "f32" else t for v, t in self.types.items()}
        return made

    def weights_as(self, element, pattern=None, of=None):
        """All parameters, or those whose names are the pattern when numbers are left out, and what const-eval makes of them; `of`:
        where they have that element."""
        made = self.copy()
        meant = lambda n, r: r == "parameter" and pattern in (None, re.sub(r"\d+", "*", n))
        turn = lambda t: t.with_element(element) if of in (None, t.element) else t
        made.arguments = [(n, r, turn(t) if meant(n, r) else t) for n, r, t in self.arguments]
        values = {f"%arg{i}" for i, (n, r, _) in enumerate(self.arguments) if meant(n, r)}
        loaded = {e[1] for e in self.body if e[0] == "load" and e[3] in values}
        made.types = {v: turn(t) if v in loaded else t for v, t in self.types.items()}
        made.types.update({f"%arg{i}": a[2] for i, a in enumerate(made.arguments)})
        return made

    # --- text ---

    def text(self):
        layouts = {}

        def tensor(t):
            name = layouts.setdefault(t.key(), f"#l{len(layouts)}")
            return f"tensor<{t.height}x{t.width}x{'bf16' if t.element.startswith('bfp') else t.element}, {name}>"

        lines = []
        for function, argument, _ in self.const_evals:
            out = next((e[1] for e in self.body if e[0] == "load" and e[2] == function), None)
            if out is None:
                continue
            a, b = tensor(self.types[argument]), tensor(self.types[out])
            lines.append(f"  func.func private @{function}(%arg0: {a}) -> {b} attributes {{tt.function_type = \"const_eval\"}} {{")
            lines.append(f'    %0 = "ttnn.typecast"(%arg0) : ({a}) -> {b}')
            lines.append(f"    return %0 : {b}")
            lines.append("  }")
        arguments = ", ".join(
            f"%arg{i}: {tensor(t)} {{ttcore.argument_type = #ttcore.argument_type<{role}>, ttir.name = \"{name}\"}}"
            for i, (name, role, t) in enumerate(self.arguments)
        )
        result = tensor(self.types[self.result])
        lines.append(f"  func.func @main({arguments}) -> {result} attributes {{tt.function_type = \"forward_device\"}} {{")
        for e in self.body:
            if e[0] == "free":
                lines.append(f'    "ttnn.deallocate"({e[1]}) <{{force = false}}> : ({tensor(self.types[e[1]])}) -> ()')
                continue
            operands = e[3] if e[0] == "op" else [e[3]]
            types = ", ".join(tensor(self.types[v]) for v in operands)
            out = tensor(self.types[e[1]])
            if e[0] == "load":
                lines.append(f"    {e[1]} = ttcore.load_cached(@{e[2]}, [{e[3]}]) : ({types}) -> {out}")
            else:
                lines.append(f'    {e[1]} = "ttnn.{e[2]}"({", ".join(operands)}) : ({types}) -> {out}')
        lines.append(f"    return {self.result} : {result}")
        lines.append("  }")
        head = ["#dram = #ttnn.buffer_type<dram>", DESC % self.channel]
        for (height, width, element), name in layouts.items():
            head.append(
                f"{name} = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<{-(-height // 32)}x{-(-width // 32)}"
                f"x!ttcore.tile<32x32, {element}>, #dram>, <interleaved>>"
            )
        return "\n".join(head + ["module attributes {ttcore.system_desc = #system_desc} {"] + lines + ["}", ""])
