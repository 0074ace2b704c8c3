# SPDX-License-Identifier: Apache-2.0
"""Writes runtime logs with a known truth: a few programs on a device whose every byte is counted.

    log = Planted("run.log")
    w = log.argument("w", "4096x4096", "bf16", role="parameter")
    with log.program([x, w]):
        y = log.op("ttnn.matmul", [x, w], "32x4096", "bf16", "layers.0.mlp")
        log.free(x)
        log.result(y)

Tensors are tiled and interleaved over the banks of DRAM: a bank holds ceil(tiles / banks) tiles. log.allocated is what a bank holds now,
log.peak the most that a memory block has said."""
import contextlib

TILE = {"bf16": 2048, "f32": 4096, "bfp_bf8": 1088, "bfp_bf4": 576, "si32": 4096, "u32": 4096}
MIB = 1048576


class Value:
    def __init__(self, name, shape, dtype, bytes_per_bank):
        self.name, self.shape, self.dtype, self.bytes = name, shape, dtype, bytes_per_bank
        self.alive = self.leaks = False


class Planted:
    def __init__(self, path, banks=12, bank=1071821792, rank=None):
        self.path, self.lines = path, []
        self.banks, self.bank = banks, bank
        self.rank = rank
        self.allocated = self.peak = self.hole = 0
        self.index = -1
        self.peak_index = None
        self.arguments = []
        self.values = 0
        self.last = None  # index of the last op
        self.dumped, self.given, self.cache = set(), {}, {}

    def close(self):
        with open(self.path, "w") as file:
            for text in self.lines:
                file.write((f"[1,{self.rank}]<stdout>: " if self.rank is not None else "") + text + "\n")

    def line(self, text):
        self.lines.append(text)

    def bytes_of(self, shape, dtype):
        dims = [int(d) for d in shape.split("x")]
        tiles = -(-dims[-1] // 32) * -(-(dims[-2] if len(dims) > 1 else 1) // 32)
        for d in dims[:-2]:
            tiles *= d
        return -(-tiles // self.banks) * TILE[dtype]

    def type_of(self, value):
        dims = [int(d) for d in value.shape.split("x")]
        names = ", ".join(f"d{i}" for i in range(len(dims)))
        rows = 1
        for d in dims[:-2]:
            rows *= d
        rows *= -(-(dims[-2] if len(dims) > 1 else 1) // 32)
        block = value.dtype.startswith("bfp")
        element = f"!ttcore.tile<32x32, {value.dtype}>" if block else value.dtype
        return (f"tensor<{value.shape}x{element}, #ttnn.ttnn_layout<({names}) -> ({names.split(', ')[0]}, {names.split(', ')[-1]}), <1x1>, "
                f"memref<{rows}x{-(-dims[-1] // 32)}x!ttcore.tile<32x32, {value.dtype}>, #ttnn.buffer_type<dram>>, <interleaved>>>")

    def argument(self, name, shape, dtype="bf16", role="input", kv_cache=False):
        """On the device from the start."""
        value = Value(None, shape, dtype, self.bytes_of(shape, dtype))
        value.label, value.role, value.kv_cache, value.alive = name, role, kv_cache, True
        self.allocated += value.bytes
        self.arguments.append(value)
        return value

    def block(self, kind):
        mb = lambda n: f"{n / MIB:.3f} MB"
        free = self.bank - self.allocated
        view = lambda pool, banks, total, used, largest: self.line(
            f"                 Always |     INFO | Device {pool} memory state: MemoryView{{numBanks: {banks}, totalBytesPerBank: {mb(total)}, "
            f"totalBytesAllocatedPerBank: {mb(used)}, totalBytesFreePerBank: {mb(total - used)}, largestContiguousBytesFreePerBank: {mb(largest)}}}")
        self.line(f"                 Always |     INFO | Device memory state before operation {kind}")
        view("DRAM", self.banks, self.bank, self.allocated, min(free, self.largest) if self.hole else free)
        view("L1", 64, 1331936, 0, 1331936)
        view("L1_SMALL", 64, 65536, 0, 65536)
        view("TRACE", self.banks, 0, 0, 0)
        if self.allocated > self.peak:
            self.peak, self.peak_index = self.allocated, self.last

    def fragment(self, largest):
        """From here on no free block has more than that many bytes."""
        self.hole, self.largest = 1, largest

    @contextlib.contextmanager
    def program(self, arguments, name="main", module=True, finish=True):
        """What is run inside is one execution; `module`: its module is dumped before it."""
        for i, value in enumerate(arguments):
            value.name = f"%arg{i}"
        self.name, self.values, self.held, self.results, self.body, self.functions = name, 0, [], [], [], []
        out, self.lines = self.lines, []
        yield self
        if finish:
            self.run("ttnn.get_device", f"%{self.values} = \"ttnn.get_device\"() : () -> !ttnn.device loc(unknown)", "GetDeviceOp")
        lines, self.lines = self.lines, out
        if module and name not in self.dumped:
            self.dump(arguments, name)
            self.dumped.add(name)
        self.line(f"            RuntimeTTNN |    DEBUG | Starting execution of program: {name}")
        for text in lines:
            self.line(text)
        if finish:
            self.line(f"            RuntimeTTNN |    DEBUG | Finished execution of program: {name}")
        for value in self.held:
            if value.alive and value not in self.results and not value.leaks:
                value.alive = False
                self.allocated -= value.bytes
        for value in self.given.pop(name, []):  # the host lets go of the last results
            self.allocated -= value.bytes
        self.given[name] = [value for value in self.results if value.alive]

    def dump(self, arguments, name):
        signature = ", ".join(
            f"%arg{i}: {self.type_of(v)} {{{'ttcore.kv_cache, ' if v.kv_cache else ''}ttcore.argument_type = "
            f"#ttcore.argument_type<{v.role}>, ttir.name = \"{v.label}\"}} loc(unknown)" for i, v in enumerate(arguments))
        results = ", ".join(v.name for v in self.results) + " : " + ", ".join(self.type_of(v) for v in self.results)
        body = [*self.body, f"return {results} loc(#loc)" if self.results else "return loc(#loc)"]
        self.line("2026-06-11 00:16:40.012 (   0.012s) [        9F3C1740]      module_builder.cc:1278     1| MLIR Module ttnn:")
        self.line("module @m {")
        for function, operand, value, text in self.functions:
            self.line(f"  func.func private @{function}(%arg0: {self.type_of(operand)} loc(unknown)) -> {self.type_of(value)} "
                      "attributes {tt.function_type = \"const_eval\"} {")
            self.line("    " + text)
            self.line(f"    return %0 : {self.type_of(value)} loc(#loc)")
            self.line("  } loc(#loc)")
        for text in [f"  func.func @{name}({signature}) {{", *("    " + line for line in body), "  } loc(#loc)", "} loc(#loc)"]:
            self.line(text)
        self.line("------------------ END OF MLIR MODULE ------------------")

    def run(self, name, text, kind):
        self.body.append(text)
        self.line("            RuntimeTTNN |    DEBUG | Executing operation: " + text)
        self.block(kind)

    def text_of(self, name, operands, value, location):
        types = ", ".join(self.type_of(o) for o in operands)
        head = f"{value.name} = " if value else ""
        result = self.type_of(value) if value else "()"
        return f"{head}\"{name}\"({', '.join(o.name for o in operands)}) : ({types}) -> {result} loc(\"{location}\")"

    def op(self, name, operands, shape=None, dtype="bf16", location="loc", leaks=False):
        value = None
        if shape:
            value = Value(f"%{self.values}", shape, dtype, self.bytes_of(shape, dtype))
            value.leaks = leaks
            self.values += 1
        kind = "".join(word.capitalize() for word in name.split(".")[-1].split("_")) + "Op"
        self.run(name, self.text_of(name, operands, value, location), kind)
        self.index += 1
        self.last = self.index
        if value:
            value.alive, value.index = True, self.index
            self.allocated += value.bytes
            self.held.append(value)
        return value

    def cached(self, function, operand, inner, shape, dtype="bf16", location="prepare"):
        """Prepares a parameter once: load_cached of a const-eval graph with a single op. Later passes find it in the cache."""
        key = (self.name, function)
        value = self.cache.get(key) or Value(None, shape, dtype, self.bytes_of(shape, dtype))
        value.name = f"%{self.values}"
        self.values += 1
        types = f"({self.type_of(operand)}) -> {self.type_of(value)} loc(\"{location}\")"
        self.run("ttcore.load_cached", f"{value.name} = ttcore.load_cached(@{function}, [{operand.name}]) : {types}", "LoadCachedOp")
        self.index += 1
        self.last = self.index
        number = sum(map(ord, self.name + function))
        self.line(f"                 Always |    DEBUG | Running LoadCachedOp for function {function} with hash: {number:064x}")
        if key in self.cache:
            self.line(f"                 Always |    DEBUG | Cache hit for function: {function}")
            return value
        self.line(f"                 Always |    DEBUG | Cache miss or invalid cache for function: {function}")
        self.line(f"            RuntimeTTNN |    DEBUG | Starting execution of program: {function}")
        outer, operand_name = value.name, operand.name
        value.name, operand.name = "%0", "%arg0"
        text = self.text_of(inner, [operand], value, location)
        self.line("            RuntimeTTNN |    DEBUG | Executing operation: " + text)
        self.functions.append((function, operand, value, f"{text}"))
        self.block("".join(word.capitalize() for word in inner.split(".")[-1].split("_")) + "Op")
        value.name, operand.name = outer, operand_name
        self.index += 1
        self.last = self.index
        self.allocated += value.bytes
        value.alive = True
        self.cache[key] = value
        self.line(f"            RuntimeTTNN |    DEBUG | Finished execution of program: {function}")
        self.line(f"                 Always |    DEBUG | executed sub-func: {function}")
        return value

    def free(self, value):
        self.run("ttnn.deallocate", f"\"ttnn.deallocate\"({value.name}) <{{force = false}}> : ({self.type_of(value)}) -> () loc(\"free\")",
                 "DeallocateOp")
        if value.alive:
            value.alive = False
            self.allocated -= value.bytes

    def result(self, value):
        self.results.append(value)
