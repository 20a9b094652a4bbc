"""Say what record files hold: records, messages, features, labels and images.

Of a large file a sample is looked at: all lengths are read, and some of the records.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tfrec.dataset.description import RecordFile
from tfrec.dataset.inputs import resolve_inputs
from tfrec.dataset.opening import STANDARD_INPUT, OpenedFile, open_record_file
from tfrec.dataset.record_file import TFRecordFile
from tfrec.errors import ExampleError
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.operations.statistics import RecordStatistics
from tfrec.storage import AnyStorage, Storage
from tfrec.wire.compression import Compression
from tfrec.wire.framing import OVERHEAD

LARGE_FILE = 256 << 20
"""From this size in bytes on, a sample stands for a file."""

MANY_RECORDS = 10_000
"""If it has more records than these, a sample stands for a file of any size."""

_SAMPLE_SIZE = 2_000  # records
_STRIDE = 50  # of a stream, the first records are looked at, then one in so many


@dataclass(frozen=True, slots=True)
class FileSummary:
    """What one file holds.

    Attributes:
        file: and what its manifest says.
        num_records: in it.
        num_bytes: of the file, as it is stored.
        compression: of the file.
        statistics: of the records that were looked at.
    """

    file: RecordFile
    num_records: int
    num_bytes: int
    compression: Compression
    statistics: RecordStatistics

    @property
    def is_sampled(self) -> bool:
        """Whether some of the records were not looked at."""
        return self.statistics.num_records < self.num_records


def inspect(
    paths: Iterable[str],
    *,
    storage: Storage | None = None,
    read_all: bool = False,
    advance: Advance = ignore_progress,
) -> Iterator[FileSummary]:
    """Read files, and directories and patterns of files; yield a summary of each file.

    Args:
        paths: as `resolve_inputs` takes them.
        storage: where they are; by default this machine, or what a URL names.
        read_all: look at every record of large files too.
        advance: called with 1 for each record that is looked at.

    Raises:
        DataLossError: a record is damaged, or a file is no TFRecord.
        ExampleError: a record's message is damaged; it names the file and the record.
        ConfigError: a path means no record files.
        ManifestError: a manifest can't be read.
        OSError: a file can't be read; it names the file.
    """
    storage = storage or AnyStorage()
    for file in resolve_inputs(paths, storage):
        yield _inspect_file(file, storage, advance, read_all=read_all)


def _inspect_file(
    file: RecordFile, storage: Storage, advance: Advance, *, read_all: bool
) -> FileSummary:
    statistics = RecordStatistics()

    def add(index: int, record: bytes) -> None:
        try:
            statistics.add(record, file)
        except ExampleError as error:
            raise error.at(file.path, index) from error
        advance(1)

    info = storage.info(file.path) if file.path != STANDARD_INPUT else None
    is_large = info is not None and info.size >= LARGE_FILE and not read_all
    with open_record_file(file.path, storage) as opened:
        records = None if read_all else _find_many(opened, storage, is_large=is_large)
        if records is not None:
            with records:
                num_records, num_bytes = _add_spread(records, add), opened.size or 0
        else:
            num_first = None if read_all else _SAMPLE_SIZE // 2 if is_large else MANY_RECORDS
            num_records = _add_in_order(opened, add, num_first=num_first)
            num_bytes = opened.stored.num_bytes
    return FileSummary(file, num_records, num_bytes, opened.compression, statistics)


def _find_many(opened: OpenedFile, storage: Storage, *, is_large: bool) -> TFRecordFile | None:
    """Return the records of a file that has places, if it is large or has many; else None."""
    if not opened.has_places or not (is_large or _may_be_many(opened, storage)):
        return None
    records = TFRecordFile(opened.path, storage=storage)
    if is_large or len(records) > MANY_RECORDS:
        return records
    records.close()
    return None


def _may_be_many(opened: OpenedFile, storage: Storage) -> bool:
    """Say whether a file has many records if all are as long as the first; no walk over it."""
    with storage.open_read(opened.path) as stream:
        length = int.from_bytes(stream.read(8), "little")
    return (opened.size or 0) > MANY_RECORDS * (length + OVERHEAD)


def _add_spread(records: TFRecordFile, add: Callable[[int, bytes], None]) -> int:
    """Add records from all over a file, the same every time; return how many it has."""
    num_records = len(records)
    # At random: a step would meet a file whose labels alternate at some of them alone.
    numbers = random.Random(0).sample(range(num_records), min(_SAMPLE_SIZE, num_records))
    for number in sorted(numbers):
        add(number, records[number])
    return num_records


def _add_in_order(
    opened: OpenedFile, add: Callable[[int, bytes], None], *, num_first: int | None
) -> int:
    """Add all records, or the first and then some; return how many there are."""
    reader = opened.read_records()
    for index, record in enumerate(reader):
        if num_first is None or index < num_first or index % _STRIDE == 0:
            add(index, record.data)
    return reader.num_records
