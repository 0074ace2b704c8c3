# SPDX-License-Identifier: Apache-2.0
"""The marks of pytest --ttmem: how they are read, and what they find wrong with a test."""

import csv
import inspect
import io
import re
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional, Tuple

import pytest

from . import _program

POOLS = ("dram", "l1", "l1_small", "trace")
UNITS = {"": 1, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}
NUMBER = r"[0-9]+(?:\.[0-9]+)?"


def amount(text: Any) -> int:
    """Bytes of "24 GB", "1 MB", 4096; units are powers of 1024.

    >>> amount("1.5 KB"), amount("24GB"), amount(7)
    (1536, 25769803776, 7)
    """
    found = re.fullmatch(r"\s*(%s)\s*([kmgt]?i?b?)\s*" % NUMBER, str(text), re.I)
    unit = found.group(2).lower().replace("i", "") if found else None
    if unit and unit in "kmgt":
        unit += "b"
    if found is None or unit not in UNITS:
        raise pytest.UsageError("%r is not an amount of memory such as '512 MB'" % (text,))
    if isinstance(text, str) and not unit:  # "80" is hardly ever meant to be 80 bytes
        raise pytest.UsageError("%r needs a unit: '512 MB', '80 B'" % (text,))
    return int(float(found.group(1)) * UNITS[unit])


def share(text: Any) -> Optional[float]:
    """The part of a bank that "80%" means; None for anything but a percentage.

    >>> share("80%"), share(" 2.5 % "), share("512 MB")
    (0.8, 0.025, None)
    """
    if not str(text).strip().endswith("%"):
        return None
    found = re.fullmatch(r"\s*(%s)\s*%%\s*" % NUMBER, str(text))
    if found is None:
        raise pytest.UsageError("%r is not a percentage such as '80%%'" % (text,))
    return float(found.group(1)) / 100


def in_words(number: int) -> str:
    """
    >>> in_words(1536), in_words(12), in_words(5 << 30)
    ('1.5 KB', '12 B', '5.0 GB')
    """
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if number >= size:
            return "%.1f %s" % (number / size, unit)
    return "%d B" % number


# --- what is known about a test when its marks are looked at ---


class Ends(NamedTuple):
    """DRAM per bank at the first and at the last memory block of a rank."""

    first: int
    last: int


class Seen(NamedTuple):
    nodeid: str
    log: Path
    summary: Optional[Dict[str, Any]]
    before: Dict[str, int]  # DRAM per bank of each rank after the last warm-up
    left: Dict[str, int]  # by shared memory, over all banks
    host: int


def peak_of(summary: Optional[Dict[str, Any]], pool: str) -> Optional[Dict[str, Any]]:
    return summary["peaks"].get(pool) if summary else None


def ran_out(summary: Dict[str, Any]) -> Optional[str]:
    """The class of a memory failure that ended the run or its test; it then needs more than was ever allocated."""
    for failure in summary["failures"]:
        if not failure["warning"] and (not failure["caught"] or str(failure["outcome"]).startswith("its test failed")):
            return str(failure["class"] or failure["kind"])
    return None


def dram_ends(log: Path) -> Dict[str, Ends]:
    """The ends of each rank of a log that records them; a rank is named by its tag, "" if lines have none."""
    if not log.exists() or not log.stat().st_size:
        return {}
    status, out, _ = _program.ask(["export", str(log), "--format", "csv", "--table", "blocks"])
    ends: Dict[str, Ends] = {}
    for row in csv.DictReader(io.StringIO(out, newline="")) if status == 0 else ():
        if row["dram_allocated_bytes_per_bank"]:
            held = int(row["dram_allocated_bytes_per_bank"])
            ends[row["rank"]] = Ends(ends[row["rank"]].first if row["rank"] in ends else held, held)
    return ends


# --- the marks; each has the signature that tests write, and gives what is wrong, or None ---


