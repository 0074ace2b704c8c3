# SPDX-License-Identifier: Apache-2.0
"""Memory of Tenstorrent devices: what a run took, and where a program's memory goes, phase by phase.

    import ttmem

    run = ttmem.load("model_profile.log")      # see ttmem.run
    run.peak("dram"), run.ops(), run.tensors(at="peak")

Phase by phase, inside a program:

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

Bindings of libttmem and libttmem_run by ctypes; needs no build step and Python 3.8 or later. The library is looked for in
$TTMEM_LIBRARY, beside this package, in the build folder of a source tree, and where the system keeps libraries.
"""

from ._library import TtmemError
from .run import Column, Page, Peak, Run, Table, diff, explain, load, predict
from .tracker import DRAMUsage, Fit, Guard, L1UsagePerCore, MemoryUsageTracker, RunMode

__all__ = [
    "Column",
    "DRAMUsage",
    "Fit",
    "Guard",
    "L1UsagePerCore",
    "MemoryUsageTracker",
    "Page",
    "Peak",
    "Run",
    "RunMode",
    "Table",
    "TtmemError",
    "diff",
    "explain",
    "load",
    "predict",
]
