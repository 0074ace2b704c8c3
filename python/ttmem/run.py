# SPDX-License-Identifier: Apache-2.0
"""A run as tables: what a log, a report, a capture or a compiled module records, in columns.

>>> import ttmem
>>> run = ttmem.load("examples/transformer_profile.log")
>>> run
<ttmem.Run transformer: 494 ops, 1038 memory blocks>
>>> run.peak("dram").allocated_bytes_per_bank
513993081
>>> run.ops()["name"][298]
'ttnn.softmax'
>>> blocks = run.blocks()
>>> max(blocks["dram_allocated_bytes_per_bank"].values)
513993081

Columns of numbers are views of the library's memory, without a copy: `Column.values` is a memoryview, `Column.numpy()` an array if NumPy is
installed. `Table.to_pandas()` makes a DataFrame if pandas is installed.
"""

import json
import os
from collections import namedtuple
from ctypes import c_int64, c_uint8, string_at
from keyword import iskeyword
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Union

from . import _program
from ._library import TtmemError
from ._runlib import INT64, run_library, view

POOLS = ("dram", "l1", "l1_small", "trace")
Path = Union[str, "os.PathLike[str]"]


class Column:
    """A column of a table. A row without a value is None (`column[row]`), and 0 in `values`.

    >>> import ttmem
    >>> column = ttmem.load("examples/transformer_profile.log").ops()["dram_after_bytes_per_bank"]
    >>> column.is_text, len(column), column.nulls, column[297]
    (False, 494, 0, 416967295)
    """

    def __init__(self, owner: "Run", name: str, raw: Any) -> None:
        self.name = name
        self.nulls: int = raw.nulls
        self.is_text: bool = raw.type != INT64
        self._length: int = raw.length
        self._owner = owner
        self._validity = view(raw.validity, c_uint8, (raw.length + 7) // 8, owner) if raw.validity else None
        self._text = raw.values
        numbers = view(raw.offsets if self.is_text else raw.values, c_int64, raw.length + (1 if self.is_text else 0), owner)
        self._numbers = numbers

    @property
    def values(self) -> memoryview:
        """The numbers as a memoryview of signed 64-bit integers, without a copy. 0 where a row has no value."""
        if self.is_text:
            raise TypeError("%s is a column of texts: take them one by one, or all by list()" % self.name)
        return self._numbers

    @property
    def validity(self) -> Optional[memoryview]:
        """A bitmap with a bit per row, the lowest bit first, set if the row has a value; None if every row has one."""
        return self._validity

    def is_valid(self, row: int) -> bool:
        """Whether the row has a value."""
        return self._validity is None or bool(self._validity[row >> 3] >> (row & 7) & 1)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, row: int) -> Union[int, str, None]:
        if not -self._length <= row < self._length:
            raise IndexError("%s has %d rows, there is no row %d" % (self.name, self._length, row))
        if row < 0:
            row += self._length
        if not self.is_valid(row):
            return None
        if not self.is_text:
            return self._numbers[row]
        begin, end = self._numbers[row], self._numbers[row + 1]
        return string_at(self._text + begin, end - begin).decode()

    def __iter__(self) -> Iterator[Union[int, str, None]]:
        return (self[row] for row in range(self._length))

    def numpy(self) -> Any:
        """A read-only NumPy array over the same memory; for a column of texts, an array of objects."""
        import numpy

        if self.is_text:
            return numpy.array(list(self), dtype=object)
        return numpy.frombuffer(self._numbers, dtype=numpy.int64) if self._length else numpy.empty(0, dtype=numpy.int64)

    def __repr__(self) -> str:
        return "<ttmem.Column %s: %d rows%s>" % (self.name, self._length, ", %d null" % self.nulls if self.nulls else "")


