# SPDX-License-Identifier: Apache-2.0
"""Resident memory on the host while something runs: of this process and of its children."""

import os
import resource
import threading
from typing import Dict, Set

SAMPLE_SECONDS = 0.05


def _status(pid: int, name: str) -> int:
    """A line of /proc/PID/status in bytes; 0 if there is none."""
    try:
        with open("/proc/%d/status" % pid, "rb") as status:
            for line in status:
                if line.startswith(name.encode() + b":"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return 0


def _children(pid: int) -> Set[int]:
    """All descendants that exist now."""
    found: Set[int] = set()
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        try:
            for task in os.listdir("/proc/%d/task" % parent):
                with open("/proc/%d/task/%s/children" % (parent, task)) as children:
                    for child in map(int, children.read().split()):
                        if child not in found:
                            found.add(child)
                            waiting.append(child)
        except (OSError, ValueError):
            pass
    return found


class HostPeak:
    """The highest resident memory of the largest process, between start and stop.

    The kernel keeps each process's own peak, so that a sample has to find a child only once. The peak of a child that was waited for
    is known exactly if no earlier child of this process had a higher one."""

    def __init__(self) -> None:
        self.bytes = 0
        self._peaks: Dict[int, int] = {}
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._own_peak_is_fresh = False
        self._waited_before = 0

    def start(self) -> "HostPeak":
        try:
            with open("/proc/self/clear_refs", "w") as refs:  # the peak counts from now on
                refs.write("5")
            self._own_peak_is_fresh = True
        except OSError:
            pass
        self._waited_before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self._thread.start()
        return self

    def _look(self) -> None:
        for child in _children(os.getpid()):
            self._peaks[child] = max(self._peaks.get(child, 0), _status(child, "VmHWM"))

    def _sample(self) -> None:
        while not self._end.wait(SAMPLE_SECONDS):
            self._look()

    def stop(self) -> int:
        self._end.set()
        self._thread.join()
        self._look()
        waited = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        own = _status(os.getpid(), "VmHWM" if self._own_peak_is_fresh else "VmRSS")
        self.bytes = max([own, *self._peaks.values()])
        if waited > self._waited_before:
            self.bytes = max(self.bytes, waited * 1024)
        return self.bytes
