# SPDX-License-Identifier: Apache-2.0
"""pytest --ttmem: the device memory of every test.

Each test gets a log of its own: what it and its children write to stdout and stderr during the call, and what was added to the
files that TTMLIR_RUNTIME_LOGGER_FILE and TTXLA_LOGGER_FILE name. ttmem reads it. Marks limit what a test may take, a failing test
shows ttmem explain, the end of the run the ten that took most; JUnit XML gets the figures as properties. Where tt-metal keeps segments
of shared memory about the chips, they are read before and after each test: what it leaves allocated is told. Without --ttmem nothing
of this happens and marks do nothing."""

import glob
import json
import os
import re
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

import pytest

from . import _program, _segments
from ._host import HostPeak

HIGHEST_SHOWN = 10
LOGGER_FILES = ("TTMLIR_RUNTIME_LOGGER_FILE", "TTXLA_LOGGER_FILE")
SETTINGS = {
    "TTMLIR_RUNTIME_LOGGER_LEVEL": "DEBUG",
    "TT_RUNTIME_MEMORY_LOG_LEVEL": "all",
    "TTXLA_LOGGER_LEVEL": "DEBUG",
    "PYTHONUNBUFFERED": "1",
}
POOLS = ("dram", "l1", "l1_small", "trace")
UNITS = {"": 1, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}
MARKS = (
    'limit_device_memory(limit, pool="dram"): fail the test when the peak of a device\'s pool is above limit: "80%" of a bank, or "512 MB" of each bank',
    'limit_device_leaks(limit, warmups=1): call the test warmups times, then once more, and fail it when more DRAM per bank than limit stays allocated than before',
    'limit_host_memory(limit): fail the test when a process of it has more resident memory on the host than limit, as "24 GB"',
)


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("ttmem", "device memory of tests, by ttmem")
    group.addoption("--ttmem", action="store_true", default=False, help="keep a log per test, obey the marks limit_*, explain failures")
    group.addoption("--ttmem-dir", metavar="DIR", default="ttmem-logs", help="folder for the logs of tests (ttmem-logs)")


def pytest_configure(config: Any) -> None:
    for mark in MARKS:
        config.addinivalue_line("markers", mark)
    if not config.getoption("--ttmem"):
        return
    if _program.find() is None:
        raise pytest.UsageError("--ttmem: the program ttmem was not found; set TTMEM_PROGRAM to its path")
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    config.pluginmanager.register(Plugin(Path(config.getoption("--ttmem-dir")).absolute()), "ttmem-run")


def amount(text: Any) -> int:
    """Bytes of "24 GB", "1 MB", 4096; units are powers of 1024.

    >>> amount("1.5 KB"), amount("24GB"), amount(7)
    (1536, 25769803776, 7)
    """
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?i?b?)\s*", str(text), re.I)
    unit = found.group(2).lower().replace("i", "") if found else None
    if unit and unit in "kmgt":
        unit += "b"
    if found is None or unit not in UNITS:
        raise pytest.UsageError("ttmem: %r is not an amount of memory such as '512 MB'" % (text,))
    return int(float(found.group(1)) * UNITS[unit])


def in_words(number: int) -> str:
    """
    >>> in_words(1536), in_words(12), in_words(5 << 30)
    ('1.5 KB', '12 B', '5.0 GB')
    """
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if number >= size:
            return "%.1f %s" % (number / size, unit)
    return "%d B" % number


def log_name(nodeid: str) -> str:
    """A file name of its own for every test, also for names that differ in other than plain letters.

    >>> log_name("tests/test_a.py::test_b[1-x]")
    'tests_test_a.py__test_b_1-x_.91333abb.log'
    """
    number = 0x811C9DC5
    for byte in nodeid.encode("utf-8", "surrogateescape"):
        number = (number ^ byte) * 0x01000193 & 0xFFFFFFFF
    return "%s.%08x.log" % (re.sub(r"[^A-Za-z0-9.=-]", "_", nodeid)[-150:], number)


# --- what a test writes ---


