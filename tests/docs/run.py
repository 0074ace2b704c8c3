# SPDX-License-Identifier: Apache-2.0
"""Runs every fenced block of README.md and docs/ and compares what is shown with what comes out.

    run.py BUILD-FOLDER [--rewrite] [FILE...]

console   each "$ command" is run by bash in a folder with examples/; the lines below it are its output (a line "..." stands for any)
sh        run, must end with 0
python    run with the package of this tree, must end with 0
cpp, c    compiled (against a stand-in for tt-metal) and linked with libttmem: what is no #include is the body of main; must end with 0
text, json, markdown, diff, make, yaml, sql   are no commands (tests/docs/ci.py runs what workflows run)
A block that cannot be run here has the comment <!-- not run: why --> before it. --rewrite puts real output into console blocks."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv[1]).resolve()
REWRITE = "--rewrite" in sys.argv
BLOCK = re.compile(r"(?:<!-- not run: (?P<why>.*?) -->\n+)?^```(?P<language>[^\n`]*)\n(?P<body>.*?)^```$", re.M | re.S)
NOT_COMMANDS = {"text", "json", "markdown", "diff", "make", "yaml", "sql"}
# What differs from run to run: time, date, place.
VARYING = [(re.compile(r"read in [\d.]+ m?s"), "read in N ms"), (re.compile(r"\d{8}_\d{6}"), "DATE_TIME"),
           (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d"), "DATE TIME"), (re.compile(r"\b[0-9a-f]{10}(-dirty)?\b"), "COMMIT"),
           (re.compile(r"localhost:80\d\d"), "localhost:PORT")]


def plain(text):
    for pattern, word in VARYING:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.splitlines())


def agrees(shown, real):
    """Line by line, where "..." in what is shown stands for any number of lines."""
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in plain(shown).split("\n"))
    return re.fullmatch(pattern, plain(real) + "\n") is not None


class Place:
    """A folder as a reader has it after cloning and building: examples, and ttmem on the path; the same for all blocks of a document."""

    def __init__(self, folder):
        self.folder = Path(folder)
        work = self.folder / "work"
        shutil.copytree(ROOT / "examples", work / "examples")
        for example in (ROOT / "examples").glob("*.log"):
            shutil.copy(example, work)
        (work / "build").mkdir()
        (work / "build/python-tools").symlink_to(BUILD / "python-tools")
        names = self.folder / "bin"
        names.mkdir()
        for name in ["ttmem", *re.findall(r'^PROGRAM\("([^"]*)"', (ROOT / "src/cmd/line/programs.def").read_text(), re.M)]:
            (names / name).symlink_to(BUILD / "ttmem")
        # as pip install puts it there: pytest with the plugin
        (names / "pytest").write_text('#!/bin/sh\nexec /usr/bin/python3 -m pytest -p ttmem.pytest_plugin "$@"\n')
        (names / "pytest").chmod(0o755)
        self.work = work
        self.environment = {**os.environ, "PATH": f"{names}:{os.environ['PATH']}", "HOME": str(self.folder / "home"), "LC_ALL": "C.UTF-8",
                            "NO_COLOR": "1", "TERM": "dumb", "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1",
                            "TTMEM_LIBRARY": str(BUILD / "libttmem.so"), "TTMEM_PROGRAM": str(BUILD / "ttmem")}
        for name in ("TTMEM_HOME", "COLUMNS", "PYTHONUNBUFFERED", "TTMLIR_RUNTIME_LOGGER_LEVEL", "TT_RUNTIME_MEMORY_LOG_LEVEL", "TTXLA_LOGGER_LEVEL"):
            self.environment.pop(name, None)

    def run(self, words, text=None):
        done = subprocess.run(words, cwd=self.work, env=self.environment, input=text, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=300, errors="replace")
        return done.returncode, done.stdout.replace(str(self.work), "/home/me/ttmem")


def commands_of(body):
    """[(command, shown output)] of a console block."""
    found = []
    for line in body.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append([line[2:], ""])
        elif found and found[-1][0].rstrip("\n").endswith("\\") and not found[-1][1]:
            found[-1][0] += line
        elif found:
            found[-1][1] += line
        else:
            raise ValueError("a console block starts with a line '$ command'")
    return found


def run_console(place, body):
    """Returns (problem or None, the block with real output). One shell runs all commands of a block."""
    commands = commands_of(body)
    mark = "\x01next\x01"
    script = f"\nstatus=$?; printf '{mark}'; (exit $status)\n".join("{ " + command.rstrip("\n") + "\n} </dev/null" for command, _ in commands)
    outputs = place.run(["bash"], script)[1].split(mark)
    problem, fresh = None, ""
    for (command, shown), real in zip(commands, outputs):
        if shown == "...\n":
            problem = problem or f"$ {command}shows nothing of its output"
        if not agrees(shown, real):
            problem = problem or f"$ {command}shown:\n{shown}printed:\n{real}"
        keep = "..." in shown.splitlines() or agrees(shown, real)
        fresh += "$ " + command + (shown if keep else real)
    return problem, fresh


def run_code(place, language, body):
    if language == "sh":
        status, output = place.run(["bash", "-e"], body)
    elif language == "python":
        status, output = place.run(["python3", "-"], body)
    else:
        includes = "".join(re.findall(r"^#include.*\n", body, re.M))
        rest = re.sub(r"^#include.*\n", "", body, flags=re.M)
        source = place.folder / f"block.{language}"
        source.write_text(body if "int main" in body else f"{includes}int main() {{\n{rest}}}\n")
        # tt-metal's header is stood in for, as in the tests of the library
        compiler = ["c++", "-std=c++20", "-I", str(ROOT / "tests/track/standin")] if language == "cpp" else ["cc"]
        status, output = place.run([*compiler, str(source), "-I", str(ROOT / "include"), "-o", str(place.folder / "block"), str(BUILD / "libttmem.so"), str(BUILD / "libttmem_run.so"),
                                    f"-Wl,-rpath,{BUILD}"])
        if status == 0:
            status, output = place.run([str(place.folder / "block")])
    return None if status == 0 else f"{body}ended with {status}:\n{output}"


def check(path):
    """Returns (passed, problems, skipped) of a document."""
    text = path.read_text(encoding="utf-8")
    passed, skipped, problems, pieces, end = 0, 0, [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        for block in BLOCK.finditer(text):
            language, body, problem, fresh = block["language"], block["body"], None, None
            if block["why"]:
                skipped += 1
            elif language == "console":
                try:
                    problem, fresh = run_console(place, body)
                except ValueError as error:
                    problem = str(error)
            elif language in ("sh", "python", "cpp", "c"):
                problem = run_code(place, language, body)
            elif language not in NOT_COMMANDS:
                problem = f"```{language} is none of the kinds of blocks that tests/docs/run.py knows"
            if problem:
                line = text.count("\n", 0, block.start("body"))
                problems.append(f"{path.relative_to(ROOT)}:{line}: {problem.rstrip()}\n")
            elif not block["why"]:
                passed += 1
            pieces += [text[end:block.start("body")], body if fresh is None else fresh]
            end = block.end("body")
    if REWRITE:
        path.write_text("".join(pieces) + text[end:], encoding="utf-8")
    return passed, problems, skipped


# Pages that are no answer to one question.
NO_ANSWER = {"README.md", "CONTRIBUTING.md", "glossary.md", "testing.md", "architecture.md"}


def begins_with_a_command(path):
    """A page of docs/ answers and shows a command before anything else."""
    first = BLOCK.search(path.read_text(encoding="utf-8"))
    line = path.read_text(encoding="utf-8").count("\n", 0, first.start()) + 1 if first else None
    good = path.parent.name != "docs" or path.name in NO_ANSWER or (first and line <= 14)
    return [] if good else [f"{path.relative_to(ROOT)}: the first command is at line {line}\n"]


def main():
    named = [Path(word).resolve() for word in sys.argv[2:] if word != "--rewrite"]
    documents = named or [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "examples").glob("*.md"))]
    passed, failed, skipped = 0, 0, 0
    for path in filter(Path.exists, documents):
        good, problems, left = check(path)
        problems += begins_with_a_command(path)
        print("".join(problems), end="")
        passed, failed, skipped = passed + good, failed + len(problems), skipped + left
    print(f"{passed} passed, {failed} failed, {skipped} not run")
    sys.exit(1 if failed else 0)


main()
