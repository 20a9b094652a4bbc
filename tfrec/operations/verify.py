"""Check record files: every CRC, the end, every Example, and the files against their manifest.

A file's faults are values, not exceptions: the check goes on past each as far as the format allows.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

from tfrec.dataset.inputs import RecordFile, resolve_inputs
from tfrec.errors import DataLossError, ExampleError
from tfrec.example import decode_example
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.storage import LocalStorage, Storage
from tfrec.wire.compression import Compression, decompress, peek_compression
from tfrec.wire.scan import scan_records

_PIECE_SIZE = 1 << 20


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at one place of a file.

    Attributes:
        index: of the record, from 0; None where the fault is the whole file's.
        offset: in bytes of the uncompressed stream; None where the fault is the whole file's.
        reason: what is wrong.
    """

    index: int | None
    offset: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """What one file holds, and what is wrong with it.

    Attributes:
        path: of the file.
        num_records: that are intact as records: both CRCs are right.
        num_bytes: of the file, as it is stored.
        compression: of the file.
        faults: in the order of their places; those of the whole file come last.
    """

    path: str
    num_records: int
    num_bytes: int
    compression: Compression
    faults: tuple[Fault, ...]


def verify(
    paths: Iterable[str], *, storage: Storage | None = None, advance: Advance = ignore_progress
) -> Iterator[FileReport]:
    """Check files and directories of files; yield a report for each file.

    Args:
        paths: of files and directories.
        storage: where they are; this machine's files by default.
        advance: called with the number of a file's records when it is done.

    Raises:
        ConfigError: a directory has no record files.
        ManifestError: a manifest can't be read.
        OSError: a file can't be read; it names the file.
    """
    storage = storage or LocalStorage()
    for file in resolve_inputs(paths, storage):
        report = verify_file(file, storage)
        advance(report.num_records)
        yield report


def verify_file(file: RecordFile, storage: Storage) -> FileReport:
    """Check one file."""
    try:
        stream = storage.open_read(file.path)
    except FileNotFoundError:
        if file.shard is None:
            raise
        missing = Fault(None, None, "the manifest names this file, and it is missing")
        return FileReport(file.path, 0, 0, "none", (missing,))
    info = storage.info(file.path)
    size = info.size if info is not None and info.kind == "file" else None
    with stream:
        compression, source = peek_compression(stream)
        tap = _Tap(source, with_digest=file.shard is not None)
        num_records, faults = _check_records(
            decompress(cast("BinaryIO", tap), compression),
            file.path,
            size if compression == "none" else None,
        )
        tap.read_rest()
    faults += _compare_with_manifest(file, num_records, tap)
    return FileReport(file.path, num_records, tap.num_bytes, compression, tuple(faults))


def _check_records(stream: BinaryIO, path: str, size: int | None) -> tuple[int, list[Fault]]:
    """Return the number of intact records, and the faults of the others and of the Examples."""
    num_records = 0
    faults: list[Fault] = []
    for index, record in enumerate(scan_records(stream, path=path, size=size)):
        if isinstance(record, DataLossError):
            faults.append(Fault(record.index, record.offset, record.sentence))
            continue
        num_records += 1
        try:
            decode_example(record.data)
        except ExampleError as error:
            faults.append(Fault(index, record.offset, str(error)))
    return num_records, faults


def _compare_with_manifest(file: RecordFile, num_records: int, tap: "_Tap") -> list[Fault]:
    """Return what is otherwise than the manifest says."""
    if file.manifest is None:
        return []
    if file.shard is None:
        return [Fault(None, None, "the manifest does not name this file")]
    shard = file.shard
    differences = []
    if num_records != shard.num_records:
        differences.append((f"{num_records:,} intact records", f"{shard.num_records:,}"))
    if tap.num_bytes != shard.num_bytes:
        differences.append((f"{tap.num_bytes:,} bytes", f"{shard.num_bytes:,}"))
    if tap.hexdigest() != shard.sha256:
        differences.append((f"SHA-256 {tap.hexdigest()}", shard.sha256))
    return [
        Fault(None, None, f"the file has {found}, the manifest says {expected}")
        for found, expected in differences
    ]


class _Tap:
    """Passes a stream's bytes on, counts them and takes their SHA-256 where it is asked for."""

    def __init__(self, stream: BinaryIO, *, with_digest: bool) -> None:
        self.num_bytes = 0
        self._stream = stream
        self._sha256 = hashlib.sha256() if with_digest else None

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(size)
        self.num_bytes += len(data)
        if self._sha256 is not None:
            self._sha256.update(data)
        return data

    def read_rest(self) -> None:
        while self.read(_PIECE_SIZE):
            pass

    def hexdigest(self) -> str:
        return self._sha256.hexdigest() if self._sha256 is not None else ""
