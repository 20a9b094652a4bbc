"""Open a record file, and say what a file is that is none."""

import io
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from hashlib import sha256
from typing import BinaryIO, Protocol, cast

from tfrec.dataset.digest import Digest
from tfrec.dataset.foreign import describe_foreign
from tfrec.errors import ChecksumError, DataLossError, TruncatedRecordError
from tfrec.images import SNIFF_BYTES
from tfrec.storage import Storage
from tfrec.wire.compression import Compression, Inflating, decompress, detect_compression, peek
from tfrec.wire.framing import HEADER_SIZE, MAX_LENGTH, Place, check_header
from tfrec.wire.reader import RecordReader

STANDARD_INPUT = "-"
_PIECE_SIZE = 1 << 20


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A record file that is open.

    Attributes:
        path: of the file.
        stored: its bytes as they are stored.
        compression: of these bytes.
        size: of the uncompressed bytes, where it is known.
        has_places: any record can be read by itself: the file isn't compressed, and can be opened
            again at any place, unlike standard input and pipes.
    """

    path: str
    stored: "StoredBytes"
    compression: Compression
    size: int | None
    has_places: bool

    def read_records(self, *, verify: bool = True, max_length: int = MAX_LENGTH) -> RecordReader:
        """Return a reader of the records; the first damage ends it."""
        stream = decompress(self.stored.as_stream(), self.compression)
        return RecordReader(
            stream, path=self.path, size=self.size, verify=verify, max_length=max_length
        )


@contextmanager
def open_record_file(
    path: str,
    storage: Storage,
    *,
    recognise: bool = True,
    with_digest: bool = False,
    helper: Executor | None = None,
) -> Iterator[OpenedFile]:
    """Open the record file at `path`, or standard input for `-`, until the block ends.

    Args:
        path: of the file.
        storage: where it is.
        recognise: look whether it is something else.
        with_digest: take the SHA-256 of what is read.
        helper: has one thread, which does that meanwhile.

    Raises:
        DataLossError: the file is something else, and known.
        OSError: the file can't be read.
    """
    opened = nullcontext(sys.stdin.buffer) if path == STANDARD_INPUT else storage.open_read(path)
    with opened as raw:
        prefix, stream = peek(cast("BinaryIO", raw), SNIFF_BYTES)
        compression = detect_compression(prefix)
        if recognise:
            _refuse_foreign(path, prefix, compression)
        has_places = compression == "none" and path != STANDARD_INPUT and raw.seekable()
        info = storage.info(path) if has_places else None
        size = info.size if info is not None and info.kind == "file" else None
        digest = None if not with_digest else sha256() if helper is None else Digest(helper)
        yield OpenedFile(path, StoredBytes(stream, digest), compression, size, has_places)


class _Digest(Protocol):
    """What hashlib's objects are, as far as it is needed here."""

    def update(self, data: bytes, /) -> None: ...

    def hexdigest(self) -> str: ...


class StoredBytes:
    """Passes a stream's bytes on, counts them and adds them to a digest where there is one."""

    def __init__(self, stream: BinaryIO, digest: "_Digest | None") -> None:
        self.num_bytes = 0
        self._stream = stream
        self._digest = digest

    def read(self, size: int = -1, /) -> bytes:
        """Return `size` bytes, fewer at the end."""
        data = self._stream.read(size)
        self.num_bytes += len(data)
        if self._digest is not None:
            self._digest.update(data)
        return data

    def read_rest(self) -> None:
        """Read to the end, for the count and the digest."""
        while self.read(_PIECE_SIZE):
            pass

    def seekable(self) -> bool:
        """Say no: bytes are counted once."""
        return False

    def hexdigest(self) -> str:
        """Return the SHA-256 of what was read, empty where nobody asked for it."""
        return self._digest.hexdigest() if self._digest is not None else ""

    def as_stream(self) -> BinaryIO:
        """Return itself, for functions that read a stream and need no more of it."""
        return cast("BinaryIO", self)


def _refuse_foreign(path: str, stored: bytes, compression: Compression) -> None:
    """Raise where the first bytes of a file are no record, and are known for something else."""
    prefix = _inflate(stored, compression)
    try:
        check_header(prefix[:HEADER_SIZE], Place(path, 0, 0))
    except (ChecksumError, TruncatedRecordError):
        words = describe_foreign(prefix)
        if words is None or (compression == "none" and not stored):
            return
        packed = "" if compression == "none" else f" in a {compression} file"
        raise DataLossError(path, 0, 0, f"this is no TFRecord file, but {words}{packed}") from None


def _inflate(stored: bytes, compression: Compression) -> bytes:
    """Return the beginning of a file's uncompressed bytes, as far as it goes."""
    if compression == "none":
        return stored
    inflating = Inflating(io.BytesIO(stored), compression, patient=True)
    return inflating.read(SNIFF_BYTES) or b""
