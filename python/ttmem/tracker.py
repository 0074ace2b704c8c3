# SPDX-License-Identifier: Apache-2.0
"""MemoryUsageTracker counts device memory by segment (phase). It has the interface of tt-train's tracker of that name."""

import enum
import json
import os
import sys
from collections import namedtuple
from ctypes import byref, c_uint64

from . import _library
from ._library import library

DRAMUsage = namedtuple("DRAMUsage", "peak total_allocations total_deallocations")
L1UsagePerCore = namedtuple("L1UsagePerCore", "peak_cb peak_l1 peak_dataflow_buffer peak_scratchpad peak_total")
Fit = namedtuple(
    "Fit",
    "events failures fragmented program type size size_per_bank free_per_bank largest_free bank_size segment function",
)
DRAMUsage.__doc__ = "DRAM of a segment, in bytes over all banks of the chip with the highest peak, since the segment began."
L1UsagePerCore.__doc__ = "L1 of a segment, in bytes on the fullest core. `peak_total` is the highest sum at one moment."
Fit.__doc__ = """Whether a NO_DISPATCH capture would have fitted: the number of simulated events and of failures, then the first failure
(all 0 if there was none). `fragmented`: enough was free, but not in one block; `program`: circular buffers grew beyond L1 or into an L1
buffer; `size` and `size_per_bank` are the request, `free_per_bank` and `largest_free` what was free of `bank_size`."""


class RunMode(enum.IntEnum):
    """How a capture runs. In NO_DISPATCH, allocations are recorded but not made, and nothing runs on the device."""

    NORMAL = 0
    NO_DISPATCH = 1


BUFFER_TYPES = {"DRAM": 0, "L1": 1, "SYSTEM_MEMORY": 2, "L1_SMALL": 3, "TRACE": 4}


class Guard:
    """Ends the capture and clears the tracker when it is destroyed or its `with` block ends, unless released."""

    def __init__(self, action):
        self._action = action

    def release(self):
        """From now on the guard does nothing."""
        self._action = None

    def _run(self):
        action, self._action = self._action, None
        if action is not None:
            action()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._run()

    def __del__(self):
        try:
            self._run()
        except Exception:  # at the end of the interpreter everything may be gone
            pass


def _mode(run_mode):
    """A RunMode from a RunMode, a ttnn.graph.RunMode, or its name or number."""
    if run_mode is None:
        return RunMode.NORMAL
    name = getattr(run_mode, "name", run_mode)
    try:
        return RunMode[name] if isinstance(name, str) else RunMode(int(run_mode))
    except (KeyError, TypeError, ValueError):
        known = ", ".join(mode.name for mode in RunMode)
        raise ValueError("run_mode %r is not one of %s" % (run_mode, known)) from None


def _find_ttnn():
    """ttnn's graph module; None if there is none, or TTMEM_NO_TTNN is set."""
    if os.environ.get("TTMEM_NO_TTNN"):
        return None
    try:
        import ttnn  # an import that fails half-way raises more than ImportError

        graph = ttnn.graph
        return graph if callable(graph.begin_graph_capture) and callable(graph.end_graph_capture) else None
    except Exception:
        return None


class _TtnnCapture:
    """One graph capture of ttnn per segment."""

    def __init__(self, graph, mode):
        self.graph = graph
        self.mode = getattr(graph.RunMode, mode.name)
        self.begin()

    def begin(self):
        self.graph.begin_graph_capture(self.mode)

    def end(self):
        captured = self.graph.end_graph_capture()
        text = captured if isinstance(captured, (str, bytes)) else json.dumps(captured)
        data = text if isinstance(text, bytes) else text.encode()
        library().capture_json(data, len(data))


def _type_number(value):
    name = getattr(value, "name", value)
    try:
        return BUFFER_TYPES[name] if isinstance(name, str) else int(value)
    except (KeyError, TypeError, ValueError):
        raise ValueError("type %r is not one of %s" % (value, ", ".join(BUFFER_TYPES))) from None


