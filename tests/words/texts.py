# SPDX-License-Identifier: Apache-2.0
"""The texts that people read: documents, string literals of the program (those that stand side by side are one text), pages and their
scripts without comments, Python, public headers, what the command-line cases print."""
import re
import subprocess
from pathlib import Path

root = Path(__file__).resolve().parents[2]
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|\bPRI[a-zA-Z0-9]+\b|\n|\s+|\w+|.', re.S)


def literals(text):
    line, at, parts = 1, 1, []
    for token in TOKEN.findall(text):
        if token[0] == '"':
            if not parts:
                at = line
            parts.append(token[1:-1])
        elif parts and not (token.isspace() or token.startswith(("//", "/*", "PRI"))):
            yield at, "".join(parts)
            parts = []
        line += token.count("\n")
    if parts:
        yield at, "".join(parts)


def scripts(text):
    """JavaScript line by line, without comments."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    for number, line in enumerate(text.split("\n"), 1):
        yield number, re.sub(r"(^|\s)//.*", "", line)


def plain(text):
    return enumerate(text.split("\n"), 1)


KINDS = (
    (("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/*.md", "docs/llms.txt", "docs/man/*.scd", "skills/*.md", "examples/*.md"), plain),
    (("src/*.c", "src/*.h", "src/*.def"), literals),
    (("web/src/*.js",), scripts),
    (("web/src/*.html", "include/*.h", "include/*.hpp", "python/*.py", "tests/cli/*/stdout", "tests/cli/*/stderr"), plain),
)


def shown():
    """(file, line, text) of every text."""
    for patterns, read in KINDS:
        for name in subprocess.run(["git", "ls-files", *patterns], capture_output=True, text=True, check=True, cwd=root).stdout.split("\n"):
            if name and (root / name).exists():
                for number, text in read((root / name).read_text(encoding="utf-8", errors="replace")):
                    if text.strip():
                        yield name, number, text


def prose():
    """The same without what is code or another program's words: backticks, fences, indented blocks, links, literals of one word, messages
    that are looked for in logs, outputs of cases."""
    fenced = None
    for name, number, text in shown():
        if name.startswith(("src/parse/", "tests/cli/", "python/", "include/")):
            continue
        if name.endswith(".js"):
            for found in re.finditer(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|`((?:[^`\\]|\\.)*)`", text):
                yield name, number, re.sub(r"\$\{[^}]*\}", "0", found[1] or found[2] or found[3] or "")
        elif name.startswith("src/"):
            if " " in text.strip():
                yield name, number, text
        elif text.lstrip().startswith("```"):
            fenced = None if fenced == name else name
        elif fenced != name and not text.startswith(("    ", "\t")):
            text = re.sub(r"\]\([^)]*\)|https?://\S+", "]", re.sub(r"`[^`]*`", "``", text))
            text = re.sub(r"\*[^*]*\*", "**", text) if name.endswith(".scd") else re.sub(r"\b[\w-]+\.md\b", "_", text)
            yield name, number, re.sub(r"\S*[_/\\]\S*|(?<!\w)--?[a-z][\w-]*", "_", text)