def limit_device_memory(seen: Seen, limit: Any, pool: str = "dram") -> Optional[str]:
    if pool not in POOLS:
        raise pytest.UsageError("pool is one of %s, not %r" % (", ".join(POOLS), pool))
    part, least = share(limit), None if share(limit) is not None else amount(limit)
    peak = peak_of(seen.summary, pool)
    if not peak:
        return "limit_device_memory(%r): the log of the test has no memory blocks of %s: %s" % (limit, pool, seen.log)
    used, there = peak["allocated_bytes_per_bank"], peak["capacity_bytes_per_bank"]
    if part is not None and not there:
        return "limit_device_memory(%r): the log does not say how much %s there is: %s" % (limit, pool, seen.log)
    if used > (part * there if part is not None else least):
        op = peak["op"]
        where = " after #%d %s" % (op["index"], op["name"] or "(no name)") if op else ""
        of = ", %.1f %% of a bank" % (100 * used / there) if there else ""
        return "the peak of %s is %s per bank%s%s; the limit is %s%s" % (pool, in_words(used), of, where, limit, "; " + peak["caveat"] if peak["caveat"] else "")
    failure = ran_out(seen.summary or {"failures": []})
    if failure:
        return "limit_device_memory(%r): it ran out of memory (%s), so that it needs more than the %s per bank of %s that were allocated: %s" % (limit, failure, in_words(used), pool, seen.log)
    if peak["at_least"]:
        return "limit_device_memory(%r): the peak of %s is at least %s per bank, but may have been higher: %s" % (limit, pool, in_words(used), seen.log)
    return None


def limit_device_leaks(seen: Seen, limit: Any, warmups: int = 1) -> Optional[str]:
    allowed = amount(limit)
    ends = dram_ends(seen.log)
    if not ends:
        held = seen.left.get("dram")
        if held is not None and held <= allowed:
            return None  # over all banks, so in each of them too; with tt-metal from 2026-05-27 on a lower bound
        told = "" if held is None else "; %s stay allocated over all banks, by shared memory, which does not say how much in each" % in_words(held)
        return "limit_device_leaks(%r): the log of the test has no memory blocks of DRAM: %s%s" % (limit, seen.log, told)
    left, rank = max((end.last - seen.before.get(rank, end.first), rank) for rank, end in ends.items())
    if left <= allowed:
        return None
    whose = "" if not rank else ", by rank %s" % rank if len(ends) == 1 else ", by rank %s of %d" % (rank, len(ends))
    return "%s of DRAM per bank stay allocated after the test that were not before it%s; the limit is %s" % (in_words(left), whose, limit)


def limit_host_memory(seen: Seen, limit: Any) -> Optional[str]:
    if seen.host > amount(limit):
        return "a process of the test had %s of resident memory on the host; the limit is %s" % (in_words(seen.host), limit)
    return None


LIMITS: Tuple[Callable[..., Optional[str]], ...] = (limit_device_memory, limit_device_leaks, limit_host_memory)


def arguments_of(limit: Callable[..., Optional[str]], mark: Any) -> Dict[str, Any]:
    """The arguments of a mark by name, with the defaults of those that it leaves out."""
    takes = inspect.signature(limit)
    takes = takes.replace(parameters=list(takes.parameters.values())[1:], return_annotation=inspect.Signature.empty)
    try:
        bound = takes.bind(*mark.args, **mark.kwargs)
    except TypeError as error:
        told = ", ".join(str(one.replace(annotation=inspect.Parameter.empty)) for one in takes.parameters.values())
        raise pytest.UsageError("%s(%s): %s" % (mark.name, told, error)) from None
    bound.apply_defaults()
    return bound.arguments


def warmups_of(item: Any) -> int:
    """How many times a test is called before the call that counts."""
    mark = item.get_closest_marker("limit_device_leaks")
    if mark is None:
        return 0
    warmups = arguments_of(limit_device_leaks, mark)["warmups"]
    if isinstance(warmups, bool) or not isinstance(warmups, int) or warmups < 0:
        raise pytest.UsageError("limit_device_leaks: warmups takes the number of calls before the one that counts, such as 2, not %r" % (warmups,))
    return warmups


def findings(item: Any, seen: Seen) -> Iterator[str]:
    """What the marks of a test find. A mark that cannot be read fails its test, not the whole session."""
    for limit in LIMITS:
        for mark in item.iter_markers(limit.__name__):
            try:
                found = limit(seen, **arguments_of(limit, mark))
            except pytest.UsageError as error:
                found = str(error)
            if found:
                yield found
