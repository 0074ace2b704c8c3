# SPDX-License-Identifier: Apache-2.0
"""What ttmem fit promises of a run is what the run would have measured had it been changed so: logs with op lines and memory
blocks, databases of ttnn and graph captures, from a random program and an allocator of their own. runs.py TTMEM SEEDS"""
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

BASE, BANK = 1920032, 1071821792
CAPTURE_BASE = 1048640  # a capture does not say what the runtime keeps at the start of a bank
TILE = 2048
BANKS = {"on n150": 12, "on n300": 12, "on wh_galaxy": 12, "on p100": 7, "on p150": 8, "on bh_galaxy": 8}


class Allocator:
    """First fit from below."""

    def __init__(self, base=BASE, bank=BANK):
        self.base, self.bank = base, bank
        self.taken = []  # (address, size), by address

    def take(self, size):
        at = self.base
        for address, other in self.taken:
            if address - at >= size:
                break
            at = address + other
        if at + size > self.base + self.bank:
            raise SystemExit("the bank is full")
        self.taken.append((at, size))
        self.taken.sort()
        return at

    def free(self, address):
        self.taken = [t for t in self.taken if t[0] != address]


class Nodes:
    """A graph as ttnn writes it: nodes in order, functions inside each other."""

    def __init__(self):
        self.list, self.open = [], []

    def add(self, node_type, operands=(), results=(), **params):
        number = len(self.list)
        self.list.append({"counter": number, "node_type": node_type, "params": params, "arguments": [], "stacking_level": len(self.open),
                          "input_tensors": list(operands), "connections": list(results)})
        return number

    def buffer(self, node_type, address, size):
        number = self.add("buffer", type="DRAM", buffer_type="0", layout="INTERLEAVED", size=str(size * 12), device_id="0")
        self.add(node_type, (), [number], address=str(address), size=str(size * 12), max_size_per_bank=str(size), page_size=str(TILE), num_cores="0",
                 type="DRAM", buffer_type="0", layout="INTERLEAVED", device_id="0")
        return number

    def tensor(self, number, address, dims, element):
        return self.add(
            "tensor", tensor_id=str(number), shape=f"Shape([{', '.join(map(str, dims))}])", layout="Layout::TILE", address=str(address),
            dtype={"bf16": "DataType::BFLOAT16", "f32": "DataType::FLOAT32"}[element], device_id="0", buffer_type="0",
            memory_config="MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::DRAM)")

    def begin(self, name, operands):
        self.open.append(name)
        self.add("function_start", operands, name=name, inputs=str(len(operands)))

    def end(self, results=()):
        self.add("function_end", results=results, name=self.open.pop())


