#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every output of a run tells the same facts: facts.py BUILD-FOLDER

Runs of every shape (all lines, several programs, ranks, out of memory, a failure that was caught, memory around submits only, memory only, ops only)
are shown by every output: text summary, JSON, data of the page, markdown for agents, CSV, SQLite, history. From each the same facts are taken, and held
against each other and against the truth of the generator. An output that no longer shows a fact fails too.

Prints one line per difference and `N passed, M failed`."""
import base64
import csv
import gzip
import io
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile

BUILD = os.path.realpath(sys.argv[1])
TTMEM = BUILD + "/ttmem"
passed = failed = 0

OOM = ("2026-11-15 14:00:00.000 | critical |          Always | TT_FATAL: Out of Memory: Not enough space to allocate 4096000 B L1 buffer across 64 banks, "
       "where each bank needs to store 64000 B, but bank size is 1331936 B (allocated: 16000 B, free: 1315936 B, largest free block: 31936 B) (assert.hpp:104)")
RUNS = {
    "all lines": ["--ops", "60", "--warmup", "1"],
    "programs": ["--ops", "70", "--programs", "2", "--shared-weights", "--interleave-programs", "--warmup", "1", "--edge", "0.3"],
    "trace": ["--ops", "70", "--trace", "--warmup", "2"],
    "ranks": ["--ops", "60", "--ranks", "2", "--programs", "2"],
    "out of memory": ["--ops", "70", "--oom", "--edge", "0.2"],
    "out of memory on a rank": ["--ops", "60", "--ranks", "2", "--oom"],
    "caught": ["--ops", "60"],
    "around submits": ["--ops", "60", "--level", "program", "--warmup", "1"],
    "memory only": ["--ops", "60", "--no-ops"],
    "ops only": ["--ops", "60", "--level", "none"],
    "no modules": ["--ops", "60", "--modules", "none"],
}


def expect(what, condition):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print("FAILED: facts:", what)


def ttmem(*words, cwd):
    run = subprocess.run([TTMEM, *words], cwd=cwd, capture_output=True, text=True)
    if run.returncode:
        expect(f"{words}: {run.returncode} {run.stderr[:200]}", False)
    return run.stdout


class Rounded:
    """Thousandths of a MB as far as so many decimals tell."""

    def __init__(self, text):
        text = text.replace(",", "")
        self.text, self.value, self.unit = text, float(text) * 1000, 1000 / 10 ** len(text.partition(".")[2])

    def __eq__(self, other):
        return other is not None and abs(self.value - other) <= self.unit / 2 + 1e-6

    def __repr__(self):
        return f"~{self.text}"


class PerBank(Rounded):
    """Bytes per bank that were made from thousandths of a MB."""

    def __init__(self, number):
        self.text, self.value, self.unit = f"{number} B", number / 1048.576, 0.01


def whole(text):
    return None if text in (None, "", "null") else int(str(text).replace(",", ""))


# --- JSON: what the others are held against ---

def of_json(folder, log):
    j = json.loads(ttmem("summary", log, "--json", cwd=folder))
    pools = {p["pool"] if isinstance(p, dict) and "pool" in p else p: v for p, v in (j["pools"].items() if isinstance(j["pools"], dict) else
                                                                                  ((r["pool"], r) for r in j["pools"]))}
    facts = {"ops": j["records"], "program runs": j["program_runs"], "runs of main": j["main_runs"], "lines": j["lines"],
             "weights": j["weight_sum"]["count"], "bytes of weights": j["weight_sum"]["total_bytes"],
             "growth": [(g["op"]["index"], round(g["change_bytes_per_bank"] / 1048.576)) for g in j["growth"]],
             "failures": [(f["line"], f["caught"], f["op"]["index"] if f.get("op") else None, f["rank"]) for f in j["failures"]],
             "held": [(h["op"]["index"] if h.get("op") else None, round(next(v for k, v in h.items() if k.endswith("bytes_per_bank")) / 1048.576))
                      for h in j["held_at_peak"]]}
    for pool in ("dram", "l1"):
        if pool in pools and pools[pool]:
            facts[f"banks of {pool}"] = pools[pool]["banks"]
            facts[f"size of {pool}"] = round(pools[pool]["capacity_bytes_per_bank"] / 1048.576)
        peak = j["peaks"].get(pool)
        if not peak:
            continue
        facts[f"peak of {pool}"] = round(peak["allocated_bytes_per_bank"] / 1048.576)
        facts[f"source of the peak of {pool}"] = peak["source"]
        facts[f"peak of {pool} is a bound"] = peak["at_least"]
        facts[f"op of the peak of {pool}"] = peak["op"]["index"] if peak["op"] else None
        facts[f"op after the peak of {pool}"] = peak["before_op"]["index"] if peak["before_op"] else None
        facts[f"line of the peak of {pool}"] = peak["line"]
        facts[f"rank of the peak of {pool}"] = peak["rank"]
    if (j["padding_at_peak"] or {}).get("dram"):
        padding = j["padding_at_peak"]["dram"]
        facts["padding"] = (padding["logical_bytes"], padding["padded_bytes"])
    return facts


# --- text ---

def of_text(folder, log):
    text = ttmem("summary", log, cwd=folder)
    head = text.split("\n")[0]
    facts = {"ops": whole(re.search(r"([\d,]+) ops? ", head + " ")[1])}
    runs = re.search(r"([\d,]+) program runs?(?:, ([\d,]+) of)?", head)
    facts["program runs"] = whole(runs[1]) if runs else None
    facts["runs of main"] = whole(runs[2] or runs[1]) if runs else None
    for pool in ("dram", "l1"):
        device = re.search(rf"(\d+) x ([\d.]+) MB {pool.upper()}\b", head)
        if device:
            facts[f"banks of {pool}"], facts[f"size of {pool}"] = int(device[1]), Rounded(device[2])
        line = re.search(rf"^  {pool.upper()} +(?:[^\w\n]* +)?(at least )?([\d.]+)(?: / [\d.]+)? MB per bank.*$", text, re.M)
        if not line:
            continue
        facts[f"peak of {pool}"], facts[f"peak of {pool} is a bound"] = Rounded(line[2]), bool(line[1])
        words = {"(from the sizes": "tensors", "(the sum of the known": "tensors", "(stated by": "failure"}
        facts[f"source of the peak of {pool}"] = next((s for w, s in words.items() if w in line[0]), "measured")
        op = re.search(r"after #(\d+)", line[0])
        if op or "from the start" in line[0]:
            facts[f"op of the peak of {pool}"] = int(op[1]) if op else None
        rank = re.search(r"  rank (\S+)", line[0])
        facts[f"rank of the peak of {pool}"] = rank[1] if rank else None
    weights = re.search(r"^  weights +([\d.]+) MB of elements, ([\d,]+) tensor", text, re.M)
    facts["weights"] = whole(weights[2]) if weights else 0
    facts["growth"] = [(int(n), Rounded(v)) for n, v in re.findall(r"^(?:  growth  |   +) +#(\d+) \S+ +\+([\d.]+) MB  ", text, re.M)]
    kinds = {"FAILED": False, "caught": True, "failure": None}
    facts["failures"] = [(int(line), kinds[label], whole(op), rank or None) for label, line, rank, op in
                         re.findall(r"^  (FAILED|caught|failure) .*?  line (\d+)(?:, rank (\S+?))?(?:, in #(\d+) \S+)?(?:;.*)?$", text, re.M)]
    facts["failures"] += [("more", whole(n)) for n in re.findall(r"^  (?:FAILED|caught|failure) .*; ([\d,]+) more like it", text, re.M)]
    padding = re.search(r"^  padding +(\d+) % on top", text, re.M)
    if padding:
        facts["padding in percent"] = int(padding[1])
    facts["held"] = [(None if op == "the start" else int(op[1:].split()[0]), Rounded(v)) for v, op in
                     re.findall(r"^(?:  held|   ) +([\d.]+) MB per bank since (the start|#\d+ \S+), by difference", text, re.M)]
    return facts


# --- markdown ---

def of_markdown(folder, log):
    text = ttmem("report", log, "--no-files", cwd=folder)
    facts = {"ops": whole(re.search(r"^- Operations: ([\d,]+) total", text, re.M)[1])}
    runs = re.search(r"^- Program runs: ([\d,]+) \(([\d,]+) of", text, re.M)
    facts["program runs"], facts["runs of main"] = (whole(runs[1]), whole(runs[2])) if runs else (None, None)
    device = re.search(r"^- Memory: (.*)$", text, re.M)
    for pool in ("dram", "l1"):
        part = device and re.search(rf"\b{pool.upper()} (\d+) x ([\d.]+) MB/bank", device[1])
        if part:
            facts[f"banks of {pool}"], facts[f"size of {pool}"] = int(part[1]), Rounded(part[2])
        row = re.search(rf"^\| {pool.upper()} \| (\S+) \| .* \| (at least )?([\d.]+) MB \| (?:[\d.]+ MB|not known) \| \S+ \|$", text, re.M)
        if not row:
            continue
        facts[f"op of the peak of {pool}"] = None if row[1] == "N/A" else int(row[1])
        facts[f"peak of {pool}"], facts[f"peak of {pool} is a bound"] = Rounded(row[3]), bool(row[2])
    weights = re.search(r"^## Model Weights \(([\d.]+) MB total(?:, rank [^)]*)?\)", text, re.M)
    facts["MB of weights"] = Rounded(weights[1]) if weights else 0
    growth = text.split("## Largest Growth")
    rows = [(int(n), Rounded(v)) for n, v in re.findall(r"^\| \d+ \| (\d+) \| .* \| \+([\d.]+) \| .* \|$", growth[1].split("\n## ")[0], re.M)] if len(growth) > 1 else []
    # the report folds the repetitions of an op: its rows are some of all, the largest first
    every = {g["op"]["index"]: round(g["change_bytes_per_bank"] / 1048.576) for g in json.loads(ttmem("top-ops", log, "--by", "growth", "--limit", "0", "--json", cwd=folder))["ops"]} if rows else {}
    assert all(n in every and v == every[n] for n, v in rows), f"growth of the report: {rows}"
    facts["largest growth"] = rows[0][1] if rows else None
    endings = {"; ended the run": False, "; was caught": True, "; whether": None}
    facts["failures"] = []
    for line, rest in re.findall(r"^\*\*.*\*\* \(line (\d+)(.*)\)$", text, re.M):
        op, rank = re.search(r", in op (\d+) ", rest), re.search(r", rank (\S+?)(?:, in |, printed |;|$)", rest)
        facts["failures"].append((int(line), next(v for k, v in endings.items() if k in rest), int(op[1]) if op else None, rank[1] if rank else None))
    facts["held"] = [(None if op == "the start" else int(op.split()[1]), Rounded(v)) for op, v in
                     re.findall(r"^\| \d+ \| (op \d+ \S+|the start) \| ([\d.]+) \| [\d.]+% \|$", text, re.M)]
    return facts


# --- the page ---

TYPES = {"u8": "B", "u16": "H", "u32": "I", "i32": "i", "f64": "d"}


def deltas(data, column, signed):
    n, planes = column["length"], column["planes"]
    wide = dict(struct.iter_unpack("<II", data[n * planes:]))
    values, total = [], 0
    for i in range(n):
        folded = wide.get(i, sum(data[p * n + i] << 8 * p for p in range(planes)))
        total = (total + column["base"] + (folded >> 1 ^ -(folded & 1))) % (1 << 32)
        values.append(total - (1 << 32) if signed and total >> 31 else total)
    return values


def columns(data):
    size, = struct.unpack_from("<I", data, 4)
    at = -(-(8 + size) // 8) * 8
    made = {}
    for column in json.loads(data[8:8 + size])["columns"]:
        code, n = TYPES[column["type"]], column["length"]
        if column["encoding"] == "deltas":
            size = n * column["planes"] + 8 * column["exceptions"]
            made[column["name"]] = deltas(data[at:at + size], column, code == "i")
            at += -(-size // 8) * 8
            continue
        width = struct.calcsize("<" + code)
        raw = data[at:at + n * width]
        at += -(-n * width // 8) * 8
        if column["encoding"] == "planes":
            raw = bytes(raw[p * n + i] for i in range(n) for p in range(width))
        made[column["name"]] = list(struct.unpack(f"<{n}{code}", raw))
    return made


def of_page(folder, log):
    html = open(folder + "/out/a_report.html", encoding="utf-8").read()
    section = lambda name: (lambda m: gzip.decompress(base64.b64decode(m[1])) if m else None)(re.search(rf'id="ttmem-{name}">([^<]*)<', html))
    meta, mem, ops = json.loads(section("meta")), columns(section("mem")), columns(section("ops"))
    facts = {"ops": meta["ops"], "program runs": meta["program_runs"], "runs of main": meta["main_runs"], "lines": meta["source"]["lines"],
             "weights": meta["weights"]["count"], "bytes of weights": meta["weights"]["bytes"]}
    names = [None if r == "none" else r for r in meta["ranks"]]
    for k, pool in enumerate(("dram", "l1")):
        config = meta["configs"][0][k] if meta["configs"] else None
        if config:
            facts[f"banks of {pool}"], facts[f"size of {pool}"] = config
        peak = meta["peaks"].get(pool.upper())
        if not peak:
            continue
        facts[f"peak of {pool}"], facts[f"source of the peak of {pool}"] = peak["allocated"], peak["source"]
        facts[f"peak of {pool} is a bound"], facts[f"line of the peak of {pool}"] = peak["at_least"], peak["line"]
        facts[f"op of the peak of {pool}"], facts[f"op after the peak of {pool}"] = peak["op_index"], peak["before_op_index"]
        facts[f"rank of the peak of {pool}"] = names[peak["rank"]] if names else None
    flags, after, before = mem["step_flags"], ops.get("step_after", []), {}
    alloc = mem.get("alloc_0", [])
    for block, step in enumerate(mem.get("block_step", [])):
        before[step] = block
    growth, record = [], 0
    for step, flag in enumerate(flags):
        if flag & 1:
            end = after[step] if step < len(after) else -1
            if not flag & (8 | 128) and step in before and 0 <= end < len(alloc) and alloc[before[step]] >= 0 and alloc[end] - alloc[before[step]] > 0:
                growth.append((record, alloc[end] - alloc[before[step]]))
            record += 1
    facts["growth"] = sorted(growth, key=lambda g: (-g[1], g[0]))[:10]
    steps = [i for i, flag in enumerate(flags) if flag & 1]
    facts["failures"] = [(f["line"], f["caught"], steps.index(f["step"]) if f["step"] in steps else None, names[f["rank"]] if names else None)
                         for f in meta["failures"]]
    facts["held"] = [(None if s < 0 else steps.index(s), v) for s, v in meta["held_at_peak"]]
    return facts


# --- tables ---

def of_tables(run, peaks, growth, failures):
    facts = {"ops": whole(run["ops"]), "program runs": whole(run["program_runs"]), "runs of main": whole(run["main_runs"]), "lines": whole(run["lines"]),
             "weights": whole(run["weights"]), "bytes of weights": whole(run["weights_bytes"])}
    for pool in ("dram", "l1"):
        if run.get(pool + "_banks"):
            facts[f"banks of {pool}"] = whole(run[pool + "_banks"])
        for row in peaks:
            if row["pool"] != pool:
                continue
            facts[f"peak of {pool}"] = round(float(row["allocated_bytes_per_bank"]) * 1000 / 1048576)
            facts[f"source of the peak of {pool}"], facts[f"peak of {pool} is a bound"] = row["source"], bool(whole(row["at_least"]))
            facts[f"op of the peak of {pool}"], facts[f"op after the peak of {pool}"] = whole(row["op_index"]), whole(row["before_op_index"])
            facts[f"line of the peak of {pool}"], facts[f"rank of the peak of {pool}"] = whole(row["line"]), row["rank"] or None
    if run.get("padded_at_dram_peak_bytes"):
        facts["padding"] = (whole(run["logical_at_dram_peak_bytes"]), whole(run["padded_at_dram_peak_bytes"]))
    facts["growth"] = [(whole(g["op_index"]), round(float(g["dram_growth_bytes_per_bank"]) * 1000 / 1048576)) for g in growth]
    outcomes = {"ended": False, "caught": True, "unknown": None}
    facts["failures"] = [(whole(f["line"]), outcomes[f["outcome"]], whole(f["op_index"]), f["rank"] or None) for f in failures]
    return facts


def of_csv(folder, log):
    read = lambda table: list(csv.DictReader(io.StringIO(ttmem("export", log, "--format", "csv", "--table", table, cwd=folder))))
    return of_tables({r["key"]: r["value"] for r in read("run")}, read("peaks"), read("growth"), read("failures"))


def of_sqlite(folder, log):
    ttmem("export", log, "--format", "sqlite", "-o", "a.sqlite", cwd=folder)
    db = sqlite3.connect(folder + "/a.sqlite")
    db.row_factory = sqlite3.Row
    read = lambda table: [dict(r) for r in db.execute(f"SELECT * FROM {table} ORDER BY rowid")]
    facts = of_tables({r["key"]: r["value"] for r in read("run")}, read("peaks"), read("growth"), read("failures"))
    ops = db.execute("SELECT count(*) FROM ops").fetchone()[0]
    expect(f"{folder}: rows of ops", ops == facts["ops"])
    db.close()
    return facts


def of_history(folder, log):
    store = folder + "/history.db"
    if os.path.exists(store):
        os.remove(store)
    run = ttmem("history", "add", log, "--quiet", "--store", store, cwd=folder).strip()
    j = json.loads(ttmem("history", "show", run, "--json", "--store", store, cwd=folder))
    text = ttmem("history", "show", run, "--store", store, cwd=folder)
    value = lambda m: (lambda r: None if r is None else next(r[k] for k in ("value_bytes", "value_count", "value") if r.get(k) is not None))(j["measures"].get(m))
    facts = {"ops": value("ops"), "program runs": value("program_runs"), "runs of main": value("main_runs"),
             "number of failures": (value("failures"), value("failures_caught"))}
    for pool in ("dram", "l1"):
        peak = j["measures"].get(pool + ".peak")
        if not peak:
            continue
        facts[f"peak of {pool}"], facts[f"source of the peak of {pool}"] = PerBank(value(pool + ".peak")), peak["source"]
        # among runs, one that a failure ended would have held more
        if value("failures"): expect(f"{folder}: of a run that failed the peak of {pool} is a bound", peak["at_least"])
        else: facts[f"peak of {pool} is a bound"] = peak["at_least"]
        said = re.search(rf"^  {pool}\.peak .*$", text, re.M)[0]
        expect(f"{folder}: history show says that {pool} is a bound", ("at least" in said) == bool(peak["at_least"] and value(pool + ".peak")))
    if "padding.dram" in j["measures"]:
        padding = j["measures"]["padding.dram"]
        facts["padding"] = (padding.get("whole_bytes", padding.get("whole")), padding.get("whole_bytes", padding.get("whole")) + value("padding.dram"))
    return facts


OUTPUTS = {"text": of_text, "markdown": of_markdown, "page": of_page, "CSV": of_csv, "SQLite": of_sqlite, "history": of_history}
PEAK = ["peak of {}", "peak of {} is a bound"]
ALWAYS = {  # what an output must show whenever JSON has it
    "text": ["ops", "program runs", "runs of main", "weights", "growth", "failures", "held", "padding in percent", "banks of {}", "size of {}", *PEAK, "source of the peak of {}"],
    "markdown": ["ops", "program runs", "runs of main", "MB of weights", "largest growth", "failures", "held", "banks of {}", "size of {}", *PEAK, "op of the peak of {}"],
    "page": ["ops", "program runs", "runs of main", "lines", "weights", "bytes of weights", "growth", "failures", "held", "banks of {}", "size of {}", *PEAK,
             "source of the peak of {}", "op of the peak of {}", "op after the peak of {}", "line of the peak of {}", "rank of the peak of {}"],
    "CSV": ["ops", "program runs", "runs of main", "lines", "weights", "bytes of weights", "growth", "failures", "padding", "banks of {}", *PEAK, "source of the peak of {}",
            "op of the peak of {}", "op after the peak of {}", "line of the peak of {}", "rank of the peak of {}"],
    "history": ["ops", "program runs", "runs of main", "number of failures", "padding", *PEAK, "source of the peak of {}"],
}
ALWAYS["SQLite"] = ALWAYS["CSV"]


def same(name, ours, known):
    if name in ("growth", "held"):  # some outputs show the first few
        rows = min(len(ours), len(known))
        return (rows > 0) == (len(known) > 0) and all(a[0] == b[0] and a[1] == b[1] for a, b in zip(ours, known))
    if name == "failures":
        told = [f for f in ours if f[0] != "more"]
        more = sum(f[1] for f in ours if f[0] == "more")  # the summary tells how many are alike
        return all(told.count(f) <= known.count(f) for f in told) and len(told) + more == len(known)
    return ours == known


def complete(facts):
    """Facts in the forms that single outputs have them in."""
    facts["MB of weights"] = facts["bytes of weights"] / 1048.576
    facts["largest growth"] = facts["growth"][0][1] if facts.get("growth") else None
    unknown = [f for f in facts["failures"] if f[1] is None]
    ended = sum(f[1] is False for f in facts["failures"])
    facts["number of failures"] = (None if unknown and not ended else ended, sum(f[1] is True for f in facts["failures"]))
    if "padding" in facts:
        logical, padded = facts["padding"]
        facts["padding in percent"] = round(100 * (padded - logical) / logical) if logical else 0
    return facts


def check_truth(what, facts, truth):
    expect(f"{what}: ops of the generator", facts["ops"] == truth["records"])
    expect(f"{what}: weights of the generator", (facts["weights"], facts["bytes of weights"]) == (truth["weights"]["count"], truth["weights"]["bytes"]))
    if what != "memory only":
        mains = sum(p["runs"] for p in truth["programs"] if p["name"] == "main")
        every = sum(p["runs"] for p in truth["programs"] + truth["const_eval"])
        expect(f"{what}: runs of main {facts['runs of main']} {mains}", facts["runs of main"] == mains)
        expect(f"{what}: program runs {facts['program runs']} {every}", facts["program runs"] == every)
    for pool in ("dram", "l1"):
        peak = truth["peaks"].get(pool.upper())
        if not peak or facts[f"source of the peak of {pool}"] != "measured":
            continue
        equal = [r["peaks"][pool.upper()] for r in truth.get("ranks", []) if r["peaks"].get(pool.upper(), {}).get("allocated_thousandths") == peak["allocated_thousandths"]]
        if len(equal) > 1:  # of equal peaks that of the first rank
            peak = min(equal, key=lambda p: [int(n) for n in (p["rank"] or "").split(",") if n])
        shown = [facts[f"{k} of the peak of {pool}".replace("peak of the peak", "peak")] for k in ("op", "line", "rank")] + [facts[f"peak of {pool}"]]
        expect(f"{what}: peak of {pool} of the generator {shown} {peak}", shown == [peak["op_index"], peak["block_line"], peak["rank"], peak["allocated_thousandths"]])


def check_run(what, options, work):
    folder = f"{work}/{len(os.listdir(work))}"
    os.mkdir(folder)
    subprocess.run([BUILD + "/genlog", "-o", folder + "/a.log", "--truth", folder + "/truth.json", *options], check=True, capture_output=True)
    truth = json.load(open(folder + "/truth.json", encoding="utf-8"))
    if what == "caught":
        log = open(folder + "/a.log", encoding="utf-8").read()
        with open(folder + "/a.log", "w", encoding="utf-8") as file:
            file.write(log + f"[ RUN      ] Sweep.Width\n{OOM}\n[       OK ] Sweep.Width (3 ms)\n")
    ttmem("analyze", "a.log", "--output-dir", "out", "--quiet", cwd=folder)
    facts = complete(of_json(folder, "a.log"))
    check_truth(what, facts, truth)
    if what == "caught":
        expect("caught: one failure, caught", [f[1] for f in facts["failures"]] == [True])
    elif "--oom" in options:
        expect(f"{what}: one failure, ended", [f[1] for f in facts["failures"]] == [False])
    for output, take in OUTPUTS.items():
        try:
            told = take(folder, "a.log")
        except Exception as error:  # an output that can no longer be read is a difference, not the end of the test
            expect(f"{what}: {output}: {type(error).__name__}: {error}", False)
            continue
        wanted = [w.format(pool) for w in ALWAYS[output] for pool in (("dram", "l1") if "{}" in w else ("",))]
        for name in wanted:
            hidden = name not in facts or (output == "text" and ("l1" in name and not facts.get("peak of l1") and "peak" in name))
            if name == "padding in percent" and output == "text" and "padding" not in facts:
                hidden = True
            if output == "history" and name.endswith("is a bound") and any(not f[1] for f in facts["failures"]):
                hidden = True  # checked there
            if not hidden:
                expect(f"{what}: {output} does not tell {name} ({facts[name]})", name in told)
        for name, value in told.items():
            if name not in facts and not value:
                continue
            expect(f"{what}: {name}: {output} {value}, JSON {facts.get(name)}", name in facts and same(name, value, facts[name]))


def check_sum_of_tensors(work):
    """Where memory is measured around submits only, the known tensors of a generated run add up to what it measures at every op.
    Of several programs they are less: whether the host keeps what a program used until it runs again is not told."""
    for seed in range(1, 5):
        for options in (["--ops", "80"], ["--ops", "90", "--programs", "2", "--warmup", "1", "--edge", "0.3"], ["--ops", "60", "--trace", "--warmup", "1"]):
            peaks = []
            for level in ("operation", "program"):
                log = f"{work}/{level}.log"
                subprocess.run([BUILD + "/genlog", "-o", log, "--seed", str(seed), "--level", level, *options], check=True, capture_output=True)
                peaks.append(json.loads(ttmem("summary", log, "--json", cwd=work))["peaks"]["dram"])
            full, bound = peaks
            what = f"sum of tensors, seed {seed} {options}"
            known, measured = bound["allocated_bytes_per_bank"], full["allocated_bytes_per_bank"]
            several = "--programs" in options
            expect(f"{what}: {known} {measured}", 0.8 * measured <= known <= measured if several else known == measured)
            expect(f"{what}: a bound", (bound["at_least"], full["at_least"]) == (True, False) and (several or bound["source"] == "tensors"))


def main():
    with tempfile.TemporaryDirectory() as work:
        for what, options in RUNS.items():
            check_run(what, options, work)
        check_sum_of_tensors(work)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
