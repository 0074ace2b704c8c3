# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the workflows in docs/ci.md, in order, as a CI system would: ci.py BUILD-FOLDER. The model is a script that prints
an example log; the history is a file. Last line: how many commands passed and failed."""
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv[1]).resolve()
passed, failed = 0, 0


def commands(block):
    """Of GitHub: "run: command" and "run: |" with lines below; of GitLab: the items of "script:"."""
    lines = block.split("\n")
    for i, line in enumerate(lines):
        run = re.match(r"( *)(?:- )?run: (.*)$", line)
        if run and run[2] == "|":
            indent = len(run[1]) + 2
            body = []
            for following in lines[i + 1:]:
                if following.strip() and len(following) - len(following.lstrip()) < indent:
                    break
                body.append(following)
            yield textwrap.dedent("\n".join(body))
        elif run:
            yield run[2]
    script = re.search(r"^  script:\n((?:    - .*\n)+)", block, re.M)
    if script:
        yield from (item[6:] for item in script[1].splitlines())


def environment(folder, system):
    names = folder / "bin"
    names.mkdir()
    (names / "ttmem").symlink_to(BUILD / "ttmem")
    env = {**os.environ, "PATH": f"{names}:{os.environ['PATH']}", "HOME": str(folder), "TTMEM_STORE": str(folder / "history.db"), "NO_COLOR": "1"}
    for name in list(env):
        if name.startswith(("GITHUB_", "CI_", "TTMEM_HOME")):
            del env[name]
    if system == "github":
        env |= {"GITHUB_SHA": "1" * 40, "GITHUB_REF_NAME": "topic", "GITHUB_STEP_SUMMARY": str(folder / "summary.md"), "GITHUB_RUN_ID": "1"}
    else:
        env |= {"CI_COMMIT_SHA": "2" * 40, "CI_COMMIT_REF_NAME": "main", "CI_JOB_ID": "2"}
    return env


def run(system, block):
    global passed, failed
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = environment(folder, system)
        log = next((ROOT / "examples").glob("transformer_profile.log"))
        (folder / "model.py").write_text(f"print(open({str(log)!r}).read())\n")
        # main has a run already, as it has after the first push
        subprocess.run(["ttmem", "history", "add", str(log), "--quiet", "--label", "branch=main"], env=env, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for command in commands(block):
            done = subprocess.run(["bash", "-e", "-c", command], cwd=folder, env=env, capture_output=True, text=True)
            if done.returncode == 0:
                passed += 1
            else:
                failed += 1
                print(f"{system}: {command}\n{done.stdout}{done.stderr}exit status {done.returncode}")
        wanted = ["memory.xml", "memory.sarif", "diff.md", "summary.md"] if system == "github" else ["memory.xml", "memory.json"]
        for file in wanted:
            if not (folder / file).exists() or not (folder / file).read_text().strip():
                failed += 1
                print(f"{system}: {file} was not written")


text = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
for system, title in (("github", "## GitHub"), ("gitlab", "## GitLab")):
    block = re.search(rf"^{title}\n(?:(?!## ).*\n)*?```yaml\n((?:.*\n)*?)```", text, re.M)
    before = passed + failed
    run(system, block[1])
    if passed + failed == before:
        failed += 1
        print(f"{system}: the workflow has no commands")
print(f"{passed} passed, {failed} failed, 0 not run")