class Run:
    """("make", value, operands) and ("free", value) in order; a tensor has rows of one tile column per bank."""

    def __init__(self, seed):
        r = random.Random(seed * 7919)
        self.rows = {}  # value -> tiles a bank
        self.steps = []
        self.hidden = [r.randint(0, 40) * 4096]  # what no tensor explains, after so many operations
        live = []
        for value in range(r.randint(8, 24)):
            self.rows[value] = r.randint(1, 400)
            operands = r.sample(live[-4:], min(len(live), r.randint(1, 2)))
            self.steps.append(("make", value, operands))
            live.append(value)
        for value in live[:-1]:
            late = 0 if r.random() < 0.5 else r.randint(1, 7)
            at = self.last_use(value) + 1
            while late and at < len(self.steps):
                late -= self.steps[at][0] == "make"
                at += 1
            self.steps.insert(at, ("free", value))
        for _ in self.rows:
            self.hidden.append(self.hidden[-1] + (r.randint(1, 30) * 4096 if r.random() < 0.3 else 0))
        self.inside = {v: r.randint(1, 300) for v in self.rows if r.random() < 0.4}  # tiles that an operation takes while it runs

    def last_use(self, value):
        return max(i for i, s in enumerate(self.steps) if s[0] == "make" and (s[1] == value or value in s[2]))

    def size(self, value):
        return self.rows[value] * TILE

    def freed_early(self, values):
        made = Run.__new__(Run)
        made.rows, made.hidden, made.inside = self.rows, self.hidden, self.inside
        made.steps = [s for s in self.steps if not (s[0] == "free" and s[1] in values)]
        for value in values:
            made.steps.insert(made.last_use(value) + 1, ("free", value))
        return made

    def heights(self, hidden=True):
        """Memory before every step, and at the end; without what is hidden also inside operations, which logs do not tell."""
        now, done, out = 0, 0, []
        for step in self.steps + [None]:
            out.append(now + (self.hidden[done] if hidden else 0))
            if step and not hidden and step[0] == "make":
                out.append(now + self.size(step[1]) + self.inside.get(step[1], 0) * TILE)
            if step:
                now += self.size(step[1]) if step[0] == "make" else -self.size(step[1])
                done += step[0] == "make"
        return out

    def on(self, banks):
        """The same on a chip with other banks: 12 tiles a row go round them, what is hidden is spread alike."""
        made = Run.__new__(Run)
        made.steps = self.steps
        made.rows = {v: -(-n * 12 // banks) for v, n in self.rows.items()}
        made.hidden = [h * 12 // banks for h in self.hidden]
        made.inside = {v: -(-n * 12 // banks) for v, n in self.inside.items()}
        return made

    def frees(self, used=False):
        """What is freed; `used`: and was taken by an operation before that."""
        taken = {v for s in self.steps if s[0] == "make" for v in s[2]}
        return [s[1] for s in self.steps if s[0] == "free" and (not used or s[1] in taken)]

    # --- as files ---

    def type_text(self, value):
        n = self.rows[value]
        return (
            f"tensor<{n * 32}x384xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, "
            f"memref<{n}x12x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>"
        )

    def until(self, value):
        """What there is of it when it fails to make that value."""
        made = Run.__new__(Run)
        made.rows, made.inside = self.rows, self.inside
        made.steps = self.steps[: next(i for i, s in enumerate(self.steps) if s[:2] == ("make", value)) + 1]
        made.hidden = list(self.hidden)
        count = sum(s[0] == "make" for s in made.steps)
        made.hidden[count] = made.hidden[count - 1]
        return made

    def failed_log(self, path):
        """Ends with the request that would be the peak; the largest block is a tile too small."""
        heights = self.heights()
        at = max((i for i, s in enumerate(self.steps) if s[0] == "make"), key=lambda i: heights[i] + self.size(self.steps[i][1]))
        wants, allocated = self.size(self.steps[at][1]), heights[at]
        self.until(self.steps[at][1]).log(path, True)
        with open(path, "a") as f:
            f.write(
                "critical |          Always | TT_FATAL: Out of Memory: Not enough space to allocate "
                f"{wants * 12} B DRAM buffer across 12 banks, where each bank needs to store {wants} B, but bank size is {BANK} B (allocated: "
                f"{allocated} B, free: {BANK - allocated} B, largest free block: {wants - TILE} B) (assert.hpp:104)\n"
            )
        return self.steps[at][1]

    def log(self, path, stops=False):
        def mb(n):
            return f"{n / 1048576:.3f} MB"

        def block(f, allocated, where):
            f.write(f"Always |     INFO | Device memory state {where}\n")
            f.write(
                "Always |     INFO | Device DRAM memory state: MemoryView{numBanks: 12, totalBytesPerBank: "
                f"{mb(BANK)}, totalBytesAllocatedPerBank: {mb(allocated)}, totalBytesFreePerBank: {mb(BANK - allocated)}, "
                f"largestContiguousBytesFreePerBank: {mb(BANK - allocated)}}}\n"
            )

        with open(path, "w") as f:
            say = lambda text: f.write("RuntimeTTNN |    DEBUG | " + text + "\n")
            say("Starting execution of program: main")
            for step, height in zip(self.steps, self.heights()):
                t = self.type_text(step[1])
                if step[0] == "free":
                    say(f'Executing operation: "ttnn.deallocate"(%{step[1]}) <{{force = false}}> : ({t}) -> () loc(unknown)')
                else:
                    names = ", ".join(f"%{v}" for v in step[2])
                    types = ", ".join(self.type_text(v) for v in step[2])
                    say(f'Executing operation: %{step[1]} = "ttnn.concat"({names}) : ({types}) -> {t} loc(unknown)')
                block(f, height, "before operation " + ("DeallocateOp" if step[0] == "free" else "ConcatOp"))
            if stops:
                return
            say("Finished execution of program: main")
            block(f, self.heights()[-1], "after submit")

    def work_inside(self, value, allocator, graph):
        """What an operation takes for itself, half of it first, comes after its result and goes before it is through."""
        tiles = self.inside.get(value, 0)
        for size in [n * TILE for n in (tiles // 2, tiles) if n]:
            address = allocator.take(size)
            graph.buffer("buffer_allocate", address, size)
            graph.buffer("buffer_deallocate", address, size)
            allocator.free(address)

    def capture(self, path):
        """Operations call others, as ttnn's do: the result is made two calls further in."""
        graph, allocator, places, tensors = Nodes(), Allocator(CAPTURE_BASE), {}, {}
        graph.add("capture_start")
        for step in self.steps:
            value = step[1]
            if step[0] == "free":
                graph.begin("Tensor::deallocate", [tensors[value]])
                graph.buffer("buffer_deallocate", places[value], self.size(value))
                allocator.free(places[value])
                graph.end()
                continue
            places[value] = allocator.take(self.size(value))
            graph.begin(f"ttnn.op{value}", [])
            graph.begin("OpDeviceOperation", [tensors[v] for v in step[2]])
            graph.begin("tt::tt_metal::create_device_tensor", [])
            buffer = graph.buffer("buffer_allocate", places[value], self.size(value))
            tensors[value] = graph.tensor(value + 1, places[value], [self.rows[value] * 32, 384], "bf16")
            graph.list[buffer]["connections"].append(tensors[value])
            graph.end([tensors[value]])
            self.work_inside(value, allocator, graph)
            graph.end([tensors[value]])
            graph.end([tensors[value]])
        graph.add("capture_end")
        with open(path, "w") as f:
            json.dump(graph.list, f)

    def database(self, path):
        db = sqlite3.connect(path)
        db.executescript(
            """
CREATE TABLE devices(device_id int, num_y_cores int, num_x_cores int, num_y_compute_cores int, num_x_compute_cores int,
  worker_l1_size int, l1_num_banks int, l1_bank_size int, address_at_first_l1_bank int, address_at_first_l1_cb_buffer int,
  num_banks_per_storage_core int, num_compute_cores int, num_storage_cores int, total_l1_memory int, total_l1_for_tensors int,
  total_l1_for_interleaved_buffers int, total_l1_for_sharded_buffers int, cb_limit int);
CREATE TABLE operations(operation_id int, name text, duration float);
CREATE TABLE tensors(tensor_id int, shape text, dtype text, layout text, memory_config text, device_id int, address int,
  buffer_type int);
CREATE TABLE input_tensors(operation_id int, input_index int, tensor_id int);
CREATE TABLE output_tensors(operation_id int, output_index int, tensor_id int);
CREATE TABLE buffers(operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int, buffer_layout int);
CREATE TABLE captured_graph(operation_id int, captured_graph text);
"""
        )
        add = lambda table, *values: db.execute(f"INSERT INTO {table} VALUES({','.join('?' * len(values))})", values)
        add("devices", 0, 9, 8, 8, 8, 1499136, 64, 1370848, 0, 103712, 1, 64, 0, 95944704, 0, 87734272, 87734272, 1395424)
        allocator, places = Allocator(), {}
        config = "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::DRAM)"
        for number, step in enumerate(self.steps, 1):
            value = step[1]
            if step[0] == "make":
                places[value] = allocator.take(self.size(value))
                add("operations", number, f"ttnn.op{value}", 0.25)
                add("tensors", value + 1, f"Shape([{self.rows[value] * 32}, 384])", "DataType::BFLOAT16", "Layout::TILE", config,
                    0, places[value], 0)
                add("output_tensors", number, 0, value + 1)
                for i, operand in enumerate(step[2]):
                    add("input_tensors", number, i, operand + 1)
                graph = Nodes()
                graph.add("capture_start")
                graph.buffer("buffer_allocate", places[value], self.size(value))
                self.work_inside(value, allocator, graph)
                graph.add("capture_end")
                add("captured_graph", number, json.dumps(graph.list))
            else:
                add("operations", number, "ttnn.deallocate", 0.25)
                add("input_tensors", number, 0, value + 1)
                allocator.free(places[value])
            for address, size in allocator.taken:
                add("buffers", number, 0, address, size, 0, 0)
        db.commit()
        db.close()


def ask(ttmem, *words):
    done = subprocess.run([ttmem, *words, "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(words)}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def main():
    ttmem, seeds = sys.argv[1], int(sys.argv[2])
    pairs, wrong = {"log": 0, "failed_log": 0, "database": 0, "capture": 0}, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, seeds + 1):
            run = Run(seed)
            for form in pairs:
                path = os.path.join(folder, {"database": "db.sqlite", "capture": "run.json"}.get(form, "run.log"))
                if os.path.exists(path):
                    os.remove(path)
                failed = getattr(run, form)(path)
                fit = ask(ttmem, "fit", path, "--limit", "0")
                hidden = form.endswith("log")
                if form == "failed_log" and fit["as_it_was"]["verdict"] != "does_not_fit":
                    wrong += 1
                    print(f"FAILED: seed {seed}: it ran out of memory, and {fit['as_it_was']}")
                told = [("as it was", fit["as_it_was"]["peak_bytes_per_bank"], run,
                         4200 if hidden else 0)]
                seen = run.until(failed) if failed is not None else run  # what was still there when it failed may have been needed
                for c in fit["changes"]:
                    if c["kind"] == "free_at_last_use":
                        # %5 of a log, %6 of the others, which count tensors from 1
                        value = int(c["name"].split()[1][1:].split()[0]) - (not hidden)
                        told.append((c["name"], c["peak_bytes_per_bank"], run.freed_early([value]), c["uncertainty_bytes_per_bank"]))
                    elif c["kind"] == "free_everything_at_last_use":
                        told.append((c["name"], c["peak_bytes_per_bank"], run.freed_early(seen.frees(not hidden)), c["uncertainty_bytes_per_bank"]))
                    elif c["kind"] == "chip":
                        told.append((c["name"], c["peak_bytes_per_bank"], run.on(BANKS[c["name"]]), c["uncertainty_bytes_per_bank"]))
                was = fit["as_it_was"]
                if not hidden and (not was["compared_address_count"] or
                                           was["equal_address_count"] != was["compared_address_count"]):
                    wrong += 1
                    print(f"FAILED: seed {seed}: {was['equal_address_count']} of {was['compared_address_count']} addresses are equal")
                for name, promised, other, off in told:
                    pairs[form] += 1
                    real = max((other.until(failed) if failed is not None else other).heights(hidden))
                    if abs(promised - real) > off:
                        wrong += 1
                        print(f"FAILED: {form} of seed {seed}, {name}: {promised} promised, {real} measured, may be off by {off}")
    print(f"{pairs['log'] + pairs['failed_log']} pairs of logs, {pairs['database']} of databases, {pairs['capture']} of captures, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
