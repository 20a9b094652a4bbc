"""The records of a stream that may be damaged: goes on after a fault where that is safe.

Where a payload's CRC is wrong, the length before it is right, by a CRC of its own, and leads to the
next record. Where a length is wrong or the stream ends, nothing leads on, and the scan is over.
"""

import zlib
from collections.abc import Iterator
from typing import BinaryIO

from tfrec.errors import ChecksumError, DataLossError, TruncatedRecordError
from tfrec.wire.framing import MAX_LENGTH, OVERHEAD, Place, check_payload, read_frame
from tfrec.wire.reader import Record


def scan_records(
    stream: BinaryIO, *, path: str, size: int | None = None, max_length: int = MAX_LENGTH
) -> Iterator[Record | DataLossError]:
    """Yield each record of an uncompressed stream, or in its place the fault that it has.

    Args:
        stream: stands at its start; it belongs to the caller, who closes it.
        path: names the stream in faults.
        size: of the stream in bytes, where it is known.
        max_length: of a record in bytes; applies where the size isn't known.
    """
    place = Place(path, 0, 0)
    while True:
        try:
            frame = read_frame(stream, place, size=size, max_length=max_length)
        except DataLossError as fault:
            yield fault
            return
        except EOFError as error:
            yield TruncatedRecordError(*place, str(error))
            return
        except zlib.error as error:
            yield DataLossError(*place, str(error))
            return
        if frame is None:
            return
        payload, footer = frame
        try:
            check_payload(payload, footer, place)
        except ChecksumError as fault:
            yield fault
        else:
            yield Record(place.offset, payload)
        place = Place(path, place.record_index + 1, place.offset + len(payload) + OVERHEAD)
