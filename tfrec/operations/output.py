"""Write record files, each of which appears whole or not at all."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from tfrec.dataset.description import RecordFile
from tfrec.dataset.manifest import Manifest, Shard, Split
from tfrec.dataset.naming import is_record_path, looks_like_file, manifest_path, named_compression
from tfrec.errors import ConfigError, ExampleError
from tfrec.example import decode_example
from tfrec.operations.hashed_output import HashedOutput
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.schema.detect import find_image_keys
from tfrec.storage import Storage
from tfrec.wire import RecordWriter
from tfrec.wire.compression import Compression
from tfrec.wire.deflate import compress

CompressionChoice: TypeAlias = Compression | Literal["auto"]
"""`auto` goes by the end of the file's name."""


def choose_compression(path: str, compression: CompressionChoice) -> Compression:
    """Return how the file `path` is to be compressed."""
    return named_compression(path) if compression == "auto" else compression


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


def note_directory(out: str, storage: Storage) -> tuple[str, ...]:
    """Say of a new directory whose name is like that of a file that it is none."""
    if not looks_like_file(out) or storage.info(out) is not None:
        return ()
    return (f"{out} is a directory of files; a name that ends in .tfrecord makes one file",)


def publish_manifest(path: str, manifest: Manifest | None, storage: Storage) -> None:
    """Put its manifest beside a file that was just written; remove that of an earlier file."""
    if not is_record_path(path):
        return  # nobody looks for one beside such a file
    if manifest is not None:
        with storage.publish(manifest_path(path)) as stream:
            stream.write(manifest.to_json())
    elif storage.info(manifest_path(path)) is not None:
        storage.remove(manifest_path(path))


def common_manifest(files: Sequence[RecordFile]) -> Manifest | None:
    """Return a manifest whose classes and settings are those of all files; None without such."""
    first = _find_manifest(files[0]) if files else None
    if first is None:
        return None
    described = (first.class_names, first.label_offset, first.config)
    for file in files:
        other = _find_manifest(file)
        if other is None or (other.class_names, other.label_offset, other.config) != described:
            return None
    return first


def _find_manifest(file: RecordFile) -> Manifest | None:
    """Return the manifest that describes a file, or what there is of one in TFDS's description."""
    names = file.class_names
    if file.manifest is not None or not names or list(names) != list(range(len(names))):
        return file.manifest
    return Manifest({}, tuple(names.values()), label_offset=0, config={}, splits={})


class CountedShard(NamedTuple):
    """A file that was written, and how many of its records have each label."""

    shard: Shard
    num_by_label: Counter[int]


@dataclass(frozen=True, slots=True)
class ShardWriter:
    """Writes files of records; it can be pickled.

    Attributes:
        storage: where they are.
        compression: of the files, and its level.
        level: from 0 (stored) to 9 (smallest).
        counts_labels: look for the label of each record.
    """

    storage: Storage
    compression: Compression
    level: int
    counts_labels: bool

    def write(
        self,
        path: str,
        name: str,
        records: Iterable[bytes],
        *,
        advance: Advance = ignore_progress,
    ) -> CountedShard:
        """Write a file of records; `name` is what a manifest calls it."""
        num_by_label: Counter[int] = Counter()
        with self.storage.publish(path) as stream:
            hashed = HashedOutput(stream)
            with (
                compress(hashed, self.compression, level=self.level) as output,
                RecordWriter(output) as writer,
            ):
                for record in records:
                    writer.write(record)
                    if self.counts_labels and (label := _find_label(record)) is not None:
                        num_by_label[label] += 1
                    advance(1)
        shard = Shard(name, writer.num_records, hashed.num_bytes, hashed.hexdigest(), inputs="")
        return CountedShard(shard, num_by_label)


def make_manifest(origin: Manifest, written: Sequence[CountedShard], split: str) -> Manifest:
    """Return the manifest of files whose records all belonged to the dataset of `origin`."""
    num_by_label: Counter[int] = Counter()
    for counted in written:
        num_by_label.update(counted.num_by_label)
    per_class = {name: num_by_label[label] for name, label in origin.labels.items()}
    shards = tuple(counted.shard for counted in written)
    return replace(origin, splits={split: Split(shards, per_class)})


def _find_label(record: bytes) -> int | None:
    try:
        features = decode_example(record)
    except ExampleError:
        return None
    key = find_image_keys(features).label
    label = features[key].values[0] if key is not None else None
    return label if isinstance(label, int) else None
