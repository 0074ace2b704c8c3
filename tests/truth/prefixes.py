#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What launchers, containers and CI put before lines changes nothing: prefixes.py BUILD-FOLDER

A generated log with module dumps, ops, memory and a failure is written with every kind of prefix before its lines; the report (JSON files with the IR) must be
that of the plain log. Two logs, merged line by line under two values of a tag, must give two ranks, each with the figures of its own log.

Prints one line per difference and `N passed, M failed`."""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

BUILD = os.path.realpath(sys.argv[1])
passed = failed = 0


def expect(what, condition):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print("FAILED: prefixes:", what)


def clock(n):
    return f"{14 + n // 3600000 % 8:02}:{n // 60000 % 60:02}:{n // 1000 % 60:02}"


# kind: (prefix of line n, for writer w)
SAME = {
    "ts": lambda n: f"Nov 15 {clock(n)} ",
    "ts with microseconds": lambda n: f"2026-11-15 {clock(n)}.{n % 1000000:06} ",
    "ts -s": lambda n: f"{clock(n)} ",
    "ts in brackets": lambda n: f"[2026-11-15 {clock(n)}] ",
    "journald": lambda n: f"Nov 15 {clock(n)} tt-host python3[4711]: ",
    "journald short-iso": lambda n: f"2026-11-15T{clock(n)}+0000 tt-host.example python3[4711]: ",
    "kubectl --prefix": lambda n: "[pod/llama-0/server] ",
    "kubectl --prefix --timestamps": lambda n: f"[pod/llama-0/server] 2026-11-15T{clock(n)}.{n % 1000:03}456789Z ",
    "srun -l": lambda n: "0: ",
    "srun -l, padded": lambda n: "00: ",
    "torchrun": lambda n: "[rank0]: ",
    "torchrun --tee": lambda n: "[default0]:",
    "vllm worker": lambda n: "(Worker_TP0 pid=77) ",
    "ray": lambda n: "(RayWorkerWrapper pid=7, ip=10.0.0.1) ",
    "ray, painted": lambda n: "\x1b[36m(RayWorkerWrapper pid=7)\x1b[0m ",
    "a tab": lambda n: "\t",
    "ANSI reset": lambda n: "\x1b[0m",
    "docker compose": lambda n: "server-1  | ",
    "docker compose, named": lambda n: "ttserver  | ",
    "GitHub": lambda n: f"2026-11-15T{clock(n)}.{n % 1000:03}4567Z ",
    "GitLab": lambda n: f"2026-11-15T{clock(n)}.{n % 1000:03}456Z 00O ",
    "Jenkins": lambda n: f"[2026-11-15T{clock(n)}.{n % 1000:03}Z] ",
    "CRI": lambda n: f"2026-11-15T{clock(n)}.{n % 1000:03}456789Z stdout F ",
    "ts and srun": lambda n: f"Nov 15 {clock(n)} 0: ",
    "CI time and compose": lambda n: f"2026-11-15T{clock(n)}.{n % 1000:03}4567Z worker-1  | ",
    "ts %FT%T": lambda n: f"2026-11-15T{clock(n)} ",
    "ts %.s": lambda n: f"{1794800261 + n // 1000}.{n % 1000:03}456 ",
    "ts %s": lambda n: f"{1794800261 + n // 1000} ",
    "gh run view --log": lambda n: f"build (n150)\tRun tests\t2026-11-15T{clock(n)}.{n % 1000:03}4567Z ",
    "gh run view --log and srun": lambda n: f"2x4 galaxy\tUNKNOWN STEP\t2026-11-15T{clock(n)}.{n % 1000:03}4567Z 3: ",
    "journald and ts %FT%T": lambda n: f"Nov 15 {clock(n)} tt-host python3[4711]: 2026-11-15T{clock(n)} ",
    "two times": lambda n: f"2026-11-15T{clock(n)}.{n % 1000:03}456789Z 2026-11-15T{clock(n)} ",
    "cat -n": lambda n: f"{n // 7 + 1:6}\t",
    "uptime": lambda n: f"[{n // 60:5}.{n % 1000:06}] ",
    "supervisor": lambda n: f"2026-11-15 {clock(n)},{n % 1000:03} DEBG 'server' stdout output: ",
    "of no known kind": lambda n: "<<tt>> ",
    "of no known kind, with numbers": lambda n: f"<<{n}|{n % 9}>> ",
}
RANKS = {
    "mpirun 4": lambda n, w: f"[1,{w}]<stdout>:",
    "mpirun 5": lambda n, w: f"[prterun-host-4711@1,{w}]<stdout>: ",
    "mpirun --timestamp-output": lambda n, w: f"Sun Nov 15 {clock(n)} 2026[1,{w}]<stdout>:",
    "srun -l": lambda n, w: f"{w}: ",
    "srun -l, padded": lambda n, w: f"{w:03}: ",
    "torchrun": lambda n, w: f"[rank{w}]: ",
    "bare": lambda n, w: f"[{w}] ",
    "vllm data parallel": lambda n, w: f"(EngineCore_DP{w} pid={77 + w}) ",
    "docker compose": lambda n, w: f"server-{w + 1}  | ",
    "ray": lambda n, w: f"(RayWorkerWrapper pid={70 + w}) ",
    "kubectl": lambda n, w: f"[pod/llama-{w}/server] ",
    "journald": lambda n, w: f"Nov 15 {clock(n)} tt-host python3[{4711 + w}]: ",
    "pdsh": lambda n, w: f"node{w + 1}: ",
    "pdsh, full names": lambda n, w: f"tt-{w}.example.com: ",
    "stern": lambda n, w: f"llama-{w} server ",
    "ts and srun": lambda n, w: f"Nov 15 {clock(n)} {w}: ",
    "ts %.s and srun": lambda n, w: f"{1794800261 + n // 1000}.{n % 1000:03}456 {w}: ",
    "ts %FT%T and torchrun": lambda n, w: f"2026-11-15T{clock(n)} [rank{w}]: ",
    "gh run view --log and mpirun": lambda n, w: f"build (n150)\tRun tests\t2026-11-15T{clock(n)}.{n % 1000:03}4567Z [1,{w}]<stdout>:",
    "CI time and torchrun": lambda n, w: f"2026-11-15T{clock(n)}.{n % 1000:03}4567Z [rank{w}]: ",
}


def entry(text, compact=True, **more):
    return json.dumps({**more, "log": text, "stream": "stdout", "time": "2026-11-15T14:00:00.1Z"} if compact else {**more, "log": text}, separators=(",", ":") if compact else None) + "\n"


# A line of text in a line of the file.
ENTRIES = {
    "docker json-file": lambda n, l: entry(l + "\n").replace("<", "\\u003c"),
    "docker json-file, another order": lambda n, l: json.dumps({"stream": "stdout", "log": l + "\n", "time": f"{n}"}) + "\n",
    "json without line ends": lambda n, l: json.dumps({"log": l, "stream": "stderr"}) + "\n",
    "json without line ends, with times": lambda n, l: entry(l),
    "fluent-bit": lambda n, l: entry(l + "\n", compact=False, stream="stdout", logtag="F"),
    "vector": lambda n, l: json.dumps({"message": l, "source_type": "docker_logs", "stream": "stdout", "timestamp": f"{n}"}) + "\n",
    "journalctl -o json, as bytes": lambda n, l: json.dumps({"__CURSOR": f"s={n}", "MESSAGE": list(l.encode())}) + "\n",
    "journalctl -o json": lambda n, l: json.dumps({"__REALTIME_TIMESTAMP": f"{n}", "_PID": "7", "MESSAGE": l}) + "\n",
}
# Long lines in parts of PART bytes; another stream writes between them.
PART = 1000
PARTS = {
    "docker json-file, long lines in parts": lambda n, l, end: entry(l + "\n" * end),
    "docker json-file, two streams": lambda n, l, end: entry(l + "\n" * end) + "" if end else entry(l) + json.dumps({"log": "of stderr\n", "stream": "stderr"}) + "\n",
    "CRI, long lines in parts": lambda n, l, end: f"2026-11-15T{clock(n)}.123456789Z stdout {'F' if end else 'P'} {l}\n",
    "fluent-bit, long lines in parts": lambda n, l, end: entry(l, compact=False, stream="stdout", logtag="F" if end else "P"),
}


def in_parts(line):
    parts = re.findall(r"(?s).{1,%d}" % PART, line) or [""]
    return [(part, i == len(parts) - 1) for i, part in enumerate(parts)]


def report(folder, data, name="a.log", threads=None):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{name}", "wb") as file:
        file.write(data)
    env = dict(os.environ, **({"TTMEM_THREADS": str(threads)} if threads else {}))
    run = subprocess.run([BUILD + "/ttmem", "analyze", f"{folder}/{name}", "--output-dir", folder + "/out", "--no-page", "--force"], capture_output=True, env=env)
    files = {}
    for part in sorted(os.listdir(folder + "/out")) if os.path.isdir(folder + "/out") else []:
        if not part.endswith(".json"):
            continue
        text = open(f"{folder}/out/{part}", encoding="utf-8").read()
        files[part] = re.sub(r'"source_path":"[^"]*",|"path":"[^"]*",|"input_bytes":\d+,"chip"|"bytes":\d+,"xxh128":"\w+"|"modified":\S+?,|"files":\[.*?\],?|"source":\{.*?\}', "", text)
    return run.returncode, files


def check_same(work, lines):
    plain = report(work + "/plain", b"".join(l + b"\n" for l in lines))
    expect("plain: analyze", plain[0] == 0 and len(plain[1]) >= 5)
    for kind, make in SAME.items():
        data = b"".join(make(n * 7).encode() + l + b"\n" for n, l in enumerate(lines))
        ours = report(f"{work}/{kind}", data)
        differ = [p for p in plain[1] if ours[1].get(p) != plain[1][p]]
        expect(f"{kind}: {differ}", not differ)
        stream = subprocess.run([BUILD + "/ttmem", "summary", "-", "--json"], input=data, capture_output=True, text=False).stdout
        mapped = subprocess.run([BUILD + "/ttmem", "summary", f"{work}/{kind}/a.log", "--json"], capture_output=True).stdout
        cut = lambda t: re.sub(rb'"(name|source_path)": .*', b"", t)
        expect(f"{kind}: from a pipe", cut(stream) == cut(mapped) and stream)
    text = b"".join(l + b"\n" for l in lines).decode()
    coded = {"UTF-16 without a mark": text.encode("utf-16-le"), "UTF-16 without a mark, big end first": text.encode("utf-16-be"),
             "UTF-16": b"\xff\xfe" + text.encode("utf-16-le"), "UTF-16, big end first": b"\xfe\xff" + text.encode("utf-16-be"),
             **{kind: "".join(make(n, l) for n, l in enumerate(text.split("\n")[:-1])).encode() for kind, make in ENTRIES.items()}}
    for kind, data in coded.items():
        ours = report(f"{work}/{kind}", data)
        expect(f"{kind}", [p for p in plain[1] if ours[1].get(p) != plain[1][p]] == [])
    for kind, make in PARTS.items():
        parts = [make(n, part, end) for n, l in enumerate(text.split("\n")[:-1]) for part, end in in_parts(l)]
        data = "".join(parts).encode()
        ours = report(f"{work}/{kind}", data)
        # but for numbers of lines, and the empty lines that keep them
        bare = lambda t: re.sub(r'"(\w*lines?|end)":(\d+|\[[^]]*\])|"loc_index":\{[^}]*\}', "", re.sub(r"(\\n(of stderr)?)+", r"\\n", t))
        expect(f"{kind}", [p for p in plain[1] if bare(ours[1].get(p, "")) != bare(plain[1][p])] == [])
        at = [i + 1 for i, l in enumerate(data.split(b"\n")) if b"Out of Memory" in l]
        told = json.loads(subprocess.run([BUILD + "/ttmem", "info", f"{work}/{kind}/a.log", "--json"], capture_output=True).stdout)
        expect(f"{kind}: line of the failure {told['failures'][:1]} {at}", [f["line"] for f in told["failures"]] == at[:1] and told["lines"] == data.count(b"\n"))


def check_ranks(work, logs):
    alone = []
    for w, log in enumerate(logs):
        report(f"{work}/alone{w}", b"".join(l + b"\n" for l in log))
        alone.append(json.load(open(f"{work}/alone{w}/out/a_summary.json", encoding="utf-8")))
    for kind, make in RANKS.items():
        queues, lines, n = [list(log) for log in logs], [], 0
        while any(queues):
            w = (n * 7 + n // 5) % len(queues)
            n += 1
            if queues[w]:
                lines.append(make(n * 3, w).encode() + queues[w].pop(0))
        results = [report(f"{work}/ranks {kind}", b"".join(l + b"\n" for l in lines), threads=t)[1] for t in (1, 7)]
        expect(f"ranks by {kind}: threads", results[0] == results[1])
        summary = json.load(open(f"{work}/ranks {kind}/out/a_summary.json", encoding="utf-8"))
        ranks = [r for r in summary["ranks"] if r["records"]]
        expect(f"ranks by {kind}: {[(r['rank'], r['records']) for r in ranks]}", len(ranks) == len(logs) and all(r["rank"] for r in ranks))
        figures = sorted((r["records"], r["blocks"], r["peaks"]["dram"]["allocated_bytes_per_bank"]) for r in ranks)
        expect(f"ranks by {kind}: figures", figures == sorted((a["records"], a["blocks"], a["peaks"]["dram"]["allocated_bytes_per_bank"]) for a in alone))
        expect(f"ranks by {kind}: weights {summary['weight_sum']}", {key: summary["weight_sum"][key] for key in ("count", "total_bytes")} == max(({key: a["weight_sum"][key] for key in ("count", "total_bytes")} for a in alone), key=lambda x: x["total_bytes"]))
        expect(f"ranks by {kind}: op lines", summary["op_lines"] == sum(a["op_lines"] for a in alone))
        info = json.loads(subprocess.run([BUILD + "/ttmem", "info", f"{work}/ranks {kind}/a.log", "--json"], capture_output=True).stdout)
        expect(f"ranks by {kind}: info", info["op_lines"] == summary["op_lines"] and info["blocks"] == summary["blocks"])


def check_refused(work):
    for name, data in {"an executable": b"\x7fELF\x02\x01\x01" + bytes(500), "an image": b"\x89PNG\r\n\x1a\n" + bytes(500)}.items():
        path = f"{work}/refused"
        with open(path, "wb") as file:
            file.write(data)
        for command in ("summary", "info", "explain", "analyze"):
            run = subprocess.run([BUILD + "/ttmem", command, path], capture_output=True, text=True)
            expect(f"{command} of {name}: {run.returncode} {run.stderr}", run.returncode == 3 and name in run.stderr)
    noise = random.Random(7).randbytes(30000)
    with open(f"{work}/noise", "wb") as file:
        file.write(noise)
    for command in ("summary", "info", "explain", "live"):
        for path, given in ((f"{work}/noise", None), ("-", noise)):
            run = subprocess.run([BUILD + "/ttmem", command, path], input=given, capture_output=True)
            expect(f"{command} of random bytes ({path}): {run.returncode} {run.stderr}", run.returncode == 3 and b"not text" in run.stderr)


def check_torn(work, logs):
    """What mpirun tears is whole again, wherever tags begin, from a file as from a pipe."""
    source, parts = random.Random(5), []
    queues = [b"".join(l + b"\n" for l in log) for log in logs]
    while any(queues):
        w = source.randrange(len(queues))
        size = min(source.choice((40, 4096, 5000)), len(queues[w]))
        chunk, queues[w] = queues[w][:size], queues[w][size:]
        tag = f"[1,{w}]<stdout>:".encode()
        parts.append(b"".join(tag + line for line in chunk.splitlines(keepends=True)))
    for lead in (0, 30000):
        data = b"a line of the controller, without a tag at all\n" * lead + b"".join(parts)
        with open(f"{work}/torn.log", "wb") as file:
            file.write(data)
        mapped = json.loads(subprocess.run([BUILD + "/ttmem", "summary", f"{work}/torn.log", "--json"], capture_output=True).stdout)
        piped = json.loads(subprocess.run([BUILD + "/ttmem", "summary", "-", "--json"], input=data, capture_output=True).stdout)
        for told in (mapped, piped):
            told.pop("name"), told.pop("source_path")
        expect(f"torn, {lead} lines before: from a pipe", mapped == piped)
        figures = [(r["rank"], r["rank_index"], r["records"], r["blocks"]) for r in piped["ranks"] if r["records"]]
        alone = []
        for w, log in enumerate(logs):
            one = json.loads(subprocess.run([BUILD + "/ttmem", "summary", "-", "--json"], input=b"".join(l + b"\n" for l in log), capture_output=True).stdout)
            alone.append((f"1,{w}", w, one["records"], one["blocks"]))
        expect(f"torn, {lead} lines before: {figures} {alone}", figures == alone)


def main():
    with tempfile.TemporaryDirectory() as work:
        logs = []
        for seed, more in ((3, []), (4, ["--change", "keep"])):
            subprocess.run([BUILD + "/genlog", "-o", work + "/a.log", "--ops", "60", "--warmup", "1", "--noise", "0.1", "--seed", str(seed), *more], check=True)
            logs.append(open(work + "/a.log", "rb").read().split(b"\n")[:-1])
        subprocess.run([BUILD + "/genlog", "-o", work + "/a.log", "--ops", "60", "--oom", "--noise", "0.2", "--interleave", "0.1"], check=True)
        check_same(work, open(work + "/a.log", "rb").read().split(b"\n")[:-1])
        check_ranks(work, logs)
        check_refused(work)
        check_torn(work, logs)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
