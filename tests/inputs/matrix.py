# SPDX-License-Identifier: Apache-2.0
"""All commands by all inputs: what a command prints about a log must not depend on how the log reaches it.

The log itself is the reference. Inputs: compressed, through a pipe, the folder of its report, the report when the log is gone, and
the JSON files of the report alone, which must give equal figures where they give any."""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request

BUILD = pathlib.Path(sys.argv[1]).resolve()
TTMEM = str(BUILD / "ttmem")

LOGS = {
    "plain": ["--ops", "60", "--const-eval", "2", "--warmup", "1"],
    "ranks": ["--ops", "30", "--ranks", "3"],
    "oom": ["--ops", "60", "--oom"],
    "memory-only": ["--ops", "40", "--no-ops"],
    "programs": ["--ops", "40", "--programs", "3", "--interleave-programs"],
    "submits": ["--ops", "40", "--level", "program"],
}
# What is not a log of a run, by its content; called model.log all the same.
ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = {
    "module": (ROOT / "examples/group_norm_ttnn.mlir").read_bytes(),
    "capture": (ROOT / "tests/data/graph/matmul_add_report.json").read_bytes(),
    "failure": b"TT_FATAL: Out of Memory: Not enough space to allocate 1200 B DRAM buffer across 12 banks, where each bank needs to store 100 B, "
    b"but bank size is 5000 B (allocated: 4950 B, free: 50 B, largest free block: 50 B)\n",
}
COMMANDS = {
    "summary": ["summary", "@"],
    "summary json": ["summary", "@", "--json"],
    "info": ["info", "@"],
    "info json": ["info", "@", "--json"],
    "op": ["op", "@", "7"],
    "op json": ["op", "@", "7", "--json"],
    "live": ["live", "@"],
    "live at": ["live", "@", "--at", "9", "--json", "--limit", "0"],
    "top-ops": ["top-ops", "@"],
    "top-ops growth": ["top-ops", "@", "--by", "growth", "--json"],
    "top-ops padding": ["top-ops", "@", "--by", "padding"],
    "agent report": ["report", "@", "--no-files"],
    "explain": ["explain", "@"],
    "explain json": ["explain", "@", "--json"],
    "fit": ["fit", "@", "--target", "45%", "--limit", "0"],
    "fit json": ["fit", "@", "--json"],
    "check": ["check", "@", "--max", "dram.peak=50%", "--no-budget-file", "--json"],
    "diff": ["diff", "OTHER", "@"],
    "chrome": ["export", "@", "--format", "chrome"],
    "csv": ["export", "@", "--format", "csv"],
    "csv tensors": ["export", "@", "--format", "csv", "--table", "tensors"],
    "csv blocks": ["export", "@", "--format", "csv", "--table", "blocks"],
    "folded": ["export", "@", "--format", "folded"],
    "page": ["view", "@", "-o", "-"],
    "ops": ["ops", "@", "--limit", "0"],
    "ops named": ["ops", "@", "--name", "matmul", "--json"],
    "ranks": ["ranks", "@"],
    "ranks json": ["ranks", "@", "--json"],
    "holes": ["holes", "@"],
    "late": ["late", "@"],
    "late json": ["late", "@", "--json"],
    "duplicates": ["duplicates", "@"],
    "duplicates json": ["duplicates", "@", "--json"],
    "l1 map": ["l1", "map", "@"],
    "l1 map json": ["l1", "map", "@", "--json"],
    "holes json": ["holes", "@", "--json"],
    "csv peaks": ["export", "@", "--format", "csv", "--table", "peaks"],
    "speedscope": ["export", "@", "--format", "speedscope"],
    "history": ["history", "add", "@", "--store", "STORE", "--json"],
}
WORDS = ["model.log.zst", "model.log.gz", "model.log", "report", "moved", "files"]
PIPE = re.compile(rb'(\A|\xe2\x86\x92 |"source":"|"message":"|`ttmem [a-z-]+ )(?:-|LOG)(?=   |\n|"| |`)')
passed = failed = 0


