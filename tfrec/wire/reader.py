"""The records of one stream, with their offsets."""

import io
import zlib
from collections.abc import Iterator
from functools import partial
from operator import length_hint
from typing import BinaryIO, Literal, NamedTuple, Self, cast

from tfrec.errors import DataLossError, TruncatedRecordError
from tfrec.wire.ahead import AheadStream
from tfrec.wire.block import split_block
from tfrec.wire.compression import Compression, decompress, peek_compression
from tfrec.wire.framing import MAX_LENGTH, OVERHEAD, Place, read_record


class Record(NamedTuple):
    """`offset` of the record's header in the uncompressed stream, in bytes; `data` its payload."""

    offset: int
    data: bytes


_SMALL = 1 << 14  # up to here a copy out of a block costs less than a record read by itself
_BLOCK_SIZE = 1 << 18
_make_record = partial(tuple.__new__, Record)  # a third of the time of Record(offset, data)


class RecordReader(Iterator[Record]):
    """Read the records of a stream in order.

    The stream belongs to the caller, who closes it; where it can seek, small records are read ahead
    in blocks. All records before a fault are delivered first; the fault, or what the stream itself
    raises, comes on the next request, and again on every later one: there is no resynchronisation.

    Args:
        stream: stands at the start of a record.
        path: names the stream in errors.
        size: of the stream in bytes; found by seeking where it is None and the stream can seek. A
            stream that can't seek is read with `max_length` as the bound of a record.
        verify: check the payloads' CRCs. Those of the lengths are checked always.
        max_length: of a record in bytes; applies where the size isn't known.
        start: number and offset of the record at which the stream stands, where it isn't the first;
            `size` is still that of the whole.
    """

    def __init__(
        self,
        stream: BinaryIO,
        *,
        path: str,
        size: int | None = None,
        verify: bool = True,
        max_length: int = MAX_LENGTH,
        start: tuple[int, int] = (0, 0),
    ) -> None:
        index, offset = start
        left = _find_size(stream) if size is None else size - offset
        self.path = path
        self._size = None if left is None else offset + left
        self._stream = AheadStream(stream, left)
        self._verify = verify
        self._max_length = max_length
        self._batch: list[Record] = []
        self._waiting = iter(self._batch)  # those of the batch that are not yet delivered
        self._index = index  # of the record behind the batch
        self._offset = offset
        self._fault: Exception | None = None

    @property
    def num_records(self) -> int:
        """How many records lie before the next one."""
        return self._index - length_hint(self._waiting)

    @property
    def offset(self) -> int:
        """Where the next record starts, in bytes."""
        num_waiting = length_hint(self._waiting)
        return self._batch[-num_waiting].offset if num_waiting else self._offset

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Record:
        """Return the next record.

        Raises:
            DataLossError: the next record is damaged; its kinds say how.
        """
        for record in self._waiting:
            return record
        if not self._read_batch():
            raise StopIteration
        return next(self._waiting)

    def batches(self) -> Iterator[list[Record]]:
        """Yield the records in lists, each of as many as were read at a time.

        A loop over lists of small records takes half the time of one over the reader itself.

        Raises:
            DataLossError: the record behind those that were yielded is damaged.
        """
        while (batch := list(self._waiting)) or self._read_batch():
            yield batch or list(self._waiting)

    def _read_batch(self) -> bool:
        """Read at least one record; return False at the end."""
        if self._fault is not None:
            raise self._fault
        is_small = bool(self._batch) and len(self._batch[-1].data) <= _SMALL
        batch = (is_small and self._split_block()) or self._read_one()
        self._batch = batch
        self._waiting = iter(batch)
        return bool(batch)

    def _split_block(self) -> list[Record]:
        """Return the small and intact records that are next, as many as were read ahead."""
        block = self._stream.read_ahead(_BLOCK_SIZE)
        offsets, payloads, size = split_block(block, verify=self._verify)
        self._stream.skip(size)
        starts = map(self._offset.__add__, offsets)
        batch = list(map(_make_record, zip(starts, payloads, strict=True)))
        self._index += len(batch)
        self._offset += size
        return batch

    def _read_one(self) -> list[Record]:
        """Return the next record, whatever its size; none at the end."""
        place = Place(self.path, self._index, self._offset)
        try:
            data = self._read(place)
        except (DataLossError, OSError) as fault:
            self._fault = fault
            raise
        if data is None:
            return []
        self._index += 1
        self._offset += len(data) + OVERHEAD
        return [Record(place.offset, data)]

    def _read(self, place: Place) -> bytes | None:
        try:
            return read_record(
                # It takes bytes from the stream, and needs nothing else of it.
                cast("BinaryIO", self._stream),
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
