# SPDX-License-Identifier: Apache-2.0
"""JSON that ttmem writes, of many kinds of runs: pairs of a schema's name and a document. Used by check.py."""
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data"

LOGS = {
    "plain": ["--ops", "80", "--warmup", "1", "--edge", "0.2"],
    "oom": ["--ops", "60", "--oom"],
    "ranks": ["--ops", "30", "--ranks", "3"],
    "memory": ["--ops", "40", "--warmup", "1", "--no-ops"],
    "around submits": ["--ops", "40", "--warmup", "1", "--level", "program"],
    "no memory": ["--ops", "40", "--level", "none"],
    "no modules": ["--ops", "40", "--modules", "none"],
    "leak": ["--ops", "60", "--warmup", "3", "--change", "leak"],
    "trace": ["--ops", "40", "--trace", "--warmup", "1"],
    "exception": ["--ops", "40", "--warmup", "2", "--exception"],
    "two programs": ["--ops", "30", "--programs", "2", "--interleave-programs", "--warmup", "1", "--shared-weights"],
    "p150": ["--ops", "30", "--chip", "p150", "--mesh", "1x2"],
    "cut": ["--ops", "40", "--cut", "777"],
    "dirty": ["--ops", "40", "--bad-utf8", "--nul", "--ansi", "--crlf", "--noise", "0.2", "--interleave", "0.2"],
}

RUN = [("summary", []), ("info", []), ("live", []), ("live", ["--pool", "l1", "--limit", "0"]), ("live", ["--at", "7"]), ("live", ["--by", "class"]), ("live", ["--by", "module", "--limit", "2"]), ("live", ["--by", "location"]),        ("op", ["5"]), ("ops", []), ("ops", ["--name", "matmul", "--limit", "2"]), ("ops", ["--by", "growth"]), ("top-ops", []), ("top-ops", ["--by", "padding"]), ("top-ops", ["--by", "growth"]), ("top-ops", ["--by", "l1"]), ("explain", []), ("late", []), ("duplicates", []), ("late", ["--pool", "l1", "--limit", "0"]),
       ("check", ["--max", "dram.peak=1KB", "--max", "growth_per_pass=0", "--min", "dram.largest_free=1KB", "--no-failure", "--max", "padding.dram=1%", "--max", "failures=0", "--no-budget-file"])]


