# SPDX-License-Identifier: Apache-2.0
"""What others left is not obeyed, what is secret is not printed, and running out of memory leaves nothing behind."""
import os
import shutil
import subprocess

from lib import *

log = genlog("model_profile.log", "--ops", "30")

# a budget of another user in a folder above
above = os.path.join(work, "above")
inside = os.path.join(above, "inside")
os.makedirs(inside)
budget = os.path.join(above, ".ttmem-budget")
with open(budget, "w") as out:
    out.write("max dram.peak 1B\n")
mine = subprocess.run([ttmem, "check", log], env=env, cwd=inside, capture_output=True, text=True)
check(mine.returncode == 1, f"a budget in a folder above is obeyed: {mine.returncode} {mine.stderr}")
if os.geteuid() == 0:
    os.chown(budget, 12345, 12345)
    theirs = subprocess.run([ttmem, "check", log], env=env, cwd=inside, capture_output=True, text=True)
    check(theirs.returncode == 2 and "belongs to another user" in theirs.stderr, f"of another user: {theirs.returncode} {theirs.stderr}")
    named = subprocess.run([ttmem, "check", log, "--budget", budget], env=env, cwd=inside, capture_output=True, text=True)
    check(named.returncode == 1, f"unless it is named: {named.returncode}")

# addresses of a history
for address in (":memory:", "sqlite::memory:", "file:x?mode=memory"):
    ran = subprocess.run([ttmem, "history", "add", log], env={**env, "TTMEM_STORE": address}, capture_output=True, text=True)
    check(ran.returncode == 2 and "is not a file" in ran.stderr, f"{address}: {ran.returncode} {ran.stderr}")
for secret in ("sec/ret9", "sec%2Fret9", "se@cret9", "sec%zzret9", "sec:ret9"):
    address = f"postgresql://user:{secret}@127.0.0.1:1/db"
    ran = subprocess.run([ttmem, "history", "list"], env={**env, "TTMEM_STORE": address}, capture_output=True, text=True)
    check(ran.returncode in (2, 3) and "sec" not in ran.stderr.replace("second", "") and "ret9" not in ran.stderr, f"{secret}: {ran.stderr}")
    told = subprocess.run([ttmem, "history", "list", "--store", address], env=env, capture_output=True, text=True)
    check(told.returncode == 2 and "ret9" not in told.stderr, f"{secret} on the command line: {told.returncode} {told.stderr}")

# every allocation in turn; most of them in long steps, for there are many
shim = os.path.join(work, "shim.so")
subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", "-o", shim, os.path.join(os.path.dirname(os.path.abspath(__file__)), "shim.c"), "-ldl"], check=True)
out = os.path.join(work, "out")
count_file = os.path.join(work, "count")


def calls(kind, command):
    subprocess.run(command, env={**env, "LD_PRELOAD": shim, "TTMEM_FAULT": kind, "TTMEM_FAULT_COUNT": count_file}, capture_output=True)
    with open(count_file) as f:
        return int(f.read())


COMMANDS = {
    "analyze": [ttmem, "analyze", log, "--output-dir", out, "-q"],
    "summary": [ttmem, "summary", log],
    "explain": [ttmem, "explain", log],
    "export": [ttmem, "export", log, "--format", "csv", "-o", os.path.join(out, "x.csv")],
    "report": [ttmem, "report", log, "--format", "markdown", "--no-files"],
    "last-run": [ttmem, "last-run", log, "-o", os.path.join(out, "x.log")],
}
shutil.rmtree(out, True)
os.makedirs(out)
subprocess.run(COMMANDS["analyze"], env=env, capture_output=True, check=True)
intact = {name: open(os.path.join(out, name), "rb").read() for name in os.listdir(out)}
TRIES = 14
for name, command in COMMANDS.items():
    for kind, statuses in (("malloc", (70, 3)), ("write", (5, 0)), ("rename", (5,)), ("read", (0, 1, 3, 5)), ("open", (0, 1, 3, 4, 5))):
        total = calls(kind, command)
        for at in sorted({1 + i * max(total - 1, 0) // (TRIES - 1) for i in range(TRIES)} if total else ()):
            fault = {**env, "LD_PRELOAD": shim, "TTMEM_FAULT": kind, "TTMEM_FAULT_AT": str(at)}
            ran = subprocess.run(command, env=fault, capture_output=True, text=True, errors="replace")
            usual = ran.returncode in statuses or (ran.returncode in (0, 1) and kind == "malloc")
            check(usual, f"{name}: {kind} {at} of {total} fails: status {ran.returncode} {ran.stderr[-200:]}")
            check(ran.returncode in (0, 1) or len(ran.stderr.strip().splitlines()) >= 1, f"{name}: {kind} {at}: says nothing")
            for f in os.listdir(out):
                if f.startswith("model-2_") and f.endswith((".json", ".html", ".ttmem")):
                    os.remove(os.path.join(out, f))  # whose the summary is could not be read: it is left alone
            left = [f for f in os.listdir(out) if f not in intact and f not in ("x.csv", "x.log")]
            check(not left, f"{name}: {kind} {at} of {total}: left {left}")
            for f in left:
                os.remove(os.path.join(out, f))
    state = subprocess.run([ttmem, "summary", out], env=env, capture_output=True, text=True)
    if name != "analyze":
        check(state.returncode == 0, f"{name}: the report that was there is not whole: {state.stderr}")
    else:
        check(state.returncode in (0, 3), f"after failed refreshes: {state.returncode} {state.stderr}")
        subprocess.run(COMMANDS["analyze"], env=env, capture_output=True, check=True)
finish()
