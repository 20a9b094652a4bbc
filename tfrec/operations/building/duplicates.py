"""Identical image files in different splits: what is trained on must not be tested on."""

from collections.abc import Mapping
from typing import NamedTuple

from tfrec.dataset.plan import BuildPlan
from tfrec.operations.building.shards import WrittenShard

_KEY_SIZE = 16  # half of a SHA-256 is unique in any directory


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
        for image, digest in zip(shard.images, finished[shard.name].digests, strict=True):
            if not digest:
                continue
            other_path, other_split = first.setdefault(
                digest[:_KEY_SIZE], (image.path, shard.split)
            )
            if other_split != shard.split:
                duplicates.append(Duplicate(image.path, shard.split, other_path, other_split))
    return tuple(duplicates)
