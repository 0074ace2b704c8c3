#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Executes Python programs and compares what they allocate with what the scan says: python.py TTMEM FOLDER PROGRAMS

A program begins with `--- name` and defines make(p, q, a, b), which returns a ProgramDescriptor of the stand-ins below. FOLDER
gets a file for each. Prints one line per program whose bytes are not within the bounds, then how many there are."""
import itertools
import json
import os
import re
import subprocess
import sys
import types


class Stand:
    def __init__(self, **fields):
        self.__dict__.update(fields)


class ProgramDescriptor:
    def __init__(self, kernels=(), semaphores=(), cbs=()):
        self.cbs = list(cbs)


def stand_in():
    ttnn = types.ModuleType("ttnn")
    ttnn.CBDescriptor = ttnn.CBFormatDescriptor = ttnn.KernelDescriptor = Stand
    ttnn.ProgramDescriptor = ProgramDescriptor
    ttnn.bfloat16 = "bfloat16"
    sys.modules["ttnn"] = ttnn


def allocated(text):
    names = {}
    exec(compile(text, "program", "exec"), names)
    for p, q, a, b in itertools.product((False, True), (False, True), (0, 1, 2, 5, 33), (1, 3, 8)):
        try:
            yield sum(int(cb.total_size) for cb in names["make"](p, q, a, b).cbs)
        except AssertionError:
            pass


def bounds(ttmem, path):
    done = subprocess.run([ttmem, "l1", "scan", "--json", path], capture_output=True, text=True)
    files = json.loads(done.stdout)["files"]
    if not files:
        return 0, 0
    mine = [p for p in files[0]["programs"] if p["function"] == "make"]
    if files[0]["partial"]:
        return 0, None
    highest = [p["max_bytes_per_core"] for p in mine]
    return sum(p["min_bytes_per_core"] for p in mine), None if None in highest else sum(highest)


def main(ttmem, folder, source):
    stand_in()
    os.makedirs(folder, exist_ok=True)
    pieces = re.split(r"^--- (\w+)\n", open(source).read(), flags=re.MULTILINE)
    wrong = 0
    for name, body in zip(pieces[1::2], pieces[2::2]):
        path = f"{folder}/{name}.py"
        text = "import ttnn\n\n\n" + body
        open(path, "w").write(text)
        seen = list(allocated(text))
        low, high = bounds(ttmem, path)
        if min(seen) < low or (high is not None and max(seen) > high):
            wrong += 1
            print(f"{name}: allocates {min(seen)} to {max(seen)}, the scan says {low} to {high}")
    print(len(pieces) // 2)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
