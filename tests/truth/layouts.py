#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Physical sizes of tensors by tt-metal's rules, computed here independently: layouts.py BUILD-FOLDER

Every device type of tests/data/layouts.mlir, and of the real modules where they are ($TTMEM_DATA or ../shared/data), is put into a log of one
op each; what the report says about it is held against

  interleaved  pages = tiles, or rows, of the shape with its last two dimensions in whole tiles; the shard that is written beside it may
               be a leftover of the optimiser and says nothing
  sharded      the shard of one core times the number of shards
  aligned      every page is rounded up to the alignment of its memory (DRAM 32 B on Wormhole, 64 B on Blackhole; L1 16 B)
  per bank     interleaved pages go round the banks, a shard stays whole; the reservation is rounded up to the DRAM alignment

Prints one line per difference and `N passed, M failed`."""
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile

BUILD = os.path.realpath(sys.argv[1])
HERE = os.path.dirname(os.path.realpath(__file__))
DATA = os.environ.get("TTMEM_DATA", HERE + "/../../../shared/data")
ELEMENT = {"f32": 4, "u32": 4, "si32": 4, "ui32": 4, "i32": 4, "bf16": 2, "f16": 2, "u16": 2, "ui16": 2, "u8": 1, "ui8": 1, "i1": 1, "si8": 1, "i8": 1}
BLOCK_TILE = {"bfp_bf8": 1088, "bfp_f8": 1088, "bfp_bf4": 576, "bfp_f4": 576, "bfp_bf2": 320, "bfp_f2": 320}
CHIPS = {  # banks and alignment; the memory lines that tell them
    "wormhole": dict(dram=(12, 1022.169), l1=(64, 1.270), align=(32, 16)),
    "blackhole": dict(dram=(8, 4078.279), l1=(130, 1.343), align=(64, 16)),
}
passed = failed = 0


def expect(what, ours, truth):
    global passed, failed
    passed, failed = passed + (ours == truth), failed + (ours != truth)
    if ours != truth:
        print(f"FAILED: layouts: {what}: report {ours}, by the rules {truth}")


def split(text):
    """The items between commas that are not inside brackets."""
    items, depth, start = [], 0, 0
    for i, c in enumerate(text):
        if c in "<([{":
            depth += 1
        elif c in ")]}" or (c == ">" and text[i - 1] != "-"):
            depth -= 1
        elif c == "," and depth == 0:
            items.append(text[start:i].strip())
            start = i + 1
    return items + [text[start:].strip()]


def closing(text, start):
    depth, i = 1, start
    while depth and i < len(text):
        depth += text[i] == "<"
        depth -= text[i] == ">" and text[i - 1] != "-"
        i += 1
    return i


def device_types(text):
    """All tensor types with a layout, aliases written out."""
    aliases = dict(re.findall(r"^(#\S+) = (#ttnn\.\w+<.*>)$", text, re.M))
    full = lambda t: re.sub(r"#[A-Za-z_]\w*", lambda m: full(aliases[m[0]]) if m[0] in aliases else m[0], t)
    types = {full("tensor<" + text[m.end():closing(text, m.end())]) for m in re.finditer(r"tensor<", text)}
    return sorted(t for t in types if "#ttnn.ttnn_layout<" in t and "system_memory" not in t and "?" not in t)


def dims(text):
    """([8, 1000], "bf16") of 8x1000xbf16"""
    match = re.match(r"(?:\d+x)*", text)
    return [int(n) for n in match[0].split("x")[:-1]], text[match.end():]


def by_rules(text, chip):
    """(bytes without padding, with padding, per bank)"""
    shape_text, layout = split(text[len("tensor<"):-1])[:2]
    shape, _ = dims(shape_text)
    parts = split(layout[layout.index("<") + 1:-1])
    memref = next(p for p in parts if p.startswith("memref<"))
    shard_text, buffer = split(memref[len("memref<"):-1])[:2]
    shard, element = dims(shard_text)
    tile = re.match(r"!tt(?:core)?\.tile<(\d+)x(\d+), (\w+)>", element)
    dtype = tile[3] if tile else element
    high, wide = (int(tile[1]), int(tile[2])) if tile else (1, 1)
    tile_bytes = BLOCK_TILE.get(dtype, ELEMENT.get(dtype, 0) * high * wide)
    in_l1 = "l1" in buffer
    banks = chip["l1" if in_l1 else "dram"][0]
    align = chip["align"][in_l1]
    up = lambda n, step: -(-n // step) * step
    elements = math.prod(shape)
    bare = -(-elements * BLOCK_TILE[dtype] // 1024) if dtype in BLOCK_TILE else elements * ELEMENT[dtype]
    if "interleaved" in parts[parts.index(memref) + 1]:
        rows_cols = ([1, 1] + shape)[-2:]
        if tile:
            page, pages = tile_bytes, math.prod(shape[:-2]) * math.ceil(rows_cols[0] / high) * math.ceil(rows_cols[1] / wide)
        else:
            page, pages = rows_cols[1] * ELEMENT[dtype], math.prod(shape[:-1])
        per_bank = math.ceil(pages / banks) * up(page, align)
    else:
        grid = math.prod(int(n) for n in parts[1].strip("<>").split(",")[0].split("x"))
        page, shard_pages = (tile_bytes, math.prod(shard)) if tile else (shard[-1] * ELEMENT[dtype], math.prod(shard[:-1]))
        pages, per_bank = grid * shard_pages, shard_pages * up(page, align)
    return bare, pages * up(page, align), up(per_bank, chip["align"][0])


def log_of(types, chip):
    banks = {"DRAM": chip["dram"], "L1": chip["l1"], "L1_SMALL": (chip["l1"][0], 0.062), "TRACE": (chip["dram"][0], 0.0)}
    lines = ["            RuntimeTTNN |    DEBUG | Starting execution of program: main"]
    for n, text in enumerate(types):
        lines.append(f'            RuntimeTTNN |    DEBUG | Executing operation: %{n} = "ttnn.empty"() : () -> {text} loc(unknown)')
        if n == 0:
            lines.append("                 Always |     INFO | Device memory state before operation EmptyOp")
            lines += [f"                 Always |     INFO | Device {p} memory state: MemoryView{{numBanks: {b}, totalBytesPerBank: {t:.3f} MB, "
                      f"totalBytesAllocatedPerBank: 0.000 MB, totalBytesFreePerBank: {t:.3f} MB, largestContiguousBytesFreePerBank: {t:.3f} MB}}"
                      for p, (b, t) in banks.items()]
    return "\n".join(lines) + "\n"


def check(what, types):
    for name, chip in CHIPS.items():
        with tempfile.TemporaryDirectory() as work:
            with open(work + "/a.log", "w", encoding="utf-8") as file:
                file.write(log_of(types, chip))
            subprocess.run([BUILD + "/ttmem", "analyze", work + "/a.log", "--output-dir", work + "/out", "--no-page"], check=True, capture_output=True)
            ops = json.load(open(work + "/out/a_operations.json", encoding="utf-8"))
        expect(f"{what}: ops", len(ops), len(types))
        for text, op in zip(types, ops):
            layout = op["output_layout_info"]
            ours = layout["unpadded_bytes"], layout["padded_bytes"], layout["per_bank_bytes"]
            expect(f"{what} on {name}: {text[:200]}", ours, by_rules(text, chip))
            expect(f"{what}: padding is not negative: {text[:200]}", layout["overhead_pct"] >= 0, True)


def main():
    crafted = open(HERE + "/../data/layouts.mlir", encoding="utf-8").read()
    for text, size in re.findall(r"(tensor<.*>) // (\d+) B$", crafted, re.M):  # by hand, on Wormhole
        text = re.sub(r"#dram|#l1", lambda m: f"#ttnn.buffer_type<{m[0][1:]}>", text)
        expect(f"the rules of this test: {text[:120]}", by_rules(text, CHIPS["wormhole"])[1], int(size))
    check("layouts.mlir", device_types(crafted))
    for path in sorted(glob.glob(DATA + "/mlir/*ttnn.mlir")):
        types = device_types(open(path, encoding="utf-8").read())
        check(os.path.basename(path), types)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
