"""Runs the commands of the console blocks of a document and compares their output with what the document shows.
examples.py FILE [--rewrite]"""
import os, re, subprocess, sys

path = sys.argv[1]
text = open(path, encoding="utf-8").read()


def run(block):
    shown = ""
    for line in block.splitlines():
        if not line.startswith("$ "):
            continue
        command = line[2:].replace("ttmem", os.environ["ttmem"], 1)
        shown += line + "\n" + subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True).stdout
    return shown


def replace(match):
    return "```console\n" + run(match[1]) + "```"


fresh = re.sub(r"```console\n(.*?)```", replace, text, flags=re.S)
if "--rewrite" in sys.argv:
    open(path, "w", encoding="utf-8").write(fresh)
blocks = len(re.findall("```console", text))
print(f"{blocks} blocks", "agree" if fresh == text else "differ: run tests/cli/docs/agents-examples/examples.py with --rewrite")
