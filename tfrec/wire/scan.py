"""The records of a stream that may be damaged: every intact one, and what lies between them.

    damaged payload   stepped over by its length, which has a CRC of its own. The payload is looked
                      through only for records that fill it to its very end: then bytes are missing,
                      and those records are no part of it.
    damaged length    the next position is searched for at which a header and a payload have right
    or no room        CRCs; by chance that is 1 position in 2^64.
    damaged deflate   what was inflated before it is used; of several gzip members those behind it
                      too. Offsets count the bytes that could be inflated.

A record is intact if both its CRCs are right. A record inside the payload of another is found too
if the outer one's length is damaged: nothing tells it from one that stands by itself.
"""

import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, cast

from tfrec.errors import ChecksumError, DataLossError, TruncatedRecordError
from tfrec.wire.block import split_block
from tfrec.wire.compression import Compression
from tfrec.wire.framing import (
    FOOTER_SIZE,
    HEADER_SIZE,
    MAX_LENGTH,
    OVERHEAD,
    Place,
    check_header,
    check_payload,
    read_frame,
)
from tfrec.wire.reader import Record
from tfrec.wire.rewinding import RewindableStream
from tfrec.wire.search import find_headers

_BLOCK_SIZE = 256 * 1024
_SMALL_SIZE = 16 * 1024
_WINDOW_SIZE = 1 << 20  # how much is searched at a time


class Damage(NamedTuple):
    """Bytes that hold no intact record: from offset `start` up to `end`, and what is wrong.

    `payload` is what the damaged record holds, where its length is right.
    """

    start: int
    end: int
    error: DataLossError
    payload: bytes = b""


def scan_records(
    stream: BinaryIO,
    *,
    path: str,
    compression: Compression = "none",
    size: int | None = None,
    max_length: int = MAX_LENGTH,
) -> Iterator[Record | Damage]:
    """Yield the intact records of a stream in order, and the damage between them.

    Args:
        stream: stands at its start; it belongs to the caller, who closes it.
        path: names the stream in faults.
        compression: of the stream.
        size: of the stream in bytes, where it is known and the stream isn't compressed.
        max_length: of a record in bytes; applies where the size isn't known.
    """
    return iter(_Scanner(stream, path, compression, size, max_length))


