# SPDX-License-Identifier: Apache-2.0
"""A log gives the same answers as a file, through a pipe and compressed: generated ones, whole and cut, with ranks, modules and
failures that ask for what an op of theirs needs.

    python3 tests/oracle/streams.py BUILD [COUNTS-FILE] [--long]"""
import gzip
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults"))
from lib import *  # noqa: E402

LOGS = 300 if "--long" in sys.argv else 30
OOM = b"TT_FATAL: Out of Memory: Not enough space to allocate %d B DRAM buffer across 12 banks, where each bank needs to store %d B, but bank size is 1071821792 B (allocated: 921341952 B, free: 150479840 B, largest free block: 1472 B)\n"
# a dump is the only line that names what was asked for
ASKED = (
    b"2026-06-11 00:16:40.006 (   0.006s) [        9F3C1740]      module_builder.cc:1278     1| MLIR Module shlo_frontend:\n"
    b"    %18 = stablehlo.typecast %17 : (tensor<1x7x1xf32>) -> tensor<1x7x1xf32> loc(#loc34)\n"
    b"RuntimeError: TT_FATAL @ /x/bank_manager.cpp:462: false info: TT_FATAL: Out of Memory: Not enough space to allocate 4096 B L1_SMALL buffer across 2 banks, where each bank needs to store 2048 B, but bank size is 0 B (allocated: 0 B, free: 0 B, largest free block: 0 B)\n"
)
COMMANDS = [["summary"], ["info"], ["live"], ["explain"], ["ops"], ["late"], ["check", "--no-failure", "--no-budget-file"]]
path = os.path.join(work, "run.log")


def answer(command, name, text=None):
    ran = subprocess.run([ttmem, command[0], "--json", name, *command[1:]], input=text, env=env, capture_output=True)
    told = ran.stdout.replace(path.encode() + b".gz", b"-").replace(path.encode(), b"-")
    return ran.returncode, re.sub(rb'"(run|run.log|run.log.gz|stdin)"', b'"-"', told)


def compare(what, text):
    with open(path, "wb") as out:
        out.write(text)
    with gzip.open(path + ".gz", "wb", 1) as out:
        out.write(text)
    for command in COMMANDS:
        file = answer(command, path)
        for how, other in (("pipe", answer(command, "-", text)), ("gz", answer(command, path + ".gz"))):
            if not check(file == other, f"{what}: {command[0]} of a {how}, exit status {other[0]}, file {file[0]}"):
                lines = [pair for pair in zip(file[1].splitlines(), other[1].splitlines()) if pair[0] != pair[1]]
                print(*lines[:2], sep="\n")
    return answer(["explain"], path)[1]


told = compare("asked for, in a module", ASKED)
check(b"1x7x1" in told, "explain names what was asked for")
blocks = b"".join(line for line in open(genlog("a.log", "--ops", "5"), "rb") if b"memory state" in line)
compare("inside a test session", b"==== test session starts ====\ntests/a.py::test_x \n" + blocks)
check(b'"cut_inside": "tests"' in answer(["info"], path)[1], "info says that the log ends inside a test session")
module = open(genlog("a.log", "--ops", "9", "--module-bytes", "40000"), "rb").read()
for end in (b"\n", b"\r\n"):
    tagged = b"".join(b"server-1  | " + line + end for line in (module + ASKED).splitlines())
    compare(f"a module of a container, lines end with {end}", tagged)
random.seed(20261120)
for number in range(LOGS):
    options = ["--ops", str(random.randint(5, 120)), "--seed", str(number)]
    for option, value in (("--noise", "0.3"), ("--edge", "0.2"), ("--ranks", "3"), ("--programs", "2"), ("--module-bytes", "40000")):
        options += [option, value] if random.random() < 0.4 else []
    text = open(genlog("a.log", *options), "rb").read()
    shapes = re.findall(rb"tensor<(\d+)x(\d+)xbf16", text) or [(b"64", b"64")]
    asked = 2 * int.__mul__(*map(int, random.choice(shapes)))
    kind = random.random()
    if kind < 0.4:
        text += OOM % (asked, (asked + 11) // 12)
    elif kind < 0.7:
        text = text[: random.randrange(1, len(text))]
    compare(f"log {number} ({' '.join(options)})", text)
finish()
