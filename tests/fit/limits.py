# SPDX-License-Identifier: Apache-2.0
"""The longest cache and the largest batch that ttmem fit finds in a run are the largest that fit: logs of the same program with that
size, and with the next larger one, are made and measured. limits.py TTMEM SEEDS"""
import json
import os
import random
import subprocess
import sys
import tempfile

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
    """Two caches, an input and what is made of it, one after another."""

    def __init__(self, seed):
        r = random.Random(seed * 104729)
        self.paged = seed % 2 == 0
        self.heads, self.width = r.randint(8, 40), 32 * r.randint(8, 40)
        self.size = r.randint(8, 200) if self.paged else 32 * r.randint(4, 100)
        self.batch = r.randint(2, 6)
        self.made = [r.randint(8, 60) for _ in range(r.randint(2, 6))]

    def cache(self, size):
        return [size, self.heads, 64, self.width] if self.paged else [1, self.heads, size, self.width]

    def log(self, path, size, batch):
        """Writes the run; returns its peak."""
        x = lambda rows: [batch, 1, 32 * rows, self.width]
        held = 2 * bank_bytes(self.cache(size)) + bank_bytes(x(1))
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
                say(f'Executing operation: "ttnn.{name}"(%arg{c}, {before}) : ({tensor(self.cache(size))}, {type_}) -> () loc(unknown)')
                block(name)
            for i, rows in enumerate(self.made):
                say(f'Executing operation: "ttnn.deallocate"(%{i}) <{{force = false}}> : ({tensor(x(rows))}) -> () loc(unknown)')
                block("deallocate")
                held -= bank_bytes(x(rows))
            say("Finished execution of program: main")
        return peak


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
            if not limits["batch"]["exact"] or limits["batch"]["now"] != d.batch:
                wrong += 1
                print(f"FAILED: seed {seed}: {limits['batch']}")
            for what, best, by, measure in told:
                pairs += 1
                here, beyond = measure(best), measure(best + by)
                if here > target or beyond <= target - 2 * off:
                    wrong += 1
                    print(f"FAILED: seed {seed}, {what} {best}: {here} and {beyond} measured, target {target}, off by {off}")
    print(f"{pairs} pairs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
