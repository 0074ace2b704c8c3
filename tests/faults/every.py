# SPDX-License-Identifier: Apache-2.0
"""Every call of the system that a command makes fails once: allocation, read, write, open, rename, fsync. The status is one that
says so, one sentence is said, no temporary file is left, and what stood before is there unchanged or replaced whole. A command
may do without what failed only where its answer stays the same.

Of more than FEW allocations a sample is tried, --long tries all."""
import filecmp
import hashlib
import json
import os
import shutil
import subprocess

from lib import *

here = os.path.dirname(os.path.abspath(__file__))
data = os.path.join(here, "..", "data")
examples = os.path.join(here, "..", "..", "examples")
few = None if "--long" in sys.argv else 40
shim = make_shim()
count_file = os.path.join(work, "count")

start = os.path.join(work, "start")  # what stands before each command
there = os.path.join(work, "there")  # a copy of it, in which the command runs
os.makedirs(start)
env.update(LC_ALL="C", HOME=there, TTMEM_HOME=os.path.join(there, ".ttmem"), NO_COLOR="1", TMPDIR=there)
for name, options in {"a.log": ["--ops", "10", "--const-eval", "0"], "b.log": ["--ops", "12", "--oom", "--const-eval", "0"], "c.log": ["--ops", "10", "--const-eval", "2", "--warmup", "1"]}.items():
    shutil.copy(genlog(name, *options), start)
for path in ("graph/matmul_add_report.json", "cb/kernels", "cb/called_with_sizes.cpp", "l1/rotary.py", "l1/blocks.cpp"):
    whole = os.path.join(data, path)
    shutil.copytree(whole, os.path.join(start, os.path.basename(path))) if os.path.isdir(whole) else shutil.copy(whole, start)
for path in ("training.log", "group_norm_ttnn.mlir"):
    shutil.copy(os.path.join(examples, path), start)
with open(os.path.join(start, "budget"), "w") as out:
    out.write("max dram.peak 90%\nno-failure\n")
subprocess.run(["gzip", "-k", "b.log"], cwd=start, check=True)
subprocess.run(["zstd", "-q", "b.log"], cwd=start, check=True)
for made in (["analyze", "a.log", "--output-dir", "report", "-q"], ["history", "add", "a.log", "--store", "h.db", "--ops", "-q"], ["history", "add", "b.log", "--store", "h.db", "--ops", "-q", "--label", "branch=topic"]):
    subprocess.run([ttmem, *made], cwd=start, env=env, check=True, stdout=subprocess.DEVNULL)
