# SPDX-License-Identifier: Apache-2.0
"""The log of a test: what it and its children write, and what the runtime adds to its own log files in the meantime."""

import glob
import hashlib
import os
import re
import shutil
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Dict, Iterator, List, NamedTuple, Tuple

LOGGER_FILES = ("TTMLIR_RUNTIME_LOGGER_FILE", "TTXLA_LOGGER_FILE")
EDGE_BYTES = 1 << 20  # of each end of a log file, to know it again


def log_name(nodeid: str) -> str:
    """A different file name for every test, even for names that differ only in special characters.

    >>> log_name("tests/test_a.py::test_b[1-x]")
    'tests_test_a.py__test_b_1-x_.91333abb.log'
    """
    number = 0x811C9DC5
    for byte in nodeid.encode("utf-8", "surrogateescape"):
        number = (number ^ byte) * 0x01000193 & 0xFFFFFFFF
    return "%s.%08x.log" % (re.sub(r"[^A-Za-z0-9.=-]", "_", nodeid)[-150:], number)


# --- the files that the runtime logs to besides stdout ---


class Known(NamedTuple):
    """A file as it was at one moment: its length and its ends. It is kept open, so that no other file gets its inode."""

    file: BinaryIO
    size: int
    edges: bytes


def edges_of(file: BinaryIO, size: int) -> bytes:
    """A digest of the first and the last part of the first `size` bytes."""
    digest = hashlib.sha256()
    for begin in (0, max(0, size - EDGE_BYTES)):
        file.seek(begin)
        digest.update(file.read(min(size, EDGE_BYTES)))
    return digest.digest()


def logger_paths() -> List[str]:
    """Where the runtime's log files may be: conftest files add pids and endings to their names."""
    found = set()
    for value in filter(None, map(os.environ.get, LOGGER_FILES)):
        stem, ending = os.path.splitext(value)
        for path in (*glob.glob(glob.escape(value) + "*"), *glob.glob(glob.escape(stem) + "*" + glob.escape(ending))):
            found.add(os.path.realpath(path))
    return sorted(found)


def logger_files() -> Dict[str, Known]:
    found = {}
    for path in logger_paths():
        try:
            file = open(path, "rb")
            size = os.fstat(file.fileno()).st_size
            found[path] = Known(file, size, edges_of(file, size))
        except OSError:
            pass
    return found


def added_since(file: BinaryIO, known: Known) -> int:
    """Where the new part of a file begins: after the old part, or at 0 if the file was emptied or replaced in the meantime."""
    now, then = os.fstat(file.fileno()), os.fstat(known.file.fileno())
    same = (now.st_dev, now.st_ino) == (then.st_dev, then.st_ino)
    return known.size if same and now.st_size >= known.size and edges_of(file, known.size) == known.edges else 0


def add_logger_files(log: Path, before: Dict[str, Known]) -> None:
    with open(log, "ab") as out:
        for path in logger_paths():
            if path == str(log):
                continue
            try:
                with open(path, "rb") as file:
                    file.seek(added_since(file, before[path]) if path in before else 0)
                    shutil.copyfileobj(file, out, 1 << 20)
            except OSError:
                pass
    for known in before.values():
        known.file.close()


# --- what is written to stdout and stderr ---


class Both:
    """A stream of Python that is not a descriptor, such as pytest's own: what is written goes to it and, at once, to the log. `by_itself`:
    text gets to the log by the stream, but bytes do not."""

    def __init__(self, stream: Any, log: "Written", by_itself: bool = False) -> None:
        self._stream = stream
        self._log = log
        self._by_itself = by_itself

    def write(self, text: Any) -> Any:
        if self._by_itself:
            return self._stream.write(text)
        data = text.encode("utf-8", "backslashreplace") if isinstance(text, str) else bytes(text)
        if not self._log.is_mine():
            self._log.write(data)
            return len(text)
        result = self._stream.write(text)
        self._log.add(data)
        return result

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    @property
    def buffer(self) -> Any:
        return Both(self._stream.buffer, self._log)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Any:
        return iter(self._stream)


class Written:
    """The log of a test while it is written. What Python streams add has reached its reader already: those places are kept, so that only
    the rest is handed on at the end."""

    def __init__(self, log: Path) -> None:
        flags = os.O_WRONLY | os.O_APPEND
        self.log = log
        self.target = os.open(str(log), flags | os.O_CREAT | os.O_TRUNC, 0o644)
        self.own = os.open(str(log), flags)  # a position of its own, which children do not move
        self.places: List[Tuple[int, int]] = []
        self.pid = os.getpid()
        self.lock = threading.Lock()

    def is_mine(self) -> bool:
        """False in a child that was forked in the test: the process that hands the rest on does not know what the child has added."""
        return self.pid == os.getpid()

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self.target, view):]

    def add(self, data: bytes) -> None:
        view = memoryview(data)
        with self.lock:
            while view:
                count = os.write(self.own, view)
                end = os.lseek(self.own, 0, os.SEEK_CUR)
                self.places.append((end - count, end))
                view = view[count:]

    def hand_on(self) -> None:
        """Writes what came by descriptors to descriptor 1."""
        with open(self.log, "rb") as text:
            for begin, end in (*self.places, (os.path.getsize(self.log), 0)):
                while text.tell() < begin:
                    view = memoryview(text.read(min(1 << 20, begin - text.tell())))
                    while view:
                        view = view[os.write(1, view):]
                text.seek(max(end, text.tell()))

    def close(self) -> None:
        os.close(self.target)
        os.close(self.own)


def is_descriptor(stream: Any) -> bool:
    try:
        return stream.fileno() in (1, 2)
    except (AttributeError, OSError, ValueError):
        return False


def flush_all() -> None:
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()  # type: ignore[union-attr]
        except (AttributeError, OSError, ValueError):
            pass


@contextmanager
def output_to(log: Path) -> Iterator[None]:
    """Everything that this process and its children write to descriptors 1 and 2, and what Python writes to sys.stdout and sys.stderr, goes to
    the log. What was written to descriptors is passed on at the end to where it would have gone."""
    log.parent.mkdir(parents=True, exist_ok=True)
    before = logger_files()
    flush_all()
    kept = [os.dup(1), os.dup(2)]
    written = Written(log)
    # pytest's --capture=tee-sys has the original stream as _other
    streams = {name: getattr(sys, name) for name in ("stdout", "stderr")}
    put = {name: Both(stream, written, is_descriptor(getattr(stream, "_other", None))) for name, stream in streams.items() if stream is not None and not is_descriptor(stream)}
    try:
        os.dup2(written.target, 1)
        os.dup2(written.target, 2)
        for name, both in put.items():
            setattr(sys, name, both)
        yield
    finally:
        flush_all()
        for name, both in put.items():
            if getattr(sys, name) is both:
                setattr(sys, name, streams[name])
        for number, original in zip((1, 2), kept):
            os.dup2(original, number)
            os.close(original)
        written.hand_on()
        written.close()
        add_logger_files(log, before)
