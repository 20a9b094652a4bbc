"""Readers: they take file names from a queue and return records, or whole files.

One lock serves a reader, and is held while it waits for a name: reading is serial. Several readers
on one queue split its files. A stop closes the file that is open, or leaves that to the thread that
is reading just then; so no file is open after `join`.

`TFRecordReader.read` reads some records ahead, where the file can seek: threads that take turns at
the lock for each record spend more time in waking each other than in reading.
"""

import os
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeAlias

from tfrec.errors import ConfigError, DataLossError, OutOfRangeError
from tfrec.pipeline.coordinator import current_coordinator
from tfrec.pipeline.queue import Queue
from tfrec.storage import AnyStorage
from tfrec.storage.base import Storage
from tfrec.wire.compression import Compression
from tfrec.wire.reader import RecordReader, open_records

if TYPE_CHECKING:
    from types import TracebackType

Pair: TypeAlias = tuple[bytes, bytes]

_AHEAD_RECORDS = 16
_AHEAD_BYTES = 1 << 22

_COMPRESSIONS: dict[str | None, Compression | Literal["auto"]] = {
    "auto": "auto",
    None: "none",
    "": "none",
    "none": "none",
    "GZIP": "gzip",
    "gzip": "gzip",
    "ZLIB": "zlib",
    "zlib": "zlib",
}


class Reader(ABC):
    """What the readers have in common; threads may share one.

    Each name is `str`, `bytes` or a path. A file that cannot be opened is an OSError once; the next
    call goes on with the next name. The end of the names is OutOfRangeError.
    """

    def __init__(self, storage: Storage | None) -> None:
        self._storage = storage or AnyStorage()
        self._lock = threading.Lock()
        self._num_records = 0
        self._num_units = 0

    def read(self, queue: Queue[Any]) -> Pair:
        """Return the next key and value, taking names from `queue` as they are needed."""
        with self._turn():
            return self._read(queue)

    def read_up_to(self, queue: Queue[Any], num_records: int) -> tuple[list[bytes], list[bytes]]:
        """Return the next 1 to `num_records` keys and values, all of one file."""
        if num_records < 0:
            raise ValueError(f"cannot read {num_records} records")
        if num_records == 0:
            return [], []
        with self._turn():
            pairs = self._read_up_to(queue, num_records)
        return [key for key, _ in pairs], [value for _, value in pairs]

    def num_records_produced(self) -> int:
        """Return how many records were read since the last `reset`."""
        return self._num_records

    def num_work_units_completed(self) -> int:
        """Return how many files were read to their end, as far as calls have found that end."""
        return self._num_units

    def reset(self) -> None:
        """Drop the rest of the current file, zero the counters and forget a damage."""
        with self._turn():
            self._forget()
            self._num_records = self._num_units = 0

    @contextmanager
    def _turn(self) -> Iterator[None]:
        with self._lock:
            yield

    @abstractmethod
    def _read(self, queue: Queue[Any]) -> Pair: ...

    @abstractmethod
    def _read_up_to(self, queue: Queue[Any], num_records: int) -> list[Pair]: ...

    def _forget(self) -> None:  # noqa: B027  nothing is kept unless a reader says so
        """Drop what is kept between two calls."""


class WholeFileReader(Reader):
    """Reads files whole: the key is the name, the value the content."""

    def __init__(self, *, storage: Storage | None = None) -> None:
        super().__init__(storage)

    def _read(self, queue: Queue[Any]) -> Pair:
        path, key = _path_and_key(queue.dequeue())
        with closing(self._storage.open_read(path)) as stream:
            content = stream.read()
        self._num_records += 1
        self._num_units += 1
        return key, content

    def _read_up_to(self, queue: Queue[Any], num_records: int) -> list[Pair]:  # noqa: ARG002
        return [self._read(queue)]


