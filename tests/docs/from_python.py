# SPDX-License-Identifier: Apache-2.0
"""Every row of docs/from-the-python-tools.md names a test that ./dev test runs and that holds the words it is known by, not only in a
comment; every older program of the table in the source has a row."""
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
text = (root / "docs/from-the-python-tools.md").read_text(encoding="utf-8")
rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| old |")]
passed, problems = 0, []


def reached():
    """Files below tests/ that tests/run runs: those it names, those that these name, and what the build and the runner of
    command-line tests find by their place."""
    files = {str(path.relative_to(root)): path for path in (root / "tests").rglob("*") if path.is_file() and path.suffix in ("", ".py", ".mjs", ".c", ".cpp")}
    found, todo = set(), ["tests/run"]
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        if name == "tests/cli/run":
            todo += [other for other in files if re.fullmatch(r"tests/cli/[^/]+/[^/]+/cmd", other)]
        elif not name.endswith("/cmd"):
            said = files[name].read_text(encoding="utf-8")
            folder = name.rpartition("/")[0]
            todo += [other for other in files if other in said or re.search(rf"\./{re.escape(other[len(folder) + 1:])}\b", said) and other.startswith(folder + "/")]
    built = (root / "CMakeLists.txt").read_text() + (root / "tests/track/CMakeLists.txt").read_text()
    if "tests/unit/test_*.c" in built and 'unit_tests unit "$1"' in files["tests/run"].read_text():
        found |= {name for name in files if re.fullmatch(r"tests/unit/test_\w+\.c", name)}
        found |= {name for name in files if name.startswith("tests/track/test_") and name.rpartition("/")[2] in built}
    return found


def holds(path, words):
    return any(words in line and not line.lstrip().startswith(("#", "//", "/*", "* ")) for line in path.read_text(encoding="utf-8").splitlines())


run = reached()
for row in rows:
    test = re.search(r"\| `(tests/[^`]+)`: `([^`]+)` \|$", row)
    if not test:
        problems.append(f"no test is named: {row}")
    elif not (root / test[1]).is_file():
        problems.append(f"{test[1]} is not there: {row}")
    elif test[1] not in run:
        problems.append(f"{test[1]} is not run by ./dev test: {row}")
    elif not holds(root / test[1], test[2]):
        problems.append(f"{test[1]} does not hold {test[2]!r}: {row}")
    else:
        passed += 1
for name in re.findall(r'^PROGRAM\("([^"]*)"', (root / "src/cmd/line/programs.def").read_text(), re.M):
    if any(re.match(rf"\| `{re.escape(name)}(\.py)?[ `]", row) for row in rows):
        passed += 1
    else:
        problems.append(f"{name} has no row")
print("".join(f"docs/from-the-python-tools.md: {problem}\n" for problem in problems), end="")
print(f"{passed} passed, {len(problems)} failed, 0 not run")
sys.exit(1 if problems else 0)
