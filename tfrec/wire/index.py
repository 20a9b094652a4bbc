r"""Where each record of an uncompressed file starts.

The text is that of NVIDIA DALI's `tfrecord2idx`: one line a record, `<offset> <size>\n`, where the
size has the 16 bytes of the frame in it. A last line, a comment to every reader of such files, says
which file was indexed, so that an index of an earlier file is found stale:

    # <size of the file> <time of its last change, in nanoseconds>
"""

import io
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import BinaryIO, NamedTuple

from tfrec.wire.block import split_block
from tfrec.wire.framing import HEADER_SIZE, OVERHEAD, Place, check_header, check_room

_SMALL = 1 << 14  # bytes of a record, up to which many are read at once
_BLOCK_SIZE = 1 << 18
_STAMP = re.compile(rb"# (\d+) (\d+)\n")


class FileStamp(NamedTuple):
    """What tells a file from a later one: its size in bytes, and its time in nanoseconds."""

    size: int
    modified: int


@dataclass(frozen=True, slots=True)
class RecordIndex:
    """Where the records of a file start, and at last where they end.

    Attributes:
        offsets: of the records, and the file's size; one more than there are records.
        stamp: of the file, where it is known.
    """

    offsets: "array[int]"
    stamp: FileStamp | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def size(self) -> int:
        """The size of the file, in bytes."""
        return self.offsets[-1]

    def frame_size(self, record_index: int) -> int:
        """Return the bytes of a record with its frame."""
        return self.offsets[record_index + 1] - self.offsets[record_index]

    def to_text(self) -> Iterator[bytes]:
        """Yield the lines of the index file."""
        for start, end in pairwise(self.offsets):
            yield b"%d %d\n" % (start, end - start)
        if self.stamp is not None:
            yield b"# %d %d\n" % self.stamp


def read_index(stream: BinaryIO) -> RecordIndex | None:
    """Read what `to_text` gave, or `tfrecord2idx` wrote; None where it is something else.

    The records must follow one another without a gap.
    """
    lines, hash_sign, last_line = stream.read().partition(b"# ")
    found = _STAMP.fullmatch(hash_sign + last_line)
    if hash_sign and found is None:
        return None
    stamp = FileStamp(int(found[1]), int(found[2])) if found is not None else None
    # All numbers at once: a million lines take 0.3 s, and one by one five times as long.
    try:
        numbers = array("Q", map(int, lines.split()))
    except (ValueError, OverflowError):
        return None
    starts, sizes = numbers[0::2], numbers[1::2]
    if len(starts) != len(sizes) or lines.count(b"\n") != len(starts) or b"_" in lines:
        return None
    offsets = array("Q", accumulate(sizes, initial=0))
    if starts != offsets[:-1] or min(sizes, default=OVERHEAD) < OVERHEAD:
        return None
    return RecordIndex(offsets, stamp)


def scan_index(
    stream: BinaryIO, *, path: str, size: int, stamp: FileStamp | None = None
) -> RecordIndex:
    """Find where the records of a seekable stream start: by their lengths, not their payloads.

    Args:
        stream: stands at its start.
        path: names the stream in errors.
        size: of the stream in bytes.
        stamp: what the index shall say of its file.

    Raises:
        ChecksumError: a length is damaged.
        TruncatedRecordError: the stream ends inside a record.
    """
    offsets = array("Q", [0])
    offset = 0
    are_small = False
    while offset < size:
        if are_small:
            block = stream.read(_BLOCK_SIZE)
            starts, _, used = split_block(block, verify=False)
            offsets.extend(offset + start for start in starts[1:])
            stream.seek(used - len(block), io.SEEK_CUR)
            if used:
                offset += used
                offsets.append(offset)
                continue
        place = Place(path, len(offsets) - 1, offset)
        length = check_header(stream.read(HEADER_SIZE), place)
        check_room(length, size - offset - HEADER_SIZE, place)
        offset += length + OVERHEAD
        stream.seek(length + OVERHEAD - HEADER_SIZE, io.SEEK_CUR)
        offsets.append(offset)
        are_small = length <= _SMALL
    return RecordIndex(offsets, stamp)
