"""One record <-> stream.

A TFRecord stream is nothing but records, one after the other; integers are little-endian:

    stream  = *record
    record  = header payload footer
    header  = length crc(length)        12 bytes
    length  = uint64                    of the payload, in bytes
    payload = length bytes
    footer  = crc(payload)               4 bytes
    crc(x)  = uint32                    mask(crc32c(x)), see crc32c.py

There is no magic, file header, index or padding: an empty stream is valid and holds no record, and
streams may be concatenated. Offsets are counted from the start of the (uncompressed) stream.

Reading is strict. The length's CRC is checked always, and the length is bounded before anything is
allocated: a damaged or hostile length costs an error, not the memory of the machine.
"""

import io
import struct
from typing import BinaryIO, NamedTuple

from tfrec.errors import ChecksumError, RecordTooLargeError, TruncatedRecordError
from tfrec.wire.crc32c import masked_crc32c

HEADER_SIZE = 12
FOOTER_SIZE = 4
OVERHEAD = HEADER_SIZE + FOOTER_SIZE
MAX_LENGTH = 1 << 30  # bytes of one record, where the size of the stream is not known

_LENGTH = struct.Struct("<Q")
_CRC = struct.Struct("<I")
_HEADER = struct.Struct("<QI")
_PIECE_SIZE = 1 << 20  # bytes asked for at a time where the size of the stream is not known


class Place(NamedTuple):
    """Where a record starts: file, index from 0, offset in bytes. Errors name it."""

    path: str
    record_index: int
    offset: int


def frame_record(record: bytes) -> bytes:
    """Return `record` with its header and footer."""
    length = _LENGTH.pack(len(record))
    return b"".join(
        (length, _CRC.pack(masked_crc32c(length)), record, _CRC.pack(masked_crc32c(record)))
    )


def read_record(
    stream: BinaryIO,
    place: Place,
    *,
    size: int | None = None,
    max_length: int = MAX_LENGTH,
    verify: bool = True,
) -> bytes | None:
    """Read the record at the stream's position, or return None at a clean end.

    Args:
        stream: stands at the start of a record; `read(n)` gives n bytes unless the stream ends.
        place: of this record, for the errors.
        size: of the whole stream in bytes, where it is known. A length is then compared with what
            is left; else it is compared with `max_length`, and read in pieces.
        max_length: in bytes; applies only without `size`.
        verify: check the payload's CRC too.

    Raises:
        TruncatedRecordError: the stream ends inside the record.
        ChecksumError: a stored CRC differs from the computed one.
        RecordTooLargeError: the length exceeds `max_length`.
    """
    frame = read_frame(stream, place, size=size, max_length=max_length)
    if frame is None:
        return None
    payload, footer = frame
    if verify:
        check_payload(payload, footer, place)
    return payload


def read_frame(
    stream: BinaryIO, place: Place, *, size: int | None = None, max_length: int = MAX_LENGTH
) -> tuple[bytes, bytes] | None:
    """Read payload and footer as `read_record` does, without a look at the payload's CRC."""
    header = stream.read(HEADER_SIZE)
    if not header:
        return None
    length = check_header(header, place)
    if size is not None:
        check_room(length, size - place.offset - HEADER_SIZE, place)
        payload = stream.read(length)
    else:
        payload = _read_in_pieces(stream, length, max_length, place)
    footer = stream.read(FOOTER_SIZE)
    if len(footer) < FOOTER_SIZE:
        check_room(length, len(payload) + len(footer), place)
    return payload, footer


def check_header(header: bytes, place: Place) -> int:
    """Return the payload's length that a 12-byte header gives, if its CRC is right."""
    if len(header) < HEADER_SIZE:
        raise TruncatedRecordError(
            *place, f"{len(header)} bytes are left, a record's header has {HEADER_SIZE}"
        )
    length: int
    length, stored = _HEADER.unpack(header)
    computed = masked_crc32c(header[:8])
    if stored != computed:
        reason = "the checksum of the length is wrong"
        if place.offset == 0:
            reason += "; this may be no TFRecord file"
        raise ChecksumError(*place, reason, stored, computed)
    return length


def check_room(length: int, left: int, place: Place) -> None:
    """Raise unless `left` bytes hold a payload of `length` and its footer."""
    if length + FOOTER_SIZE > left:
        raise TruncatedRecordError(
            *place,
            f"the record needs {length + FOOTER_SIZE:,} bytes after its header, "
            f"{max(left, 0):,} are left",
        )


def check_payload(payload: bytes, footer: bytes, place: Place) -> None:
    """Raise unless the footer has the payload's CRC."""
    stored: int = _CRC.unpack(footer)[0]
    computed = masked_crc32c(payload)
    if stored != computed:
        raise ChecksumError(
            place.path,
            place.record_index,
            place.offset + HEADER_SIZE,
            f"the checksum of the payload is wrong, its record starts at offset {place.offset}",
            stored,
            computed,
        )


def _read_in_pieces(stream: BinaryIO, length: int, max_length: int, place: Place) -> bytes:
    if length > max_length:
        raise RecordTooLargeError(
            *place,
            f"the record's length is {length:,} bytes, at most {max_length:,} are read",
            length,
            max_length,
        )
    if length <= _PIECE_SIZE:
        return stream.read(length)
    payload = io.BytesIO()  # its getvalue() copies nothing, where joining doubles the memory
    left = length
    while left and (piece := stream.read(min(left, _PIECE_SIZE))):
        payload.write(piece)
        left -= len(piece)
    return payload.getvalue()
