# SPDX-License-Identifier: Apache-2.0
"""libttmem_run by ctypes. Mirrors include/ttmem/run.h."""

import ctypes
import os
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_int64, c_size_t, c_uint8, c_uint32, c_void_p
from pathlib import Path
from typing import Any, Iterator, List, Optional, Tuple

from ._library import TtmemError, _load

OK, BAD_ARGUMENT, INPUT, LACKS, NO_MEMORY = 0, 2, 3, 4, 5
INT64, TEXT = 1, 2


class Column(Structure):
    _fields_ = [
        ("type", c_int),
        ("length", c_size_t),
        ("nulls", c_size_t),
        ("values", c_void_p),
        ("stride", c_size_t),
        ("offsets", c_void_p),
        ("validity", c_void_p),
    ]


_FUNCTIONS = {
    "last_error": (c_char_p, []),
    "version": (c_char_p, []),
    "open_all": (c_int, [POINTER(c_char_p), c_size_t, POINTER(c_void_p)]),
    "close": (None, [c_void_p]),
    "name": (c_char_p, [c_void_p]),
    "notes": (c_char_p, [c_void_p]),
    "summary": (c_int, [c_void_p, POINTER(c_void_p), POINTER(c_size_t)]),
    "table_name": (c_char_p, [c_size_t]),
    "column_name": (c_char_p, [c_char_p, c_size_t]),
    "rows": (c_int, [c_void_p, c_char_p, POINTER(c_size_t)]),
    "column": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(Column)]),
    "alive": (c_int, [c_void_p, c_char_p, c_int64, POINTER(POINTER(c_uint32)), POINTER(c_size_t)]),
}


def _places() -> Iterator[str]:
    here = Path(__file__).resolve().parent
    if os.environ.get("TTMEM_RUN_LIBRARY"):
        yield os.environ["TTMEM_RUN_LIBRARY"]
        return
    if os.environ.get("TTMEM_LIBRARY"):
        yield str(Path(os.environ["TTMEM_LIBRARY"]).parent / "libttmem_run.so")
    yield str(here / "libttmem_run.so")
    yield str(here.parent.parent / "build" / "libttmem_run.so")
    for folder in here.parents:
        yield str(folder / "libttmem_run.so")
    yield "libttmem_run.so.0"


class RunLibrary:
    """The functions of libttmem_run; a failed status is raised as TtmemError."""

    def __init__(self) -> None:
        self._dll: Any = _load("libttmem_run.so", _places(), "TTMEM_RUN_LIBRARY")
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(self._dll, "ttmem_run_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, "_" + name, function)

    def check(self, status: int) -> None:
        if status == NO_MEMORY:
            raise MemoryError(self._last_error().decode("utf-8", "replace"))
        if status != OK:
            raise TtmemError(status, self._last_error().decode("utf-8", "replace"))

    def open(self, paths: List[bytes]) -> c_void_p:
        handle = c_void_p()
        self.check(self._open_all((c_char_p * len(paths))(*paths), len(paths), byref(handle)))
        return handle

    def close(self, handle: c_void_p) -> None:
        self._close(handle)

    def name(self, handle: c_void_p) -> str:
        return self._name(handle).decode("utf-8", "replace")

    def notes(self, handle: c_void_p) -> List[str]:
        return self._notes(handle).decode("utf-8", "replace").splitlines()

    def summary(self, handle: c_void_p) -> bytes:
        text, length = c_void_p(), c_size_t()
        self.check(self._summary(handle, byref(text), byref(length)))
        return ctypes.string_at(text.value, length.value)

    def tables(self) -> List[str]:
        return self._names(self._table_name)

    def columns(self, table: str) -> List[str]:
        return self._names(lambda i: self._column_name(table.encode(), i))

    @staticmethod
    def _names(get: Any) -> List[str]:
        found = []
        name = get(0)
        while name is not None:
            found.append(name.decode())
            name = get(len(found))
        return found

    def rows(self, handle: c_void_p, table: str) -> int:
        count = c_size_t()
        self.check(self._rows(handle, table.encode(), byref(count)))
        return count.value

    def column(self, handle: c_void_p, table: str, column: str) -> Column:
        found = Column()
        self.check(self._column(handle, table.encode(), column.encode(), byref(found)))
        return found

    def alive(self, handle: c_void_p, pool: str, op: int) -> List[int]:
        tensors, count = POINTER(c_uint32)(), c_size_t()
        self.check(self._alive(handle, pool.encode(), op, byref(tensors), byref(count)))
        return tensors[: count.value]

    def arrow(self, handle: c_void_p, table: str, schema: int, array: int) -> None:
        """Fills an ArrowSchema and an ArrowArray at these addresses."""
        function = self._dll.ttmem_run_arrow
        function.restype, function.argtypes = c_int, [c_void_p, c_char_p, c_void_p, c_void_p]
        self.check(function(handle, table.encode(), schema, array))


_library: Optional[RunLibrary] = None


def run_library() -> RunLibrary:
    global _library
    if _library is None:
        _library = RunLibrary()
    return _library


def view(address: Optional[int], kind: Any, length: int, owner: Any) -> memoryview:
    """A view of the library's memory, without a copy; it keeps `owner` alive."""
    if not length or not address:
        return memoryview((kind * 0)()).cast("B").cast({c_int64: "q", c_uint8: "B"}[kind])
    array = (kind * length).from_address(address)
    array._owner = owner
    return memoryview(array).cast("B").cast({c_int64: "q", c_uint8: "B"}[kind]).toreadonly()


__all__ = ["Column", "INT64", "RunLibrary", "TEXT", "Tuple", "run_library", "view"]
