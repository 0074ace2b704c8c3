# SPDX-License-Identifier: Apache-2.0
"""Runs the example at the end of every command's help, as a reader would, in a folder that holds what the examples name: the files of
examples/ and tests/data under those names. examples.py BUILD prints a line for each that fails and, last, how many passed and failed."""
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parents[2]
build = Path(sys.argv[1]).resolve()
ttmem = build / "ttmem"

FILES = {
    "model_profile.log": "examples/transformer_profile.log", "run.log": "examples/transformer_profile.log",
    "before.log": "examples/transformer_profile.log", "after.log": "examples/transformer_profile.log",
    "rank.0.log": "examples/transformer_profile.log", "rank.1.log": "examples/transformer_profile.log", "rank.2.log": "examples/transformer_profile.log",
    "logs/model_20260122_143957/model_profile.log": "examples/transformer_profile.log",
    "model.py": "examples/model.py", "transformer_profile.log": "examples/transformer_profile.log",
    "train.log": "examples/training.log", "ttnn.mlir": "examples/group_norm_ttnn.mlir",
    "matmul_program_factory.cpp": "tests/data/l1/blocks.cpp",
}
TEXTS = {
    "matmul.cpp": """void matmul(Program& program, const CoreRangeSet& cores, uint32_t in0_block_w) {
    CircularBufferConfig config(2 * in0_block_w * 8192, {{0, tt::DataFormat::Float16_b}});
    CreateCircularBuffer(program, cores, config.set_page_size(0, 2048));
}
""",
    "debug.log": "2026-01-12 10:00:00.000 | debug    |           Metal | Configured partition params: worker_l1_size:0x16E000, l1_unreserved_base:0x19CC0, "
    "l1_small_size:0x0, disable_interleaved:false, l1_alignment:16, dram_alignment:32 (l1_banking_allocator.cpp:101)\n",
}
# What a test cannot wait for or have: a port that may be taken, a minute of silence.
INSTEAD = {"--port 8080": "--port 0", "--idle 60": "--idle 1"}
# 1 is a finding of a command that looks for some; 4 where there is no device.
STATUS = {"top": (0, 4), "ops": (0, 1), "predict": (0, 1), "fit": (0, 1), "check": (0, 1), "diff": (0, 1), "explain": (0, 1), "history regressions": (0, 1)}
SERVERS = {"serve": "http://"}


def prepare(folder):
    for name, source in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((root / source).read_bytes())
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    (folder / "generated").mkdir()
    (folder / "bin").mkdir()
    (folder / "bin/ttmem").symlink_to(ttmem)
    (folder / "home/logs").mkdir(parents=True)
    environment = {**os.environ, "HOME": str(folder / "home"), "TTMEM_HOME": str(folder / "home/.ttmem"), "PATH": f"{folder}/bin:{os.environ['PATH']}"}

    def do(*words):
        subprocess.run(words, cwd=folder, env=environment, check=True, capture_output=True)

    do(build / "geninspector", "-o", "generated/inspector", "--allocations", "400", "--live", "20", "--seed", "4")
    do(sys.executable, root / "tests/data/ttnn/make_graph_report.py", "1")
    do("ttmem", "export", "graph_capture.json", "--format", "ttnn-visualizer", "--output-dir", "database")
    (folder / "database/db.sqlite").rename(folder / "db.sqlite")
    for branch in ("main", "feature"):
        do("ttmem", "history", "add", "model_profile.log", "--label", f"branch={branch}")
    return environment


def example_of(name):
    text = subprocess.run([ttmem, *name.split(), "--help"], capture_output=True, text=True).stdout
    found = re.search(r"^Example:\n  (\S.*)\n\Z", text, re.M)
    return found and found[1]


def run(name, line, folder, environment):
    """None, or what went wrong."""
    for word, other in INSTEAD.items():
        line = line.replace(word, other)
    shell = subprocess.Popen(["bash", "-c", "exec " + line if name in SERVERS else line], cwd=folder, env=environment, text=True, start_new_session=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if name in SERVERS:
        said = []
        for line in shell.stdout:  # ends when it listens, or with the program
            said.append(line)
            if SERVERS[name] in line:
                shell.send_signal(signal.SIGTERM)
                shell.communicate()
                return None
        return f"said {said}"
    said, _ = shell.communicate()
    return None if shell.returncode in STATUS.get(name, (0,)) else f"ended with {shell.returncode}: {said[-400:]}"


def main():
    listed = subprocess.run([ttmem, "--help"], capture_output=True, text=True, check=True).stdout.partition("Get data:\n")[2]
    names = re.findall(r"^  ([a-z0-9-]+(?: [a-z0-9-]+)?)  +[A-Z]", listed, re.M)
    rows = re.findall(r"^COMMAND\((\w+)\)", (root / "src/cmd/line/commands.def").read_text(encoding="utf-8"), re.M)
    same = sorted(re.sub(r"\W", "_", name) for name in names) == sorted(rows)
    problems = [] if same else ["ttmem --help and src/cmd/line/commands.def list different commands"]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        environment = prepare(folder)
        for name in names:
            line = example_of(name)
            wrong = run(name, line, folder, environment) if line else "its help does not end with an example"
            if wrong:
                problems.append(f"ttmem {name}: {line}: {wrong}")
    for problem in problems:
        print(problem)
    print(f"{len(names) + 1 - len(problems)} passed, {len(problems)} failed")


main()
