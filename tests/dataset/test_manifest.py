"""A manifest that something else has written or changed is refused as a whole."""

import json

import pytest

from tfrec.dataset.manifest import Manifest
from tfrec.errors import ManifestError

SHARD = {
    "name": "train-00000-of-00001.tfrecord",
    "num_records": 2,
    "num_bytes": 80,
    "sha256": "ab",
    "inputs": "cd",
    "skipped": [{"path": "cat/a.png", "reason": "is empty"}],
}
DOCUMENT = {
    "format_version": 1,
    "labels": {"offset": 0, "names": ["cat"]},
    "versions": {"tfrec": "0.1.0"},
    "config": {"image": {"size": [4, 3]}},
    "splits": {"train": {"shards": [SHARD], "images_per_class": {"cat": 2}}},
}


def changed(place, value):
    """The document with another value at `place`, such as `labels/offset`."""
    document = json.loads(json.dumps(DOCUMENT))
    *parents, key = (int(name) if name.isdecimal() else name for name in place.split("/"))
    found = document
    for parent in parents:
        found = found[parent]
    found[key] = value
    return json.dumps(document).encode()


def test_a_whole_manifest_is_read():
    manifest = Manifest.from_json(json.dumps(DOCUMENT).encode(), path="x")

    assert (2, {"cat": 0}) == (manifest.num_records, manifest.labels)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("labels", 5),
        ("labels/offset", "0"),
        ("labels/names", 5),
        ("labels/names", [1]),
        ("versions", None),
        ("config", None),
        ("config/image", 5),
        ("config/image/size", "x"),
        ("config/image/size", [4]),
        ("config/image/size", ["4", "3"]),
        ("splits", []),
        ("splits/train/images_per_class", 5),
        ("splits/train/images_per_class", {"cat": "2"}),
        ("splits/train/shards/0/name", 5),
        ("splits/train/shards/0/name", ["x"]),
        ("splits/train/shards/0/num_records", "2"),
        ("splits/train/shards/0/num_bytes", None),
        ("splits/train/shards/0/sha256", 5),
        ("splits/train/shards/0/inputs", 5),
        ("splits/train/shards/0/skipped", [{"path": 5, "reason": "is empty"}]),
    ],
)
def test_a_value_of_another_kind_is_refused(place, value):
    with pytest.raises(ManifestError, match=r"x/dataset\.json: it is no manifest of tfrec"):
        Manifest.from_json(changed(place, value), path="x/dataset.json")
