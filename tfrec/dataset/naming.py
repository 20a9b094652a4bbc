"""File names of a dataset, both ways.

A path that ends in one of `RECORD_SUFFIXES` (`.gz` or `.zz` may follow) is one file, with its
manifest beside it as `<path>.json`; any other path is a directory with `dataset.json` and shards
named `<split>-00000-of-00004.tfrecord`. While a build works in a directory, its journal is there,
and the shards that it has finished stand under their `staged_name`.
"""

import os
import re
from typing import NamedTuple, Self

from tfrec.storage import base_name, join_path
from tfrec.wire.compression import Compression

RECORD_SUFFIXES = (".tfrecord", ".tfrecords", ".tfrec", ".record")
MANIFEST_NAME = "dataset.json"
LABELS_NAME = "labels.txt"
TFDS_INFO_NAME = "dataset_info.json"
LABEL_MAP_NAME = "label_map.pbtxt"
JOURNAL_NAME = ".tfrec-journal"
INDEX_SUFFIX = ".idx"
_STAGED_SUFFIX = ".tfrec-new"
COMPRESSED_SUFFIXES: dict[Compression, str] = {"none": "", "gzip": ".gz", "zlib": ".zz"}

_FILE_SUFFIX = re.compile(r"[^.]\.(?!v\d)[a-z][a-z0-9]*$", re.IGNORECASE)
_SHARD = re.compile(
    r"(?P<split>.+)-(?P<index>\d{5,})-of-(?P<num_shards>\d{5,})\.tfrecord(\.gz|\.zz)?"
)


def is_record_path(path: str) -> bool:
    """Say whether a path names one record file rather than a directory dataset."""
    return path.lower().removesuffix(".gz").removesuffix(".zz").endswith(RECORD_SUFFIXES)


def looks_like_file(path: str) -> bool:
    """Say whether who gave a directory this name may have meant a file: it has some suffix.

    One that ends in a slash, or in a version, is meant as it is.
    """
    return not is_record_path(path) and _FILE_SUFFIX.search(base_name(path)) is not None


def named_compression(path: str) -> Compression:
    """Return the compression that the end of a path promises: `.gz` is gzip, `.zz` is zlib."""
    for compression, suffix in COMPRESSED_SUFFIXES.items():
        if suffix and path.lower().endswith(suffix):
            return compression
    return "none"


def manifest_path(dataset_path: str) -> str:
    """Return where the manifest of a dataset is."""
    if is_record_path(dataset_path):
        return f"{dataset_path}.json"
    return join_path(dataset_path, MANIFEST_NAME)


def is_file_name(name: str) -> bool:
    """Say whether a name that stands in a manifest leads to a file beside it, and nowhere else.

    Files of these names are replaced and removed, so a manifest of others must not choose them.
    """
    return os.path.basename(name) == name and name not in ("", os.curdir, os.pardir)


def staged_name(name: str) -> str:
    """Return the name of a finished shard until the whole dataset is finished."""
    return f".{name}{_STAGED_SUFFIX}"


def final_name(name: str) -> str | None:
    """Return the name of a shard by its staged one; None for any other name."""
    is_staged = name.startswith(".") and name.endswith(_STAGED_SUFFIX)
    return name[1 : -len(_STAGED_SUFFIX)] if is_staged else None


class ShardName(NamedTuple):
    """Shard `shard_index` of the `num_shards` shards of a split, counted from 0."""

    split: str
    shard_index: int
    num_shards: int

    def __str__(self) -> str:
        return f"{self.split}-{self.shard_index:05d}-of-{self.num_shards:05d}.tfrecord"

    @classmethod
    def parse(cls, name: str) -> Self | None:
        """Return the shard that a file name says, or None where it says none."""
        found = _SHARD.fullmatch(name)
        if found is None:
            return None
        return cls(found["split"], int(found["index"]), int(found["num_shards"]))
