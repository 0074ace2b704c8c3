#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Line numbers are those of `grep -n`: lines.py BUILD-FOLDER

One generated log that fails is written as it is, with CRLF, with progress bars (parts that end in a lone \\r) before its lines and
without its last line end. None of that moves a line, so every command must say the same about all of them; and what it says is
held against the lines of the file, split at \\n alone.

Prints one line per difference and `N passed, M failed`."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

BUILD = os.path.realpath(sys.argv[1])
passed = failed = 0

COMMANDS = ["info", "info --json", "summary", "summary --json", "explain", "explain --json", "op 3", "op 3 --json", "op 40", "live --json",
            "live --at 40", "top-ops", "top-ops --json", "check --no-failure", "check --no-failure --json", "check --max dram.peak=1B",
            "check --max dram.peak=1B --github", "check --max dram.peak=1B --junit out.xml", "report", "cb log", "cb log --json",
            "export --format csv --output out.ops.csv", "export --format csv --table blocks --output out.blocks.csv", "export --format csv --table peaks --output out.peaks.csv",
            "export --format csv --table growth --output out.growth.csv", "export --format csv --table failures --output out.failures.csv",
            "analyze --output-dir out"]
MARKS = (b"Executing operation", b"Device memory state", b"Out of Memory", b"MLIR Module", b"Starting execution", b"loc(", b"#loc")


def expect(what, condition):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print("FAILED: lines:", what)


def with_bars(lines):
    bars = ["\rGenerating:   {0}%|#   | {0}/100 [00:01<00:10]\r", "Loading weights {0}/99\r", "\r\r"]
    return [b"" if not l else (bars[n % 3].format(n % 100).encode() if n % 7 == 0 else b"") + l for n, l in enumerate(lines)]


def variants(log):
    lines = log.split(b"\n")[:-1]
    bars = with_bars(lines)
    yield "plain", b"\n".join(lines) + b"\n"
    yield "crlf", b"\r\n".join(lines) + b"\r\n"
    yield "bars", b"\n".join(bars) + b"\n"
    yield "bars and crlf", b"\r\n".join(bars) + b"\r\n"
    yield "no final newline", b"\n".join(lines)
    yield "bars, no final newline", b"\n".join(bars)


def said(folder, command):
    """What a command prints and writes, but for sizes of the file and times."""
    name, *options = command.split()
    if name == "cb":
        name, options = "cb " + options[0], options[1:]
    run = subprocess.run([BUILD + "/ttmem", *name.split(), "a.log", *options], cwd=folder, capture_output=True)
    expect(f"{command}: {run.stderr[:200]}", run.returncode != 2)
    parts = [run.stdout, run.stderr, str(run.returncode).encode()]
    for top, _, names in sorted(os.walk(folder + "/out")):
        parts += [open(os.path.join(top, n), "rb").read() for n in sorted(names) if n.endswith(".json")]
    parts += [open(f"{folder}/{n}", "rb").read() for n in sorted(os.listdir(folder)) if n.startswith("out.")]
    text = b"\n".join(parts).decode("utf-8", "replace")
    text = re.sub(r'"(?:input_|file_)?bytes": ?\d+,|"(?:check|xxh128)": ?"\w+"| time(?:stamp)?="[^"]*"|[\d.,]+ [kM]?B read|\d\.\d MB$|"text": ?".*?"|/tmp/\S*', "", text, flags=re.M)
    return text.replace("\r", "")


def named_lines(text):
    """Every line that a JSON document names."""
    todo = [json.loads(text)]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            if isinstance(value.get("line"), int):
                yield value["line"]
            todo += value.values()
        elif isinstance(value, list):
            todo += value


def check_named(what, folder, lines):
    """A line that any command names is one of the log that tells something."""
    for command in COMMANDS:
        if not command.endswith("--json"):
            continue
        name, *options = command.split()
        name = [name, options.pop(0)] if name == "cb" else [name]
        told = subprocess.run([BUILD + "/ttmem", *name, "a.log", *options], cwd=folder, capture_output=True, text=True).stdout
        for line in named_lines(told):
            expect(f"{what}: {command} names line {line}", line < len(lines) and any(m in lines[line] for m in MARKS))
    for table in ("ops", "blocks", "peaks", "growth", "failures"):
        for row in csv.DictReader(open(f"{folder}/out.{table}.csv", encoding="utf-8", newline="")):
            line = int(row["line"])
            expect(f"{what}: {table} names line {line}", line < len(lines) and any(m in lines[line] for m in MARKS[:3]))


def check_file(what, folder):
    """Lines of the report against the lines of the file."""
    lines = [b""] + open(folder + "/a.log", "rb").read().split(b"\n")
    report = lambda name: json.load(open(f"{folder}/out/a_{name}.json", encoding="utf-8"))
    summary, memory = report("summary"), report("memory")
    shows = lambda line, words: words.encode() in lines[line]
    expect(f"{what}: lines", summary["lines"] == len(lines) - (lines[-1] == b"") - 1)
    check_named(what, folder, lines)
    for record in memory["operations"]:
        expect(f"{what}: op {record['index']}", shows(record["line"], "Executing operation") and shows(record["line"], record["mlir_op"]))
    for pool, peak in summary["peaks"].items():
        expect(f"{what}: peak of {pool}", shows(peak["line"], "Device memory state before"))
    for failure in summary["failures"]:
        expect(f"{what}: failure", shows(failure["line"], "Out of Memory"))
    for line in re.findall(r"line ([\d,]+)", subprocess.run([BUILD + "/ttmem", "info", folder + "/a.log"], capture_output=True, text=True).stdout):
        expect(f"{what}: info names line {line}", shows(int(line.replace(",", "")), "Out of Memory"))
    shown = subprocess.run([BUILD + "/ttmem", "summary", folder + "/a.log"], capture_output=True, text=True).stdout
    for line in re.findall(r"line ([\d,]+)", shown):
        expect(f"{what}: summary names line {line}", int(line.replace(",", "")) < len(lines))


def main():
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([BUILD + "/genlog", "-o", work + "/a.log", "--ops", "80", "--oom", "--noise", "0.2", "--warmup", "1", "--seed", "3"], check=True)
        log = open(work + "/a.log", "rb").read()
        first = {}
        for number, (what, data) in enumerate(variants(log)):
            folder = f"{work}/{number}"
            os.mkdir(folder)
            with open(folder + "/a.log", "wb") as file:
                file.write(data)
            for command in COMMANDS:
                text = said(folder, command)
                known = first.setdefault(command, text)
                expect(f"{what}: {command} differs", text == known)
            check_file(what, folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
