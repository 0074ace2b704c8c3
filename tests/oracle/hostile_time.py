# SPDX-License-Identifier: Apache-2.0
"""No input makes a command slow: what the processor does for it is at most ten times what grep does for a file of that size, or a
second where that is more (start, threads, one page of output). Processor time, the best of three, so that other work on the
machine does not count.

    python3 tests/oracle/hostile_time.py BUILD [COUNTS-FILE] [--long]

Without --long the commands that read in ways of their own, with it all of them."""
import os
import resource
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults"))
from lib import *  # noqa: E402

MB = 1 << 20
OOM = b"TT_FATAL: Out of Memory: Not enough space to allocate %d B DRAM buffer across 12 banks, where each bank needs to store 100 B, but bank size is 5000 B (allocated: 4950 B, free: 50 B, largest free block: 50 B)\n"
CLASH = b"TT_THROW: Statically allocated circular buffers in program 7 clash with L1 buffers on core range [(x=0,y=0) - (x=7,y=7)]. L1 buffer allocated at %d and static circular buffer region ends at 900000\n"
BEYOND = b"TT_THROW: Statically allocated circular buffers on core range [(x=0,y=0) - (x=7,y=0)] grow to 1%d B which is beyond max L1 size of 1499136 B\n"
OP = b'RuntimeTTNN | DEBUG | Executing operation: %8 = "ttnn.multiply"(%7, %5) : (tensor<4x8xbf16>) -> tensor<4x8xbf16> loc("x")\n'
POOL = b"Always | INFO | Device DRAM memory state: MemoryView{numBanks: 12, totalBytesPerBank: 1022.169 MB, totalBytesAllocatedPerBank: 0.973 MB, totalBytesFreePerBank: 1021.196 MB, largestContiguousBytesFreePerBank: 1.0 MB}\n"
WORDS = (b"MemoryError", b": *** [", b"Killed process", b"Circular buffers", b"Cannot allocate memory", b"Program size")
INPUTS = {
    "one line of 100 MB": b"Executing operation: " + b"x" * (100 * MB),
    "one op line of 100 MB": b'RuntimeTTNN | DEBUG | Executing operation: %1 = "ttnn.add"(' + b"%1, " * (25 * MB) + b"\n",
    "50 million tiny lines": b"x\n" * 50_000_000,
    "100 million empty lines": b"\n" * 100_000_000,
    "carriage returns": b"12%\r" * (5 * MB) + b"\n",
    "deep brackets": b"[" * (20 * MB),
    "deep objects": b'{"a":' * (4 * MB),
    "deep types": OP[:-12].replace(b"4x8xbf16", b"tuple<" * 1000) * 2000,
    "deep locations": OP.replace(b'loc("x")', b"loc(fused[" * 2000) * 800,
    "dense failures": b"".join(OOM % (1200 + n) for n in range(100_000)),
    "equal failures": (OOM % 1200) * 100_000,
    "mixed failures": b"".join((CLASH % n if n * 7 % 5 < 2 else BEYOND % n if n % 3 else OOM % n) for n in range(100_000, 200_000)),
    "failures of ranks": b"".join(b"[1,%d]<stderr>: " % (n % 8) + OOM % n for n in range(100_000)),
    "mixed failures of ranks": b"".join(b"[1,%d]<stderr>: " % (n * 5 % 8) + (CLASH, OOM, BEYOND)[n * 7 % 3] % n for n in range(450_000)),
    "short messages": b"MemoryError\nstd::bad_alloc\n" * 800_000,
    "torn messages": b"Out of Memory: Not enough\nspace to allocate 123\n" * 400_000,
    "words of messages, but no message": b"".join(b"%s %d\n" % (WORDS[n % len(WORDS)], n) for n in range(200_000)),
    "dense ops": OP * 100_000,
    "headings without values": b"Always | INFO | Device memory state before operation X\n" * 300_000,
    "values without headings": POOL * 80_000,
    "an open module": b"MLIR Module ttnn:\nmodule {\n" + b"%0 = \"ttnn.add\"(\n" * 1_000_000,
    "modules that only begin": b"module @x {\n" * 1_500_000,
    "a tag each": b"".join(b"[1,%d]<stdout>: x\n" % n for n in range(1_000_000)),
    "colours": b"\x1b[31m" * (4 * MB),
    "zeros": b"\0" * (50 * MB),
    "half of a character": b"\xe2\x96" * (10 * MB),
    "quotes": b'"' * (20 * MB),
    "stacks": b"Traceback (most recent call last):\n  File \"x.py\", line 1, in f\n" * 300_000,
}
COMMANDS = {
    "summary": [],
    "info": [],
    "explain": [],
    "analyze": ["--output-dir", os.path.join(work, "out"), "--force", "-q"],
    "report": ["--no-files"],
    "live": [],
    "top-ops": [],
    "ops": [],
    "op": ["0"],
    "ranks": [],
    "late": [],
    "check": ["--no-failure", "--no-budget-file"],
    "fit": [],
    "diff": ["@"],
    "export": ["--format", "chrome", "-o", os.path.join(work, "out.json")],
    "last-run": ["-o", os.path.join(work, "last.log")],
    "train": [],
    "graph": [],
    "predict": [],
    "cb log": [],
    "history add": ["--store", os.path.join(work, "h.db")],
}


def cpu(command, tries):
    best = None
    for _ in range(tries):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ran = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=600)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = spent if best is None else min(best, spent)
        if best < 1:
            break
    return best, ran


for what, content in INPUTS.items():
    path = os.path.join(work, "hostile.log")
    with open(path, "wb") as out:
        out.write(content)
    # a pattern that is not there: grep reads all of it
    grep, _ = cpu(["grep", "-c", "Memory Usage Summary of nothing", path], 3)
    bound = max(1.0, 10 * grep)
    for name, more in COMMANDS.items():
        if "--long" not in sys.argv and name not in ("summary", "info", "explain", "analyze", "train", "graph", "predict", "cb log"):
            continue
        command = [ttmem, *name.split(), path, *(path if word == "@" else word for word in more)]
        took, ran = cpu(command, 3)
        check(took <= bound, f"{what}: {name} took {took:.2f} s of processor time, grep {grep:.2f} s")
        check(ran.returncode in (0, 1, 2, 3, 4), f"{what}: {name} ended with {ran.returncode}: {ran.stderr[-200:]}")
finish()
