"""Copy every intact record of a damaged file."""

from dataclasses import dataclass
from typing import NoReturn

from tfrec.dataset.opening import STANDARD_INPUT, open_record_file
from tfrec.errors import DataLossError
from tfrec.operations.output import (
    CompressionChoice,
    choose_compression,
    publish_records,
    refuse_output,
    remove_manifest,
)
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.operations.record_checks import Fault
from tfrec.operations.verify import to_fault
from tfrec.storage import AnyStorage, Storage
from tfrec.wire.scan import Damage, scan_records


@dataclass(frozen=True, slots=True)
class SalvageReport:
    """What was kept and what was lost.

    Attributes:
        path: of the file that was written.
        num_records: that were kept.
        num_bytes_lost: of the uncompressed stream, as far as they could be counted.
        faults: what was lost and why, in the order of the places; `offset` to `end` are bytes.
    """

    path: str
    num_records: int
    num_bytes_lost: int
    faults: tuple[Fault, ...]


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
    faults: list[Fault] = []
    num_bytes_lost = 0
    with (
        open_record_file(path, storage, recognise=False) as opened,
        publish_records(out, storage, choose_compression(out, compression)) as writer,
    ):
        for item in scan_records(
            opened.stored.as_stream(),
            path=path,
            compression=opened.compression,
            size=opened.size,
        ):
            if isinstance(item, Damage):
                faults.append(to_fault(item))
                num_bytes_lost += item.end - item.start
            else:
                writer.write(item.data)
                advance(1)
        if faults and not writer.num_records:
            _refuse(path, storage)
    remove_manifest(out, storage)
    return SalvageReport(out, writer.num_records, num_bytes_lost, tuple(faults))


def _refuse(path: str, storage: Storage) -> NoReturn:
    """Say of a file without a record what else it is, where that is known."""
    if path != STANDARD_INPUT:
        with open_record_file(path, storage):
            pass
    raise DataLossError(path, 0, 0, "no record is intact, so nothing is written")
