# SPDX-License-Identifier: Apache-2.0
"""Asks a server for everything that it has, from eight threads, while others watch: python3 ask.py http://127.0.0.1:8000"""
import concurrent.futures
import socket
import sys
import urllib.error
import urllib.request

address = sys.argv[1]
host, port = address.split("//")[1].split(":")
PATHS = ["/", "/model_report.html", "/model_memory.json", "/model_summary.json", "/metrics", "/live", "/trends", "/nothing", "/diff?a=report&b=report"]
watchers = [socket.create_connection((host, int(port))) for _ in range(6)]
for watcher in watchers:
    watcher.sendall(f"GET /live/events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())


def ask(path):
    try:
        with urllib.request.urlopen(address + path, timeout=120) as answer:
            return answer.status, len(answer.read())
    except urllib.error.HTTPError as refused:
        return refused.code, 0


with concurrent.futures.ThreadPoolExecutor(8) as pool:
    answers = list(pool.map(ask, PATHS * 12))
for watcher in watchers:
    watcher.close()
good = sum(status == 200 for status, _ in answers)
sys.exit(0 if good >= 12 * 6 else f"{good} of {len(answers)} requests were answered")
