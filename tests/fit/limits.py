# SPDX-License-Identifier: Apache-2.0
"""The longest cache and the largest batch that ttmem fit finds in a run are the largest that fit: logs, modules and captures of the
same program with that size, and with the next larger one, are made and measured. limits.py TTMEM SEEDS"""
import json
import os
import random
import subprocess
import sys
import tempfile

from programs import DESC
from runs import CAPTURE_BASE, Allocator, Nodes

BANK, TILE = 1071821792, 2048


def tensor(dims):
    rows = -(-dims[-2] // 32)
    for d in dims[:-2]:
        rows *= d
    return (
        f"tensor<{'x'.join(map(str, dims))}xbf16, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0, d1, d2, d3), <1x1>, "
        f"memref<{rows}x{-(-dims[-1] // 32)}x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>"
    )


def bank_bytes(dims):
    tiles = -(-dims[-2] // 32) * -(-dims[-1] // 32)
    for d in dims[:-2]:
        tiles *= d
    return -(-tiles // 12) * TILE


class Decoder:
    """Two caches, an input and what is made of it, one after another. Some caches begin with the batch: then all else is 1 x batch."""

    def __init__(self, seed):
        r = random.Random(seed * 104729)
        self.paged = seed % 2 == 0
        self.heads, self.width = r.randint(8, 40), 32 * r.randint(8, 40)
        self.size = r.randint(8, 200) if self.paged else 32 * r.randint(4, 100)
        self.batch = r.randint(2, 6)
        self.made = [r.randint(8, 60) for _ in range(r.randint(2, 6))]
        self.by_cache = seed % 4 == 1

    def cache(self, size, batch):
        return [size, self.heads, 64, self.width] if self.paged else [batch if self.by_cache else 1, self.heads, size, self.width]

    def log(self, path, size, batch):
        """Writes the run; returns its peak."""
        x = lambda rows: [1, batch, 32 * rows, self.width] if self.by_cache else [batch, 1, 32 * rows, self.width]
        held = 2 * bank_bytes(self.cache(size, batch)) + bank_bytes(x(1))
        peak = held
        mb = lambda n: f"{n / 1048576:.3f} MB"
        with open(path, "w") as f:
            say = lambda text: f.write("RuntimeTTNN |    DEBUG | " + text + "\n")

            def block(op):
                op = "".join(part.capitalize() for part in op.split("_")) + "Op"
                f.write(f"Always |     INFO | Device memory state before operation {op}\n")
                f.write(
                    "Always |     INFO | Device DRAM memory state: MemoryView{numBanks: 12, totalBytesPerBank: "
                    f"{mb(BANK)}, totalBytesAllocatedPerBank: {mb(held)}, totalBytesFreePerBank: {mb(BANK - held)}, "
                    f"largestContiguousBytesFreePerBank: {mb(BANK - held)}}}\n"
                )

            say("Starting execution of program: main")
            before, type_ = "%arg2", tensor(x(1))
            for i, rows in enumerate(self.made):
                say(f'Executing operation: %{i} = "ttnn.repeat"({before}) : ({type_}) -> {tensor(x(rows))} loc(unknown)')
                block("repeat")
                before, type_ = f"%{i}", tensor(x(rows))
                held += bank_bytes(x(rows))
                peak = max(peak, held)
            name = "paged_update_cache" if self.paged else "update_cache"
            for c in (0, 1):
                say(f'Executing operation: "ttnn.{name}"(%arg{c}, {before}) : ({tensor(self.cache(size, batch))}, {type_}) -> () loc(unknown)')
                block(name)
            for i, rows in enumerate(self.made):
                say(f'Executing operation: "ttnn.deallocate"(%{i}) <{{force = false}}> : ({tensor(x(rows))}) -> () loc(unknown)')
                block("deallocate")
                held -= bank_bytes(x(rows))
            say("Finished execution of program: main")
        return peak


class Chain:
    """A program of one input and three weights, whose results come and go in an order that leaves holes."""

    def __init__(self, seed):
        r = random.Random(seed * 15485863)
        self.rows, self.width = r.choice([96, 100, 384, 1024]), r.choice([256, 512, 1000])
        self.weights = [r.choice(["bf16", "f32"]) for _ in range(3)]
        self.steps, self.elements, alive = [], {"%arg0": "bf16"}, []
        last = "%arg0"
        for i in range(r.randint(4, 12)):
            op, value = r.choice(["matmul", "relu", "typecast", "add"]), f"%{i}"
            more = {"matmul": f"%arg{r.randint(1, 3)}", "add": r.choice(alive) if alive else last}.get(op)
            element = self.elements[last]
            self.elements[value] = element if op != "typecast" else "f32" if element == "bf16" else "bf16"
            self.steps.append((op, value, [last] + ([more] if more else [])))
            alive.append(value)
            last = value
            while len(alive) > 1 and r.random() < 0.5:
                self.steps.append(("free", alive.pop(r.randrange(len(alive) - 1)), []))
        self.result = last
        self.steps += [("free", v, []) for v in alive if v != last]

    def dims(self, value, batch):
        return [1, self.width, self.width] if value in ("%arg1", "%arg2", "%arg3") else [batch, self.rows, self.width]

    def element(self, value):
        return self.elements.get(value) or self.weights[int(value[4:]) - 1]

    def size(self, value, batch):
        d = self.dims(value, batch)
        tiles = d[0] * -(-d[1] // 32) * -(-d[2] // 32)
        return -(-tiles // 12) * TILE * (2 if self.element(value) == "f32" else 1)

    def module(self, path, batch):
        layouts = {}

        def tensor(value):
            d, element = self.dims(value, batch), self.element(value)
            name = layouts.setdefault((*d, element), f"#l{len(layouts)}")
            return f"tensor<{'x'.join(map(str, d))}x{element}, {name}>"

        roles = ["input"] + ["parameter"] * 3
        arguments = ", ".join(
            f"%arg{i}: {tensor(f'%arg{i}')} {{ttcore.argument_type = #ttcore.argument_type<{role}>, ttir.name = \"a{i}\"}}"
            for i, role in enumerate(roles)
        )
        lines = [f"  func.func @main({arguments}) -> {tensor(self.result)} attributes {{tt.function_type = \"forward_device\"}} {{"]
        for op, value, operands in self.steps:
            if op == "free":
                lines.append(f'    "ttnn.deallocate"({value}) <{{force = false}}> : ({tensor(value)}) -> ()')
                continue
            types = ", ".join(map(tensor, operands))
            lines.append(f'    {value} = "ttnn.{op}"({", ".join(operands)}) : ({types}) -> {tensor(value)}')
        lines += [f"    return {self.result} : {tensor(self.result)}", "  }"]
        head = ["#dram = #ttnn.buffer_type<dram>", DESC % (BANK + 1920032)]
        for (b, rows, width, element), name in layouts.items():
            head.append(
                f"{name} = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * {-(-rows // 32) * 32} + d1, d2), <1x1>, "
                f"memref<{b * -(-rows // 32)}x{-(-width // 32)}x!ttcore.tile<32x32, {element}>, #dram>, <interleaved>>"
            )
        with open(path, "w") as f:
            f.write("\n".join(head + ["module attributes {ttcore.system_desc = #system_desc} {"] + lines + ["}", ""]))

    def capture(self, path, batch, bank=1 << 40):
        """Whether there is a block for everything in that bank; path None: nothing is written."""
        graph, allocator, places, tensors = Nodes(), Allocator(CAPTURE_BASE, bank), {}, {}

        def make(value, name, operands):
            places[value] = allocator.take(self.size(value, batch))
            graph.begin(name, [tensors[v] for v in operands])
            buffer = graph.buffer("buffer_allocate", places[value], self.size(value, batch))
            tensors[value] = graph.tensor(len(tensors) + 1, places[value], self.dims(value, batch), self.element(value))
            graph.list[buffer]["connections"].append(tensors[value])
            graph.end([tensors[value]])

        graph.add("capture_start")
        try:
            for i in range(4):
                make(f"%arg{i}", "ttnn.full", [])
            for op, value, operands in self.steps:
                if op != "free":
                    make(value, f"ttnn.{op}", operands)
                    continue
                graph.begin("Tensor::deallocate", [tensors[value]])
                graph.buffer("buffer_deallocate", places[value], self.size(value, batch))
                allocator.free(places[value])
                graph.end()
        except SystemExit:
            return False
        graph.add("capture_end")
        if path:
            with open(path, "w") as f:
                json.dump(graph.list, f)
        return True


def chains(ttmem, folder, seeds):
    """The largest batch of two modules, and of two captures: exact, the largest that fits."""
    pairs, wrong = 0, 0
    one, two, other = (os.path.join(folder, n) for n in ("one.mlir", "two.mlir", "other.mlir"))
    fits = lambda path: subprocess.run([ttmem, "predict", path], capture_output=True).returncode == 0
    for seed in range(1, seeds + 1):
        c = Chain(seed)
        for form in ("module", "capture"):
            a, b = (p if form == "module" else p.replace(".mlir", ".json") for p in (one, two))
            getattr(c, form)(a, 2)
            getattr(c, form)(b, 4)
            fit = ask(ttmem, a, "--second-run", b)
            limit = next(l for l in fit["limits"] if l["what"] == "batch")
            best = limit["largest"]
            if form == "module":
                c.module(other, 3)
                tried, real = ask(ttmem, a, "--try", "batch 3")["tried_set"], ask(ttmem, other)["as_it_was"]
                pairs += 1
                if tried["peak_bytes_per_bank"] != real["peak_bytes_per_bank"]:
                    wrong += 1
                    print(f"FAILED: seed {seed}: batch 3 of a module: {tried}, measured {real}")
                c.module(one, best)
                c.module(other, best + 1)
                here, beyond = fits(one), fits(other)
            else:
                here, beyond = (c.capture(None, n, fit["capacity_bytes_per_bank"]) for n in (best, best + 1))
            pairs += 1
            if not limit["exact"] or limit["assumption"] or not here or beyond:
                wrong += 1
                print(f"FAILED: {form} of seed {seed}: {limit}: fits {here}, one more {beyond}")
    return pairs, wrong


def ask(ttmem, *words):
    done = subprocess.run([ttmem, "fit", *words, "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(words)}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def main():
    ttmem, seeds = sys.argv[1], int(sys.argv[2])
    pairs, wrong = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        one, two, other = (os.path.join(folder, n) for n in ("one.log", "two.log", "other.log"))
        for seed in range(1, seeds + 1):
            d = Decoder(seed)
            target = d.log(one, d.size, d.batch) * 3
            d.log(two, d.size, d.batch + 1)
            fit = ask(ttmem, one, "--target", f"{target}B", "--second-run", two)
            limits = {l["what"]: l for l in fit["limits"]}
            off = fit["as_it_was"]["difference_bytes_per_bank"] + 4200
            step = 1 if d.paged else 32
            cache = limits["kv_blocks" if d.paged else "kv_len"]
            told = [
                ("cache", cache["largest"], step, lambda n: d.log(other, n, d.batch)),
                ("batch", limits["batch"]["largest"], 1, lambda n: d.log(other, d.size, n)),
            ]
            if d.paged and limits["kv_len"]["largest"] != 64 * cache["largest"]:
                wrong += 1
                print(f"FAILED: seed {seed}: {limits['kv_len']} beside {cache}")
            if limits["batch"]["exact"] or not limits["batch"]["assumption"] or limits["batch"]["now"] != d.batch:
                wrong += 1
                print(f"FAILED: seed {seed}: {limits['batch']}")
            for n in (1, d.batch + 2):
                pairs += 1
                tried, real = ask(ttmem, one, "--try", f"batch {n}")["tried_set"], d.log(other, d.size, n)
                if tried["exact"] or abs(tried["peak_bytes_per_bank"] - real) > tried["uncertainty_bytes_per_bank"]:
                    wrong += 1
                    print(f"FAILED: seed {seed}: batch {n} of {d.batch}: {tried}, measured {real}")
            for what, best, by, measure in told:
                pairs += 1
                here, beyond = measure(best), measure(best + by)
                if here > target or beyond <= target - 2 * off:
                    wrong += 1
                    print(f"FAILED: seed {seed}, {what} {best}: {here} and {beyond} measured, target {target}, off by {off}")
        more = chains(ttmem, folder, seeds)
        pairs, wrong = pairs + more[0], wrong + more[1]
    print(f"{pairs} pairs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
