"""`TFRecordFile`: any record of a file by its number."""

import io
import os
import threading
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Self, cast, overload

from tfrec.dataset.naming import INDEX_SUFFIX
from tfrec.errors import ConfigError, DataLossError
from tfrec.storage import AnyStorage, Storage
from tfrec.wire.compression import peek_compression
from tfrec.wire.framing import (
    FOOTER_SIZE,
    HEADER_SIZE,
    OVERHEAD,
    Place,
    check_header,
    check_payload,
    check_room,
)
from tfrec.wire.index import FileStamp, RecordIndex, read_index, scan_index


class TFRecordFile(Sequence[bytes]):
    """The records of an uncompressed file, by their numbers.

    The file's index is read from `<path>.idx` where `tfrec index` has written one for the file as
    it is now; else one pass over the lengths finds where the records are, when it is first needed.

    Safe to use from several threads. After a fork, and in a process that unpickles it, the file is
    opened anew.

    Args:
        path: of the file.
        verify: compare the payloads' CRCs. Those of the lengths are compared always.
        storage: where the file is; by default this machine, or what a URL names.

    Raises:
        ConfigError: the file is compressed.
        OSError: the file can't be read.
    """

    def __init__(self, path: str, *, verify: bool = True, storage: Storage | None = None) -> None:
        self.path = path
        self._verify = verify
        self._storage = storage or AnyStorage()
        self._index: RecordIndex | None = None
        self._lock = threading.Lock()
        self._stream: BinaryIO | io.RawIOBase | None = None
        self._process = os.getpid()
        with self._storage.open_read(path) as stream:
            compression, _ = peek_compression(stream)
        if compression != "none":
            raise ConfigError(
                f"{path} is compressed ({compression}), so its records have no places; "
                "`tfrec reshard --compression none` writes a file that has"
            )

    @property
    def places(self) -> RecordIndex:
        """Where the records are.

        Raises:
            DataLossError: there is no index file, and the file is damaged.
        """
        if self._index is None:
            self._index = load_index(self.path, self._storage) or build_index(
                self.path, self._storage
            )
        return self._index

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, number: int) -> bytes: ...
    @overload
    def __getitem__(self, number: slice) -> list[bytes]: ...
    def __getitem__(self, number: int | slice) -> bytes | list[bytes]:
        """Return a record by its number, counted from the end where it is negative; or several.

        Raises:
            DataLossError: the record is damaged.
            IndexError: there is no such record.
        """
        if isinstance(number, slice):
            return [self._read(one) for one in range(*number.indices(len(self)))]
        num_records = len(self)
        if not -num_records <= number < num_records:
            raise IndexError(f"{self.path} has {num_records:,} records, and no record {number}")
        return self._read(number % num_records)

    def __iter__(self) -> Iterator[bytes]:
        return map(self._read, range(len(self)))

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._stream is not None:
                self._stream.close()
                self._stream = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None, "_stream": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    def _read(self, number: int) -> bytes:
        offset, size = self.places.offsets[number], self.places.frame_size(number)
        place = Place(self.path, number, offset)
        header, payload, footer = self._read_frame(offset, size)
        length = check_header(header, place)
        if length != size - OVERHEAD:
            raise DataLossError(
                *place,
                f"the record has {length:,} bytes, and its index {size - OVERHEAD:,}; write a new "
                "one with `tfrec index`",
            )
        if len(footer) < FOOTER_SIZE:
            check_room(length, len(payload) + len(footer), place)
        if self._verify:
            check_payload(payload, footer, place)
        return payload

    def _read_frame(self, offset: int, size: int) -> tuple[bytes, bytes, bytes]:
        """Return header, payload and footer; where the file ends before, the last are short."""
        with self._lock:
            stream = self._open()
            stream.seek(offset)
            # Three calls of the system cost less than a copy of a large payload, and less again
            # than the fresh memory that two buffers of its size are given each time.
            if size >= _LARGE and isinstance(stream, io.FileIO):
                header = _read_fully(stream, HEADER_SIZE)
                payload = _read_fully(stream, size - OVERHEAD)
                return header, payload, _read_fully(stream, FOOTER_SIZE)
            frame = _read_fully(stream, size)
        end = size - FOOTER_SIZE
        return frame[:HEADER_SIZE], frame[HEADER_SIZE:end], frame[end:]

    def _open(self) -> BinaryIO | io.RawIOBase:
        # A forked process shares the parent's position in the file, so it needs one of its own.
        if self._stream is None or self._process != os.getpid():
            stream = self._storage.open_read(self.path)
            # A buffer would read 256 KiB around each record.
            is_buffered = isinstance(stream, io.BufferedReader)
            self._stream = cast("io.BufferedReader", stream).detach() if is_buffered else stream
            self._process = os.getpid()
        return self._stream


def _read_fully(stream: BinaryIO | io.RawIOBase, size: int) -> bytes:
    """Return `size` bytes, or fewer at the end; a raw stream may give them in pieces."""
    data = stream.read(size) or b""
    while len(data) < size and (more := stream.read(size - len(data))):
        data += more
    return data


def load_index(path: str, storage: Storage) -> RecordIndex | None:
    """Return the index beside a file; None where there is none, or one of another file.

    An index without a stamp, as other programs write it, is taken if it ends where the file does
    and is right about some of its records.
    """
    try:
        with storage.open_read(path + INDEX_SUFFIX) as stream:
            index = read_index(stream)
    except FileNotFoundError:
        return None
    stamp = find_stamp(path, storage)
    if index is None or stamp is None or index.size != stamp.size:
        return None
    if index.stamp is not None:
        return index if index.stamp == stamp else None
    return index if _is_right(index, path, storage) else None


def find_places(path: str, storage: Storage) -> RecordIndex:
    """Find where the records of a file are, for who counts them and doesn't read each by its place.

    An index without a stamp isn't taken: one that joins two records would lose one unnoticed.

    Raises:
        DataLossError: a length is damaged.
    """
    index = load_index(path, storage)
    return index if index is not None and index.stamp else build_index(path, storage)


def build_index(path: str, storage: Storage) -> RecordIndex:
    """Find where the records of a file are, in one pass over their lengths.

    Raises:
        DataLossError: a length is damaged.
    """
    stamp = find_stamp(path, storage)
    with storage.open_read(path) as stream:
        size = stamp.size if stamp is not None else stream.seek(0, io.SEEK_END)
        stream.seek(0)
        return scan_index(stream, path=path, size=size, stamp=stamp)


def find_stamp(path: str, storage: Storage) -> FileStamp | None:
    """Return what tells a file from a later one of the same name; None where it is no file."""
    info = storage.info(path)
    if info is None or info.kind != "file":
        return None
    return FileStamp(info.size, info.modified or 0)


def _is_right(index: RecordIndex, path: str, storage: Storage) -> bool:
    """Compare some lengths, the first and the last among them, with those in the file."""
    step = max(1, len(index) // _NUM_COMPARED)
    with storage.open_read(path) as stream:
        for number in {*range(0, len(index), step), len(index) - 1} - {-1}:
            offset = index.offsets[number]
            stream.seek(offset)
            try:
                length = check_header(stream.read(HEADER_SIZE), Place(path, number, offset))
            except DataLossError:
                return False
            if length + OVERHEAD != index.frame_size(number):
                return False
    return True


_NUM_COMPARED = 16
_LARGE = 32 * 1024  # bytes of a record
