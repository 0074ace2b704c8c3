# SPDX-License-Identifier: Apache-2.0
"""A server that 300 half-open requests of one client do not block, that feeds more than 16 watchers, and whose report pages may
ask nobody else."""
import os
import re
import signal
import socket
import subprocess
import urllib.request

from lib import *

log = genlog("model_profile.log", "--ops", "30")
report = os.path.join(work, "report")
subprocess.run([ttmem, "analyze", log, "--output-dir", report, "-q"], env=env, check=True, stdout=subprocess.DEVNULL)


def serve(*before):
    """A server, and its port."""
    command = [*before, ttmem, "serve", report, "--port", "0", "--live"]
    server = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    port = 0
    for line in server.stdout:
        found = re.search(r"http://[^/ ]+:([0-9]+)", line)
        if found:
            port = int(found.group(1))
            break
    check(port > 0, "the server tells its address")
    return server, port


def connect(text, source="127.0.0.1"):
    it = socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(source, 0))
    it.sendall(text)
    return it


def half_open():
    """A request that does not end, or None: the server hangs up on it."""
    try:
        return connect(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
    except OSError:
        return None


server, port = serve()
page = urllib.request.urlopen(f"http://127.0.0.1:{port}/model_report.html", timeout=30)
policy = page.headers.get("Content-Security-Policy", "")
check("default-src 'none'" in policy and "connect-src 'self'" in policy, f"policy of a report page: {policy}")
half = [half_open() for _ in range(300)]
check(None not in half, "300 half-open requests are accepted")
answer = urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30)
check(answer.status == 200, "300 half-open requests do not block the next one")
for it in half:
    it.close()
request = f"GET /live/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
watchers = [connect(request) for _ in range(40)]
heads = [it.recv(15) for it in watchers]
check(all(head == b"HTTP/1.1 200 OK" for head in heads), f"40 watchers: {set(heads)}")
for it in watchers:
    it.close()
server.send_signal(signal.SIGINT)
server.communicate(timeout=60)

# fewer descriptors than one client asks for: there is room for others
server, port = serve("prlimit", "--nofile=256:256")
half = [half_open() for _ in range(300)]
other = connect(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode(), "127.0.0.2")
try:
    head = other.recv(15)
except OSError as problem:
    head = str(problem).encode()
check(head == b"HTTP/1.1 200 OK", f"another client, with 256 descriptors: {head}")
for it in (*half, other):
    if it:
        it.close()
server.send_signal(signal.SIGINT)
server.communicate(timeout=60)
finish()
