"""Copy every intact record of a damaged file."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from tfrec.dataset.description import Descriptions, RecordFile
from tfrec.dataset.input_splits import name_split
from tfrec.dataset.opening import STANDARD_INPUT, OpenedFile, open_record_file
from tfrec.errors import DataLossError, ManifestError
from tfrec.operations.output import (
    CompressionChoice,
    ShardWriter,
    choose_compression,
    common_manifest,
    make_manifest,
    publish_manifest,
    refuse_output,
)
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.operations.record_checks import Fault
from tfrec.operations.verify import to_fault
from tfrec.storage import AnyStorage, Storage, base_name
from tfrec.wire.deflate import DEFAULT_LEVEL
from tfrec.wire.scan import Damage, scan_records


@dataclass(frozen=True, slots=True)
class SalvageReport:
    """What was kept and what was lost.

    Attributes:
        path: of the file that was written.
        num_records: that were kept.
        num_bytes_lost: of the uncompressed stream, as far as they could be counted.
        faults: what was lost and why, in the order of the places; `offset` to `end` are bytes.
        notes: sentences on what a user may not expect.
    """

    path: str
    num_records: int
    num_bytes_lost: int
    faults: tuple[Fault, ...]
    notes: tuple[str, ...] = ()


def salvage(
    path: str,
    out: str,
    *,
    storage: Storage | None = None,
    compression: CompressionChoice = "auto",
    overwrite: bool = False,
    advance: Advance = ignore_progress,
) -> SalvageReport:
    """Write the intact records of the file `path` to the file `out`, byte for byte, in order.

    Where a manifest describes the file, its class names and settings go with the records.

    Args:
        path: of a record file; `-` is standard input.
        out: the file to write; it appears whole or not at all.
        storage: where both are; by default this machine, or what a URL names.
        compression: of `out`.
        overwrite: replace `out`.
        advance: called with 1 for each record.

    Raises:
        ConfigError: `out` is there, or is `path`.
        DataLossError: no record is intact, or the file is something else; nothing is written.
        OSError: a file can't be read or written; it names the file.
    """
    storage = storage or AnyStorage()
    refuse_output(out, [path], storage, overwrite=overwrite)
    file, notes = _describe(path, storage)
    origin = common_manifest([file])
    writer = ShardWriter(
        storage, choose_compression(out, compression), DEFAULT_LEVEL, origin is not None
    )
    faults: list[Fault] = []
    with open_record_file(path, storage, recognise=False) as opened:
        records = _read_intact(opened, faults, storage)
        written = writer.write(out, base_name(out), records, advance=advance)
    manifest = None if origin is None else make_manifest(origin, [written], name_split([file]))
    publish_manifest(out, manifest, storage)
    num_bytes_lost = sum((fault.end or 0) - (fault.start or 0) for fault in faults)
    return SalvageReport(out, written.shard.num_records, num_bytes_lost, tuple(faults), notes)


def _describe(path: str, storage: Storage) -> tuple[RecordFile, tuple[str, ...]]:
    """Return what is said of a file, and a note where that is damaged like the file itself."""
    if path == STANDARD_INPUT:
        return RecordFile(path), ()
    try:
        return Descriptions(storage).describe(path), ()
    except ManifestError as error:
        return RecordFile(path), (f"the class names are lost: {error}",)


def _read_intact(opened: OpenedFile, faults: list[Fault], storage: Storage) -> Iterator[bytes]:
    """Yield the intact records, and add what lies between them to `faults`."""
    num_records = 0
    for item in scan_records(
        opened.stored.as_stream(),
        path=opened.path,
        compression=opened.compression,
        size=opened.size,
    ):
        if isinstance(item, Damage):
            faults.append(to_fault(item))
        else:
            num_records += 1
            yield item.data
    if faults and not num_records:
        _refuse(opened.path, storage)


def _refuse(path: str, storage: Storage) -> NoReturn:
    """Say of a file without a record what else it is, where that is known."""
    if path != STANDARD_INPUT:
        with open_record_file(path, storage):
            pass
    raise DataLossError(path, 0, 0, "no record is intact, so nothing is written")