class Outputs:
    def __init__(self, ttmem, folder):
        self.ttmem = str(ttmem)
        self.build = pathlib.Path(ttmem).resolve().parent
        self.folder = pathlib.Path(folder)
        self.environment = dict(os.environ, TTMEM_HOME=str(self.folder / "home"), HOME=str(self.folder), NO_COLOR="1", LC_ALL="C.UTF-8")

    def run(self, words, text=None):
        return subprocess.run([self.ttmem, *words], input=text, capture_output=True, cwd=self.folder, env=self.environment, timeout=120)

    def ask(self, schema, words, json_words=("--json",)):
        """What a command prints: one document, or one in each line."""
        done = self.run([*words, *json_words])
        label = " ".join(words)
        text = done.stdout.decode("utf-8")
        if done.returncode > 1 and '"error":' in text:
            yield "error", label, json.loads(text)
        elif "\n{" in text.strip() and text.startswith("{") and not text.startswith("{\n") and schema != "explain":
            for line in text.splitlines():
                yield schema, label, json.loads(line)
        else:
            yield schema, label, json.loads(text)

    def genlog(self, name, *options):
        path = self.folder / f"{name}.log"
        subprocess.run([self.build / "genlog", "-o", path, *options], check=True, capture_output=True)
        return path

    def of_run(self, path):
        for command, options in RUN:
            yield from self.ask(command, [command, str(path), *options])

    def of_report(self, path):
        folder = self.folder / "report"
        done = self.run(["analyze", str(path), "--output-dir", str(folder), "--name", "r", "--force", "--no-page"])
        if done.returncode:
            return
        for suffix, schema in (("memory", "report-memory"), ("operations", "report-operations"), ("inputs_registry", "report-registry"),
                               ("ir", "report-ir"), ("summary", "summary")):
            yield schema, f"{schema} of {path}", json.loads((folder / f"r_{suffix}.json").read_text(encoding="utf-8"))

    def of_logs(self):
        for seed, (name, options) in enumerate(LOGS.items(), 1):
            path = self.genlog(name, "--seed", str(seed), *options)
            yield from self.of_run(path)
            yield from self.of_report(path)
        yield from self.ask("diff", ["diff", "plain.log", "leak.log", "--fail-on", "dram.peak > +1%", "--fail-on", "growth_per_pass > 0"])
        yield from self.ask("diff", ["diff", "oom.log", "memory.log"])
        yield from self.ask("explain", ["explain", "oom.log", "plain.log", "cut.log"])
        (self.folder / "clash.log").write_text("Statically allocated circular buffers in program 453 clash with L1 buffers on core range [(x=0,y=0) - (x=4,y=0)]. "
                                               "L1 buffer allocated at 622592 and static circular buffer region ends at 654368\n")
        yield from self.ask("explain", ["explain", "clash.log"])
        for row in (DATA / "failures/tt_metal.tsv").read_text(encoding="utf-8").splitlines():
            message = re.sub(r"\{[^{}]*\}", "65536", row.split("\t")[-1])
            (self.folder / "message.log").write_text(message + "\n", encoding="utf-8")
            yield from self.ask("explain", ["explain", "message.log"])

    def mutated(self, seed, count):
        """Bytes of logs changed, taken out and doubled: whatever the answer is, it has the form that its schema states."""
        chance = random.Random(seed)
        for n in range(count):
            name = chance.choice(list(LOGS))
            text = bytearray((self.folder / f"{name}.log").read_bytes())
            for _ in range(chance.randint(1, 60)):
                at, length = chance.randrange(len(text)), chance.randint(1, 200)
                change = chance.randrange(4)
                if change == 0:
                    text[at] = chance.randrange(256)
                elif change == 1:
                    del text[at:at + length]
                elif change == 2:
                    text[at:at] = text[at:at + length]
                else:
                    text[at:at] = str(chance.choice((0, -1, 1 << 31, 1 << 63, 1 << 64, 10 ** 30))).encode()
            path = self.folder / "mutated.log"
            path.write_bytes(text)
            for command, options in chance.sample(RUN, 4):
                yield from self.ask(command, [command, str(path), *options])
            if n % 4 == 0:
                yield from self.of_report(path)

    def of_history(self):
        store = str(self.folder / "history.sqlite")
        for name in ("plain", "leak", "oom"):
            yield from self.ask("history-add", ["history", "add", f"{name}.log", "--store", store, "--label", "model=m", "--ops"])
        listed = self.run(["history", "list", "--store", store, "--json"])
        first = json.loads(listed.stdout)["runs"][0]["id"]
        yield from self.ask("history-list", ["history", "list", "--store", store])
        yield from self.ask("history-show", ["history", "show", first, "--store", store])
        yield from self.ask("history-regressions", ["history", "regressions", "--store", store, "--by", "1B"])
        yield from self.ask("history-regressions", ["history", "regressions", "--store", store, "--measure", "failures", "--by", "1"])
        yield from self.ask("diff", ["history", "compare", "branch:nowhere", first, "--store", store])
        yield from self.ask("diff", ["diff", first, "plain.log", "--store", store])
        done = self.run(["history", "export", "--store", store])
        for line in done.stdout.decode().splitlines():
            yield "history-export", "history export", json.loads(line)

    def of_other_inputs(self):
        for name in sorted((DATA / "graph").glob("*.json")):
            yield from self.ask("graph", ["graph", str(name)])
            yield from self.ask("graph", ["graph", str(name), "--simulate", "n150", "--arguments"])
            yield from self.ask("summary", ["summary", str(name)])
            yield from self.ask("l1-map", ["l1", "map", str(name), "--limit", "0"])
        module = str(ROOT / "examples/group_norm_ttnn.mlir")
        (self.folder / "trace.json").write_text(json.dumps({
            "version": 3, "functionName": "main", "totalOps": 1, "forwardPass": [], "finalChoices": [],
            "spillManagement": {"budget": 1263332, "scheduleSize": 3, "totalSpills": 1, "finalOccupied": 4096, "finalLiveTensors": 1, "events": [
                {"position": 1, "opName": "ttnn.add", "action": "eviction", "occupiedL1Before": 9, "occupiedL1After": 4, "opL1Usage": 5, "victimName": "a", "details": "b"}]}}))
        for options in ([], ["--per-op"], ["--device", "p150", "--decision-trace", "trace.json"], ["--max", "batch"], ["--max", "kv-len", "--device", "p150"],
                        ["--batch", "2"], ["--log", "plain.log"]):
            yield from self.ask("predict", ["predict", module, *options])
        for command in ("summary", "live", "holes", "check"):
            yield from self.ask(command, [command, module, *(["--max", "dram.peak=10%"] if command == "check" else [])])
        for log in (DATA / "train/tinyllama.log", ROOT / "examples/training.log"):
            yield from self.ask("train", ["train", str(log)])
        inspector = self.folder / "inspector"
        if subprocess.run([self.build / "geninspector", "-o", inspector, "--allocations", "400", "--live", "20", "--seed", "4"], capture_output=True).returncode == 0:
            yield from self.of_run(inspector)
            yield from self.ask("holes", ["holes", str(inspector)])

    def of_sources(self):
        for command in (["cb", "scan"], ["l1", "scan"]):
            yield from self.ask("-".join(command), [*command, str(DATA / "cb"), str(DATA / "l1")])
        yield from self.ask("cb-scan", ["cb", "scan", str(DATA / "l1/blocks.cpp"), "--against", str(DATA / "l1/bounds.cpp")])
        yield from self.ask("l1-shave", ["l1", "shave", "--source", str(DATA / "l1/blocks.cpp"), "--over", "400000", "--set", "in0_block_w=8",
                                         "--set", "per_core_M=8", "--set", "per_core_N=8"])
        yield from self.ask("cb-simulate", ["cb", "simulate", "16", "16"])
        yield from self.ask("cb-log", ["cb", "log"])
        yield from self.ask("cb-log", ["cb", "log", "clash.log"])
        yield from self.ask("cb-report", ["cb", "report", "16", "16", "--source", str(DATA / "cb"), "--log", "clash.log"])
        yield from self.ask("cb-report", ["cb", "report", "--multi", "--sizes", "4,32"])

    def of_errors(self, commands):
        for command in commands:
            yield from self.ask("error", [*command.split(), "--no-such-option"])
        yield from self.ask("error", ["no-such-command"])
        yield from self.ask("error", ["holes", "plain.log"])
        yield from self.ask("error", ["summary", "nowhere.log"])
        yield from self.ask("error", ["op", "plain.log", "999999"])

    def of_host(self):
        done = self.run(["run", "--quiet", "--quiet-child", "--name", "host", "--log-only", "--output-dir", "logs", "--", "sleep", "0.3"])
        for path in sorted((self.folder / "logs").glob("*/*_host.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                yield "host", "host memory", json.loads(line)
        if done.returncode:
            yield "host", "ttmem run", {}

    def all(self, commands, seed=1, mutations=24):
        yield from self.of_logs()
        yield from self.mutated(seed, mutations)
        yield from self.of_history()
        yield from self.of_other_inputs()
        yield from self.of_sources()
        yield from self.of_errors(commands)
        yield from self.of_host()


def documents(text):
    """JSON objects with a schema_version that begin at the start of a line."""
    decoder = json.JSONDecoder()
    for match in re.finditer(r"^\{", text, re.M):
        try:
            document, _ = decoder.raw_decode(text, match.start())
        except ValueError:
            continue
        if isinstance(document, dict) and "schema_version" in document:
            yield document


def golden(commands):
    """What the expected outputs of tests/cli hold: (case, the schemas that one of its commands may have, document)."""
    for path in sorted((ROOT / "tests/cli").glob("*/*/stdout")):
        words = (path.parent / "cmd").read_text(encoding="utf-8", errors="replace")
        may = [name for name in commands if re.search(r"\$\{?ttmem\}?\"? " + name + r"\b", words)]
        if "analyze" in words:
            may += ["report-memory", "report-ir", "report-registry", "summary"]
        if re.search(r"--json[^\n]*\| (?:sed|grep|head)", words):
            continue  # a part of an output
        for document in documents(path.read_text(encoding="utf-8", errors="replace")):
            yield f"{path.parent.parent.name}/{path.parent.name}", may, document
