"""Compares what is said about each command in its four places: help (which is the option table), man page, completion scripts,
command-line tests. commands.py TTMEM prints a line for each difference and, last, how many checks passed and failed."""
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
ttmem = sys.argv[1]
passed, problems = 0, []


def check(good, message):
    global passed
    if good:
        passed += 1
    else:
        problems.append(message)


def output(*words):
    done = subprocess.run([ttmem, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.stdout if done.returncode == 0 else ""


def words_of(text):
    """Without the marks of scdoc and with single spaces."""
    text = re.sub(r"\\(.)", r"\1", re.sub(r"(?<![A-Za-z0-9\\])[*_]|(?<!\\)[*_](?![A-Za-z0-9])", "", text))
    return re.sub(r"\s+", " ", text).strip()


class Help:
    """What `ttmem COMMAND --help` says."""

    def __init__(self, text):
        self.summary = text.split("\n", 1)[0]
        usage = re.search(r"^Usage: ttmem (.*)$", text, re.M)
        self.usage = usage[1].strip() if usage else None
        self.example = re.search(r"^Example:\n  (\S.*)$", text, re.M)
        self.options = {}  # --name: (letter, value)
        for row in re.finditer(r"^  (?:-(\w), )?--([\w-]+)(?: (\S.*?))?(?:  .*)?$", text.partition("\nOptions:\n")[2], re.M):
            self.options["--" + row[2]] = ("-" + row[1] if row[1] else None, row[3])


class Page:
    """What a man page says: synopsis lines, and the options that head a paragraph."""

    def __init__(self, path):
        self.text = path.read_text(encoding="utf-8")
        self.sections = dict(re.findall(r"^# (.+?)\n(.*?)(?=^# |\Z)", self.text, re.M | re.S))
        self.synopsis = [words_of(line) for line in self.sections.get("SYNOPSIS", "").split("\n\n") if line.strip()]
        self.options = {}  # --name or -x: the value behind it
        for line in re.findall(r"^(\*-.*)\n\t", self.text, re.M):
            names = [part for part in words_of(line).split(", ")]
            values = [name.partition(" ")[2] for name in names]
            for i, name in enumerate(names):
                # "-o, --output FILE": the value is behind the last name; "--format text|json, --json": each has its own
                self.options[name.split(" ")[0]] = values[i] or (values[-1] if len(names) > 1 else "")


def check_help(name, told):
    check(told.usage is not None, f"ttmem {name} --help does not print a usage line")
    check(told.example and told.example[1].strip(), f"ttmem {name} --help ends without an example")
    check(told.summary.strip(), f"ttmem {name} --help starts without a summary")


def check_page(name, told, common):
    path = root / "docs/man" / f"ttmem-{name.replace(' ', '-')}.1.scd"
    where = path.relative_to(root)
    if not path.exists():
        check(False, f"{where} is missing: the command '{name}' needs a man page")
        return
    page = Page(path)
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "EXAMPLES"):
        check(section in page.sections, f"{where} lacks the section {section}")
    check(page.text.startswith(f"ttmem-{name.replace(' ', '-')}(1)\n"), f"{where} does not start with its own name")
    check(re.match(rf"\s*ttmem-{name.replace(' ', '-')} - \S", page.sections.get("NAME", "")),
          f"{where}: NAME should read 'ttmem-{name.replace(' ', '-')} - ...'")
    expected = f"ttmem {told.usage}"
    check(page.synopsis and page.synopsis[0] == expected,
          f"{where}: the first line of SYNOPSIS is not that of the table\n    table: {expected}\n    page:  {page.synopsis[:1]}")
    for option, (letter, value) in told.options.items():
        if option in common:
            continue
        check(option in page.options, f"{where} does not describe {option}{' ' + value if value else ''} of the table")
        if option in page.options:
            shown = page.options[option].replace(" or ", "|")
            check(not value or shown == value.replace(" or ", "|"),
                  f"{where}: {option} takes {value} in the table, {shown or 'nothing'} on the page")
        check(not letter or letter in page.options, f"{where} does not describe {letter}, the short form of {option}")
    letters = {letter for letter, _ in told.options.values() if letter}
    for option in page.options:
        check(option in told.options or option in letters, f"{where} describes {option}, which the command does not have")


def check_completion(name, told, scripts):
    quoted = re.escape(name)
    options = re.search(rf"^_ttmem_options\(\) \{{.*?^    '{quoted}'\) echo '([^']*)'", scripts["bash"], re.M | re.S)
    zsh = re.search(rf"^    '{quoted}'\)\n        _arguments(.*?);;$", scripts["zsh"], re.M | re.S)
    fish = "\n".join(re.findall(rf"^complete -c ttmem -n '__ttmem_is \"{quoted}\"'(.*)$", scripts["fish"], re.M))
    for option, (letter, _) in told.options.items():
        for one in filter(None, (option, letter)):
            check(options and one in options[1].split(), f"bash completion of '{name}' does not offer {one}")
            check(zsh and re.search(rf"[')*]{one}[=+]?\[", zsh[1]), f"zsh completion of '{name}' does not offer {one}")
            flag = f"-l {option[2:]}" if one == option else f"-s {letter[1:]}"
            check(re.search(rf" {flag}( |$)", fish, re.M), f"fish completion of '{name}' does not offer {one}")


def main():
    listed = re.findall(r"^  ((?:cb )?[a-z][\w-]*) ", output("--help").partition("Commands:\n")[2], re.M)
    rows = [row.replace("_", "-") for row in re.findall(r"^COMMAND\((\w+)\)", (root / "src/cmd/commands.def").read_text(), re.M)]
    check(sorted(name.replace(" ", "-") for name in listed) == sorted(rows),
          f"ttmem --help lists other commands than src/cmd/commands.def: {sorted(set(rows) ^ {n.replace(' ', '-') for n in listed})}")
    scripts = {shell: output("completion", shell) for shell in ("bash", "zsh", "fish")}
    common = set(Help(output("version", "--help")).options)
    scripts_of_tests = [*(root / "tests/cli").glob("*/*/cmd"), root / "tests/capture/run"]
    cases = "\n".join(path.read_text(encoding="utf-8") for path in scripts_of_tests)
    for name in listed:
        text = output(*name.split(), "--help")
        told = Help(text)
        check(text == output(*name.split(), "-h"), f"ttmem {name} -h differs from --help")
        check_help(name, told)
        check_page(name, told, common)
        check_completion(name, told, scripts)
        check(re.search(rf'\$\{{?ttmem\}}?"? {name}\b', cases), f"no case under tests/cli (or tests/capture/run) runs: $ttmem {name}")
    index = (root / "docs/man/ttmem.1.scd").read_text(encoding="utf-8")
    for name in listed:
        check(f"*ttmem-{name.replace(' ', '-')}*(1)" in index, f"docs/man/ttmem.1.scd does not list ttmem-{name.replace(' ', '-')}(1)")
    described = Page(root / "docs/man/ttmem.1.scd").options
    for option in common:
        check(option in described, f"docs/man/ttmem.1.scd does not describe {option}, which every command has")
    for page in (root / "docs/man").glob("*.scd"):
        for other, section in re.findall(r"\*(ttmem[\w-]*|libttmem)\*\((\d)\)", page.read_text(encoding="utf-8")):
            check((root / "docs/man" / f"{other}.{section}.scd").exists(), f"{page.relative_to(root)} refers to {other}({section}), which is not there")


main()
for problem in problems:
    print(problem)
print(f"{passed} passed, {len(problems)} failed")
