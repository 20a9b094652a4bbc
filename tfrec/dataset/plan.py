"""What a build will write, decided before anything is written.

`plan_build` is pure: the source and the settings alone decide each output file and the images whose
records it holds, in their order. Executing the plan is a loop over its shards.
"""

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tfrec.dataset.build_config import BuildConfig
from tfrec.dataset.extra_features import ExtraFeature, resolve_extra_features
from tfrec.dataset.naming import COMPRESSED_SUFFIXES, ShardName, named_compression
from tfrec.dataset.sharding import (
    DEFAULT_SHARD_SIZE,
    cut_evenly,
    cut_shuffled,
    estimate_record_size,
)
from tfrec.errors import ConfigError
from tfrec.schema.choice import load_schema
from tfrec.source.image_source import ImageSource, LabelledImage
from tfrec.source.labels import LabelMap
from tfrec.source.splits import SplitSpec, assign_splits, split_by_folder

DEFAULT_SPLIT = "train"


@dataclass(frozen=True, slots=True)
class ShardPlan:
    """One file to write: its name, its split, and the images whose records it holds."""

    name: str
    split: str
    images: Sequence[LabelledImage]


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """The files of a dataset, in the order in which they are written.

    Attributes:
        labels: the classes with the numbers that the records have.
        features: further ones of each record.
        notes: sentences on what a user may not expect.
    """

    config: BuildConfig
    labels: LabelMap
    shards: tuple[ShardPlan, ...]
    features: tuple[ExtraFeature, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def num_images(self) -> int:
        """Images of all shards."""
        return sum(len(shard.images) for shard in self.shards)


def plan_build(source: ImageSource, config: BuildConfig, *, file_name: str | None) -> BuildPlan:
    """Decide which file holds which images.

    `file_name` is that of the only file of a dataset that is one file; None plans a directory.

    Raises:
        ConfigError: one file was asked for, and several shards or splits too; or its name promises
            another compression.
        SourceError: a further feature has a value of another kind.
    """
    schema = load_schema(config.schema)
    source = dataclasses.replace(source, labels=choose_labels(source, config))
    features = resolve_extra_features(config.features, source, schema.features)
    if file_name is not None:
        _refuse_many_files(file_name, config)
        _refuse_other_compression(file_name, config)
        images = cut_shuffled(source, 1, seed=config.seed)[0] if config.shuffle else tuple(source)
        shards = [ShardPlan(file_name, DEFAULT_SPLIT, images)]
    else:
        shards = [
            shard
            for split, part in _split(source, config).items()
            for shard in _plan_split(split, part, config)
        ]
    notes = _find_notes(source, config, shards)
    return BuildPlan(config, source.labels, tuple(shards), features, tuple(notes))


def choose_labels(source: ImageSource, config: BuildConfig) -> LabelMap:
    """Return the classes with the numbers that the records get: those of the schema at least."""
    first = max(source.labels.offset, load_schema(config.schema).first_label)
    return LabelMap(source.labels.names, first)


def _split(source: ImageSource, config: BuildConfig) -> dict[str, ImageSource]:
    if config.split_from_dirs:
        return split_by_folder(source)
    if config.splits is None:
        return {DEFAULT_SPLIT: source}
    return assign_splits(
        source,
        SplitSpec.parse(config.splits),
        seed=config.seed,
        method=config.split_method,
        group_by=None if config.group_by is None else re.compile(config.group_by),
    )


def _plan_split(split: str, source: ImageSource, config: BuildConfig) -> list[ShardPlan]:
    num_images = source.num_images
    size = num_images * estimate_record_size(config.image, config.stored_encoding)
    num_shards = config.num_shards or -(-size // (config.shard_size or DEFAULT_SHARD_SIZE))
    num_shards = min(num_shards, num_images)
    if not num_shards:
        return []
    if config.shuffle:
        parts = cut_shuffled(source, num_shards, seed=config.seed)
    else:
        parts = cut_evenly(tuple(source), num_shards)
    suffix = COMPRESSED_SUFFIXES[config.compression]
    return [
        ShardPlan(f"{ShardName(split, number, num_shards)}{suffix}", split, part)
        for number, part in enumerate(parts)
    ]


def _find_notes(source: ImageSource, config: BuildConfig, shards: list[ShardPlan]) -> list[str]:
    notes = []
    if not config.shuffle and len(source.labels) > 1:
        notes.append("records are sorted by class; `--shuffle` mixes them")
    empty = [shard.name for shard in shards if not shard.images]
    if empty:
        notes.append(f"{len(empty)} of {len(shards)} files are empty, the first is {empty[0]}")
    if config.compression != "none":
        notes.append(
            f"TFDS and DALI can't read {config.compression} files; TensorFlow needs to be told"
        )
    return notes


def _refuse_many_files(file_name: str, config: BuildConfig) -> None:
    wanted = None
    if config.num_shards not in (None, 1):
        wanted = f"{config.num_shards} shards"
    elif config.splits is not None or config.split_from_dirs:
        wanted = "several splits"
    elif config.shard_size is not None:
        wanted = f"shards of {config.shard_size:,} bytes"
    if wanted is not None:
        raise ConfigError(
            f"{file_name} is one file and can't hold {wanted}; give a directory instead"
        )


def _refuse_other_compression(file_name: str, config: BuildConfig) -> None:
    promised = named_compression(file_name)
    if promised not in ("none", config.compression):
        raise ConfigError(
            f"the name {file_name} promises {promised}, and the compression is "
            f"{config.compression}; give another name or the compression {promised}"
        )
