#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what generated programs allocate with what the scan says: compare.py TTMEM FOLDER FIRST COUNT

Prints one line per program whose bytes are not within the bounds, and a last line about how close the bounds are."""
import json
import subprocess
import sys


def scan(ttmem, folder, numbers, sets):
    words = [ttmem, "l1", "scan", "--json"] + [word for s in sets for word in ("--set", s)]
    done = subprocess.run(words + [f"{folder}/p{n}.cpp" for n in numbers], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"the scan ended with {done.returncode}: {done.stderr.strip()}")
    for file in json.loads(done.stdout)["files"]:
        number = int(file["path"].rsplit("/p", 1)[1][:-4])
        mine = [p for p in file["programs"] if p["function"] == "make"]
        if file["partial"]:
            yield number, ([(0, None)], True)
        else:
            yield number, ([(p["min_bytes_per_core"], p["max_bytes_per_core"]) for p in mine], False)


def is_within(size, programs):
    """A function that makes several programs returns one of them."""
    return any(low <= size and (high is None or size <= high) for low, high in programs)


def main(ttmem, folder, first, count):
    allocated = {}
    for line in open(f"{folder}/allocated"):
        number, size = line.split()
        allocated.setdefault(int(number), []).append(int(size))
    try:
        names = dict(enumerate(open(f"{folder}/names").read().split()))
    except FileNotFoundError:
        names = {}
    groups = {}
    for number in range(first, first + count):
        try:
            sets = tuple(open(f"{folder}/p{number}.set").read().split())
        except FileNotFoundError:
            sets = ()
        groups.setdefault(sets, []).append(number)
    wrong = exact = bounded = partial = 0
    for sets, numbers in groups.items():
        bounds = dict(scan(ttmem, folder, numbers, sets))
        for number in numbers:
            programs, part = bounds.get(number, ([], False))
            programs = programs or [(0, 0)]
            seen = allocated[number]
            exact += all(low == high for low, high in programs)
            bounded += all(high is not None for low, high in programs)
            partial += part
            if not all(is_within(size, programs) for size in seen):
                wrong += 1
                print(f"{names.get(number, f'p{number}')}{' with ' + ' '.join(sets) if sets else ''}: allocates {min(seen)} to {max(seen)}, "
                      f"the scan says {' or '.join(f'{low} to {high}' for low, high in programs)}")
    print(f"{count} programs: {wrong} outside of their bounds, {exact} exact, {bounded} bounded, {partial} partly understood")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
