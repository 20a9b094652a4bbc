"""Say what record files hold: records, features, labels and images."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tfrec.dataset.inputs import RecordFile, resolve_inputs
from tfrec.dataset.manifest import Manifest
from tfrec.errors import ExampleError
from tfrec.example import decode_example
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.operations.statistics import ExampleStatistics
from tfrec.storage import LocalStorage, Storage
from tfrec.wire.compression import Compression, decompress, peek_compression
from tfrec.wire.reader import RecordReader


@dataclass(frozen=True, slots=True)
class FileSummary:
    """What one file holds.

    Attributes:
        path: of the file.
        num_records: in it.
        num_bytes: of the file, as it is stored.
        compression: of the file.
        statistics: of its Examples.
        manifest: of the dataset to which the file belongs, where there is one.
    """

    path: str
    num_records: int
    num_bytes: int
    compression: Compression
    statistics: ExampleStatistics
    manifest: Manifest | None

    def class_name(self, label: int | str) -> str | None:
        """Return the name of a label's class; None where nothing says it."""
        if isinstance(label, str):
            return label
        return self.manifest.class_name(label) if self.manifest is not None else None


def inspect(
    paths: Iterable[str], *, storage: Storage | None = None, advance: Advance = ignore_progress
) -> Iterator[FileSummary]:
    """Read files and directories of files; yield a summary of each file.

    Args:
        paths: of files and directories.
        storage: where they are; this machine's files by default.
        advance: called with 1 for each record.

    Raises:
        DataLossError: a record is damaged.
        ExampleError: a record is no Example; it names the file and the record.
        ConfigError: a directory has no record files.
        ManifestError: a manifest can't be read.
        OSError: a file can't be read; it names the file.
    """
    storage = storage or LocalStorage()
    for file in resolve_inputs(paths, storage):
        yield _inspect_file(file, storage, advance)


def _inspect_file(file: RecordFile, storage: Storage, advance: Advance) -> FileSummary:
    statistics = ExampleStatistics()
    info = storage.info(file.path)
    with storage.open_read(file.path) as stream:
        compression, source = peek_compression(stream)
        reader = RecordReader(decompress(source, compression), path=file.path)
        for index, record in enumerate(reader):
            try:
                statistics.add(decode_example(record.data))
            except ExampleError as error:
                raise error.at(file.path, index) from error
            advance(1)
    return FileSummary(
        path=file.path,
        num_records=reader.num_records,
        num_bytes=info.size if info is not None else 0,
        compression=compression,
        statistics=statistics,
        manifest=file.manifest,
    )
