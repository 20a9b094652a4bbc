"""What a build will write, decided before anything is written.

`plan_build` is pure: the source and the settings alone decide each output file and the images whose
records it holds, in their order. Executing the plan is a loop over its shards.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from tfrec.dataset.naming import ShardName
from tfrec.errors import ConfigError
from tfrec.images.settings import ImageSettings
from tfrec.schema import SCHEMAS
from tfrec.source.image_source import ImageSource, LabelledImage

OnError = Literal["fail", "skip"]

DEFAULT_SPLIT = "train"
# A shard of raw 256x256 images is then 246 MiB, inside the 64 MiB to 1 GiB that readers like.
_IMAGES_PER_SHARD = 1310


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildConfig:
    """What decides the content of a dataset; it is kept in the manifest.

    What decides speed alone (engine, workers) is no part of it.

    Attributes:
        schema: the name of the schema.
        image: how files become pixels.
        num_shards: how many files each split has; None for about 250 MiB of raw pixels each.
        on_error: "fail" ends the build at a bad image; "skip" leaves the image out.
    """

    schema: str = "raw"
    image: ImageSettings = field(default_factory=ImageSettings)
    num_shards: int | None = None
    on_error: OnError = "fail"

    def __post_init__(self) -> None:
        if self.schema not in SCHEMAS:
            names = ", ".join(map(repr, SCHEMAS))
            raise ConfigError(f"schema {self.schema!r}: must be one of {names}")
        if self.num_shards is not None and self.num_shards < 1:
            raise ConfigError(f"the number of shards is {self.num_shards}, and must be at least 1")

    def to_json(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        return dataclasses.asdict(self)


@dataclass(frozen=True, slots=True)
class ShardPlan:
    """One file to write: its name, its split, and the images whose records it holds."""

    name: str
    split: str
    images: Sequence[LabelledImage]


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """The files of a dataset, in the order in which they are written."""

    config: BuildConfig
    shards: tuple[ShardPlan, ...]

    @property
    def num_images(self) -> int:
        """Images of all shards."""
        return sum(len(shard.images) for shard in self.shards)


def plan_build(source: ImageSource, config: BuildConfig, *, file_name: str | None) -> BuildPlan:
    """Decide which file holds which images.

    `file_name` is that of the only file of a dataset that is one file; None plans a directory.

    Raises:
        ConfigError: one file was asked for, and several shards too.
    """
    images = tuple(source)
    if file_name is not None:
        if config.num_shards not in (None, 1):
            raise ConfigError(
                f"{file_name} is one file and can't hold {config.num_shards} shards; "
                "give a directory instead"
            )
        return BuildPlan(config, (ShardPlan(file_name, DEFAULT_SPLIT, images),))
    num_shards = config.num_shards or -(-len(images) // _IMAGES_PER_SHARD)
    num_shards = min(num_shards, len(images))
    shards = tuple(
        ShardPlan(str(ShardName(DEFAULT_SPLIT, number, num_shards)), DEFAULT_SPLIT, part)
        for number, part in enumerate(split_evenly(images, num_shards))
    )
    return BuildPlan(config, shards)


def split_evenly(images: Sequence[LabelledImage], num_parts: int) -> list[Sequence[LabelledImage]]:
    """Cut a sequence into parts whose lengths differ by one at most, the longer ones first."""
    length, num_longer = divmod(len(images), num_parts)
    starts = [part * length + min(part, num_longer) for part in range(num_parts + 1)]
    return [images[start:end] for start, end in pairwise(starts)]