class Table:
    """A table of a run: columns by name, rows as named tuples. If the name of a column is a Python keyword, the field of the row has an
    underscore after it: `table["class"]`, `row.class_`.

    >>> import ttmem
    >>> pools = ttmem.load("examples/transformer_profile.log").table("pools")
    >>> pools.columns
    ['pool', 'banks', 'capacity_bytes_per_bank']
    >>> pools.row(0)
    pools(pool='dram', banks=12, capacity_bytes_per_bank=1071821881)
    """

    def __init__(self, run: "Run", name: str, rows: Optional[Sequence[int]] = None) -> None:
        self.name = name
        self._run = run
        self.columns: List[str] = run_library().columns(name)
        if not self.columns:
            raise KeyError("a run has no table %r; it has %s" % (name, ", ".join(run_library().tables())))
        self._made: Dict[str, Column] = {}
        self._chosen = rows
        self._row = namedtuple(name, [column + "_" if iskeyword(column) else column for column in self.columns])  # type: ignore[misc]

    def __len__(self) -> int:
        return run_library().rows(self._run._open_handle(), self.name) if self._chosen is None else len(self._chosen)

    def _column(self, name: str) -> Column:
        if name not in self._made:
            if name not in self.columns:
                raise KeyError("%s has no column %r; it has %s" % (self.name, name, ", ".join(self.columns)))
            self._made[name] = Column(self._run, name, run_library().column(self._run._open_handle(), self.name, name))
        return self._made[name]

    def __getitem__(self, name: str) -> Any:
        """A column. If the table holds only some rows, like tensors(at=...), a list of their values."""
        column = self._column(name)
        return column if self._chosen is None else [column[row] for row in self._chosen]

    def row(self, index: int) -> Any:
        """A row as a named tuple."""
        if not 0 <= index < len(self):
            raise IndexError("%s has %d rows, there is no row %d" % (self.name, len(self), index))
        at = index if self._chosen is None else self._chosen[index]
        return self._row(*(self._column(name)[at] for name in self.columns))

    def __iter__(self) -> Iterator[Any]:
        return (self.row(index) for index in range(len(self)))

    def to_pandas(self) -> Any:
        """A DataFrame: numbers as Int64, which can hold missing values, texts as objects."""
        import pandas

        made = {}
        for name in self.columns:
            column = self._column(name)
            values = list(column) if self._chosen is None else self[name]
            if column.is_text:
                made[name] = pandas.Series(values, dtype=object)
            elif self._chosen is None and not column.nulls:
                made[name] = pandas.Series(column.numpy()).astype("Int64")
            else:
                made[name] = pandas.Series(values, dtype="Int64")
        return pandas.DataFrame(made)

    def __repr__(self) -> str:
        return "<ttmem.Table %s: %d rows, %d columns>" % (self.name, len(self), len(self.columns))


class Peak(NamedTuple):
    """The peak of a pool. `op_index` is the op after which it was first seen, `source` where it comes from (measured, predicted, tensors,
    failure). `at_least` is true if it may have been higher. `caveat` says what it leaves out: a log does not record circular buffers in L1."""

    pool: str
    allocated_bytes_per_bank: int
    capacity_bytes_per_bank: Optional[int]
    banks: Optional[int]
    op_index: Optional[int]
    rank: Optional[str]
    source: str
    at_least: bool
    caveat: Optional[str] = None

    @property
    def used_percent(self) -> Optional[float]:
        """The percentage of the bank; None if the capacity is not known."""
        return 100.0 * self.allocated_bytes_per_bank / self.capacity_bytes_per_bank if self.capacity_bytes_per_bank else None


