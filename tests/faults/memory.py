# SPDX-License-Identifier: Apache-2.0
"""Small files that contain much, and large ones with a line that does not end: memory stays bounded, and the lines around such a
line count as they do elsewhere."""
import json
import os
import resource
import sqlite3
import subprocess
import sys
import zlib

from lib import *

MB = 1 << 20
log = genlog("whole.log", "--ops", "400")
with open(log, "rb") as whole:
    text = whole.read()


def zipped(name, parts):
    """A .gz of `parts`, each a text and how often it is repeated."""
    path = os.path.join(work, name)
    pack = zlib.compressobj(1, zlib.DEFLATED, 31)
    with open(path, "wb") as out:
        for part, times in parts:
            for _ in range(times):
                out.write(pack.compress(part))
        out.write(pack.flush())
    return path


def run(*words, **more):
    """Ended process and the most megabytes that it held."""
    child = subprocess.Popen([ttmem, *words], env={**env, **more.pop("env", {})}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=work, **more)
    child.told, child.said = child.stdout.read().decode(), child.stderr.read().decode()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child, used.ru_maxrss // 1024


zeros = b"\0" * MB
bombs = {
    "zeros": [(zeros, 400)],
    "text": [(b"x" * MB, 400)],
    "tagged": [(b"[1,0]<stdout>:", 1), (b"x" * MB, 400)],
    "tags in one line": [((b"[1,0]<stdout>:" + b"x" * 100) * 9000, 400)],
    "lines that others interrupt": [(b"[1,0]<stdout>:" + b"x" * 5000 + b"[1,1]<stdout>:y\n", 80000)],
    "entries": [(b'{"log":"x\\n","stream":"stdout","time":"2026-01-01T00:00:00Z"}\n{"log":"', 1), (b"x" * MB, 400)],
    "parts of a line": [(b'{"log":"' + b"x" * 16000 + b'","stream":"stdout","time":"2026-01-01T00:00:00Z"}\n', 25000)],
}
for what, parts in bombs.items():
    bomb = zipped("bomb.log.gz", parts)
    ran, used = run("analyze", bomb, "--max-spool", "50MB", "--output-dir", "out")
    check(ran.returncode == 3 and "holds more than 50.00 MB" in ran.said, f"{what}: {ran.returncode} {ran.said}")
    check(used < (700 if "[1," in str(parts[0][0][:20]) else 400), f"{what}: analyze held {used} MB")
    with open(bomb, "rb") as packed:
        unpacked = subprocess.Popen(["gzip", "-dc"], stdin=packed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        ran, used = run("analyze", "-", "--output-dir", "out", stdin=unpacked.stdout, env={"TTMEM_MAX_SPOOL": "50MB"})
        unpacked.stdout.close()
        unpacked.wait()
    check(ran.returncode == 3 and "the input holds more than 50.00 MB" in ran.said, f"{what} in a pipe: {ran.returncode} {ran.said}")
    check(used < (700 if "[1," in str(parts[0][0][:20]) else 400), f"{what} in a pipe: analyze held {used} MB")


def counted(path):
    ran, used = run("summary", path, "--json")
    check(ran.returncode == 0, f"{path}: {ran.returncode} {ran.said}")
    told = json.loads(ran.told) if ran.returncode == 0 else {}
    return {key: told.get(key) for key in ("records", "peaks", "programs", "warnings")}, used


# a long line before, within and after a log: as in a file
tagged = b"".join(b"[1,0]<stdout>:" + line + b"\n" for line in text.splitlines())
for what, parts in {
    "a line of 100 MB": [(text, 1), (b"x" * MB, 100), (b"\n", 1), (text, 1)],
    "a line of 15 MB before tags": [(b"x" * MB, 15), (b"\n", 1), (tagged, 1)],
    "a line of 40 MB before tags": [(b"x" * MB, 40), (b"\n", 1), (tagged, 1)],
    "a line of 40 MB that a tag interrupts": [(b"x" * MB, 40), (tagged, 1)],
    "a tagged line of 40 MB": [(tagged, 1), (b"[1,0]<stdout>:", 1), (b"x" * MB, 40), (b"\n", 1), (tagged, 1)],
}.items():
    plain = os.path.join(work, "plain.log")
    with open(plain, "wb") as out:
        for part, times in parts:
            out.write(part * times)
    same, _ = counted(plain)
    packed, used = counted(zipped("packed.log.gz", parts))
    check(same["records"] and same == packed, f"{what}: {same} in a file, {packed} packed")

# a file with a line longer than any: what stands before and after it counts, and its report belongs to it
long = os.path.join(work, "long.log")
with open(long, "wb") as out:
    out.write(text)
    out.seek(900 * MB, os.SEEK_CUR)
    out.write(b"\n" + text)
alone, _ = counted(log)
both, used = counted(long)
check(used < 600, f"a line of 900 MB: summary held {used} MB")
check(both["records"] == 2 * alone["records"], f"around a line of 900 MB: {both['records']} ops, {alone['records']} alone")
ran, used = run("analyze", long, "--output-dir", "out", "-q")
check(ran.returncode == 0, f"a line of 900 MB: analyze ended with {ran.returncode} {ran.said}")
ran, _ = run("live", "out", "--json")
check(ran.returncode == 0 and not ran.said, f"a line of 900 MB: its report: {ran.returncode} {ran.said}")

# memory that ends in the middle of the work is not blamed on the input
with open(log, "ab") as out:
    out.write(text * 20)
seen = set()
for limit in range(24, 200, 8):
    with open(log, "rb") as piped:
        ran, _ = run("analyze", "-", "--output-dir", "low", "-q", stdin=piped, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit * MB, limit * MB)))
    seen.add(ran.returncode)
    good = ran.returncode == 0 if not ran.said else ran.returncode == 70 and ran.said == "ttmem: out of host memory\n"
    check(good, f"{limit} MB of memory: {ran.returncode} {ran.said}")
check({0, 70} <= seen, f"less and less memory: {seen}")

# nor is a database that has to be copied in order to be read
plain = os.path.join(work, "wal.sqlite")
subprocess.run([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "foreign", "make_db.py"), "wal", plain], check=True)
database = sqlite3.connect(plain)
database.execute("CREATE TABLE large(bytes blob)")
database.execute("INSERT INTO large VALUES(zeroblob(?))", (30 * MB,))
database.commit()
database.close()
with open(plain, "rb") as whole:
    packed = zipped("wal.sqlite.gz", [(whole.read(), 1)])
seen = set()
for limit in range(40, 240, 8):
    ran, _ = run("info", packed, "-q", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit * MB, limit * MB)))
    seen.add(ran.returncode)
    good = ran.returncode == 0 or (ran.returncode == 70 and ran.said == "ttmem: out of host memory\n")
    check(good, f"a database to copy in {limit} MB of memory: {ran.returncode} {ran.said}")
check({0, 70} <= seen, f"a database to copy in less and less memory: {seen}")

# the sentence about the limit names what the command has
for words, names in (["analyze"], "; --max-spool SIZE or TTMEM_MAX_SPOOL=SIZE allows more"), (["diff", log], "; TTMEM_MAX_SPOOL=SIZE allows more"):
    ran, _ = run(*words, zipped("bomb.log.gz", bombs["text"]), env={"TTMEM_MAX_SPOOL": "50MB"})
    check(ran.returncode == 3 and names in ran.said, f"{words}: {ran.returncode} {ran.said}")
finish()
