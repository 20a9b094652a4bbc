"""The record files that a reading command's arguments mean.

An argument is a file, or a directory: of a dataset (its `dataset.json` names the files), or of
record files (known by their names).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tfrec.dataset.manifest import Manifest, Shard, load_manifest
from tfrec.dataset.naming import ShardName, is_record_path, manifest_path
from tfrec.errors import ConfigError
from tfrec.storage import Storage


@dataclass(frozen=True, slots=True)
class RecordFile:
    """A record file, and what a manifest says of it.

    Attributes:
        path: of the file.
        manifest: of the dataset to which the file belongs, where there is one.
        shard: the file's line in it; None with a manifest where the manifest doesn't name the file.
    """

    path: str
    manifest: Manifest | None = None
    shard: Shard | None = None


def resolve_inputs(paths: Iterable[str], storage: Storage) -> list[RecordFile]:
    """Return the record files that `paths` mean, in the order given; those of a directory by name.

    A file that a manifest names is returned whether it exists or not.

    Raises:
        ConfigError: a directory has no record files.
        FileNotFoundError: nothing is at a path.
        ManifestError: a manifest can't be read.
    """
    return [file for path in paths for file in _resolve(path, storage)]


def _resolve(path: str, storage: Storage) -> list[RecordFile]:
    info = storage.info(path)
    if info is not None and info.kind == "directory":
        return _resolve_directory(path, storage)
    manifest = load_manifest(manifest_path(path), storage) if is_record_path(path) else None
    shard = manifest.shards[0] if manifest is not None and manifest.shards else None
    return [RecordFile(path, manifest, shard)]


def _resolve_directory(path: str, storage: Storage) -> list[RecordFile]:
    manifest = load_manifest(manifest_path(path), storage)
    shards = {shard.name: shard for shard in manifest.shards} if manifest is not None else {}
    names = {entry.name for entry in storage.scan(path) if entry.kind == "file"}
    found = {name for name in names if is_record_path(name) or ShardName.parse(name)}
    if not found and not shards:
        raise ConfigError(f"{path} has no record files")
    return [
        RecordFile(storage.join(path, name), manifest, shards.get(name))
        for name in sorted(found | shards.keys())
    ]
