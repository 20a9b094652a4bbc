"""Identical image files in different splits: what is trained on must not be tested on."""

from collections.abc import Mapping
from typing import NamedTuple

from tfrec.dataset.plan import BuildPlan
from tfrec.operations.building.inputs_digest import CONTENT_KEY_SIZE
from tfrec.operations.building.shards import WrittenShard


class Duplicate(NamedTuple):
    """Two images of the same bytes, in different splits."""

    path: str
    split: str
    other_path: str
    other_split: str


def find_duplicates(plan: BuildPlan, finished: Mapping[str, WrittenShard]) -> tuple[Duplicate, ...]:
    """Return each image whose file is there in an earlier split too, with the first such one."""
    if len({shard.split for shard in plan.shards}) < 2:
        return ()
    first: dict[bytes, tuple[str, str]] = {}
    duplicates = []
    for shard in plan.shards:
        keys = finished[shard.name].content_keys
        for index, image in enumerate(shard.images):
            key = keys[index * CONTENT_KEY_SIZE : (index + 1) * CONTENT_KEY_SIZE]
            if not any(key):
                continue  # the file couldn't be read
            other_path, other_split = first.setdefault(key, (image.path, shard.split))
            if other_split != shard.split:
                duplicates.append(Duplicate(image.path, shard.split, other_path, other_split))
    return tuple(duplicates)
