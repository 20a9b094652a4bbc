"""Check record files: every CRC, the end, the messages, and the files against their manifest.

A file's faults are values, not exceptions: the check goes on past each as far as intact records
are found.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial

from tfrec.dataset.description import RecordFile
from tfrec.dataset.inputs import resolve_inputs
from tfrec.dataset.opening import OpenedFile, StoredBytes, open_record_file
from tfrec.engine import SerialExecutor, create_helper, map_ordered, until_stopped
from tfrec.errors import DataLossError, ExampleError, WorkerError
from tfrec.example import decode_example
from tfrec.example.kinds import MessageKind
from tfrec.operations.engines import WORTH_CHECKING, choose_window, open_engine
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.operations.record_checks import Fault, RecordChecker
from tfrec.schema.detect import find_filename
from tfrec.storage import AnyStorage, Storage
from tfrec.wire.compression import Compression
from tfrec.wire.scan import Damage, scan_records

__all__ = ["Fault", "FileReport", "verify", "verify_file"]


@dataclass(frozen=True, slots=True)
class FileReport:
    """What one file holds, and what is wrong with it.

    Attributes:
        path: of the file.
        num_records: that are intact as records: both CRCs are right.
        num_bytes: of the file, as it is stored.
        compression: of the file.
        kind: of its messages; None without records.
        faults: in the order of their places; those of the whole file come last.
    """

    path: str
    num_records: int
    num_bytes: int
    compression: Compression
    kind: MessageKind | None
    faults: tuple[Fault, ...]


def verify(
    paths: Iterable[str],
    *,
    storage: Storage | None = None,
    check_images: bool = False,
    engine: str | Executor = "processes",
    num_workers: int | None = None,
    advance: Advance = ignore_progress,
) -> Iterator[FileReport]:
    """Check files, and directories and patterns of files; yield a report for each file.

    Args:
        paths: as `resolve_inputs` takes them.
        storage: where they are; by default this machine, or what a URL names.
        check_images: decode the images too.
        engine: what checks files beside one another: the name of an engine, or an executor, which
            stays open and can read the files where it runs. Processes are started where there is
            work enough for them.
        num_workers: of the engine; by default one for each core.
        advance: called with the number of a file's records when it is done.

    Raises:
        ConfigError: a path means no record files.
        ManifestError: a manifest can't be read.
        OSError: a file can't be read; it names the file.
        WorkerError: a worker has died.
    """
    storage = storage or AnyStorage()
    files = resolve_inputs(paths, storage)
    num_checked = 0
    try:
        with (
            open_engine(
                engine,
                num_workers,
                inputs=[file.path for file in files],
                num_tasks=len(files),
                worth=WORTH_CHECKING,
                storage=storage,
            ) as executor,
            _open_helper(executor) as helper,
        ):
            check = partial(verify_file, storage=storage, check_images=check_images, helper=helper)
            window = choose_window(executor, num_workers)
            for report in map_ordered(executor, check, map(_lighten, files), window=window):
                num_checked += 1
                advance(report.num_records)
                yield report
    except BrokenExecutor as error:
        raise WorkerError(
            f"{files[num_checked].path}: a worker died while this file was checked, perhaps for "
            "lack of memory; try fewer workers"
        ) from error


def _lighten(file: RecordFile) -> RecordFile:
    """Return a file without what its manifest says of others, which each task would carry."""
    if file.manifest is None:
        return file
    return replace(file, manifest=replace(file.manifest, splits={}))


def _open_helper(executor: Executor) -> AbstractContextManager[Executor | None]:
    """Return what takes SHA-256 beside the reader where files come one by one.

    Where they don't, the other cores have files of their own.
    """
    return create_helper() if isinstance(executor, SerialExecutor) else nullcontext()


def verify_file(
    file: RecordFile,
    storage: Storage,
    *,
    check_images: bool = False,
    helper: Executor | None = None,
) -> FileReport:
    """Check one file; `helper`, of one thread, takes its SHA-256 meanwhile."""
    with_digest = file.shard is not None
    try:
        with open_record_file(file.path, storage, with_digest=with_digest, helper=helper) as opened:
            num_records, kind, faults = _check_records(opened, file, check_images=check_images)
            opened.stored.read_rest()
            compression, stored = opened.compression, opened.stored
    except DataLossError as error:
        info = storage.info(file.path)
        fault = Fault(error.index, error.offset, error.sentence)
        return FileReport(file.path, 0, info.size if info else 0, "none", None, (fault,))
    except FileNotFoundError:
        if file.num_records is None:
            raise
        fault = Fault(None, None, f"{file.described_by} names this file, and it is missing")
        return FileReport(file.path, 0, 0, "none", None, (fault,))
    faults += _compare_with_description(file, num_records, stored)
    return FileReport(file.path, num_records, stored.num_bytes, compression, kind, tuple(faults))


def _check_records(
    opened: OpenedFile, file: RecordFile, *, check_images: bool
) -> tuple[int, MessageKind | None, list[Fault]]:
    """Return the number of intact records, their kind, and what is wrong with the others."""
    num_records = 0
    faults: list[Fault] = []
    checker = RecordChecker(file, check_images=check_images)
    items = scan_records(
        opened.stored.as_stream(),
        path=file.path,
        compression=opened.compression,
        size=opened.size,
    )
    for index, item in enumerate(until_stopped(items)):
        if isinstance(item, Damage):
            faults.append(to_fault(item))
            continue
        num_records += 1
        faults += checker.check(index, item.offset, item.data)
    faults += checker.decide()
    faults.sort(key=lambda fault: fault.index or 0)
    return num_records, checker.kind, faults


def to_fault(damage: Damage) -> Fault:
    """Return what is reported of damage."""
    return Fault(
        damage.error.index,
        damage.error.offset,
        damage.error.sentence,
        start=damage.start,
        end=damage.end,
        source=_source_of(damage.payload),
    )


def _source_of(payload: bytes) -> str | None:
    """Return the image's name in a damaged record, where that part of it is whole."""
    try:
        return find_filename(decode_example(payload))
    except ExampleError:
        return None


def _compare_with_description(
    file: RecordFile, num_records: int, stored: StoredBytes
) -> list[Fault]:
    """Return what is otherwise than the manifest says, or TFDS."""
    if file.described_by is None:
        return []
    if file.num_records is None:
        return [Fault(None, None, f"{file.described_by} does not name this file")]
    differences = []
    if num_records != file.num_records:
        differences.append((f"{num_records:,} intact records", f"{file.num_records:,}"))
    if file.shard is not None:
        if stored.num_bytes != file.shard.num_bytes:
            differences.append((f"{stored.num_bytes:,} bytes", f"{file.shard.num_bytes:,}"))
        if stored.hexdigest() != file.shard.sha256:
            differences.append((f"SHA-256 {stored.hexdigest()}", file.shard.sha256))
    return [
        Fault(None, None, f"the file has {found}, {file.described_by} says {expected}")
        for found, expected in differences
    ]
