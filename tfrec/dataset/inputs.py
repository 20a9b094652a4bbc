"""The record files that a reading command's arguments mean.

file            itself; the manifest beside it, or in its directory, describes it
directory       the files that its `dataset.json` names, or TFDS's `dataset_info.json`; else
                those that are record files by their names, or by their first bytes, each
                described by the manifest beside it
dataset.json    the dataset that it describes; `OUT.json` stands for OUT
*, ?, [], **    the files that match
-               standard input
"""

import os
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from tfrec.dataset.description import (
    Descriptions,
    RecordFile,
    describe_by_neighbour,
    describe_directory,
)
from tfrec.dataset.foreign import describe_foreign
from tfrec.dataset.globs import has_magic, match_files
from tfrec.dataset.naming import (
    JOURNAL_NAME,
    MANIFEST_NAME,
    TFDS_INFO_NAME,
    is_record_path,
    manifest_path,
)
from tfrec.dataset.opening import STANDARD_INPUT
from tfrec.errors import ConfigError, DataLossError, ManifestError
from tfrec.images import SNIFF_BYTES
from tfrec.storage import Storage, base_name, split_path
from tfrec.wire.framing import HEADER_SIZE, Place, check_header

_RECORD_NAME = re.compile(
    r".*(-\d{5,}-of-\d{5,}(\.\w+)*|\.(tfrecords?|tfrec|tfr|record)(\.gz|\.zz)?|\.tfevents\..*)",
    re.IGNORECASE,
)
_OTHER_SUFFIXES = (".idx", ".index", ".tfindex", ".json", ".txt", ".pbtxt", ".csv", ".tsv", ".md")
_MAX_LOOKED_AT = 200  # files of a directory without any record file's name


def resolve_inputs(paths: Iterable[str], storage: Storage) -> list[RecordFile]:
    """Return the record files that `paths` mean, in the order given; those of one path by name.

    A file that a manifest names is returned whether it exists or not.

    Raises:
        ConfigError: a directory has no record files, or a pattern matches none.
        ManifestError: a manifest can't be read, or a build has not ended.
    """
    descriptions = Descriptions(storage)
    return [file for path in paths for file in _resolve(os.fspath(path), storage, descriptions)]


def _resolve(path: str, storage: Storage, descriptions: Descriptions) -> list[RecordFile]:
    if path == STANDARD_INPUT:
        return [RecordFile(path)]
    if not path:
        raise ConfigError("the name of what is to be read is empty")
    info = storage.info(path)
    if info is not None and info.kind == "directory":
        return _resolve_directory(path, storage)
    if info is None and has_magic(path):
        return _resolve_pattern(path, storage, descriptions)
    directory, name = split_path(path)
    if name in (MANIFEST_NAME, TFDS_INFO_NAME):
        return _resolve_directory(directory or os.curdir, storage)
    if path.endswith(".json") and is_record_path(path.removesuffix(".json")):
        path = path.removesuffix(".json")
    return [descriptions.describe(path)]


def _resolve_pattern(
    pattern: str, storage: Storage, descriptions: Descriptions
) -> list[RecordFile]:
    paths = [path for path in match_files(pattern, storage) if not path.endswith(_OTHER_SUFFIXES)]
    if not paths:
        raise ConfigError(f"no file matches {pattern!r}")
    return [descriptions.describe(path) for path in paths]


def _resolve_directory(path: str, storage: Storage) -> list[RecordFile]:
    described = {base_name(file.path): file for file in describe_directory(path, storage)}
    if not described and storage.info(storage.join(path, JOURNAL_NAME)) is not None:
        raise ManifestError(
            f"{path}: a build was interrupted, and this is a part of its dataset; the same build "
            "goes on from it"
        )
    names = sorted(entry.name for entry in storage.scan(path) if entry.kind == "file")
    found = [name for name in names if _has_record_name(name)]
    if not found and not described:
        tried = names[:_MAX_LOOKED_AT]
        found = [name for name in tried if _has_record_content(storage.join(path, name), storage)]
    if not found and not described:
        raise ConfigError(f"{path} has no record files: {_list_content(path, storage)}")
    if not described:  # no dataset, but perhaps several of one file each
        present = set(names)
        return [_resolve_alone(storage.join(path, name), present, storage) for name in found]
    # A file that the manifest doesn't name belongs to the dataset all the same.
    first = next(iter(described.values()))
    stranger = RecordFile("", manifest=first.manifest, described_by=first.described_by)
    return [
        described.get(name) or replace(stranger, path=storage.join(path, name))
        for name in sorted({*found, *described})
    ]


def _resolve_alone(path: str, present: set[str], storage: Storage) -> RecordFile:
    """Return a file of a directory that describes none; `present` are the names in there."""
    found = None
    if base_name(manifest_path(path)) in present:  # which was listed already
        with suppress(ManifestError):  # nobody named the file, and its neighbour may be a stranger
            found = describe_by_neighbour(path, storage)
    return found or RecordFile(path)


def _has_record_name(name: str) -> bool:
    is_hidden = name.startswith(".")
    return (
        not is_hidden and not name.endswith(_OTHER_SUFFIXES) and bool(_RECORD_NAME.fullmatch(name))
    )


def _has_record_content(path: str, storage: Storage) -> bool:
    with storage.open_read(path) as stream:
        header = stream.read(HEADER_SIZE)
    try:
        return check_header(header, Place(path, 0, 0)) >= 0
    except DataLossError:
        return False


def _list_content(path: str, storage: Storage) -> str:
    """Say in words what a directory holds."""
    entries = sorted(storage.scan(path))
    num_directories = sum(entry.kind == "directory" for entry in entries)
    kinds: Counter[str] = Counter()
    for entry in entries:
        if entry.kind == "file" and kinds.total() < _MAX_LOOKED_AT:
            with storage.open_read(storage.join(path, entry.name)) as stream:
                prefix = stream.read(SNIFF_BYTES)
            kinds[
                (describe_foreign(prefix) or "something else") if prefix else "an empty file"
            ] += 1
    parts = []
    if num_directories:
        noun = "directory" if num_directories == 1 else "directories"
        parts.append(f"{num_directories:,} {noun}")
    for words, number in kinds.most_common(3):
        parts.append(f"{words} ({number:,} of them)" if number > 1 else words)
    return f"it holds {', '.join(parts)}" if parts else "it is empty"