def logger_files() -> Dict[str, int]:
    """The files that the runtime logs to besides stdout, with their sizes; conftest files add pids and endings to the names."""
    found = {}
    for name in LOGGER_FILES:
        value = os.environ.get(name)
        if not value:
            continue
        stem, ending = os.path.splitext(value)
        for path in {*glob.glob(glob.escape(value) + "*"), *glob.glob(glob.escape(stem) + "*" + glob.escape(ending))}:
            try:
                found[os.path.realpath(path)] = os.path.getsize(path)
            except OSError:
                pass
    return found


def add_logger_files(log: Path, before: Dict[str, int]) -> None:
    with open(log, "ab") as out:
        for path, size in sorted(logger_files().items()):
            if size <= before.get(path, 0) or path == str(log):
                continue
            with open(path, "rb") as more:
                more.seek(before.get(path, 0))
                out.write(more.read())


@contextmanager
def output_to(log: Path) -> Iterator[None]:
    """Everything that is written to the descriptors 1 and 2, by this process and its children, goes to the log; afterwards also to where
    it would have gone."""
    log.parent.mkdir(parents=True, exist_ok=True)
    before = logger_files()
    kept = [os.dup(1), os.dup(2)]
    target = os.open(str(log), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)
    try:
        os.dup2(target, 1)
        os.dup2(target, 2)
        os.close(target)
        yield
    finally:
        for number, original in zip((1, 2), kept):
            os.dup2(original, number)
            os.close(original)
        with open(log, "rb") as text:
            for block in iter(lambda: text.read(1 << 20), b""):
                view = memoryview(block)
                while view:
                    view = view[os.write(1, view):]
        add_logger_files(log, before)


# --- what ttmem says of it ---


def summary_of(log: Path) -> Optional[Dict[str, Any]]:
    if not log.exists() or not log.stat().st_size:
        return None
    status, out, _ = _program.ask(["summary", str(log), "--json"])
    return json.loads(out) if status == 0 else None


def peak_of(summary: Optional[Dict[str, Any]], pool: str) -> Optional[Dict[str, Any]]:
    return summary["peaks"].get(pool) if summary else None


def left_in_dram(log: Path) -> Optional[Tuple[int, int]]:
    """DRAM per bank that was allocated at the first and at the last memory block of a log, of the fullest rank."""
    if not log.exists() or not log.stat().st_size:
        return None
    status, out, _ = _program.ask(["export", str(log), "--format", "csv", "--table", "blocks"])
    rows = [line.split(",") for line in out.splitlines()]
    if status != 0 or len(rows) < 2:
        return None
    at, rank = rows[0].index("dram_allocated_bytes_per_bank"), rows[0].index("rank_index")
    ends: Dict[str, List[int]] = {}
    for row in rows[1:]:
        if row[at]:
            ends.setdefault(row[rank], []).append(int(row[at]))
    return max(((first[0], first[-1]) for first in ends.values()), key=lambda pair: pair[1], default=None)


def explain(log: Path, failure: str) -> str:
    """What ttmem explain says of the log and of the exception's text; empty when there is no memory failure in them."""
    text = failure.encode("utf-8", "replace")
    for arguments, given in ((["explain", str(log)], None), (["explain", "-"], text)):
        if given is None and (not log.exists() or not log.stat().st_size):
            continue
        status, out, _ = _program.ask(arguments, given)
        if status == 1:
            return out.rstrip("\n")
    return ""


