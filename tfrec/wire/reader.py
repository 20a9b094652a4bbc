"""The records of one stream, with their offsets."""

import io
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Literal, NamedTuple, Self

from tfrec.errors import DataLossError, TruncatedRecordError
from tfrec.wire.compression import Compression, decompress, peek_compression
from tfrec.wire.framing import MAX_LENGTH, OVERHEAD, Place, read_record


class Record(NamedTuple):
    """`offset` of the record's header in the uncompressed stream, in bytes; `data` its payload."""

    offset: int
    data: bytes


class RecordReader(Iterator[Record]):
    """Read the records of a stream in order.

    The stream belongs to the caller, who closes it. All records before a fault are delivered first;
    the fault, or what the stream itself raises, comes on the next request, and again on every later
    one: there is no resynchronisation.

    Args:
        stream: stands at the start of a record.
        path: names the stream in errors.
        size: of the stream in bytes; found by seeking where it is None and the stream can seek. A
            stream that can't seek is read with `max_length` as the bound of a record.
        verify: check the payloads' CRCs. Those of the lengths are checked always.
        max_length: of a record in bytes; applies where the size isn't known.
    """

    def __init__(
        self,
        stream: BinaryIO,
        *,
        path: str,
        size: int | None = None,
        verify: bool = True,
        max_length: int = MAX_LENGTH,
    ) -> None:
        self.path = path
        self._stream = stream
        self._size = _find_size(stream) if size is None else size
        self._verify = verify
        self._max_length = max_length
        self._index = 0
        self._offset = 0
        self._fault: Exception | None = None

    @property
    def num_records(self) -> int:
        """How many records were read so far."""
        return self._index

    @property
    def offset(self) -> int:
        """Where the next record starts, in bytes."""
        return self._offset

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Record:
        """Return the next record.

        Raises:
            DataLossError: the next record is damaged; its kinds say how.
        """
        if self._fault is not None:
            raise self._fault
        place = Place(self.path, self._index, self._offset)
        try:
            data = self._read(place)
        except (DataLossError, OSError) as fault:
            self._fault = fault
            raise
        if data is None:
            raise StopIteration
        self._index += 1
        self._offset += len(data) + OVERHEAD
        return Record(place.offset, data)

    def _read(self, place: Place) -> bytes | None:
        try:
            return read_record(
                self._stream,
                place,
                size=self._size,
                max_length=self._max_length,
                verify=self._verify,
            )
        except EOFError as error:
            raise TruncatedRecordError(*place, str(error)) from error
        except zlib.error as error:
            raise DataLossError(*place, str(error)) from error


def open_records(
    stream: BinaryIO,
    *,
    path: str,
    compression: Compression | Literal["auto"] = "auto",
    verify: bool = True,
    max_length: int = MAX_LENGTH,
) -> RecordReader:
    """Return a reader of the records of `stream`, which may be compressed.

    Args:
        stream: stands at its start; it belongs to the caller, who closes it.
        path: names the stream in errors.
        compression: of the stream; "auto" looks at its first bytes.
        verify: check the payloads' CRCs too.
        max_length: of a record in bytes; applies where the size isn't known, as in a compressed
            stream.
    """
    if compression == "auto":
        compression, stream = peek_compression(stream)
    return RecordReader(
        decompress(stream, compression), path=path, verify=verify, max_length=max_length
    )


def _find_size(stream: BinaryIO) -> int | None:
    """Return the length of a seekable stream, in bytes from its present position."""
    if not stream.seekable():
        return None
    start = stream.tell()
    end = stream.seek(0, io.SEEK_END)
    stream.seek(start)
    return end - start
