# SPDX-License-Identifier: Apache-2.0
"""Where the memory of Tenstorrent devices goes, phase by phase.

    from ttmem import MemoryUsageTracker

    guard = MemoryUsageTracker.begin_capture()
    ...
    MemoryUsageTracker.snapshot("FORWARD_PASS")
    MemoryUsageTracker.end_capture("ITERATION_COMPLETE")
    MemoryUsageTracker.print_memory_usage()
    MemoryUsageTracker.clear()
    guard.release()

With ttnn installed the tracker records what ttnn does, by one graph capture per segment. Without it events are fed by
hand (MemoryUsageTracker.buffer_allocate, ...) or read from recorded captures (MemoryUsageTracker.add_segment).

A binding of libttmem by ctypes; needs no build step and Python 3.8 or later. The library is looked for in
$TTMEM_LIBRARY, beside this package, in the build folder of a source tree, and where the system keeps libraries.
"""

from ._library import TtmemError
from .tracker import DRAMUsage, Fit, Guard, L1UsagePerCore, MemoryUsageTracker, RunMode

__all__ = ["DRAMUsage", "Fit", "Guard", "L1UsagePerCore", "MemoryUsageTracker", "RunMode", "TtmemError"]