class Run:
    """A run, made by load(). It stays in memory as long as it or a view of its columns is used. close(), or the end of a `with` block, frees
    it at once; nothing of it may be used after that."""

    def __init__(self, handle: Any, paths: List[str]) -> None:
        self._handle = handle
        self.paths = paths
        self._summary: Optional[Dict[str, Any]] = None

    def _open_handle(self) -> Any:
        if self._handle is None:
            raise ValueError("the run is closed")
        return self._handle

    def close(self) -> None:
        """Frees the memory of the run. Views of its columns must not be used after this."""
        handle, self._handle = self._handle, None
        if handle is not None:
            run_library().close(handle)

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # at the end of the interpreter everything may be gone
            pass

    # --- answers ---

    @property
    def name(self) -> str:
        """The name of the run, as reports have it."""
        return run_library().name(self._open_handle())

    @property
    def notes(self) -> List[str]:
        """The notes and warnings that ttmem would print on stderr."""
        return run_library().notes(self._open_handle())

    @property
    def summary(self) -> Dict[str, Any]:
        """What ttmem summary --json prints, as a dict."""
        if self._summary is None:
            self._summary = json.loads(run_library().summary(self._open_handle()))
        return self._summary

    def peak(self, pool: str = "dram") -> Optional[Peak]:
        """The peak of a pool (dram, l1, l1_small, trace); None if the run does not record it."""
        if pool not in POOLS:
            raise ValueError("a pool is one of %s, not %r" % (", ".join(POOLS), pool))
        for row in self.table("peaks"):
            if row.pool == pool:
                return Peak(pool, row.allocated_bytes_per_bank, row.capacity_bytes_per_bank, row.banks, row.op_index, row.rank, row.source, bool(row.at_least), row.caveat)
        return None

    @property
    def ranks(self) -> List[Dict[str, Any]]:
        """The ranks with their peaks, as in the summary."""
        return self.summary["ranks"]

    # --- tables ---

    @property
    def tables(self) -> List[str]:
        """The names of the tables."""
        return run_library().tables()

    def table(self, name: str) -> Table:
        """The table of that name; `man ttmem-export` describes their columns."""
        return Table(self, name)

    def ops(self) -> Table:
        """The ops, in the order of the run."""
        return self.table("ops")

    def blocks(self) -> Table:
        """The memory blocks: what was allocated and free in each pool at one moment."""
        return self.table("blocks")

    @property
    def failures(self) -> Table:
        """The memory failures."""
        return self.table("failures")

    def tensors(self, at: Union[None, str, int] = None, pool: str = "dram") -> Table:
        """All tensors, of every pool. With at="peak" those alive at the peak of `pool`, with at=N those alive in it before op N; the
        largest per bank first. `pool` counts only together with `at`.

        >>> import ttmem
        >>> alive = ttmem.load("examples/transformer_profile.log").tensors(at="peak")
        >>> len(alive), alive.row(0).shape, alive.row(0).bytes_per_bank
        (41, '12x16x2000x2000', 130056192)
        """
        if pool not in POOLS:
            raise ValueError("a pool is one of %s, not %r" % (", ".join(POOLS), pool))
        if at is None:
            return self.table("tensors")
        if at != "peak" and (not isinstance(at, int) or isinstance(at, bool) or at < 0):
            raise ValueError("at is 'peak' or the number of an op, not %r" % (at,))
        return Table(self, "tensors", run_library().alive(self._open_handle(), pool, -1 if at == "peak" else int(at)))

    # --- pictures ---

    def _repr_svg_(self) -> str:
        """What a notebook shows: the allocated DRAM in each memory block, and the capacity."""
        from ._chart import svg

        return svg(self)

    def page(self, path: Optional[Path] = None) -> "Page":
        """The page that `ttmem view` makes, written to `path` if one is given. A notebook shows it."""
        return Page(self.paths, path)

    def __repr__(self) -> str:
        return "<ttmem.Run %s: %d ops, %d memory blocks>" % (self.name, len(self.ops()), len(self.blocks()))


class Page:
    """The page of a run, in the file `path`. A notebook shows it in a frame."""

    def __init__(self, runs: List[str], path: Optional[Path]) -> None:
        import tempfile

        self.path = os.fspath(path) if path else os.path.join(tempfile.mkdtemp(prefix="ttmem-"), "page.html")
        _answer(["view", *runs, "-o", self.path])

    def _repr_html_(self) -> str:
        import html

        with open(self.path, encoding="utf-8") as page:
            return '<iframe srcdoc="%s" width="100%%" height="800" sandbox="allow-scripts"></iframe>' % html.escape(page.read(), quote=True)


