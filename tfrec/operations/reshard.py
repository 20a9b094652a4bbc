"""Write the records of files to other files: merged, divided, selected, shuffled, compressed.

Payloads are copied byte for byte. The same input and settings give the same files. What appears at
the target appears whole.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from tfrec.dataset.description import RecordFile
from tfrec.dataset.inputs import resolve_inputs
from tfrec.dataset.manifest import Shard
from tfrec.dataset.naming import (
    COMPRESSED_SUFFIXES,
    MANIFEST_NAME,
    ShardName,
    is_record_path,
    manifest_path,
)
from tfrec.errors import ConfigError
from tfrec.operations.output import (
    CompressionChoice,
    DatasetWriter,
    choose_compression,
    common_manifest,
    refuse_output,
    remove_manifest,
)
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.operations.selection import Selection, count_records, select_records
from tfrec.operations.shuffle import Shuffler
from tfrec.storage import AnyStorage, Storage, base_name
from tfrec.wire.compression import Compression
from tfrec.wire.deflate import DEFAULT_LEVEL, check_level

DEFAULT_MEMORY = 1 << 30
_MIN_MEMORY = 64 << 20
# The program itself takes 40 MiB, and the buffers of its files 8 MiB at each of up to two levels.
_OWN_MEMORY = 56 << 20
# Of the rest, records fill this much: the allocator can't give back all that it once held.
_SHARE_FOR_RECORDS = 0.6
_DEFAULT_SPLIT = "train"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReshardConfig:
    """What decides the content of the files.

    Attributes:
        num_shards: how many files a directory gets.
        split: of which records are taken; None takes all.
        selection: of records.
        seed: of a random order; None keeps the order.
        compression: of the files; "auto" goes by the name of a single file, and is none else.
        compression_level: from 0 (stored) to 9 (smallest).
    """

    num_shards: int = 1
    split: str | None = None
    selection: Selection = field(default_factory=Selection)
    seed: int | None = None
    compression: CompressionChoice = "auto"
    compression_level: int = DEFAULT_LEVEL

    def __post_init__(self) -> None:
        if self.num_shards < 1:
            raise ConfigError(f"the number of shards is {self.num_shards}, and must be at least 1")
        check_level(self.compression_level)


@dataclass(frozen=True, slots=True)
class ReshardReport:
    """What was written: the path of the file or directory, and its files in their order."""

    path: str
    shards: tuple[Shard, ...]

    @property
    def num_records(self) -> int:
        """Records of all files."""
        return sum(shard.num_records for shard in self.shards)


def reshard(
    paths: Iterable[str],
    out: str,
    config: ReshardConfig | None = None,
    *,
    storage: Storage | None = None,
    memory: int = DEFAULT_MEMORY,
    overwrite: bool = False,
    advance: Advance = ignore_progress,
) -> ReshardReport:
    """Write the records of files to the file or directory `out`.

    Where the inputs belong to one dataset, its manifest goes with them: class names and settings.

    Args:
        paths: as `resolve_inputs` takes them.
        out: a path with a record suffix for one file, any other for a directory, new or empty.
        config: what decides the content.
        storage: where all files are; by default this machine, or what a URL names.
        memory: how many bytes a shuffle may use, the program itself included.
        overwrite: replace the file `out`.
        advance: called with 1 for each record that is written.

    Raises:
        ConfigError: the settings contradict each other, or `out` is there.
        DataLossError: a record is damaged.
        OSError: a file can't be read or written; it names the file.
    """
    config = config or ReshardConfig()
    storage = storage or AnyStorage()
    if memory < _MIN_MEMORY:
        raise ConfigError(f"memory is {memory:,} bytes, and must be at least {_MIN_MEMORY:,}")
    files = _choose_split(resolve_inputs(paths, storage), config.split)
    task = _Task(files, out, config, storage, memory, advance)
    if not is_record_path(out):
        return task.write_directory()
    if config.num_shards > 1:
        raise ConfigError(
            f"{out} is one file and can't hold {config.num_shards} shards; name a directory instead"
        )
    refuse_output(out, [file.path for file in files], storage, overwrite=overwrite)
    return task.write_file()


def _choose_split(files: list[RecordFile], split: str | None) -> list[RecordFile]:
    """Return the files of a split, known by their description or their names."""
    if split is None:
        return files
    by_split = [(file.find_split(), file) for file in files]
    chosen = [file for found, file in by_split if found == split]
    if not chosen:
        found = ", ".join(sorted({repr(name) for name, _ in by_split if name})) or "none"
        raise ConfigError(f"no file belongs to the split {split!r}; the splits are {found}")
    return chosen


@dataclass(frozen=True, slots=True)
class _Task:
    """Inputs, settings, and what it takes to write them."""

    files: Sequence[RecordFile]
    out: str
    config: ReshardConfig
    storage: Storage
    memory: int
    advance: Advance

    def write_file(self) -> ReshardReport:
        """Write one file, and its manifest beside it."""
        dataset = self._writer(choose_compression(self.out, self.config.compression))
        dataset.write_shard(self.out, base_name(self.out), self._selected_or_shuffled())
        manifest = dataset.make_manifest(self._split())
        if manifest is None:
            remove_manifest(self.out, self.storage)
        else:
            with self.storage.publish(manifest_path(self.out)) as stream:
                stream.write(manifest.to_json())
        return ReshardReport(self.out, tuple(dataset.shards))

    def write_directory(self) -> ReshardReport:
        """Write a directory of files, and their manifest."""
        chosen = self.config.compression
        dataset = self._writer("none" if chosen == "auto" else chosen)
        num_shards = self.config.num_shards
        with self.storage.publish_directory(self.out) as directory:
            for number, records in enumerate(self._divided()):
                name = str(ShardName(self._split(), number, num_shards))
                name += COMPRESSED_SUFFIXES[dataset.compression]
                dataset.write_shard(self.storage.join(directory, name), name, records)
            manifest = dataset.make_manifest(self._split())
            if manifest is not None:
                self.storage.write(self.storage.join(directory, MANIFEST_NAME), manifest.to_json())
        return ReshardReport(self.out, tuple(dataset.shards))

    def _writer(self, compression: Compression) -> DatasetWriter:
        return DatasetWriter(
            self.storage,
            compression,
            self.config.compression_level,
            common_manifest(self.files),
            self.advance,
        )

    def _divided(self) -> Iterator[Iterator[bytes]]:
        """Yield the records of each shard; their numbers differ by one at most."""
        num_shards = self.config.num_shards
        if num_shards == 1:
            yield self._selected_or_shuffled()
            return
        if self.config.seed is None:
            num_records = count_records(self.files, self.config.selection, self.storage)
            records = self._selected()
        else:
            shuffler = self._shuffle(self.config.seed)
            num_records, records = shuffler.num_records, shuffler.drain()
        size, num_longer = divmod(num_records, num_shards)
        for number in range(num_shards):
            yield islice(records, size + (number < num_longer))

    def _selected_or_shuffled(self) -> Iterator[bytes]:
        if self.config.seed is None:
            return self._selected()
        return self._shuffle(self.config.seed).drain()

    def _selected(self) -> Iterator[bytes]:
        records = select_records(self.files, self.config.selection, self.storage)
        return (record.data for record in records)

    def _shuffle(self, seed: int) -> Shuffler:
        shuffler = Shuffler(
            seed=seed,
            max_bytes=int((self.memory - _OWN_MEMORY) * _SHARE_FOR_RECORDS),
            open_scratch=lambda: self.storage.open_scratch(self.out),
        )
        for record in self._selected():
            shuffler.add(record)
        return shuffler

    def _split(self) -> str:
        """Return the name of the split that is written."""
        splits = {file.find_split() for file in self.files}
        only = splits.pop() if len(splits) == 1 else None
        return self.config.split or only or _DEFAULT_SPLIT
