"""Records: framed, checksummed bytes in streams."""

from tfrec.wire.crc32c import BACKEND, masked_crc32c
from tfrec.wire.framing import OVERHEAD, Place, frame_record, read_record
from tfrec.wire.reader import Record, RecordReader, open_records
from tfrec.wire.writer import RecordWriter

__all__ = [
    "BACKEND",
    "OVERHEAD",
    "Place",
    "Record",
    "RecordReader",
    "RecordWriter",
    "frame_record",
    "masked_crc32c",
    "open_records",
    "read_record",
]