class TFRecordReader(Reader):
    """Reads the records of TFRecord files; the key is `<file name>:<offset>`.

    The offset counts bytes of the uncompressed data. Damage is raised on every call until `reset`:
    nothing is skipped.

    Args:
        compression: "auto" (default) looks at the first bytes of each file; "GZIP", "ZLIB"; None
            or "" for none.
        storage: where the files are; by default this machine, or what a URL names.
    """

    def __init__(self, compression: str | None = "auto", *, storage: Storage | None = None) -> None:
        super().__init__(storage)
        if compression not in _COMPRESSIONS:
            raise ConfigError(
                f"compression is {compression!r}: expected 'auto', 'GZIP', 'ZLIB', '' or None"
            )
        self._compression = _COMPRESSIONS[compression]
        self._file: _OpenFile | None = None
        self._ahead: deque[Pair] = deque()
        self._counting = threading.RLock()  # for `_num_records` includes those ahead
        self._fault: tuple[Exception, TracebackType | None] | None = None
        self._has_stopped = False

    def read(self, queue: Queue[Any]) -> Pair:
        """Return the next key and value, taking names from `queue` as they are needed."""
        try:
            return self._ahead.popleft()  # one call in C, which needs no lock
        except IndexError:
            return super().read(queue)

    def num_records_produced(self) -> int:
        """Return how many records were returned since the last `reset`."""
        with self._counting:
            return self._num_records - len(self._ahead)

    def _read(self, queue: Queue[Any]) -> Pair:
        try:
            return self._ahead.popleft()  # of another thread, which had the lock until now
        except IndexError:
            pairs = self._read_first(queue)
        if self._file is not None and self._file.stream.seekable():
            self._read_on(pairs, _AHEAD_RECORDS, _AHEAD_BYTES - len(pairs[0][1]))
        self._keep(pairs[1:])
        self._num_records += 1
        return pairs[0]

    def _read_up_to(self, queue: Queue[Any], num_records: int) -> list[Pair]:
        pairs = self._take(num_records) or self._read_first(queue)
        if not self._read_on(pairs, num_records, sys.maxsize):
            self._finish_file()
        self._num_records += len(pairs)
        return pairs

    def _take(self, num_records: int) -> list[Pair]:
        pairs: list[Pair] = []
        with self._counting, suppress(IndexError):  # another thread may take the last one
            while len(pairs) < num_records:
                pairs.append(self._ahead.popleft())
                self._num_records -= 1
        return pairs

    def _keep(self, pairs: list[Pair]) -> None:
        """Put records before those that are ahead."""
        with self._counting:
            self._ahead.extendleft(reversed(pairs))
            self._num_records += len(pairs)

    def _read_first(self, queue: Queue[Any]) -> list[Pair]:
        """Return the next record, of the open file or of the next one that has any."""
        pairs: list[Pair] = []
        while not pairs:
            self._raise_fault()
            if self._file is None:
                self._open_next(queue)
            if not self._read_on(pairs, 1, 1):
                self._finish_file()
        return pairs

    def _read_on(self, pairs: list[Pair], num_records: int, num_bytes: int) -> bool:
        """Append records of the open file: until there are `num_records`, or `num_bytes` more.

        Return False at the file's end. A fault is kept for the next call; the records are, where
        something else is raised: an interrupt, or that memory is short.
        """
        while self._file is not None and len(pairs) < num_records and num_bytes > 0:
            try:
                record = next(self._file.records, None)
            except (DataLossError, OSError) as error:
                self._close_file()
                self._fault = error, error.__traceback__
                break
            except BaseException:
                self._keep(pairs)
                raise
            if record is None:
                return False
            pairs.append((b"%b:%d" % (self._file.key, record.offset), record.data))
            num_bytes -= len(record.data)
        return True

    def _finish_file(self) -> None:
        self._close_file()
        self._num_units += 1

    def _open_next(self, queue: Queue[Any]) -> None:
        name = queue.dequeue()
        coord = queue.coord or current_coordinator()
        if coord is not None and coord.should_stop():
            raise OutOfRangeError(f"the coordinator stopped before {name!r} was opened")
        path, key = _path_and_key(name)
        stream = self._storage.open_read(path)
        try:
            records = open_records(stream, path=path, compression=self._compression)
        except BaseException:
            stream.close()
            raise
        self._has_stopped = False
        self._file = _OpenFile(key, stream, records)
        if coord is not None:
            self._file.forget_stop = coord.call_on_stop(self._close_on_stop)

    def _close_file(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.forget_stop()
            file.stream.close()

    def _close_on_stop(self) -> None:
        """Close the file now, or have it closed by the thread that holds the lock."""
        self._has_stopped = True
        if self._lock.acquire(blocking=False):
            try:
                self._close_file()
                self._take(sys.maxsize)
            finally:
                self._lock.release()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        try:
            with self._lock:
                yield
        finally:
            if self._has_stopped:
                self._close_on_stop()

    def _raise_fault(self) -> None:
        """Raise what the last call met: damage again and again, another failure once."""
        if self._fault is None:
            return
        error, traceback = self._fault
        if not isinstance(error, DataLossError):
            self._fault = None
        raise error.with_traceback(traceback)

    def _forget(self) -> None:
        self._close_file()
        self._take(sys.maxsize)
        self._fault = None


@dataclass
class _OpenFile:
    """The file being read; `forget_stop` takes its callback off the coordinator."""

    key: bytes
    stream: BinaryIO
    records: RecordReader
    forget_stop: Callable[[], None] = lambda: None


def _path_and_key(name: object) -> tuple[str, bytes]:
    if not isinstance(name, str | bytes | os.PathLike):
        raise TypeError(f"a file name is str, bytes or a path, not {type(name).__name__}: {name!r}")
    return os.fsdecode(name), os.fsencode(name)
