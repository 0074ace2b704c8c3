# SPDX-License-Identifier: Apache-2.0
"""A stand-in for ttnn that replays recorded captures: graph.recorded is the list of captures to come."""

import enum


class _Graph:
    class RunMode(enum.Enum):  # like a bound C++ enum: has a name, is no int
        NORMAL = 10
        NO_DISPATCH = 11

    def __init__(self):
        self.recorded = []
        self.calls = []
        self.active = False

    def begin_graph_capture(self, run_mode):
        assert not self.active
        self.active = True
        self.calls.append(("begin", run_mode.name))

    def end_graph_capture(self):
        assert self.active
        self.active = False
        self.calls.append(("end", None))
        return self.recorded.pop(0) if self.recorded else []


graph = _Graph()
