# SPDX-License-Identifier: Apache-2.0
"""No text has a phrase of phrases.tsv, and every term of docs/glossary.md has one spelling. check.py prints a line for each that is wrong and,
last, how many checks passed and failed."""
import doctest
import re
import sys

from texts import prose, root, shown

passed, problems = 0, []


def check(wrong, message):
    global passed
    if wrong:
        problems.append("\n".join([*(f"{name}:{line}: {text.strip()[:200]}" for name, line, text in wrong[:20]), message]))
    else:
        passed += 1


def rows_of_phrases():
    """A pattern, what to write instead, a pattern of the texts and files where it may stand."""
    for row in (root / "tests/words/phrases.tsv").read_text(encoding="utf-8").split("\n"):
        if row and not row.startswith("#"):
            pattern, instead, *allowed = row.split("\t")
            yield re.compile(pattern), instead, re.compile(allowed[0] if allowed else r"(?i)there (is|are) no ")


def terms_of(glossary):
    for heading in re.findall(r"^\| ([^|]+) \| .+ \|$", glossary, re.M)[1:]:
        yield from (part.strip() for part in re.sub(r"\(.*?\)", "", heading).split(","))


def other_spellings(term):
    """What looks like the term and is not it: its words joined or split another way, or its capitals lost. Names of pools are dram and l1,
    and headings have capitals.

    >>> [bool(other_spellings("const-eval").search(text)) for text in ("const eval", "Consteval", "const-eval", "Const-Evals", "const_eval")]
    [True, True, False, False, False]
    >>> [bool(other_spellings("KV cache").search(text)) for text in ("KV-cache", "kv caches", "Kv cache", "a KV cache", "KV caches")]
    [True, True, True, False, False]
    >>> [bool(other_spellings("DRAM").search(text)) for text in ("Dram", "DRAM", "dram")]
    [True, False, False]
    >>> [bool(other_spellings("per bank").search(text)) for text in ("per-bank", "perbank", "Per Bank", "upper bank")]
    [True, True, False, False]
    """
    words = re.split("[ -]", term)
    if len(words) > 1:
        any_way = "[ -]?".join(map(re.escape, words))
        right = re.escape(term) if term != term.lower() else f"(?i:{re.escape(term)})"
        return re.compile(rf"(?<![\w-])(?!{right})(?i:{any_way})(?=(?:e?s)?(?!\w))")
    small = term.capitalize()
    return re.compile(rf"(?<![\w.-]){re.escape(small)}(?![\w-])" if term.isupper() and small != term else r"(?!)")


def check_phrases():
    texts = list(shown())
    for pattern, instead, allowed in rows_of_phrases():
        wrong = [(name, line, text) for name, line, text in texts if pattern.search(text) and not allowed.search(f"{name}: {text}")]
        check(wrong, f'words: write "{instead}"')


def check_terms():
    glossary = (root / "docs/glossary.md").read_text(encoding="utf-8")
    texts = list(prose())
    used = "\n".join(text for name, _, text in shown() if name != "docs/glossary.md" and not name.startswith("tests/")).lower()
    terms = list(terms_of(glossary))
    check([] if len(terms) > 40 else [("docs/glossary.md", 1, "")], "words: the glossary has lost its table")
    for term in terms:
        pattern = other_spellings(term)
        check([text for text in texts if pattern.search(text[2])], f'words: write "{term}"')
        check([] if term.lower() in used else [("docs/glossary.md", 1, term)], f"words: the glossary explains what no text says: {term}")


check([("tests/words/check.py", 1, "")] if doctest.testmod(sys.modules[__name__]).failed else [], "words: another spelling is not found (see above)")
check_phrases()
check_terms()
for problem in problems:
    print(problem)
print(f"{passed} passed, {len(problems)} failed")
