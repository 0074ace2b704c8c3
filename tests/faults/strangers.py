# SPDX-License-Identifier: Apache-2.0
"""What others left is not obeyed, what is secret is not printed."""
import os
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
    secret = os.path.join(work, "secret")
    with open(secret, "w") as out:
        out.write("host:5432:db:user:TOPSECRET\n")
    os.remove(budget)
    os.symlink(secret, budget)
    os.lchown(budget, 12345, 12345)
    linked = subprocess.run([ttmem, "check", log], env=env, cwd=inside, capture_output=True, text=True)
    check(linked.returncode == 2 and "TOPSECRET" not in linked.stderr, f"a link of another user to an own file: {linked.returncode} {linked.stderr}")
    os.remove(budget)
    with open(budget, "w") as out:
        out.write("max dram.peak 1B\n")
    os.chown(budget, 12345, 12345)
    named = subprocess.run([ttmem, "check", log, "--budget", budget], env=env, cwd=inside, capture_output=True, text=True)
    check(named.returncode == 1, f"unless it is named: {named.returncode}")

# addresses of a history
for address in (":memory:", "sqlite::memory:", "file:x?mode=memory"):
    ran = subprocess.run([ttmem, "history", "add", log], env={**env, "TTMEM_STORE": address}, capture_output=True, text=True)
    check(ran.returncode == 2 and "is not a file" in ran.stderr, f"{address}: {ran.returncode} {ran.stderr}")
for secret in ("sec/ret9", "sec%2Fret9", "se@cret9", "sec%zzret9", "sec:ret9", "sec?ret9"):
    address = f"postgresql://user:{secret}@127.0.0.1:1/db"
    ran = subprocess.run([ttmem, "history", "list"], env={**env, "TTMEM_STORE": address}, capture_output=True, text=True)
    check(ran.returncode in (2, 3) and "sec" not in ran.stderr.replace("second", "") and "ret9" not in ran.stderr, f"{secret}: {ran.stderr}")
    told = subprocess.run([ttmem, "history", "list", "--store", address], env=env, capture_output=True, text=True)
    check(told.returncode == 2 and "ret9" not in told.stderr, f"{secret} on the command line: {told.returncode} {told.stderr}")
for address in ("postgresql://user:ret9", "postgresql://user:ret9/db", "postgresql:user:ret9@host/db", "postgres:user:ret9@host/db"):
    for how in ({"TTMEM_STORE": address}, {}):
        ran = subprocess.run([ttmem, "history", "list", *([] if how else ["--store", address])], env={**env, **how}, capture_output=True, text=True, cwd=work)
        check(ran.returncode == 2 and "ret9" not in ran.stderr, f"{address}: {ran.returncode} {ran.stderr}")
finish()
