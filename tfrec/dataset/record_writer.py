"""`TFRecordWriter`: write records to a file by its path, as TensorFlow's class of that name does.

What is flushed can be read by others at once, so the file isn't published whole; a dataset is
written by the operations.
"""

import threading
from dataclasses import dataclass
from typing import Literal, Self

from tfrec.errors import ConfigError
from tfrec.storage import AnyStorage, Storage
from tfrec.wire import RecordWriter
from tfrec.wire.compression import Compression
from tfrec.wire.deflate import DEFAULT_LEVEL, check_level, compress

CompressionType = Literal["", "GZIP", "ZLIB"]

COMPRESSIONS: dict[str, Compression] = {"": "none", "GZIP": "gzip", "ZLIB": "zlib"}
"""TensorFlow's names of compressions, and ours."""


@dataclass(frozen=True, slots=True)
class TFRecordOptions:
    """How a file is written.

    Attributes:
        compression_type: "GZIP", "ZLIB", or "" for none.
        compression_level: from 0 (stored) to 9 (smallest).
    """

    compression_type: CompressionType = ""
    compression_level: int = DEFAULT_LEVEL

    def __post_init__(self) -> None:
        if self.compression_type not in COMPRESSIONS:
            names = ", ".join(map(repr, COMPRESSIONS))
            raise ConfigError(
                f"compression type {self.compression_type!r}: must be None or one of {names}"
            )
        check_level(self.compression_level)


class TFRecordWriter:
    """Write records to the file `path`, which is emptied first.

    Any number of threads may write; a record is never torn. Leaving the `with` block closes the
    file, and keeps what was written, after an exception too.

    Args:
        path: of the file.
        options: a compression type, or options; None for no compression.
        storage: where the file is; by default this machine, or what a URL names.

    Raises:
        ConfigError: (a ValueError) there is no such compression; the file is not touched.
        OSError: the file can't be written.
    """

    def __init__(
        self,
        path: str,
        options: TFRecordOptions | CompressionType | None = None,
        *,
        storage: Storage | None = None,
    ) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options if options is not None else "")
        self._lock = threading.Lock()
        self._file = (storage or AnyStorage()).open_write(path)
        compression = COMPRESSIONS[options.compression_type]
        self._output = compress(self._file, compression, level=options.compression_level)
        self._writer = RecordWriter(self._output)

    def write(self, record: bytes) -> None:
        """Append one record.

        Raises:
            TypeError: `record` is not bytes; nothing is written.
            ValueError: the writer is closed.
        """
        with self._lock:
            self._writer.write(record)

    def flush(self) -> None:
        """Make all records so far readable by others."""
        with self._lock:
            self._writer.flush()

    def close(self) -> None:
        """End the file; closing twice is harmless."""
        with self._lock:
            if self._file.closed:
                return
            with self._file:
                self._writer.close()
                self._output.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
