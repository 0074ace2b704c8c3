"""Every row of docs/from-the-python-tools.md names a test that is there and holds the words it is known by; every older program of the
table in the source has a row."""
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
text = (root / "docs/from-the-python-tools.md").read_text(encoding="utf-8")
rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| old |")]
passed, problems = 0, []
for row in rows:
    test = re.search(r"\| `(tests/[^`]+)`: `([^`]+)` \|$", row)
    if not test:
        problems.append(f"no test is named: {row}")
    elif not (root / test[1]).is_file():
        problems.append(f"{test[1]} is not there: {row}")
    elif test[2] not in (root / test[1]).read_text(encoding="utf-8"):
        problems.append(f"{test[1]} does not hold {test[2]!r}: {row}")
    else:
        passed += 1
for name in re.findall(r'^PROGRAM\("([^"]*)"', (root / "src/cmd/programs.def").read_text(), re.M):
    if any(re.match(rf"\| `{re.escape(name)}(\.py)?[ `]", row) for row in rows):
        passed += 1
    else:
        problems.append(f"{name} has no row")
print("".join(f"docs/from-the-python-tools.md: {problem}\n" for problem in problems), end="")
print(f"{passed} passed, {len(problems)} failed, 0 not run")
sys.exit(1 if problems else 0)
