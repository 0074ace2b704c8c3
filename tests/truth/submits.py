#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Logs with memory around submits only: their peak is a lower bound of the peak that the same run shows with memory at every op,
is marked as one, and is never below what `ttmem live` adds up at any op. tests/truth/submits.py BUILD-FOLDER [--quick]"""
import json
import os
import random
import subprocess
import sys
import tempfile

BUILD = os.path.realpath(sys.argv[1])
COUNT = 12 if "--quick" in sys.argv else 60
CHOICES = (
    (["--warmup", "2"], 0.4), (["--programs", "3"], 0.4), (["--shared-weights"], 0.3), (["--interleave-programs"], 0.3),
    (["--trace"], 0.15), (["--oom"], 0.2), (["--exception"], 0.15), (["--ranks", "3"], 0.2), (["--change", "leak"], 0.2),
    (["--change", "keep"], 0.2), (["--edge", "0.3"], 0.3), (["--mesh", "1x2"], 0.2), (["--chip", "p150"], 0.2))  # fmt: skip


def ask(*words):
    answer = subprocess.run([BUILD + "/ttmem", *words, "--json"], capture_output=True, text=True, check=False)
    return json.loads(answer.stdout)


def main():
    chance, failed, close = random.Random(3), 0, 0
    folder = tempfile.TemporaryDirectory()
    os.chdir(folder.name)
    for number in range(COUNT):
        options = ["--seed", str(chance.randint(1, 9999)), "--ops", str(chance.choice([12, 40])), "--const-eval", str(chance.randint(0, 6))]
        for words, share in CHOICES:
            options += words if chance.random() < share else []
        for level in ("program", "operation"):
            subprocess.run([BUILD + "/genlog", "-o", level + ".log", "--level", level, *options], check=True)
        summary = ask("summary", "program.log")
        peak, true = summary["peaks"]["dram"], ask("summary", "operation.log")["peaks"]["dram"]
        bound = peak["allocated_bytes_per_bank"]
        problems = []
        if bound > true["allocated_bytes_per_bank"]:
            problems.append(f"peak of at least {bound}, and every op measured shows {true['allocated_bytes_per_bank']}")
        if not peak["at_least"]:
            problems.append("a peak that is known around submits only is not marked")
        if number % 6 == 0:
            for op in range(0, summary["records"], 3):
                alive = ask("live", "program.log", "--at", str(op))["attributed_bytes_per_bank"]
                if alive > bound + 1049:
                    problems.append(f"live adds up {alive} at #{op}, the peak is at least {bound}")
        close += bound > 0.97 * true["allocated_bytes_per_bank"]
        for problem in problems:
            print(f"FAILED: submits {' '.join(options)}: {problem}")
        failed += bool(problems)
    if close < 0.9 * COUNT:
        print(f"FAILED: only {close} of {COUNT} bounds are within 3 % of the peak")
        failed += 1
    os.chdir("/")
    folder.cleanup()
    print(f"{COUNT - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
