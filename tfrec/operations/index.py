"""Write index files, with which the records of other files are found by their numbers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tfrec.dataset.inputs import resolve_inputs
from tfrec.dataset.naming import INDEX_SUFFIX
from tfrec.dataset.opening import open_record_file
from tfrec.dataset.record_file import TFRecordFile, build_index, load_index
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.storage import AnyStorage, Storage


@dataclass(frozen=True, slots=True)
class IndexReport:
    """An index file: its path, how many records it names, and whether it was already there."""

    path: str
    num_records: int
    is_kept: bool


def index(
    paths: Iterable[str], *, storage: Storage | None = None, advance: Advance = ignore_progress
) -> Iterator[IndexReport]:
    """Write an index file beside each record file; yield a report for each.

    An index that is right already is kept.

    Args:
        paths: of files and directories.
        storage: where they are; by default this machine, or what a URL names.
        advance: called with the number of a file's records when its index is written.

    Raises:
        ConfigError: a file is compressed.
        DataLossError: the length of a record is damaged.
        OSError: a file can't be read or written; it names the file.
    """
    storage = storage or AnyStorage()
    for file in resolve_inputs(paths, storage):
        TFRecordFile(file.path, storage=storage)  # refuses what has no places
        with open_record_file(file.path, storage):  # refuses what is no record file
            pass
        found = load_index(file.path, storage)
        records = found or build_index(file.path, storage)
        if found is None:
            with storage.publish(file.path + INDEX_SUFFIX) as stream:
                stream.writelines(records.to_text())
        advance(len(records))
        yield IndexReport(file.path + INDEX_SUFFIX, len(records), is_kept=found is not None)
