# SPDX-License-Identifier: Apache-2.0
"""The two programs that stay: a server that is asked for pages, and the interactive program in a terminal. One call of the system
fails in each session, as in every.py. A server answers what it always does, or with an error, or ends and says why; the terminal is
left as it was. No temporary file is left, and no file is changed.

A sample of the calls is tried, --long tries all."""
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import termios
import time

from lib import *

few = None if "--long" in sys.argv else 12
shim = make_shim()
count_file = os.path.join(work, "count")
there = os.path.join(work, "there")
os.makedirs(there)
env.update(HOME=there, TTMEM_HOME=os.path.join(there, ".ttmem"), TMPDIR=there, TERM="xterm-256color")
env.pop("NO_COLOR", None)
shutil.move(genlog("a.log", "--ops", "12", "--oom", "--const-eval", "0"), there)
subprocess.run([ttmem, "analyze", "a.log", "--output-dir", "report", "-q"], cwd=there, env=env, check=True, stdout=subprocess.DEVNULL)
PATHS = ["/", "/a_report.html", "/a_summary.json", "/a_report.json", "/nothing"]
# out of memory; unreadable; unwritable; 4: a report that cannot be read for a moment is none
STATUSES = {"malloc": (70, 3, 5), "read": (3, 4, 5), "write": (5, 3), "open": (3, 4, 5)}


def state():
    """The files and what they hold."""
    return {name: open(os.path.join(there, name), "rb").read() for name in files_below(there)}


def address(server):
    """The port that a server tells, 0: it ended."""
    for line in server.stdout:
        found = re.search(rb"http://[^/ ]+:([0-9]+)", line)
        if found:
            return int(found.group(1))
    return 0


def ask(port, path):
    """The whole answer, without what differs each time; empty where the server is gone."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as it:
            it.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while block := it.recv(1 << 16):
                answer += block
    except ConnectionError:
        return b""
    return re.sub(rb"\r\nDate: [^\r]*", b"", answer).replace(b"127.0.0.1:%d" % port, b"127.0.0.1:PORT")


def serve(**fault):
    server = subprocess.Popen([ttmem, "serve", "report", "--port", "0"], cwd=there, env={**env, **fault}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    port = address(server)
    answers = [ask(port, path) for path in PATHS] if port else []
    if server.poll() is None:
        server.send_signal(signal.SIGINT)
    _, said = server.communicate(timeout=60)
    return server.returncode, answers, said.decode(errors="replace")


def show(**fault):
    """Opens the first log in the interactive program, goes down its ops, leaves."""
    main, other = pty.openpty()
    before = termios.tcgetattr(other)
    shown = subprocess.Popen([ttmem], cwd=there, env={**env, **fault}, stdin=other, stdout=other, stderr=other)
    seen, keys, quiet = b"", [b"\r", b"\x1b[B", b"\t", b"q", b"q", b"q", b"q"], 0
    end = time.monotonic() + 60
    while shown.poll() is None and time.monotonic() < end:
        if select.select([main], [], [], 0.15)[0]:
            seen += os.read(main, 1 << 16)
        elif keys:
            os.write(main, keys.pop(0))
    while select.select([main], [], [], 0.05)[0]:
        seen += os.read(main, 1 << 16)
    if shown.poll() is None:
        shown.kill()
    status, after = shown.wait(), termios.tcgetattr(other)
    os.close(main)
    os.close(other)
    return status, before == after, seen.decode(errors="replace")


def judge_server(usual, got, kind, what):
    status, answers, said = got
    sentences = [line for line in said.splitlines() if line not in usual[2].splitlines()]
    check(status == usual[0] or (status in STATUSES[kind] and len(sentences) == 1), f"{what}: status {status}: {said[-300:]}")
    for path, answer, expected in zip(PATHS, answers, usual[1]):
        # a connection for which there is no memory is closed; the list says what it cannot read
        good = answer == expected or re.match(rb"HTTP/1.1 [45]", answer) or (not answer and (status != usual[0] or kind == "malloc")) or (path == "/" and b"cannot be read" in answer)
        check(good, f"{what}: {path}: {len(answer)} bytes: {answer[:200]}")


def judge_terminal(usual, got, kind, what):
    status, restored, seen = got
    hung_up = kind == "read" and status == 128 + signal.SIGHUP  # a terminal that cannot be read is gone
    unknown = status == 2 and "is not supported: set TERM" in seen  # its description cannot be read
    check(status == usual[0] or status in STATUSES[kind] or hung_up or unknown, f"{what}: status {status}: {seen[-300:]!r}")
    check(restored, f"{what}: the terminal is left changed")
    # the write that fails may be the one that leaves it
    check(seen.rfind("\x1b[?1049l") >= seen.rfind("\x1b[?1049h") or kind == "write", f"{what}: the other screen is left on")
    said = seen[seen.rfind("\x1b[?1049l") + 1:]  # where a user still sees it
    check(status == usual[0] or hung_up or "ttmem: " in said, f"{what}: nothing said: {seen[-300:]!r}")


tried = 0
for name, session, judge in (("serve", serve, judge_server), ("ttmem", show, judge_terminal)):
    usual = session(LD_PRELOAD=shim, TTMEM_FAULT="", TTMEM_FAULT_COUNT=count_file)
    check(usual[0] in (0, 130), f"{name}: {usual}")
    with open(count_file) as counts:
        totals = {kind: int(number) for kind, number in (line.split() for line in counts)}
    stood = state()
    for kind in STATUSES:
        step = 1 if few is None else max(1, totals[kind] // few)
        for number in range(1, totals[kind] + 1, step):
            what = f"{name}: {kind} {number} of {totals[kind]} fails"
            judge(usual, session(LD_PRELOAD=shim, TTMEM_FAULT=kind, TTMEM_FAULT_AT=str(number)), kind, what)
            check(state() == stood, f"{what}: files changed: {sorted(set(state()) ^ set(stood))}")
            tried += 1
print("faults in sessions:", tried, file=sys.stderr)
finish()
