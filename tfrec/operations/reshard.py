"""Write the records of files to other files: merged, divided, selected, shuffled, compressed.

Payloads are copied byte for byte. The same input and settings give the same files, by any engine.
What appears at the target appears whole.

A file that is written is a task of its own, where its records can be found
apart from those of the others. One pass in this process writes the rest: a single file; a shuffle,
whose order is one over all records; and many files out of few compressed ones, which each task
would have to inflate from their start.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice
from typing import get_args

from tfrec.dataset.description import RecordFile
from tfrec.dataset.input_splits import choose_split, name_split, note_merged_splits
from tfrec.dataset.inputs import resolve_inputs
from tfrec.dataset.manifest import Manifest, Shard
from tfrec.dataset.naming import (
    COMPRESSED_SUFFIXES,
    MANIFEST_NAME,
    ShardName,
    is_record_path,
)
from tfrec.engine import SerialExecutor
from tfrec.errors import ConfigError, check_choice
from tfrec.operations.engines import WORTH_CHECKING, WORTH_COPYING, choose_window, open_engine
from tfrec.operations.output import (
    CompressionChoice,
    CountedShard,
    ShardWriter,
    choose_compression,
    common_manifest,
    make_manifest,
    note_directory,
    publish_manifest,
    refuse_output,
)
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.operations.selection import Selection, count_records, select_records
from tfrec.operations.shuffle import Shuffler
from tfrec.operations.slice_tasks import Target, write_slices
from tfrec.operations.slices import SliceReader
from tfrec.storage import AnyStorage, Storage, base_name
from tfrec.wire.compression import Compression
from tfrec.wire.deflate import DEFAULT_LEVEL, check_level

DEFAULT_MEMORY = 1 << 30
_MIN_MEMORY = 64 << 20
# The program itself takes 40 MiB, and the buffers of its files 8 MiB at each of up to two levels.
_OWN_MEMORY = 56 << 20
# Of the rest, records fill this much: the allocator can't give back all that it once held.
_SHARE_FOR_RECORDS = 0.6


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
        check_choice("compression", self.compression, ("auto", *get_args(Compression)))
        check_level(self.compression_level)


@dataclass(frozen=True, slots=True)
class ReshardReport:
    """What was written.

    Attributes:
        path: of the file or directory.
        shards: its files in their order.
        notes: sentences on what a user may not expect.
    """

    path: str
    shards: tuple[Shard, ...]
    notes: tuple[str, ...] = ()

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
    engine: str | Executor = "processes",
    num_workers: int | None = None,
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
        engine: what writes files beside one another: the name of an engine, or an executor, which
            stays open and can read and write the files where it runs. Processes are started where
            there is work enough for them; what isn't several tasks is done in this process.
        num_workers: of the engine; by default one for each core.
        overwrite: replace the file `out`.
        advance: called with a number of records whenever they are written.

    Raises:
        ConfigError: the settings contradict each other, or `out` is there.
        DataLossError: a record is damaged.
        OSError: a file can't be read or written; it names the file.
        WorkerError: a worker has died.
    """
    config = config or ReshardConfig()
    storage = storage or AnyStorage()
    if memory < _MIN_MEMORY:
        raise ConfigError(f"memory is {memory:,} bytes, and must be at least {_MIN_MEMORY:,}")
    files = choose_split(resolve_inputs(paths, storage), config.split)
    task = _Task(files, out, config, storage, memory, engine, num_workers, advance)
    if not is_record_path(out):
        return task.write_directory()
    if config.num_shards > 1:
        raise ConfigError(
            f"{out} is one file and can't hold {config.num_shards} shards; name a directory instead"
        )
    refuse_output(out, [file.path for file in files], storage, overwrite=overwrite)
    return task.write_file()


@dataclass(frozen=True, slots=True)
class _Task:
    """Inputs, settings, and what it takes to write them."""

    files: Sequence[RecordFile]
    out: str
    config: ReshardConfig
    storage: Storage
    memory: int
    engine: str | Executor
    num_workers: int | None
    advance: Advance

    def write_file(self) -> ReshardReport:
        """Write one file, and its manifest beside it."""
        writer = self._writer(choose_compression(self.out, self.config.compression))
        records = self._selected_or_shuffled()
        written = writer.write(self.out, base_name(self.out), records, advance=self.advance)
        publish_manifest(self.out, self._make_manifest([written]), self.storage)
        return ReshardReport(self.out, (written.shard,), note_merged_splits(self.files))

    def write_directory(self) -> ReshardReport:
        """Write a directory of files, and their manifest."""
        chosen = self.config.compression
        writer = self._writer("none" if chosen == "auto" else chosen)
        notes = note_directory(self.out, self.storage) + note_merged_splits(self.files)
        with self.storage.publish_directory(self.out) as directory:
            targets = list(self._targets(directory, writer.compression))
            written = self._write_as_tasks(targets, writer) or self._write_in_turn(targets, writer)
            manifest = self._make_manifest(written)
            if manifest is not None:
                path = self.storage.join(directory, MANIFEST_NAME)
                self.storage.write(path, manifest.to_json())
        shards = tuple(counted.shard for counted in written)
        return ReshardReport(self.out, shards, notes)

    def _targets(self, directory: str, compression: Compression) -> Iterator[Target]:
        for number in range(self.config.num_shards):
            name = str(ShardName(self._split, number, self.config.num_shards))
            name += COMPRESSED_SUFFIXES[compression]
            yield Target(self.storage.join(directory, name), name)

    def _write_as_tasks(
        self, targets: Sequence[Target], writer: ShardWriter
    ) -> list[CountedShard] | None:
        """Write each file as a task; None, with nothing written, where one pass is better."""
        if self.config.seed is not None or len(targets) == 1:
            return None
        # The workers end within the block of the directory in which they write.
        is_copy = writer.compression == "none" and not self.config.selection.tests
        worth = WORTH_COPYING if is_copy else WORTH_CHECKING
        with self._open_engine(len(targets), worth) as executor:
            if isinstance(executor, SerialExecutor):
                return None
            return write_slices(
                targets,
                [file.path for file in self.files],
                reader=SliceReader(self.config.selection, self.storage),
                writer=writer,
                executor=executor,
                window=choose_window(executor, self.num_workers),
                advance=self.advance,
            )

    def _open_engine(self, num_tasks: int, worth: int) -> AbstractContextManager[Executor]:
        return open_engine(
            self.engine,
            self.num_workers,
            inputs=[file.path for file in self.files],
            out=self.out,
            num_tasks=num_tasks,
            worth=worth,
            storage=self.storage,
        )

    def _write_in_turn(self, targets: Sequence[Target], writer: ShardWriter) -> list[CountedShard]:
        return [
            writer.write(target.path, target.name, records, advance=self.advance)
            for target, records in zip(targets, self._divided(), strict=True)
        ]

    def _writer(self, compression: Compression) -> ShardWriter:
        counts_labels = common_manifest(self.files) is not None
        return ShardWriter(self.storage, compression, self.config.compression_level, counts_labels)

    def _make_manifest(self, written: Sequence[CountedShard]) -> Manifest | None:
        """Return the manifest of what was written; None where that of the inputs isn't known."""
        origin = common_manifest(self.files)
        return None if origin is None else make_manifest(origin, written, self._split)

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

    @property
    def _split(self) -> str:
        return self.config.split or name_split(self.files)
