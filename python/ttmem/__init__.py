# SPDX-License-Identifier: Apache-2.0
"""The memory of Tenstorrent devices: read a recorded run as tables, or count the memory of a program phase by phase.

A recorded run (see ttmem.run):

    import ttmem

    run = ttmem.load("model_profile.log")
    run.peak("dram"), run.ops(), run.tensors(at="peak")

Inside a program, phase by phase (see ttmem.tracker):

    from ttmem import MemoryUsageTracker

    guard = MemoryUsageTracker.begin_capture()
    ...
    MemoryUsageTracker.snapshot("FORWARD_PASS")
    MemoryUsageTracker.end_capture("ITERATION_COMPLETE")
    MemoryUsageTracker.print_memory_usage()
    MemoryUsageTracker.clear()
    guard.release()

If ttnn is installed, the tracker records what ttnn does, with one graph capture per segment. Otherwise report allocations
yourself (MemoryUsageTracker.buffer_allocate, ...), or add recorded captures (MemoryUsageTracker.add_segment).

The package calls libttmem and libttmem_run through ctypes. It needs no build step, and Python 3.8 or later. If
TTMEM_LIBRARY is set, it is the path of libttmem.so itself, not of a folder; libttmem_run.so is then looked for beside it,
unless TTMEM_RUN_LIBRARY has its path. Otherwise both are looked for beside this package, in the build folder of a source
tree, and where the system keeps libraries.
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
