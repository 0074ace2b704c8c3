# SPDX-License-Identifier: Apache-2.0
"""pytest --ttmem: the device memory of every test.

Each test gets a log of its own: what it and its children write to stdout and stderr during the call, and what is added to the
files that TTMLIR_RUNTIME_LOGGER_FILE and TTXLA_LOGGER_FILE name. From this log

- marks limit the memory that a test may take
- a failing test shows what ttmem explain says
- the end of the session lists the ten tests whose DRAM peaks take most of a bank
- JUnit XML gets the figures as properties

If tt-metal keeps figures about the chips in shared memory, they are read before and after each test, to report what it leaves allocated.
Without --ttmem the plugin and its marks do nothing."""

import json
import os
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

import pytest

from . import _program, _segments
from ._host import HostPeak
from ._pytest_log import log_name, output_to
from ._pytest_marks import POOLS, Seen, dram_ends, findings, in_words, peak_of, warmups_of

HIGHEST_SHOWN = 10
SETTINGS = {
    "TTMLIR_RUNTIME_LOGGER_LEVEL": "DEBUG",
    "TT_RUNTIME_MEMORY_LOG_LEVEL": "all",
    "TTXLA_LOGGER_LEVEL": "DEBUG",
    "PYTHONUNBUFFERED": "1",
}
MARKS = (
    'limit_device_memory(limit, pool="dram"): fail the test if the peak of the pool is above limit: "80%" of a bank, or "512 MB" per bank',
    'limit_device_leaks(limit, warmups=1): call the test warmups times, then once more; fail it if the last call leaves more than limit allocated, in DRAM per bank',
    'limit_host_memory(limit): fail the test if one of its processes has more resident memory on the host than limit, such as "24 GB"',
)


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("ttmem", "device memory of tests, by ttmem")
    group.addoption("--ttmem", action="store_true", default=False, help="keep a log for each test, check the limits of its marks, explain failures")
    group.addoption("--ttmem-dir", metavar="DIR", default="ttmem-logs", help="folder for the logs of tests (default: ttmem-logs)")


def pytest_configure(config: Any) -> None:
    for mark in MARKS:
        config.addinivalue_line("markers", mark)
    if not config.getoption("--ttmem"):
        return
    if _program.find() is None:
        raise pytest.UsageError("--ttmem: the program ttmem was not found; set TTMEM_PROGRAM to its path")
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    config.pluginmanager.register(Plugin(Path(config.getoption("--ttmem-dir")).absolute(), config.getoption("showcapture", "all") == "all"), "ttmem-run")


# --- what ttmem says of it ---


def has_text(log: Path) -> bool:
    return log.exists() and log.stat().st_size > 0


def summary_of(log: Path) -> Optional[Dict[str, Any]]:
    if not has_text(log):
        return None
    status, out, _ = _program.ask(["summary", str(log), "--json"])
    return json.loads(out) if status == 0 else None


def explain(log: Optional[Path], failure: str) -> str:
    """What ttmem explain says about the log and the text of the exception; empty if neither has a memory failure."""
    asked: List[Tuple[List[str], Optional[bytes]]] = [(["explain", str(log)], None)] if log and has_text(log) else []
    for arguments, given in (*asked, (["explain", "-"], failure.encode("utf-8", "replace"))):
        status, out, _ = _program.ask(arguments, given)
        if status == 1:
            return out.rstrip("\n")
    return ""


class Plugin:
    """What --ttmem does; there is one in each process that runs tests."""

    def __init__(self, folder: Path, shows_sections: bool) -> None:
        self.folder = folder
        self.shows_sections = shows_sections
        self.host: Dict[str, int] = {}
        self.before: Dict[str, Dict[str, int]] = {}
        self.misread: Dict[str, str] = {}
        self.left: Dict[str, Dict[str, int]] = {}
        self.rows: List[Tuple[str, Dict[str, Any]]] = []

    def log_of(self, nodeid: str) -> Path:
        return self.folder / log_name(nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: Any) -> None:
        """Removes the log of an earlier session, which says nothing about this one."""
        self.log_of(item.nodeid).unlink(missing_ok=True)

    # the call, and before it the warm-ups that a mark asks for

    def warm_up(self, item: Any) -> None:
        log = self.log_of(item.nodeid)
        try:
            times = warmups_of(item)
        except pytest.UsageError as error:
            self.misread[item.nodeid] = str(error)
            return
        for _ in range(times):
            with output_to(log):
                item.runtest()
            ends = dram_ends(log)
            if ends:
                self.before[item.nodeid] = {rank: end.last for rank, end in ends.items()}

    @pytest.hookimpl(hookwrapper=True, trylast=True)  # inside of pytest's own capture, which takes the descriptors too
    def pytest_runtest_call(self, item: Any) -> Iterator[None]:
        log = self.log_of(item.nodeid)
        self.warm_up(item)
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
        log = self.log_of(item.nodeid)
        if call.when != "call":
            self.tell_failure(report, log)
            return
        summary = summary_of(log)
        properties = self.properties(item.nodeid, log, summary)
        report.user_properties.extend(properties)
        item.user_properties.extend(properties)  # JUnit's writer takes them from the report of the teardown
        if report.passed:
            seen = Seen(item.nodeid, log, summary, self.before.get(item.nodeid, {}), self.left.get(item.nodeid, {}), self.host.get(item.nodeid, 0))
            said = [self.misread[item.nodeid]] if item.nodeid in self.misread else list(findings(item, seen))
            if said:
                report.outcome = "failed"
                report.longrepr = "\n".join("ttmem: " + text for text in said)
        self.tell_failure(report, log)

    def tell_failure(self, report: Any, log: Path) -> None:
        """Adds a section to a failed report. The log covers only the call; what fixtures write may be in pytest's own capture."""
        if not report.failed:
            return
        of_fixtures = report.when in ("setup", "teardown")
        kept = [text for title, text in report.sections if of_fixtures and title.endswith(" " + report.when)]
        text = explain(None if of_fixtures else log, "\n".join([*kept, "" if report.longrepr is None else str(report.longrepr)]))
        if text and self.shows_sections:
            report.sections.append(("ttmem explain", text))
        elif text and hasattr(report.longrepr, "addsection"):  # --show-capture hides sections that it does not name
            report.longrepr.addsection("ttmem explain", text)
        elif text:
            report.longrepr = "%s\n%s\n%s" % ("" if report.longrepr is None else report.longrepr, " ttmem explain ".center(80, "-"), text)

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
            if peak["caveat"]:
                add(("ttmem.%s.peak_bytes_per_bank.caveat" % pool, peak["caveat"]))
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
            self.tell_failure(report, self.log_of(report.nodeid))
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
            l1_sign = ">=" if "ttmem.l1.peak_at_least" in properties or "ttmem.l1.peak_bytes_per_bank.caveat" in properties else ""
            figures = (sign + in_words(peak), percent, "" if l1 is None else l1_sign + in_words(l1), "" if host is None else in_words(host))
            terminalreporter.write_line("%14s %7s %12s %11s  %s" % (*figures, nodeid))
        if len(rows) > HIGHEST_SHOWN:
            terminalreporter.write_line("... and %d more" % (len(rows) - HIGHEST_SHOWN))
        for caveat in sorted({properties["ttmem.l1.peak_bytes_per_bank.caveat"] for _, properties in rows if "ttmem.l1.peak_bytes_per_bank.caveat" in properties}):
            terminalreporter.write_line(">=: %s" % caveat)
        terminalreporter.write_line("logs: %s" % self.folder)
