"""Write record files, each of which appears whole or not at all."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from tfrec.dataset.description import RecordFile
from tfrec.dataset.manifest import Manifest, Shard, Split
from tfrec.dataset.naming import is_record_path, manifest_path, named_compression
from tfrec.errors import ConfigError, ExampleError
from tfrec.example import decode_example
from tfrec.operations.hashed_output import HashedOutput
from tfrec.operations.progress import Advance
from tfrec.schema.detect import find_image_keys
from tfrec.storage import Storage
from tfrec.wire import RecordWriter
from tfrec.wire.compression import Compression
from tfrec.wire.deflate import DEFAULT_LEVEL, compress

CompressionChoice: TypeAlias = Compression | Literal["auto"]
"""`auto` goes by the end of the file's name."""


def choose_compression(path: str, compression: CompressionChoice) -> Compression:
    """Return how the file `path` is to be compressed."""
    return named_compression(path) if compression == "auto" else compression


@contextmanager
def publish_records(
    path: str, storage: Storage, compression: Compression, *, level: int = DEFAULT_LEVEL
) -> Iterator[RecordWriter]:
    """Write a record file that appears at `path` when the block ends, or never."""
    with (
        storage.publish(path) as stream,
        compress(stream, compression, level=level) as output,
        RecordWriter(output) as writer,
    ):
        yield writer


def refuse_output(out: str, inputs: list[str], storage: Storage, *, overwrite: bool) -> None:
    """Raise where a file `out` is there, unless it may be replaced and is no input."""
    found = storage.info(out)
    if found is None:
        return
    if found.kind == "directory":
        raise ConfigError(f"{out} is a directory; name a file")
    for path in inputs:
        info = storage.info(path)
        if info is not None and info.identity == found.identity:
            raise ConfigError(f"{out} is read and can't be written; name another file")
    if not overwrite:
        raise ConfigError(f"{out} exists; `--overwrite` replaces it")


def remove_manifest(path: str, storage: Storage) -> None:
    """Remove the manifest beside a file that has just been replaced by another."""
    if is_record_path(path) and storage.info(manifest_path(path)) is not None:
        storage.remove(manifest_path(path))


def common_manifest(files: Sequence[RecordFile]) -> Manifest | None:
    """Return a manifest whose classes and settings are those of all files; None without such."""
    first = files[0].manifest if files else None
    if first is None:
        return None
    described = (first.class_names, first.label_offset, first.config)
    for file in files:
        other = file.manifest
        if other is None or (other.class_names, other.label_offset, other.config) != described:
            return None
    return first


@dataclass(slots=True)
class DatasetWriter:
    """Writes the files of a dataset, and remembers what its manifest says of them.

    `origin` is the manifest of the dataset to which all records belonged, where there is one.
    """

    storage: Storage
    compression: Compression
    level: int
    origin: Manifest | None
    advance: Advance
    shards: list[Shard] = field(default_factory=list)
    _num_by_label: Counter[int] = field(default_factory=Counter)

    def write_shard(self, path: str, name: str, records: Iterable[bytes]) -> None:
        """Write a file of records; `name` is what the manifest calls it."""
        with self.storage.publish(path) as stream:
            hashed = HashedOutput(stream)
            with (
                compress(hashed, self.compression, level=self.level) as output,
                RecordWriter(output) as writer,
            ):
                for record in records:
                    writer.write(record)
                    if self.origin is not None:
                        self._count_label(record)
                    self.advance(1)
        self.shards.append(
            Shard(name, writer.num_records, hashed.num_bytes, hashed.hexdigest(), inputs="")
        )

    def make_manifest(self, split: str) -> Manifest | None:
        """Return the manifest of what was written; None where that of the inputs isn't known."""
        if self.origin is None:
            return None
        per_class = {name: self._num_by_label[label] for name, label in self.origin.labels.items()}
        return replace(self.origin, splits={split: Split(tuple(self.shards), per_class)})

    def _count_label(self, record: bytes) -> None:
        try:
            features = decode_example(record)
        except ExampleError:
            return
        key = find_image_keys(features).label
        label = features[key].values[0] if key is not None else None
        if isinstance(label, int):
            self._num_by_label[label] += 1
