# SPDX-License-Identifier: Apache-2.0
"""One oracle across commands: where a run failed, in which op, how high it got, read from the log by another program than ttmem
(this one, from the formats alone), and asked of every command, the page, the JSON files and the history.

    python3 tests/oracle/failure.py BUILD [COUNTS-FILE]"""
import base64
import gzip
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults"))
from lib import *  # noqa: E402

ANSI = re.compile(rb"\x1b\[[0-9;]*m")
OP = re.compile(rb'Executing operation: (?:%\S+ = )?"?([a-z_]+\.[a-z_0-9]+)"?')
NOT_COUNTED = {b"ttnn.deallocate", b"ttnn.get_device"}
FAILURE = re.compile(rb"Out of Memory: Not enough space to allocate (\d+) B (\w+) buffer.*?each bank needs to store (\d+) B")
POOL = re.compile(rb"Device DRAM memory state: MemoryView\{numBanks: (\d+), totalBytesPerBank: ([\d.]+) MB, totalBytesAllocatedPerBank: ([\d.]+) MB")


def oracle(path):
    """What the log says, by its lines alone."""
    found = {"ops": 0, "steps": 0, "op": None, "failure": None, "peak": 0}
    last = None
    with open(path, "rb") as log:
        for number, line in enumerate(log, 1):
            line = ANSI.sub(b"", line)
            if b"Executing operation: " in line:
                name = OP.search(line).group(1)
                if name not in NOT_COUNTED:
                    last = {"index": found["ops"], "name": name.decode(), "line": number, "step": found["steps"]}
                    found["ops"] += 1
                found["steps"] += 1
            failed = FAILURE.search(line)
            if failed and not found["failure"]:
                found["failure"] = {"line": number, "requested": int(failed.group(1)), "per_bank": int(failed.group(3))}
                found["op"] = last
            pool = POOL.search(line)
            if pool:
                found["peak"] = max(found["peak"], round(float(pool.group(3)) * 1000))
    return found


def ask(*arguments):
    ran = subprocess.run([ttmem, *arguments], env=env, capture_output=True, cwd=work)
    return ran.returncode, ran.stdout


def asked_json(*arguments):
    return json.loads(ask(*arguments, "--json")[1])


def page_meta(path):
    """The first section of a page is its facts."""
    with open(path, "rb") as page:
        text = page.read()
    for packed in re.findall(rb"H4sI[A-Za-z0-9+/=]+", text):
        section = gzip.decompress(base64.b64decode(packed + b"=" * (-len(packed) % 4)))
        if section.startswith(b"{") and b'"failures"' in section:
            return json.loads(section)
    return {}


def told(failure):
    return failure["line"], failure["op"]["index"], failure["op"]["name"], failure["op"]["line"], failure["requested_bytes"], failure["requested_bytes_per_bank"]


def compare(name, options):
    log = genlog(f"{name}.log", *options)
    truth = oracle(log)
    if not check(truth["failure"] and truth["op"], f"{name}: the log has a failure in an op"):
        return
    wanted = (truth["failure"]["line"], truth["op"]["index"], truth["op"]["name"], truth["op"]["line"], truth["failure"]["requested"], truth["failure"]["per_bank"])
    where = wanted[0]
    op = f"{truth['op']['index']} {truth['op']['name']}"
    out = os.path.join(work, name)

    def same(what, got, expected):
        check(got == expected, f"{name}: {what}: {got}, and the log says {expected}")

    same("explain", told(asked_json("explain", log)["failures"][0]), wanted)
    summary = asked_json("summary", log)
    same("summary", told(summary["failures"][0]), wanted)
    same("summary: ops", summary["records"], truth["ops"])
    peak = summary["peaks"]["dram"]
    if peak["source"] == "measured":
        same("summary: peak", round(peak["allocated_bytes_per_bank"] * 1000 / 1048576), truth["peak"])
    info = asked_json("info", log)
    same("info", info["failures"][0]["line"], where)
    same("info: ops", info["op_lines"] - info["deallocates"] - info["get_devices"], truth["ops"])
    rule = asked_json("check", log, "--no-failure", "--no-budget-file")["rules"][0]
    same("check", (rule["state"], rule["op"]["index"], rule["op"]["name"], rule["op"]["line"]), ("breach", *wanted[1:4]))
    check(f"line {where}" in rule["evidence"], f"{name}: check names line {where}: {rule['evidence']}")
    words = ask("report", log, "--no-files")[1].decode()
    check(f"line {where}" in words and f"op {op}" in words, f"{name}: report names line {where} and op {op}")
    text = ask("explain", log)[1].decode()
    check(f"line {where}" in text.replace(",", "") and f"#{op}" in text, f"{name}: explain in words names line {where} and #{op}: {text[:300]}")
    status, _ = ask("analyze", log, "--output-dir", out, "-q")
    same("analyze", status, 0)
    with open(os.path.join(out, f"{name}_summary.json")) as file:
        same("summary.json", told(json.load(file)["failures"][0]), wanted)
    meta = page_meta(os.path.join(out, f"{name}_report.html"))
    shown = (meta.get("failures") or [{}])[0]
    same("page", shown.get("line"), where)
    if "--level" not in options:  # memory before a program is a step of the page too
        same("page: step", shown.get("step"), truth["op"]["step"])
    os.remove(log)
    same("the report without its log", told(asked_json("explain", out)["failures"][0]), wanted)


LOGS = {
    "plain": [],
    "ansi": ["--ansi"],
    "warm": ["--warmup", "2"],
    "programs": ["--programs", "3"],
    "consts": ["--const-eval", "3"],
    "quiet": ["--level", "program"],
    "noise": ["--noise", "30"],
    "crlf": ["--crlf"],
}
for name, more in LOGS.items():
    for seed in (1, 2, 3):
        compare(f"{name}{seed}", ["--ops", str(20 + 17 * seed), "--oom", "--seed", str(seed), *more])
finish()
