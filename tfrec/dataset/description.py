"""What a manifest, or TFDS's metadata, says of record files."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from tfrec.dataset.manifest import Manifest, Shard, load_manifest
from tfrec.dataset.naming import TFDS_INFO_NAME, ShardName, is_record_path, manifest_path
from tfrec.dataset.tfds_info import load_tfds_info
from tfrec.errors import ManifestError
from tfrec.storage import Storage, base_name, split_path


@dataclass(frozen=True, slots=True)
class RecordFile:
    """A record file, and what is said of it.

    Attributes:
        path: of the file.
        manifest: of the dataset to which the file belongs, where there is one.
        shard: the file's line in it; None where the manifest doesn't name the file.
        num_records: that the file has, as the manifest or TFDS says.
        split: to which the file belongs, as the manifest or TFDS says.
        class_names: by label, where they are known.
        described_by: the path of the manifest, or of TFDS's file.
    """

    path: str
    manifest: Manifest | None = field(default=None, repr=False)  # pages of a large dataset
    shard: Shard | None = None
    num_records: int | None = None
    split: str | None = None
    class_names: Mapping[int, str] = field(default_factory=dict)
    described_by: str | None = None

    def class_name(self, label: int | str) -> str | None:
        """Return the name of a label's class; None where nothing says it."""
        return label if isinstance(label, str) else self.class_names.get(label)

    def find_split(self) -> str | None:
        """Return the split as the dataset says it, or else the file's name; None without either."""
        parsed = ShardName.parse(base_name(self.path))
        return self.split or (None if parsed is None else parsed.split)


def describe_directory(directory: str, storage: Storage) -> tuple[RecordFile, ...]:
    """Return the files that the directory's manifest names, or TFDS's; none where it has neither.

    Raises:
        ManifestError: the manifest can't be read.
    """
    path = manifest_path(directory)
    manifest = load_manifest(path, storage)
    if manifest is not None:
        class_names = _class_names(manifest)  # one for all files
        return tuple(
            _from_manifest(
                storage.join(directory, shard.name), manifest, shard, split, path, class_names
            )
            for split, shards in ((name, split.shards) for name, split in manifest.splits.items())
            for shard in shards
        )
    info = load_tfds_info(directory, storage)
    if info is None:
        return ()
    return tuple(
        RecordFile(
            storage.join(directory, shard.name),
            num_records=shard.num_records,
            split=shard.split,
            class_names=info.class_names,
            described_by=storage.join(directory, TFDS_INFO_NAME),
        )
        for shard in info.shards
    )


class Descriptions:
    """What is said of files, by the manifests beside them or in their directories.

    A directory's is read once for all its files, of which a dataset may have thousands.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._directories: dict[str, dict[str, RecordFile]] = {}  # then by name

    def describe(self, path: str) -> RecordFile:
        """Return a file with what is said of it.

        Raises:
            ManifestError: the manifest beside it can't be read.
        """
        # A file that was written anew into the directory of a dataset has one of its own.
        beside = describe_by_neighbour(path, self._storage)
        if beside is not None:
            return beside
        directory, name = split_path(path)
        found = self._describe_all(directory or os.curdir).get(name, RecordFile(path))
        return replace(found, path=path)

    def _describe_all(self, directory: str) -> dict[str, RecordFile]:
        if directory not in self._directories:
            described: tuple[RecordFile, ...] = ()
            # Nobody asked for the directory, and the file may be a stranger there.
            with suppress(ManifestError):
                described = describe_directory(directory, self._storage)
            self._directories[directory] = {base_name(file.path): file for file in described}
        return self._directories[directory]


def describe_by_neighbour(path: str, storage: Storage) -> RecordFile | None:
    """Return a file with what the manifest beside it says, where there is one.

    Raises:
        ManifestError: it can't be read.
    """
    beside = manifest_path(path)
    manifest = load_manifest(beside, storage) if is_record_path(path) else None
    if manifest is None:
        return None
    splits = [(name, shard) for name, split in manifest.splits.items() for shard in split.shards]
    split, shard = splits[0] if splits else (None, None)
    return _from_manifest(path, manifest, shard, split, beside, _class_names(manifest))


def _from_manifest(
    path: str,
    manifest: Manifest,
    shard: Shard | None,
    split: str | None,
    described_by: str,
    class_names: Mapping[int, str],
) -> RecordFile:
    return RecordFile(
        path,
        manifest,
        shard,
        num_records=None if shard is None else shard.num_records,
        split=split,
        class_names=class_names,
        described_by=described_by,
    )


def _class_names(manifest: Manifest) -> Mapping[int, str]:
    return dict(enumerate(manifest.class_names, manifest.label_offset))