class _Scanner:
    """Reads one stream; `_place` is that of the next record, and each damage counts as one."""

    def __init__(
        self,
        stream: BinaryIO,
        path: str,
        compression: Compression,
        size: int | None,
        max_length: int,
    ) -> None:
        self._stream = RewindableStream(stream, compression)
        self._size = size
        self._max_length = max_length
        self._place = Place(path, 0, 0)
        self._are_small = False  # the records; large ones are read one by one, and copied once
        self._is_over = False

    def __iter__(self) -> Iterator[Record | Damage]:
        while not self._is_over:
            if self._are_small:
                yield from self._read_block()
            self._stream.mark()
            try:
                frame = self._read_frame()
                if frame is None:
                    return
                check_payload(*frame, self._place)
            except (DataLossError, EOFError, zlib.error) as error:
                yield self._go_past(self._as_fault(error))
            else:
                record = Record(self._place.offset, frame[0])
                self._advance(len(record.data) + OVERHEAD)
                self._are_small = len(record.data) < _SMALL_SIZE
                yield record

    def _read_block(self) -> Iterator[Record]:
        """Yield the intact records that the next bytes begin with."""
        block = self._stream.read_available(_BLOCK_SIZE)
        offsets, payloads, used = split_block(block, verify=True)
        self._stream.push_back(block[used:])
        path, index, offset = self._place
        self._place = Place(path, index + len(payloads), offset + used)
        for start, payload in zip(offsets, payloads, strict=True):
            yield Record(offset + start, payload)

    def _read_frame(self) -> tuple[bytes, bytes] | None:
        # It takes bytes from the stream, and needs nothing else of it.
        stream = cast("BinaryIO", self._stream)
        return read_frame(stream, self._place, size=self._size, max_length=self._max_length)

    def _as_fault(self, error: Exception) -> DataLossError:
        if isinstance(error, DataLossError):
            return error
        kind = TruncatedRecordError if isinstance(error, EOFError) else DataLossError
        return kind(*self._place, str(error))

    def _advance(self, distance: int) -> None:
        path, index, offset = self._place
        self._place = Place(path, index + 1, offset + distance)

    def _go_past(self, fault: DataLossError) -> Damage:
        """Go to the next intact record; return what lies before it."""
        is_payload = isinstance(fault, ChecksumError) and fault.offset > self._place.offset
        self._stream.rewind()
        payload = b""
        distance = None
        if is_payload:
            payload, distance = self._step_over()
        if distance is None:
            distance = self._search()
        start = self._place.offset
        self._advance(distance)
        return Damage(start, start + distance, fault, payload)

    def _step_over(self) -> tuple[bytes, int | None]:
        """Go behind a damaged payload; return it and the distance, None if no record follows."""
        header = self._stream.read(HEADER_SIZE)
        content = self._stream.read(check_header(header, self._place) + FOOTER_SIZE)
        distance: int | None = HEADER_SIZE + len(content)
        inside = _find_filling_records(content)
        if inside is not None:
            distance = HEADER_SIZE + inside
        elif not self._is_record_next():
            distance = None
        self._stream.rewind(distance or 0)
        return content[:-FOOTER_SIZE], distance

    def _is_record_next(self) -> bool:
        """Say whether a header follows, or the end."""
        try:
            header = self._stream.read(HEADER_SIZE)
            return not header or check_header(header, self._place) >= 0
        except (DataLossError, EOFError, zlib.error):
            return False

    def _search(self) -> int:
        """Go to the next intact record, or to the end; return the distance."""
        distance = len(self._read_on(1))
        window = bytearray()
        while True:
            window += self._read_on(_WINDOW_SIZE - len(window))
            if len(window) < OVERHEAD:
                distance += len(window)
                window.clear()
                if not self._stream.skip_damage():
                    self._is_over = True
                    return distance
                continue
            searched = bytes(window[:_WINDOW_SIZE])
            limit = self._limit_at(distance)
            for position in find_headers(searched, max_length=limit):
                if self._is_intact(window, position):
                    self._stream.push_back(bytes(window[position:]))
                    return distance + position
            num_done = len(searched) - HEADER_SIZE + 1  # a header may begin in the last bytes
            distance += num_done
            del window[:num_done]

    def _read_on(self, size: int) -> bytes:
        """Read up to `size` bytes to which nobody rewinds."""
        data = self._stream.read_available(max(size, 0))
        self._stream.mark()
        return data

    def _limit_at(self, distance: int) -> int:
        """Return how long a record may be that starts there."""
        if self._size is None:
            return self._max_length
        return max(self._size - self._place.offset - distance - OVERHEAD, 0)

    def _is_intact(self, window: bytearray, position: int) -> bool:
        """Say whether a header in `window` has its payload, which is read as far as it goes."""
        end = position + OVERHEAD + int.from_bytes(window[position : position + 8], "little")
        window += self._read_on(end - len(window))
        return len(window) >= end and _has_right_crc(
            bytes(window[position + HEADER_SIZE : end - FOOTER_SIZE]),
            bytes(window[end - FOOTER_SIZE : end]),
        )


def _find_filling_records(content: bytes) -> int | None:
    """Return where intact records begin that follow one another to the very end of `content`."""
    limit = len(content) - OVERHEAD
    for start in find_headers(content, max_length=limit) if limit >= 0 else ():
        position = start
        while (end := _end_of_record(content, position)) is not None:
            position = end
        if position == len(content):
            return start
    return None


def _end_of_record(content: bytes, position: int) -> int | None:
    """Return where the intact record at `position` ends, or None where there is none."""
    header = content[position : position + HEADER_SIZE]
    try:
        end = position + OVERHEAD + check_header(header, Place("", 0, position))
    except DataLossError:
        return None
    payload, footer = content[position + HEADER_SIZE : end - FOOTER_SIZE], content[end - 4 : end]
    return end if end <= len(content) and _has_right_crc(payload, footer) else None


def _has_right_crc(payload: bytes, footer: bytes) -> bool:
    try:
        check_payload(payload, footer, Place("", 0, 0))
    except ChecksumError:
        return False
    return True
