# SPDX-License-Identifier: Apache-2.0
"""libttmem by ctypes: finding it, its structs and functions. Mirrors include/ttmem/ttmem.h."""

import ctypes
import ctypes.util
import os
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint16, c_uint64, c_void_p
from pathlib import Path

OK, ACTIVE, NOT_ACTIVE, NOT_FOUND, AMBIGUOUS, NO_MEMORY, BAD_ARGUMENT, BAD_CAPTURE, NO_ROOM = range(9)


class TtmemError(RuntimeError):
    """What ttmem could not do, in one sentence. What `status` means depends on who reports it: a tracker (ttmem_status in ttmem.h),
    a run (ttmem_run_status in run.h), or, for diff, explain, predict and Run.page, the program (its exit status, see man ttmem)."""

    __module__ = "ttmem"

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class Buffer(Structure):
    _fields_ = [
        ("device", c_uint64),
        ("type", c_int),
        ("address", c_uint64),
        ("id", c_uint64),
        ("size", c_uint64),
        ("page_size", c_uint64),
        ("size_per_bank", c_uint64),
        ("num_cores", c_uint64),
    ]


class CoreRange(Structure):
    _fields_ = [("x0", c_uint16), ("y0", c_uint16), ("x1", c_uint16), ("y1", c_uint16)]


class ProgramMemory(Structure):
    _fields_ = [
        ("device", c_uint64),
        ("address", c_uint64),
        ("size", c_uint64),
        ("ranges", POINTER(CoreRange)),
        ("ranges_len", c_size_t),
        ("borrowed", c_int),
    ]


class DramUsage(Structure):
    _fields_ = [(name, c_int64) for name in ("peak", "allocations", "deallocations", "deallocated_earlier")]


class L1Usage(Structure):
    _fields_ = [
        (name, c_uint64)
        for name in ("peak_cb", "peak_buffer", "peak_dataflow_buffer", "peak_scratchpad", "peak_total")
    ]


class FitResult(Structure):
    _fields_ = [
        ("events", c_uint64),
        ("failures", c_uint64),
        ("fragmented", c_int),
        ("program", c_int),
        ("type", c_int),
        ("size", c_uint64),
        ("size_per_bank", c_uint64),
        ("free_per_bank", c_uint64),
        ("largest_free", c_uint64),
        ("bank_size", c_uint64),
        ("segment", c_size_t),
        ("function", c_char * 128),
    ]


# name: result (None: a status that is checked), arguments after the tracker
_FUNCTIONS = {
    "begin_capture": (None, [c_int]),
    "snapshot": (None, [c_char_p]),
    "end_capture": (None, [c_char_p]),
    "clear": (None, []),
    "is_active": (c_int, []),
    "set_rules": (None, [c_int]),
    "set_interleaved_cores": (None, [c_uint]),
    "set_chip": (None, [c_char_p]),
    "buffer_allocate": (None, [POINTER(Buffer), POINTER(c_uint64)]),
    "buffer_deallocate": (None, [POINTER(Buffer)]),
    "circular_buffer_allocate": (None, [POINTER(ProgramMemory)]),
    "dataflow_buffer_allocate": (None, [POINTER(ProgramMemory)]),
    "scratchpad_allocate": (None, [POINTER(ProgramMemory)]),
    "program_release": (None, [c_uint64]),
    "function_start": (None, [c_char_p]),
    "function_end": (None, []),
    "tie_device": (None, [c_uint64, c_uint64]),
    "capture_json": (None, [c_char_p, c_size_t]),
    "add_segment_json": (None, [c_char_p, c_char_p, c_size_t]),
    "segment_count": (c_size_t, []),
    "segment_name": (None, [c_size_t, c_char_p, c_size_t, POINTER(c_size_t)]),
    "get_dram_usage": (None, [c_char_p, POINTER(DramUsage)]),
    "get_l1_usage": (None, [c_char_p, POINTER(L1Usage)]),
    "get_dram_usage_at": (None, [c_size_t, POINTER(DramUsage)]),
    "get_l1_usage_at": (None, [c_size_t, POINTER(L1Usage)]),
    "fit": (None, [POINTER(FitResult)]),
    "summary": (c_void_p, []),
    "json": (c_void_p, []),
}


def _places():
    here = Path(__file__).resolve().parent
    if os.environ.get("TTMEM_LIBRARY"):
        yield os.environ["TTMEM_LIBRARY"]
        return
    yield str(here / "libttmem.so")
    yield str(here.parent.parent / "build" / "libttmem.so")
    for folder in here.parents:
        yield str(folder / "libttmem.so")
    found = ctypes.util.find_library("ttmem")
    if found:
        yield found
    yield "libttmem.so.0"


def _open(place):
    """A wheel has a C++ runtime for systems without one. If the system has one, that is used, because other libraries of the process need it."""
    try:
        return ctypes.CDLL(place)
    except OSError:
        runtime = Path(place).parent / "cxx"
        if not runtime.is_dir():
            raise
        for name in ("libgcc_s.so.1", "libstdc++.so.6"):
            ctypes.CDLL(str(runtime / name), mode=ctypes.RTLD_GLOBAL)
        return ctypes.CDLL(place)


def _load(name, places, variable):
    """Loads the library from the first place that has it; `variable` is the environment variable that names it."""
    tried = []
    for place in places:
        if os.path.sep in place and not os.path.exists(place):
            tried.append(f"{place}: no such file")
            continue
        try:
            return _open(place)
        except OSError as error:
            tried.append(str(error))
    raise ImportError(f"{name} cannot be loaded: install ttmem's wheel, or set {variable} to the path of {name} (tried: {'; '.join(tried)})")


class Library:
    """The functions of libttmem on the tracker of the process; a failed status is raised as TtmemError."""

    def __init__(self):
        self._dll = _load("libttmem.so", _places(), "TTMEM_LIBRARY")
        self._dll.ttmem_last_error.restype = c_char_p
        self._dll.ttmem_default.restype = c_void_p
        self._dll.ttmem_free.argtypes = [c_void_p]
        self._tracker = c_void_p(self._dll.ttmem_default())
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(self._dll, "ttmem_" + name)
            function.argtypes = [c_void_p] + arguments
            function.restype = c_int if result is None else result
            setattr(self, name, self._bind(function, result is None))

    def _bind(self, function, checked):
        def call(*arguments):
            result = function(self._tracker, *arguments)
            if checked and result != OK:
                raise TtmemError(result, self.last_error())
            return result

        return call

    def last_error(self):
        return self._dll.ttmem_last_error().decode("utf-8", "replace")

    def take_text(self, pointer):
        if not pointer:
            raise TtmemError(NO_MEMORY, self.last_error())
        try:
            return ctypes.string_at(pointer).decode("utf-8", "replace")
        finally:
            self._dll.ttmem_free(pointer)

    def name_of_segment(self, index):
        size = c_size_t()
        try:
            self.segment_name(index, None, 0, byref(size))
        except TtmemError as error:
            if error.status != NO_ROOM:
                raise
        name = ctypes.create_string_buffer(size.value)
        self.segment_name(index, name, size.value, None)
        return name.value.decode("utf-8", "replace")


_library = None


def library():
    global _library
    if _library is None:
        _library = Library()
    return _library