def _answer(arguments: List[str], text: Optional[bytes] = None, good: Sequence[int] = (0,)) -> str:
    status, out, told = _program.ask(arguments, text)
    if status in good:
        return out
    last = told.strip().splitlines()[-1:]
    raise TtmemError(status, last[0][7 * last[0].startswith("ttmem: ") :] if last else "ttmem %s ended with %d" % (arguments[0], status))


def load(*paths: Path) -> Run:
    """Reads a run: a log (also .gz or .zst), the folder of a report, a capture, a compiled module, whatever `ttmem summary` reads except
    stdin ("-"). Several logs are one run, and each is a rank.

    >>> import ttmem
    >>> ttmem.load("missing.log")
    Traceback (most recent call last):
        ...
    ttmem.TtmemError: cannot open 'missing.log': No such file or directory
    """
    names = [os.fspath(path) for path in paths]
    for name in names:
        if "\0" in os.fsdecode(name):
            raise ValueError("a path must not contain NUL: %r" % (name,))
    return Run(run_library().open([os.fsencode(name) for name in names]), names)


def _names_of(run: Union[Run, Path]) -> List[str]:
    return run.paths if isinstance(run, Run) else [os.fspath(run)]


def diff(before: Union[Run, Path], after: Union[Run, Path]) -> Dict[str, Any]:
    """Compares two runs and returns what `ttmem diff --json` prints. Each is a path, an id of the history, or a Run that was loaded from one
    path.

    >>> import ttmem
    >>> changed = ttmem.diff("examples/transformer_profile.log", "examples/transformer_profile.log")
    >>> changed["pools"]["dram"]["change_bytes_per_bank"]
    0
    """
    words = _names_of(before) + _names_of(after)
    if len(words) != 2:
        raise ValueError("diff takes two runs, each loaded from one path; these have %d paths" % len(words))
    return json.loads(_answer(["diff", *words, "--json"], good=(0, 1)))


def explain(text: Union[str, bytes, "os.PathLike[str]"]) -> List[Dict[str, Any]]:
    """The memory failures in a text, as in the JSON of `ttmem explain`. A str or bytes is the text itself: an exception's message, the
    output of a test. To read a file, pass a pathlib.Path. A str that is the name of an existing file is refused.

    >>> import ttmem
    >>> ttmem.explain("all is well")
    []
    >>> from pathlib import Path
    >>> ttmem.explain(Path("examples/transformer_profile.log"))
    []
    """
    if isinstance(text, os.PathLike):
        return json.loads(_answer(["explain", os.path.join(os.curdir, text), "--json"], good=(0, 1)))["failures"]
    if not isinstance(text, (str, bytes, bytearray, memoryview)):
        raise TypeError("explain takes a text (str or bytes) or a pathlib.Path, not %s" % type(text).__name__)
    if isinstance(text, str) and "\n" not in text and "\0" not in text and os.path.exists(text):
        raise ValueError("explain takes the text itself; to read the file %r, pass pathlib.Path(%r)" % (text, text))
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else bytes(text)
    if not data.strip():
        return []
    return json.loads(_answer(["explain", "-", "--json"], data, good=(0, 1)))["failures"]


def predict(path: Path, device: Optional[str] = None) -> Dict[str, Any]:
    """Predicts whether a compiled module fits, before anything runs, and returns what `ttmem predict --json` prints.

    >>> import ttmem
    >>> ttmem.predict("examples/group_norm_ttnn.mlir", device="n150")["verdict"]
    'does_not_fit'
    """
    words = ["predict", os.fspath(path), "--json"] + (["--device", device] if device else [])
    return json.loads(_answer(words, good=(0, 1)))