class Plugin:
    """What happens with --ttmem; one per process that runs tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.host: Dict[str, int] = {}
        self.before: Dict[str, int] = {}
        self.left: Dict[str, Dict[str, int]] = {}
        self.rows: List[Tuple[str, Dict[str, Any]]] = []

    def log_of(self, nodeid: str) -> Path:
        return self.folder / log_name(nodeid)

    # the call, and before it the warm-ups that a mark asks for

    def warm_up(self, item: Any, mark: Any) -> None:
        log = self.log_of(item.nodeid)
        for _ in range(int(mark.kwargs.get("warmups", mark.args[1] if len(mark.args) > 1 else 1))):
            with output_to(log):
                item.runtest()
            left = left_in_dram(log)
            if left:
                self.before[item.nodeid] = left[1]

    @pytest.hookimpl(hookwrapper=True, trylast=True)  # inside of pytest's own capture, which takes the descriptors too
    def pytest_runtest_call(self, item: Any) -> Iterator[None]:
        log = self.log_of(item.nodeid)
        mark = item.get_closest_marker("limit_device_leaks")
        if mark:
            self.warm_up(item, mark)
        held = _segments.held()
        host = HostPeak().start()
        with output_to(log):
            yield
        self.host[item.nodeid] = host.stop()
        self.left[item.nodeid] = _segments.left(held, _segments.held())

    # its result

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
        report = (yield).get_result()
        if call.when != "call":
            return
        log = self.log_of(item.nodeid)
        summary = summary_of(log)
        properties = self.properties(item.nodeid, log, summary)
        report.user_properties.extend(properties)
        item.user_properties.extend(properties)  # JUnit's writer takes them from the report of the teardown
        if report.passed:
            said = [text for text in (judged(check, item, log, summary, self) for check in CHECKS) if text]
            if said:
                report.outcome = "failed"
                report.longrepr = "\n".join("ttmem: " + text for text in said)
        if report.failed:
            text = explain(log, "" if report.longrepr is None else str(report.longrepr))
            if text:
                report.sections.append(("ttmem explain", text))

    def properties(self, nodeid: str, log: Path, summary: Optional[Dict[str, Any]]) -> List[Tuple[str, Any]]:
        found: List[Tuple[str, Any]] = [("ttmem.log", str(log))]
        add = found.append
        for pool in POOLS:
            peak = peak_of(summary, pool)
            if not peak:
                continue
            add(("ttmem.%s.peak_bytes_per_bank" % pool, peak["allocated_bytes_per_bank"]))
            if peak["capacity_bytes_per_bank"]:
                add(("ttmem.%s.capacity_bytes_per_bank" % pool, peak["capacity_bytes_per_bank"]))
            if peak["at_least"]:
                add(("ttmem.%s.peak_at_least" % pool, "true"))
        if nodeid in self.host:
            add(("ttmem.host.peak_bytes", self.host[nodeid]))
        for pool, number in self.left.get(nodeid, {}).items():
            add(("ttmem.%s.left_bytes" % pool, number))
        return found

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """Where reports arrive: in this process, or from the workers of xdist and the children of --forked."""
        properties = dict(report.user_properties)
        if report.failed and "ttmem.log" not in properties and report.when in ("call", "???"):
            # the process of the test died: nobody has looked at its log yet
            text = explain(self.log_of(report.nodeid), str(report.longrepr or ""))
            if text:
                report.sections.append(("ttmem explain", text))
        if report.when == "call" and "ttmem.log" in properties:
            self.rows.append((report.nodeid, properties))

    def tell_left(self, terminalreporter: Any) -> None:
        rows = [(row[1].get("ttmem.dram.left_bytes", 0), row[1].get("ttmem.l1.left_bytes", 0), row[0]) for row in self.rows]
        rows = sorted((row for row in rows if row[0] > 0 or row[1] > 0), reverse=True)
        if not rows:
            return
        terminalreporter.write_line("left allocated, over all banks, by shared memory:")
        for dram, l1, nodeid in rows[:HIGHEST_SHOWN]:
            terminalreporter.write_line("%14s %7s %12s %11s  %s" % (in_words(max(dram, 0)), "DRAM", in_words(max(l1, 0)), "L1", nodeid))
        if len(rows) > HIGHEST_SHOWN:
            terminalreporter.write_line("... and %d more" % (len(rows) - HIGHEST_SHOWN))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        def share(row: Tuple[str, Dict[str, Any]]) -> Tuple[float, int]:
            peak, there = row[1].get("ttmem.dram.peak_bytes_per_bank", 0), row[1].get("ttmem.dram.capacity_bytes_per_bank", 0)
            return (peak / there if there else 0.0, peak)

        rows = sorted((row for row in self.rows if "ttmem.dram.peak_bytes_per_bank" in row[1]), key=share, reverse=True)
        if not self.rows:
            return
        terminalreporter.section("device memory (ttmem)")
        self.tell_left(terminalreporter)
        if not rows:
            terminalreporter.write_line("no test wrote memory blocks; logs are in %s" % self.folder)
            return
        terminalreporter.write_line("%14s %7s %12s %11s  %s" % ("DRAM per bank", "", "L1 per bank", "host", "test"))
        for nodeid, properties in rows[:HIGHEST_SHOWN]:
            peak, there = properties["ttmem.dram.peak_bytes_per_bank"], properties.get("ttmem.dram.capacity_bytes_per_bank")
            sign = ">=" if "ttmem.dram.peak_at_least" in properties else ""
            percent = "%.1f %%" % (100 * peak / there) if there else ""
            l1, host = properties.get("ttmem.l1.peak_bytes_per_bank"), properties.get("ttmem.host.peak_bytes")
            figures = (sign + in_words(peak), percent, "" if l1 is None else in_words(l1), "" if host is None else in_words(host))
            terminalreporter.write_line("%14s %7s %12s %11s  %s" % (*figures, nodeid))
        if len(rows) > HIGHEST_SHOWN:
            terminalreporter.write_line("... and %d more" % (len(rows) - HIGHEST_SHOWN))
        terminalreporter.write_line("logs: %s" % self.folder)


# --- the marks: None, or what is wrong ---


def limits(item: Any, name: str) -> Iterator[Tuple[Any, Dict[str, Any]]]:
    for mark in item.iter_markers(name):
        if not mark.args:
            raise pytest.UsageError("%s: %s takes a limit" % (item.nodeid, name))
        yield mark.args[0], mark.kwargs


def check_device_memory(item: Any, log: Path, summary: Optional[Dict[str, Any]], plugin: Plugin) -> Optional[str]:
    for limit, more in limits(item, "limit_device_memory"):
        pool = more.get("pool", "dram")
        if pool not in POOLS:
            raise pytest.UsageError("%s: pool is one of %s, not %r" % (item.nodeid, ", ".join(POOLS), pool))
        peak = peak_of(summary, pool)
        if not peak:
            return "limit_device_memory(%r): the log of the test has no memory blocks of %s: %s" % (limit, pool, log)
        used, there = peak["allocated_bytes_per_bank"], peak["capacity_bytes_per_bank"]
        is_share = str(limit).strip().endswith("%")
        if is_share and not there:
            return "limit_device_memory(%r): the log does not tell how much %s there is: %s" % (limit, pool, log)
        allowed = float(str(limit).strip()[:-1]) / 100 * there if is_share else amount(limit)
        if used > allowed:
            op = peak["op"]
            where = " after #%d %s" % (op["index"], op["name"]) if op else ""
            of = ", %.1f %% of a bank" % (100 * used / there) if there else ""
            return "the peak of %s is %s per bank%s%s; the limit is %s" % (pool, in_words(used), of, where, limit)
        if peak["at_least"]:
            return "limit_device_memory(%r): the peak of %s is at least %s per bank, but may have been higher: %s" % (limit, pool, in_words(used), log)
    return None


def check_device_leaks(item: Any, log: Path, summary: Optional[Dict[str, Any]], plugin: Plugin) -> Optional[str]:
    for limit, _ in limits(item, "limit_device_leaks"):
        left = left_in_dram(log)
        if not left:
            held = plugin.left.get(item.nodeid, {}).get("dram")
            if held is not None and held <= amount(limit):
                continue  # over all banks, so in each of them too
            told = "" if held is None else "; %s stay allocated over all banks, by shared memory, which does not tell how much in each" % in_words(held)
            return "limit_device_leaks(%r): the log of the test has no memory blocks of DRAM: %s%s" % (limit, log, told)
        before = plugin.before.get(item.nodeid, left[0])
        if left[1] - before > amount(limit):
            return "%s of DRAM per bank stay allocated after the test that were not before it; the limit is %s" % (in_words(left[1] - before), limit)
    return None


def check_host_memory(item: Any, log: Path, summary: Optional[Dict[str, Any]], plugin: Plugin) -> Optional[str]:
    for limit, _ in limits(item, "limit_host_memory"):
        used = plugin.host.get(item.nodeid, 0)
        if used > amount(limit):
            return "a process of the test had %s of resident memory on the host; the limit is %s" % (in_words(used), limit)
    return None


def judged(check: Any, item: Any, log: Path, summary: Optional[Dict[str, Any]], plugin: Plugin) -> Optional[str]:
    """A mark that cannot be read fails its test, not the whole run."""
    try:
        return check(item, log, summary, plugin)
    except (pytest.UsageError, ValueError) as error:
        return str(error)


CHECKS = (check_device_memory, check_device_leaks, check_host_memory)
