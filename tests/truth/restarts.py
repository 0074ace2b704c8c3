#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processes one after another in one file, and failures that were caught or not: restarts.py BUILD-FOLDER

Two generated logs of different devices, each after the line with which tt-metal opens its driver, are one run: every count is the sum of both, the
peak is the higher one, and at the first op of the second process nothing of the first is alive. A failure of the first process ended it, whatever the
second one does. Then one failure with what tells how it ended after it, in every wording.

Prints one line per difference and `N passed, M failed`."""
import json
import os
import subprocess
import sys
import tempfile

BUILD = os.path.realpath(sys.argv[1])
OPENS = b"2026-11-15 14:00:00.003 | info     |          Device | Opening user mode device driver (tt_cluster.cpp:200)\n"
OLDER_OPENS = (b"                 Device | INFO     | Opening user mode device driver\n",
               b"\x1b[38;2;000;128;000m                 Device\x1b[0m | \x1b[1m\x1b[38;2;100;149;237mINFO    \x1b[0m | Opening user mode device driver\n",
               b"tests/test_a.py::test_width[1]                  Device | INFO     | Opening user mode device driver\n")
# One line of each wording, of the process before or of the one after, and none where the banks tell.
XLA = b"2026-11-15 14:00:00.003 (   0.002s) [        79D1C480]     client_instance.cc:%d     1| %s\n"
METAL = b"2026-11-15 14:00:00.003 | info     |             %s | %s\n"
OTHER_OPENS = (METAL % (b"UMD", b"Starting devices in cluster (cluster.cpp:1236)"), METAL % (b"UMD", b"Closing devices in cluster completed. (cluster.cpp:1206)"),
               METAL % (b"Device", b"Closing user mode device drivers (tt_cluster.cpp:513)"), b"                  Metal | INFO     | Closing device 0\n",
               METAL % (b"Always", b"Closing and re-initializing MetalContext with new parameters. (metal_context.cpp:184)"),
               XLA % (695, b"ClientInstance::PJRT_Client_Create"), XLA % (32, b"ClientInstance::ClientInstance"), XLA % (499, b"Closing parent mesh."),
               XLA % (607, b"ClientInstance::getOrCreateMeshDevice - reshaping mesh device - [1, 8] -> [2, 4]"),
               b"============================= test session starts ==============================\n")
OOM = (b"2026-11-15 14:00:00.000 | critical |          Always | TT_FATAL: Out of Memory: Not enough space to allocate 4096000 B L1 buffer across 64 banks, where each "
       b"bank needs to store 64000 B, but bank size is 1331936 B (allocated: 16000 B, free: 1315936 B, largest free block: 31936 B) (assert.hpp:104)\n")
passed = failed = 0


def expect(what, condition):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print("FAILED: restarts:", what)


def ttmem(*words, status=0):
    run = subprocess.run([BUILD + "/ttmem", *words], capture_output=True, text=True)
    expect(f"{words} ends with {run.returncode}: {run.stderr[:200]}", status is None or run.returncode == status)
    return run.stdout if status is not None else run.returncode


def generate(work, name, *options):
    """A log without a word about its device."""
    subprocess.run([BUILD + "/genlog", "-o", f"{work}/{name}.log", "--truth", f"{work}/{name}.json", *options], check=True, capture_output=True)
    return open(f"{work}/{name}.log", "rb").read().replace(b"PJRT_Client_Create", b"PJRT_Client_Compile"), json.load(open(f"{work}/{name}.json", encoding="utf-8"))


def summary(path):
    return json.loads(ttmem("summary", path, "--json"))


def alive(path, op):
    told = json.loads(ttmem("live", path, "--at", str(op), "--json", "--limit", "0"))
    return sorted((t["class"], t["shape"], t["dtype"], t["bytes_per_bank"]) for t in told["tensors"])


def check_pair(what, work, first, second, opens=OPENS):
    (a, a_truth), (b, b_truth) = first, second
    path = f"{work}/both.log"
    with open(path, "wb") as file:
        file.write(opens + a + opens + b)
    with open(f"{work}/second.log", "wb") as file:
        file.write(opens + b)
    both, alone = summary(path), summary(f"{work}/second.log")
    for key in ("records", "op_lines", "deallocates", "get_devices", "blocks"):
        sum_of = a_truth[key] + b_truth[key] if a_truth["op_lines"] or key not in ("deallocates", "get_devices") else None
        expect(f"{what}: {key}", both[key] == sum_of)
    expect(f"{what}: lines", both["lines"] == a_truth["lines"] + b_truth["lines"] + 2)
    counts = lambda truth: [sum(c[k] for c in truth["const_eval"]) for k in ("misses", "hits")]
    expect(f"{what}: const-evals", [sum(c[k] for c in both["const_eval"]) for k in ("misses", "hits")] == [x + y for x, y in zip(counts(a_truth), counts(b_truth))])
    a_peak, b_peak = a_truth["peaks"]["DRAM"], b_truth["peaks"]["DRAM"]
    higher, shift, ops = (a_peak, 1, 0) if a_peak["allocated_thousandths"] >= b_peak["allocated_thousandths"] else (b_peak, a_truth["lines"] + 2, a_truth["records"])
    peak = both["peaks"]["dram"]
    expect(f"{what}: peak", round(peak["allocated_bytes_per_bank"] / 1048.576) == higher["allocated_thousandths"] and peak["line"] == higher["block_line"] + shift)
    expect(f"{what}: op of the peak", peak["op"]["index"] == higher["op_index"] + ops)
    op = a_truth["records"]
    held = lambda told, more: [(h["op"] and h["op"]["index"] + more, h["bytes_per_bank"]) for h in told["held_at_peak"]]
    expect(f"{what}: held at the peak", higher is a_peak or held(both, 0) == held(alone, op))
    for later in (0, 1, 5, b_truth["records"] - 1):
        expect(f"{what}: alive at op {later} of the second process", alive(path, op + later) == alive(f"{work}/second.log", later))
    return both


def check_restarts(work):
    plain = generate(work, "plain", "--ops", "60", "--seed", "3")
    other = generate(work, "other", "--ops", "70", "--seed", "4", "--warmup", "1")
    blackhole = generate(work, "blackhole", "--ops", "70", "--seed", "4", "--chip", "p150", "--hidden", "512")
    check_pair("the same model twice", work, plain, plain)
    expect("the same model twice: each process has its own weights", "several programs" not in ttmem("summary", f"{work}/both.log"))
    check_pair("another model", work, plain, other)
    both = check_pair("another chip", work, plain, blackhole)
    expect("another chip: the change is noted", both["warnings"])
    for opens in OLDER_OPENS:
        check_pair(f"another chip after {opens}", work, plain, blackhole, opens)
    for opens in OTHER_OPENS:
        check_pair(f"another model after {opens}", work, plain, other, opens)
    check_pair("another chip without a word", work, plain, blackhole, b"\n")
    memory_only = [generate(work, name, "--ops", "60", "--no-ops", *options) for name, options in (("m", []), ("n", ["--chip", "p150", "--hidden", "512"]))]
    told = check_pair("memory only, another chip without a word", work, *memory_only, b"\n")
    expect("memory only: held", told["held_at_peak"])
    smaller_first = [generate(work, name, "--ops", "60", "--no-ops", "--hidden", width) for name, width in (("s", "256"), ("l", "1024"))]
    check_pair("memory only, a larger model", work, *smaller_first)
    out_of_memory = generate(work, "oom", "--ops", "60", "--oom")
    both = check_pair("after a failure", work, out_of_memory, plain)
    expect("after a failure: it ended its process", [f["caught"] for f in both["failures"]] == [False])
    expect("after a failure: check", ttmem("check", f"{work}/both.log", "--no-failure", status=None) == 1)


ENDINGS = {  # what stands before it, what comes after it: caught, ended or not known
    "operations": (b"", b"OPS", True),
    "gtest passed": (b"[ RUN      ] Sweep.Width\n", b"[       OK ] Sweep.Width (3 ms)\n", True),
    "gtest failed": (b"[ RUN      ] Sweep.Width\n", b"[  FAILED  ] Sweep.Width (3 ms)\n", False),
    "pytest passed": (b"tests/test_a.py::test_width \n", b"PASSED\n", True),
    "pytest failed": (b"tests/test_a.py::test_width \n", b"FAILED\n", False),
    "pytest's last line alone": (b"", b"============================== 1 passed in 12.34s ===============================\n", True),
    "pytest's last line, with warnings": (b"", b"=========== 3 passed, 1 skipped, 2 warnings in 62.10s (0:01:02) ============\n", True),
    "pytest -q": (b"", b"1 passed in 12.34s\n", True),
    "pytest's last line, one of two failed": (b"", b"==================== 1 failed, 1 passed in 12.34s =====================\n", None),
    "words about passing": (b"", b"64 tensors passed in 3 groups\n", None),
    "exit 0": (b"", b"Process finished, exit code: 0\n", True),
    "exit 1": (b"", b"Process finished, exit code: 1\n", False),
    "terminate": (b"", b"terminate called after throwing an instance of 'std::runtime_error'\n", False),
    "nothing": (b"", b"", None),
    "pytest's short summary": (b"FAILED tests/test_a.py::test_width - RuntimeError: TT_FATAL @ /src/tt_metal/impl/allocator/bank_manager.cpp:462: false\ninfo:\n", b"", False),
}


def check_endings(work):
    log, _ = generate(work, "plain", "--ops", "40", "--seed", "3")
    for what, (before, after, caught) in ENDINGS.items():
        path = f"{work}/ending.log"
        with open(path, "wb") as file:
            file.write(before + OOM + (log if after == b"OPS" else after))
        told = summary(path)
        expect(f"{what}: {[f['caught'] for f in told['failures']]}", [f["caught"] for f in told["failures"]] == [caught])
        label = {True: "caught", False: "FAILED", None: "failure"}[caught]
        expect(f"{what}: label of the summary", f"\n  {label} " in ttmem("summary", path))
        expect(f"{what}: check --no-failure", ttmem("check", path, "--no-failure", status=None) == {True: 0, False: 1, None: 4}[caught])
        expect(f"{what}: check --no-failure=any", ttmem("check", path, "--no-failure=any", status=None) == 1)


def main():
    with tempfile.TemporaryDirectory() as work:
        check_restarts(work)
        check_endings(work)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
