"""The index of a record file as NVIDIA DALI's `tfrecord2idx` writes it: `<offset> <size>` a line.

The size has the 16 bytes of the frame in it. PyTorch's `tfrecord` reads the same text. It says
nothing of the file's time, so that equal files have equal indexes.
"""

import io
from collections.abc import Iterator
from typing import BinaryIO

from tfrec.storage import Storage
from tfrec.wire.framing import HEADER_SIZE, OVERHEAD, Place, check_header


def make_index_of(path: str, storage: Storage) -> bytes:
    """Return the text of the index of a whole, uncompressed record file."""
    with storage.open_read(path) as stream:
        return b"".join(_describe_records(stream, path))


def _describe_records(stream: BinaryIO, path: str) -> Iterator[bytes]:
    offset = num_records = 0
    while header := stream.read(HEADER_SIZE):
        size = check_header(header, Place(path, num_records, offset)) + OVERHEAD
        yield b"%d %d\n" % (offset, size)
        offset += size
        num_records += 1
        stream.seek(size - HEADER_SIZE, io.SEEK_CUR)
