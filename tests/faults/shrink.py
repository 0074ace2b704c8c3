# SPDX-License-Identifier: Apache-2.0
"""Logs and reports that are cut at random moments while a command reads them: no command dies of it, none leaves temporary
files, and a log that was cut before it was read to its end is said to have been."""
import http.client
import json
import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time
import urllib.request

from lib import *

TRIES = 12
random.seed(7)
whole = genlog("whole.log", "--bytes", "12M", "--ansi", "--oom")
clean = shutil.copyfile(whole, os.path.join(work, "clean.log"))
here = os.path.dirname(os.path.abspath(__file__))
with open(whole, "ab") as end, open(os.path.join(here, "../../examples/oom_profile.log"), "rb") as failed:
    end.write(failed.read())
report = os.path.join(work, "report")
subprocess.run([ttmem, "analyze", whole, "--output-dir", report, "-q"], env=env, check=True, stdout=subprocess.DEVNULL)
log = os.path.join(work, "victim.log")
copy = os.path.join(work, "copy")
out = os.path.join(work, "out")


def commands():
    """Every command that reads a log, then those that read a report."""
    yield "summary", [ttmem, "summary", log], log
    yield "info", [ttmem, "info", log], log
    yield "explain", [ttmem, "explain", log], log
    yield "analyze", [ttmem, "analyze", log, "--output-dir", out, "--force"], log
    yield "report", [ttmem, "report", log, "--format", "markdown", "--no-files"], log
    yield "export", [ttmem, "export", log, "--format", "csv", "-o", out + ".csv"], log
    yield "last-run", [ttmem, "last-run", log, "-o", out + ".log"], log
    yield "top-ops", [ttmem, "top-ops", log], log
    yield "live", [ttmem, "live", log], log
    yield "holes", [ttmem, "holes", log], log
    yield "op", [ttmem, "op", log, "5"], log
    yield "diff", [ttmem, "diff", whole, log], log
    yield "cb log", [ttmem, "cb", "log", log], log
    yield "train", [ttmem, "train", log], log
    yield "history add", [ttmem, "history", "add", log, "--store", out + ".db"], log
    for name in sorted(os.listdir(report)):
        yield f"summary of {name}", [ttmem, "summary", copy], os.path.join(copy, name)
    yield "view", [ttmem, "view", copy, "-o", out + ".html"], os.path.join(copy, "whole_run.ttmem")


def fresh():
    shutil.rmtree(copy, True)
    shutil.copytree(report, copy)
    shutil.copyfile(whole, log)
    for path in (out, out + ".csv", out + ".log", out + ".db", out + ".html"):
        shutil.rmtree(path, True) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)


def ask(address):
    try:
        urllib.request.urlopen(address, timeout=60).read()
    except (OSError, http.client.HTTPException):
        pass


for name, command, victim in commands():
    fresh()
    began = time.monotonic()
    normal = subprocess.run(command, env=env, capture_output=True)
    usual = time.monotonic() - began
    if not check(normal.returncode in (0, 1, 4), f"{name}: {normal.returncode}: {normal.stderr[-300:]}"):
        continue
    for i in range(TRIES):
        fresh()
        before = set(files_below(work))
        child = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(random.uniform(0, usual))
        size = random.choice([0, 1, 5000, random.randrange(os.path.getsize(victim))])
        os.truncate(victim, size)
        told, said = (text.decode() for text in child.communicate(timeout=120))
        check(child.returncode in (0, 1, 3, 4), f"{name}: cut while it reads: status {child.returncode}: {said[-300:]}")
        left = [f for f in set(files_below(work)) - before if ".ttmem-" in f or f.rsplit(".", 1)[-1].isalnum() and len(f.rsplit(".", 1)[-1]) == 6 and not f.endswith(".ttmem")]
        check(not left, f"{name}: left {left}")
        # its failure is at its end, so status 0 is only for what was cut before it was opened
        if name == "explain" and child.returncode == 0:
            check(f"No memory failure in {size:,} bytes." in told, f"{name}: cut to {size}, status 0: {told[-300:]}")

# cut before the first byte is searched: what is said and counted is what was there
shim = make_shim()
kept = os.path.getsize(whole) // 3
for options in [], ["--json"], ["--junit", out + ".xml"]:
    shutil.copyfile(whole, log)
    cut = {**env, "LD_PRELOAD": shim, "TTMEM_CUT": log, "TTMEM_CUT_TO": str(kept), "TTMEM_CUT_AT": "2"}  # it is mapped once to see what it is
    ran = subprocess.run([ttmem, "explain", log, *options], env=cut, capture_output=True, text=True)
    check(ran.returncode == 4, f"explain {options} of a log that shrinks: {ran.returncode}: {ran.stdout[-300:]}")
    check(f"no memory failure in the {kept} bytes that were read" in ran.stderr, f"explain {options}: {ran.stderr}")
    if options == ["--json"]:
        check(json.loads(ran.stdout)["cut"]["inside"] == "reading", f"explain {options}: {ran.stdout[-300:]}")
    else:
        said = f"The log was cut while it was read. No memory failure in the {kept:,} bytes that were read.\n"
        check(ran.stdout == said, f"explain {options}: {ran.stdout}")
check("cut while it was read" in open(out + ".xml").read(), "explain --junit: says nothing of the cut")
shutil.copyfile(whole, log)
ran = subprocess.run([ttmem, "explain", log, clean], env={**cut, "TTMEM_CUT_AT": "1"}, capture_output=True, text=True)
check(ran.returncode == 4, f"explain of several: {ran.returncode}: {ran.stdout}")
check("; cut while it was read" in ran.stdout, f"explain of several: {ran.stdout}")

# a server whose report is cut under it, again and again, goes on
fresh()
page = os.path.join(copy, "whole_report.html")
os.remove(page)  # so that it is made from the files on request
server = subprocess.Popen([ttmem, "serve", copy, "--port", "0"], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
address = ""
for line in server.stdout:
    found = re.search(r"http://[^/ ]+:[0-9]+", line)
    if found:
        address = found.group()
        break
for i in range(TRIES):
    for name in sorted(os.listdir(report)):
        if name.endswith(".html"):
            continue
        size = os.path.getsize(os.path.join(report, name))
        shutil.copyfile(os.path.join(report, name), os.path.join(copy, name))
        asking = threading.Thread(target=ask, args=(address + "/whole_report.html",))
        asking.start()
        time.sleep(random.uniform(0, 0.05))
        os.truncate(os.path.join(copy, name), random.randrange(size))
        asking.join()
        shutil.copyfile(os.path.join(report, name), os.path.join(copy, name))
    if not check(server.poll() is None, f"serve: a cut report ended the server: {server.returncode}"):
        break
server.send_signal(signal.SIGINT)
server.communicate(timeout=60)
finish()