def _buffer(device, type, address, size, page_size, size_per_bank, num_cores, id):
    return _library.Buffer(device, _type_number(type), address, id, size, page_size, size_per_bank, num_cores)


def _program_memory(device, size, core_ranges, address, borrowed):
    ranges = (_library.CoreRange * len(core_ranges))(*[_library.CoreRange(*corners) for corners in core_ranges])
    return _library.ProgramMemory(device, address, size, ranges, len(core_ranges), int(borrowed))


class MemoryUsageTracker:
    """Counts memory by segment. All methods act on the one tracker of the process.

    NO_DISPATCH measures a model that does not fit the device: allocations are recorded but not made, and nothing runs. The
    training loss is meaningless after an iteration in that mode, because no operation was dispatched.
    """

    _ttnn = None

    # --- segments ---

    @classmethod
    def begin_capture(cls, run_mode=None):
        """Starts a capture and its first segment. Returns a guard that ends the capture and clears the tracker."""
        mode = _mode(run_mode)
        library().begin_capture(int(mode))
        graph = _find_ttnn()
        try:
            cls._ttnn = _TtnnCapture(graph, mode) if graph else None
        except Exception:
            library().clear()
            raise
        return Guard(lambda: (cls.end_capture(), cls.clear()))

    @classmethod
    def snapshot(cls, name):
        """Ends the current segment, gives it this name, and starts the next one. Names may repeat."""
        if cls._ttnn and library().is_active():
            cls._ttnn.end()
            try:
                library().snapshot(name.encode())
            finally:
                cls._ttnn.begin()
        else:
            library().snapshot(name.encode())

    @classmethod
    def end_capture(cls, name="END_TRACE"):
        """Ends the last segment and the capture. Does nothing if no capture is active."""
        capture, cls._ttnn = cls._ttnn, None
        if capture and library().is_active():
            capture.end()
        library().end_capture(name.encode())

    @classmethod
    def clear(cls):
        """Forgets all segments and live buffers, and ends the capture."""
        capture, cls._ttnn = cls._ttnn, None
        if capture:
            capture.graph.end_graph_capture()
        library().clear()

    # --- answers ---

    @staticmethod
    def get_trace_names():
        """The names of the segments, in order. (tt-train calls a segment a trace; this has nothing to do with the pool TRACE.)"""
        return [library().name_of_segment(i) for i in range(library().segment_count())]

    @staticmethod
    def get_dram_usage(name):
        """The DRAMUsage of the segment of that name."""
        usage = _library.DramUsage()
        library().get_dram_usage(name.encode(), byref(usage))
        return DRAMUsage(usage.peak, usage.allocations, usage.deallocations)

    @staticmethod
    def get_l1_usage(name):
        """The L1UsagePerCore of the segment of that name."""
        usage = _library.L1Usage()
        library().get_l1_usage(name.encode(), byref(usage))
        return L1UsagePerCore(*(getattr(usage, field) for field, _ in usage._fields_))

    @classmethod
    def get_dram_usage_all(cls):
        """[(name, DRAMUsage)] in the order of the segments."""
        result = []
        for i, name in enumerate(cls.get_trace_names()):
            usage = _library.DramUsage()
            library().get_dram_usage_at(i, byref(usage))
            result.append((name, DRAMUsage(usage.peak, usage.allocations, usage.deallocations)))
        return result

    @classmethod
    def get_l1_usage_all(cls):
        """[(name, L1UsagePerCore)] in the order of the segments."""
        result = []
        for i, name in enumerate(cls.get_trace_names()):
            usage = _library.L1Usage()
            library().get_l1_usage_at(i, byref(usage))
            result.append((name, L1UsagePerCore(*(getattr(usage, field) for field, _ in usage._fields_))))
        return result

    @staticmethod
    def summary():
        """The text that print_memory_usage prints."""
        return library().take_text(library().summary())

    @classmethod
    def print_memory_usage(cls):
        """Prints the summary that tt-train prints."""
        sys.stdout.write(cls.summary())
        sys.stdout.flush()

    @staticmethod
    def json():
        """All figures of all segments, as a dict."""
        return json.loads(library().take_text(library().json()))

    @staticmethod
    def fit():
        """Whether the NO_DISPATCH capture, so far or as a whole, would have fitted the chip that set_chip names, as a Fit."""
        result = _library.FitResult()
        library().fit(byref(result))
        values = [getattr(result, field) for field, _ in result._fields_]
        values[-1] = values[-1].decode("utf-8", "replace")
        return Fit(*values)

    # --- settings ---

    @staticmethod
    def set_chip(name):
        """Sets the chip that NO_DISPATCH simulates, before begin_capture: "n150" (the default), "p150", ..."""
        library().set_chip(name.encode())

    @staticmethod
    def set_upstream_rules(on=True):
        """Shows the sums of tt-metal's own extractors instead of ttmem's."""
        library().set_rules(int(bool(on)))

    @staticmethod
    def set_interleaved_cores(cores):
        """Sets the number of L1 banks that an interleaved buffer is spread over, for captures without bytes per bank."""
        library().set_interleaved_cores(cores)

    # --- events by hand ---

    @staticmethod
    def buffer_allocate(size, type="DRAM", device=0, address=0, page_size=0, size_per_bank=0, num_cores=0, id=0):
        """A buffer was allocated. Returns its address; in NO_DISPATCH that of the simulated allocator, 0 if it does not fit."""
        buffer = _buffer(device, type, address, size, page_size, size_per_bank, num_cores, id)
        place = c_uint64()
        library().buffer_allocate(byref(buffer), byref(place))
        return place.value

    @staticmethod
    def buffer_deallocate(type="DRAM", device=0, address=0, id=0, size=0, page_size=0, size_per_bank=0, num_cores=0):
        """A buffer was freed. It is found by address or id; its size matters only if it was allocated before the capture."""
        buffer = _buffer(device, type, address, size, page_size, size_per_bank, num_cores, id)
        library().buffer_deallocate(byref(buffer))

    @staticmethod
    def circular_buffer_allocate(size, core_ranges=(), device=0, address=0, globally_allocated=False):
        """A program takes a circular buffer. `core_ranges` are (x0, y0, x1, y1), both corners included; none means every core."""
        library().circular_buffer_allocate(byref(_program_memory(device, size, core_ranges, address, globally_allocated)))

    @staticmethod
    def dataflow_buffer_allocate(size, core_ranges=(), device=0, address=0, borrows_memory=False):
        """A program takes a dataflow buffer. One that borrows the memory of an L1 buffer does not count again."""
        library().dataflow_buffer_allocate(byref(_program_memory(device, size, core_ranges, address, borrows_memory)))

    @staticmethod
    def scratchpad_allocate(size, core_ranges=(), device=0, address=0):
        """A program takes a scratchpad."""
        library().scratchpad_allocate(byref(_program_memory(device, size, core_ranges, address, False)))

    @staticmethod
    def program_release(device=0):
        """The program on this device has ended, and with it its circular buffers, dataflow buffers and scratchpads."""
        library().program_release(device)

    @staticmethod
    def function_start(name):
        """A function starts, so that a peak can name it. Calls may be nested; each thread has its own."""
        library().function_start(name.encode())

    @staticmethod
    def function_end():
        """The function that started last has ended."""
        library().function_end()

    @staticmethod
    def add_segment(name, capture):
        """Adds a recorded graph capture (ttnn's list or dict, or its JSON text) as a segment of its own."""
        data = capture if isinstance(capture, (str, bytes)) else json.dumps(capture)
        data = data if isinstance(data, bytes) else data.encode()
        library().add_segment_json(name.encode(), data, len(data))
