"""What TFDS says of a prepared dataset: `dataset_info.json` and the class names beside it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tfrec.dataset.naming import TFDS_INFO_NAME
from tfrec.errors import ManifestError
from tfrec.storage import Storage
from tfrec.storage.small_files import read_small_file

_LABELS_SUFFIX = ".labels.txt"
_PREFERRED_LABELS = ("label.labels.txt", "image.class.label.labels.txt")
_DEFAULT_TEMPLATE = "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"


@dataclass(frozen=True, slots=True)
class TfdsShard:
    """A file of a split: its name and how many records it has."""

    name: str
    split: str
    num_records: int


@dataclass(frozen=True, slots=True)
class TfdsInfo:
    """The files of a dataset that TFDS has prepared, and the names of its classes by label."""

    shards: tuple[TfdsShard, ...]
    class_names: Mapping[int, str]


def load_tfds_info(directory: str, storage: Storage) -> TfdsInfo | None:
    """Load what TFDS says of `directory`; None where it says nothing.

    Raises:
        ManifestError: the file is not what TFDS writes, or its records are no TFRecords.
    """
    path = storage.join(directory, TFDS_INFO_NAME)
    content = read_small_file(path, storage)
    if content is None:
        return None
    try:
        document = json.loads(content)
        if document.get("fileFormat", "tfrecord") != "tfrecord":
            raise ManifestError(
                f"{path}: its files are {document['fileFormat']!r}, and only 'tfrecord' is read"
            )
        shards = tuple(
            shard for split in document["splits"] for shard in _shards_of(split, document)
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ManifestError(f"{path}: it is not what TFDS writes") from error
    return TfdsInfo(shards, _load_class_names(directory, storage))


def _shards_of(split: Mapping[str, object], document: Mapping[str, object]) -> list[TfdsShard]:
    template = str(split.get("filepathTemplate") or _DEFAULT_TEMPLATE)
    lengths = split.get("shardLengths")
    lengths = list(map(int, lengths)) if isinstance(lengths, list) else []
    shards = []
    for number, num_records in enumerate(lengths):
        fields = {
            "DATASET": document["name"],
            "SPLIT": split["name"],
            "FILEFORMAT": "tfrecord",
            "SHARD_INDEX": f"{number:05d}",
            "NUM_SHARDS": f"{len(lengths):05d}",
            "SHARD_X_OF_Y": f"{number:05d}-of-{len(lengths):05d}",
        }
        name = template
        for key, value in fields.items():
            name = name.replace(f"{{{key}}}", str(value))
        shards.append(TfdsShard(name, str(split["name"]), num_records))
    return shards


def _load_class_names(directory: str, storage: Storage) -> dict[int, str]:
    """Return the class names of the label by which images are known, where there is one."""
    names = {entry.name for entry in storage.scan(directory)}
    candidates = [name for name in _PREFERRED_LABELS if name in names]
    candidates += sorted(name for name in names if name.endswith(_LABELS_SUFFIX))
    if not candidates:
        return {}
    with storage.open_read(storage.join(directory, candidates[0])) as stream:
        lines = stream.read().decode(errors="surrogateescape").splitlines()
    return dict(enumerate(lines))