def expect(what, good, detail=""):
    global passed, failed
    if good:
        passed += 1
        return
    failed += 1
    print(f"FAILED: {what}\n{detail}")


def run(arguments, folder, stdin=None):
    env = dict(os.environ, HOME=str(folder / "home"), TTMEM_HOME=str(folder / "home/.ttmem"), NO_COLOR="1")
    return subprocess.run([TTMEM, *arguments], cwd=folder, env=env, stdin=stdin, capture_output=True, timeout=300)


def neutral(text, folder, names):
    """Without what names the input, the moment, or the id that a store gave."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(str(folder / name).encode(), b"INPUT").replace(name.encode(), b"INPUT")
    text = re.sub(rb'"(id|added|name|model|source_path|path|run|b)": ?"[^"]*"', b'"\\1":""', text)
    # a pipe has no path: "-" stands for it, and in commands to type the word LOG
    text = PIPE.sub(rb"\1INPUT", text)
    text = text.replace(b"<title>stdin<", b"<title>NAME<").replace(b"<title>model<", b"<title>NAME<")
    text = re.sub(rb"\b(stdin|model)_predicted\b", b"NAME", text)
    text = re.sub(rb"\bstdin\b|\bmodel\b(?= |$|\n|:)", b"NAME", text)
    return re.sub(rb"H4sI[A-Za-z0-9+/=]+", packed, text)


def packed(match):
    """The first section of a page names what it was made from; the others are data."""
    import base64

    data = match.group(0)
    try:
        text = gzip.decompress(base64.b64decode(data + b"=" * (-len(data) % 4)))
    except (OSError, ValueError, EOFError):
        return data
    return re.sub(rb'"source":\{"path":"[^"]*"|"name":"[^"]*"|"created":"[^"]*"', b"", text, count=0)


def answer(command, word, folder, stdin_file=None):
    arguments = [word if part == "@" else part for part in COMMANDS[command]]
    arguments = ["other.log" if part == "OTHER" else part for part in arguments]
    store = folder / f"history-{len(os.listdir(folder))}.db"
    arguments = [str(store) if part == "STORE" else part for part in arguments]
    with open(stdin_file or os.devnull, "rb") as stdin:
        done = run(arguments, folder, stdin)
    text = neutral(done.stdout.replace(str(store).encode(), b"STORE"), folder, WORDS)
    return done.returncode, text, done.stderr


def served(folder):
    """The page of a report, as a browser gets it."""
    with subprocess.Popen([TTMEM, "serve", "report", "--port", "0"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            address = server.stdout.readline().decode().strip()
            with urllib.request.urlopen(address, timeout=60) as reply:
                return reply.status, neutral(reply.read(), folder, WORDS), b""
        finally:
            server.terminate()


def compare(log, folder, left_out=()):
    commands = [command for command in COMMANDS if command not in left_out]
    subprocess.run([BUILD / "genlog", "-o", folder / "other.log", "--ops", "25", "--seed", "9"], check=True)
    subprocess.run(["zstd", "-q", folder / "model.log"], check=True)
    for name in ("report", "moved"):
        made = run(["analyze", "model.log", "--output-dir", name, "--name", "model", "--quiet"], folder)
        expect(f"{log}: analyze", made.returncode == 0, made.stderr.decode())
    (folder / "report/model_report.html").unlink()
    reference = {command: answer(command, "model.log", folder) for command in commands}
    for command in commands:
        expect(f"{log}: {command} ends", 0 <= reference[command][0] < 70, f"exit {reference[command][0]}")
    with gzip.open(folder / "model.log.gz", "wb") as packed_log:
        packed_log.write((folder / "model.log").read_bytes())
    ways = {"zst": ("model.log.zst", None), "gz": ("model.log.gz", None), "pipe": ("-", "model.log"), "report": ("report", None)}
    for way, (word, stdin_file) in ways.items():
        for command in commands:
            same(f"{log}: {command} from {way}", reference[command], answer(command, word, folder, folder / stdin_file if stdin_file else None))
    if "page" in commands and reference["page"][0] == 0:
        same(f"{log}: page from serve", (200, reference["page"][1]), served(folder))
    (folder / "model.log").rename(folder / "kept.log")
    (folder / "moved/model_report.html").unlink()
    for command in commands:
        same(f"{log}: {command} from a report without its log", reference[command], answer(command, "moved", folder))
    if log in LOGS:
        json_alone(log, folder)


def same(what, expected, got):
    good = expected[:2] == got[:2]
    detail = ""
    if not good:
        a, b = expected[1].splitlines(), got[1].splitlines()
        detail = f"exit {expected[0]} and {got[0]} {got[2].decode(errors='replace')[:300]}\n" + "\n".join(
            f"- {x[:200]!r}\n+ {y[:200]!r}" for x, y in zip(a, b) if x != y)[:1200]
    expect(what, good, detail)


# What JSON files alone do not hold is null in an answer; these are lists, and shorter.
SHORTER = {"modules", "programs"}
TOLD = {
    "summary": ["summary", "@"],
    "info": ["info", "@"],
    "op": ["op", "@", "7"],
    "live": ["live", "@", "--limit", "0"],
    "live at": ["live", "@", "--at", "9", "--limit", "0"],
    "top-ops": ["top-ops", "@", "--by", "growth", "--limit", "0"],
    "top-ops padding": ["top-ops", "@", "--by", "padding", "--limit", "0"],
    "ops": ["ops", "@", "--limit", "0"],
    "ranks": ["ranks", "@"],
    "explain": ["explain", "@"],
    "check": ["check", "@", "--max", "dram.peak=50%", "--no-budget-file"],
}


def differences(whole, files, where=""):
    """Places where two answers differ, other than by what one of them does not know."""
    if files is None or where.rsplit(".", 1)[-1] in ("name", "model", "source_path", "path", "run", "files"):
        return []
    if isinstance(whole, dict) and isinstance(files, dict):
        if whole.keys() != files.keys():
            return [f"{where}: {sorted(whole.keys() ^ files.keys())}"]
        return [d for key in whole for d in differences(whole[key], files[key], f"{where}.{key}")]
    if isinstance(whole, list) and isinstance(files, list):
        if where.rsplit(".", 1)[-1] in SHORTER:
            return [f"{where}: {item} is new" for item in files if item not in whole]
        if len(whole) != len(files):
            return [f"{where}: {len(whole)} and {len(files)}"]
        return [d for n, (a, b) in enumerate(zip(whole, files)) for d in differences(a, b, f"{where}[{n}]")]
    return [] if whole == files else [f"{where}: {whole} and {files}"]


def python_files(log, folder):
    """What the Python tool wrote: no summary, no memory after operations, no lines. Its peaks are lower bounds."""
    added = {"after", "delta_MB", "freed_MB", "program_index", "rank", "rank_index", "line", "results", "loc_full", "truncated"}
    kept = ("memory_config", "total_operations", "programs")
    shutil.copytree(folder / "files", folder / "python")
    (folder / "python/model_summary.json").unlink()
    memory, operations = (folder / f"python/model_{part}.json" for part in ("memory", "operations"))
    data = json.loads(memory.read_text())
    records = [{key: value for key, value in record.items() if key not in added} for record in data["operations"]]
    memory.write_text(json.dumps({"metadata": {key: data["metadata"][key] for key in kept}, "operations": records}))
    ops = [{key: value for key, value in op.items() if key not in added} for op in json.loads(operations.read_text())]
    operations.write_text(json.dumps(ops))
    # it kept no messages: that none failed is not known
    for command in (["explain", "python"], ["check", "python", "--no-failure", "--no-budget-file"]):
        asked = run(command, folder)
        told = b"keeps no messages of failures" in asked.stdout + asked.stderr
        expect(f"{log}: {command[0]} of Python's files does not know of failures", asked.returncode == 4 and told, asked.stderr.decode())
    expect(f"{log}: info of Python's files counts no failures", b"failures  ?\n" in run(["info", "python"], folder).stdout)
    if log == "ranks":
        return  # of several ranks it told nothing
    whole, files = (json.loads(run(["summary", word, "--json"], folder).stdout) for word in ("moved", "python"))
    for pool, peak in whole["peaks"].items():
        got = files["peaks"].get(pool)
        bound = not got or not peak or (got["at_least"] and got["allocated_bytes_per_bank"] <= peak["allocated_bytes_per_bank"])
        expect(f"{log}: peak of {pool} of Python's files is a lower bound", bound, f"{peak} and {got}")
    for name in ("op", "ops"):
        whole, files = (
            json.loads(run([word if part == "@" else part for part in TOLD[name]] + ["--json"], folder).stdout) for word in ("moved", "python"))
        expect(f"{log}: {name} of Python's files", not differences(whole, files), "\n".join(differences(whole, files)[:12]))


def json_alone(log, folder):
    """The JSON files of a report, as the Python tool wrote them: figures that they give are those of the log."""
    shutil.copytree(folder / "moved", folder / "files")
    (folder / "files/model_run.ttmem").unlink()
    for name, command in TOLD.items():
        whole, files = (run([word if part == "@" else part for part in command] + ["--json"], folder) for word in ("moved", "files"))
        what = f"{log}: {name} of JSON files"
        lacks = log == "submits" and name == "top-ops"  # blocks around submits, and with them these figures, are in no JSON file
        expect(what, files.returncode == (4 if lacks else whole.returncode), files.stderr.decode())
        if whole.stdout and files.stdout and not lacks:
            wrong = differences(json.loads(whole.stdout), json.loads(files.stdout.replace(b"files has", b"moved has")))
            expect(what, not wrong, "\n".join(wrong[:12]))
        if files.returncode == 0:
            expect(f"{what} says what they do not hold", b"JSON files of a report" in files.stderr, files.stderr.decode())
    judged = run(["check", "files", "--min", "dram.largest_free=1MB", "--no-budget-file"], folder).returncode
    expect(f"{log}: how free memory was spread is not judged", judged == 4, f"exit {judged}")
    failed = run(["check", "files", "--no-failure", "--no-budget-file"], folder).returncode
    expect(f"{log}: a failure in JSON files does not pass check", log != "oom" or failed != 0, f"exit {failed}")
    python_files(log, folder)
    page = run(["view", "files", "-o", "page.html"], folder)
    expect(f"{log}: page of JSON files", page.returncode == 0, page.stderr.decode())


def none_left_out():
    """Every command that takes a RUN is in the matrix; analyze makes the reports that the others read."""
    listed = subprocess.run([TTMEM, "--help"], capture_output=True, text=True, check=True).stdout.partition("Get data:\n")[2]
    here = {"analyze"} | {" ".join(words)[: len(name)] for words in COMMANDS.values() for name in (words[0], " ".join(words[:2]))}
    for name in re.findall(r"^  ([a-z0-9-]+(?: [a-z0-9-]+)?)  +[A-Z]", listed, re.M):
        usage = subprocess.run([TTMEM, *name.split(), "--help"], capture_output=True, text=True, check=True).stdout
        if re.search(rf"^Usage: ttmem {name} RUN\b", usage, re.M):
            expect(f"{name} is a row of COMMANDS in tests/inputs/matrix.py", name in here)


none_left_out()
with tempfile.TemporaryDirectory() as work:
    for log, options in LOGS.items():
        folder = pathlib.Path(work) / log
        folder.mkdir()
        subprocess.run([BUILD / "genlog", "-o", folder / "model.log", *options], check=True)
        compare(log, folder)
    for name, content in FILES.items():
        folder = pathlib.Path(work) / name
        folder.mkdir()
        (folder / "model.log").write_bytes(content)
        # the page of a capture file shows its calls, which a run does not hold
        # a module that is a file is replayed from its text, with settings that a run does not tell of
        compare(name, folder, {"capture": ["page"], "module": ["fit", "fit json"]}.get(name, []))
print(f"{passed} passed, {failed} failed")