store = ["--store", "h.db"]
calls = [{"method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
         {"method": "tools/call", "params": {"name": "ttmem_summary", "arguments": {"run": "a.log"}}},
         {"method": "tools/call", "params": {"name": "ttmem_explain", "arguments": {"run": "b.log"}}}]
with open(os.path.join(start, "calls"), "w") as out:
    out.writelines(json.dumps({"jsonrpc": "2.0", "id": number, **call}) + "\n" for number, call in enumerate(calls))

COMMANDS = [
    ["summary", "b.log"],
    ["summary", "b.log.gz", "--json"],
    ["summary", "b.log.zst"],
    ["summary", "report"],
    ["info", "b.log"],
    ["explain", "b.log"],
    ["explain", "b.log", "--json"],
    ["analyze", "b.log", "--output-dir", "new", "-q"],
    ["analyze", "b.log", "--output-dir", "report", "--name", "a", "--force", "-q"],
    ["view", "b.log", "-o", "page.html"],
    ["view", "report", "-o", "page.html"],
    ["report", "b.log", "--no-files"],
    ["op", "b.log", "3"],
    ["live", "b.log"],
    ["ranks", "b.log"],
    ["late", "b.log"],
    ["duplicates", "c.log"],
    ["holes", "matmul_add_report.json"],
    ["top-ops", "b.log"],
    ["ops", "b.log", "--name", "matmul"],
    ["predict", "group_norm_ttnn.mlir"],
    ["fit", "matmul_add_report.json", "--target", "45%"],
    ["diff", "a.log", "b.log"],
    ["diff", "report", "b.log"],
    ["check", "b.log", "--budget", "budget", "--junit", "junit.xml", "--sarif", "x.sarif", "--codequality", "q.json"],
    ["history", "add", "b.log", "--store", "new.db"],
    ["history", "add", "b.log", *store, "--label", "x=1"],
    ["history", "list", *store],
    ["history", "show", "branch:topic", *store],
    ["history", "plot", *store, "--format", "html", "-o", "trend.html"],
    ["history", "regressions", *store],
    ["history", "prune", *store, "--keep", "1"],
    ["history", "export", *store, "--format", "csv"],
    ["history", "export", *store, "--format", "prometheus"],
    ["last-run", "c.log", "-o", "last.log"],
    ["last-run", "c.log", "--in-place"],
    ["train", "training.log"],
    ["graph", "matmul_add_report.json"],
    ["summary", "matmul_add_report.json"],
    ["l1", "scan", "blocks.cpp"],
    ["l1", "scan", "rotary.py", "--json"],
    ["cb", "simulate", "4", "4"],
    ["cb", "scan", "called_with_sizes.cpp"],
    ["cb", "log", "matmul_add_report.json"],
    ["cb", "report", "4", "4", "--source", "called_with_sizes.cpp", "-o", "cb.html"],
    ["skill", "--install", "skills"],
    ["schema", "summary"],
    ["completion", "bash"],
    ["version"],
    ["top", "--once", "--prometheus", "-o", "top.prom"],
    ["run", "--", "cat", "b.log"],
    ["follow", "b.log", "--idle", "1", "--progress", "never"],
    ["mcp"],
] + [["export", "b.log", "--format", f, "-o", "out"] for f in ("chrome", "speedscope", "folded", "csv", "sqlite", "pytorch")]

# out of memory; unreadable; unwritable. A database tells of all three as what it could not do with its file.
# A folder that cannot be listed for a moment looks empty (4).
STATUSES = {"malloc": (70, 3, 5), "read": (3, 5), "write": (5, 3), "open": (3, 5), "rename": (5,), "fsync": (5, 3), "move": (5,)}


def run(command, **fault):
    shutil.rmtree(there, True)
    shutil.copytree(start, there, copy_function=os.link)  # cheap; nothing that ttmem writes is written in place but databases
    for name in ("h.db", "c.log"):  # nor is a log with two names replaced
        os.remove(os.path.join(there, name))
        shutil.copy(os.path.join(start, name), there)
    with open(os.path.join(there, "calls") if command == ["mcp"] else os.devnull) as given:
        return subprocess.run([ttmem, *command], cwd=there, env={**env, **fault}, stdin=given, capture_output=True, timeout=120)


def answers_errors(said):
    """Whether a server said for each call either the answer or what failed."""
    answers = [json.loads(line) for line in said.decode().splitlines()]
    failed = [a for a in answers if "error" in a or a["result"].get("isError") or "caveats of the run are not known:" in json.dumps(a)]
    return [a["id"] for a in answers] == list(range(len(calls))) and len(failed) > 0


def tell(command, kind, number, total, ran, what):
    check(False, f"{' '.join(command)}: {kind} {number} of {total} fails: {what}: status {ran.returncode}: {ran.stderr.decode(errors='replace')[-300:]}")


def changed_files():
    """What was there and is another file now; a file that another process would see half written differs from both states."""
    return {f: digest(os.path.join(there, f)) for f in before if not f.startswith("h.db") and os.path.exists(os.path.join(there, f)) and not filecmp.cmp(os.path.join(there, f), os.path.join(start, f), False)}


def digest(path):
    """Of a page and a summary only that they are others: they tell when they were made."""
    with open(path, "rb") as bytes_in:
        return "" if path.endswith((".html", ".json", ".ttmem")) else hashlib.sha256(bytes_in.read()).hexdigest()


def judge(command, usual, after, changed, kind, number, total):
    ran = run(command, LD_PRELOAD=shim, TTMEM_FAULT=kind, TTMEM_FAULT_AT=str(number))
    files = files_below(there)
    usually = usual.stderr.decode(errors="replace").splitlines()
    said = [line for line in ran.stderr.decode(errors="replace").splitlines() if line.startswith("ttmem") and line not in usually]
    # whose a report is that cannot be read for a moment is not known: it is left alone, another name is taken
    other_name = command[0] == "analyze" and kind == "open"
    if ran.returncode == usual.returncode:
        if command == ["mcp"] and ran.stdout != usual.stdout:
            check(answers_errors(ran.stdout), f"mcp: {kind} {number} of {total}: {ran.stdout[-300:]}")
        elif ran.stdout != usual.stdout and not said and not other_name:
            return tell(command, kind, number, total, ran, "another answer, and nothing said")
    elif ran.returncode not in STATUSES[kind] and not (kind == "open" and ran.returncode == 4 and "report" in command):
        return tell(command, kind, number, total, ran, "status")
    elif len(said) != 1 and command[0] != "run":  # which tells of the program that it ran
        return tell(command, kind, number, total, ran, f"{len(said)} sentences")
    # a journal that SQLite could not close holds runs: the next one who opens the history takes them over
    strange = [f for f in files if f not in after and f not in before and not f.endswith((".db-wal", ".db-shm")) and not (other_name and f.startswith("new/b-2_"))]
    if strange and command[0] != "run":
        return tell(command, kind, number, total, ran, f"left {strange}")
    lost = [f for f in before if f not in files and f in after]
    if lost:
        return tell(command, kind, number, total, ran, f"lost {lost}")
    state = changed_files()
    if state and state != changed:
        return tell(command, kind, number, total, ran, f"changed {sorted(state)} of {sorted(changed)}")
    check(True, "")


before = files_below(start)
tried = {kind: 0 for kind in STATUSES}
only = os.environ.get("ONLY")
for command in COMMANDS:
    if only and only not in " ".join(command):
        continue
    usual = run(command, LD_PRELOAD=shim, TTMEM_FAULT_COUNT=count_file, TTMEM_FAULT="")
    if not check(usual.returncode in (0, 1), f"{' '.join(command)}: {usual.returncode}: {usual.stderr.decode()}"):
        continue
    after, changed = set(files_below(there)), changed_files()
    with open(count_file) as counts:
        totals = {kind: int(number) for kind, number in (line.split() for line in counts)}
    totals["move"] = totals["rename"]
    for kind in STATUSES:
        total = totals[kind]
        step = 1 if few is None or kind != "malloc" else max(1, total // few)
        for number in range(1, total + 1, step):
            judge(command, usual, after, changed, kind, number, total)
            tried[kind] += 1
print("faults:", ", ".join(f"{number} of {kind}" for kind, number in tried.items()), "in", len(COMMANDS), "commands", file=sys.stderr)
finish()
