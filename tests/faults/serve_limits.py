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
server = subprocess.Popen([ttmem, "serve", report, "--port", "0", "--live"], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
port = 0
for line in server.stdout:
    found = re.search(r"http://[^/ ]+:([0-9]+)", line)
    if found:
        port = int(found.group(1))
        break
check(port > 0, "the server tells its address")


def connect(text):
    it = socket.create_connection(("127.0.0.1", port), timeout=30)
    it.sendall(text)
    return it


page = urllib.request.urlopen(f"http://127.0.0.1:{port}/model_report.html", timeout=30)
policy = page.headers.get("Content-Security-Policy", "")
check("default-src 'none'" in policy and "connect-src 'self'" in policy, f"policy of a report page: {policy}")
half = [connect(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n") for _ in range(300)]
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
finish()
