"""What a build will write, decided before anything is written.

`plan_build` is pure: the source and the settings alone decide each output file and the images whose
records it holds, in their order. Executing the plan is a loop over its shards.
"""

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tfrec.dataset.extra_features import ExtraFeature, resolve_extra_features
from tfrec.dataset.naming import COMPRESSED_SUFFIXES, ShardName
from tfrec.dataset.settings import check_settings, refuse_encoding
from tfrec.dataset.sharding import (
    DEFAULT_SHARD_SIZE,
    cut_evenly,
    cut_shuffled,
    estimate_record_size,
)
from tfrec.errors import ConfigError
from tfrec.images.settings import ImageSettings
from tfrec.schema.choice import digest_schema, load_schema
from tfrec.source.image_source import ImageSource, LabelledImage
from tfrec.source.labels import LabelMap
from tfrec.source.splits import SplitMethod, SplitSpec, assign_splits, split_by_folder
from tfrec.wire.compression import Compression

OnError = Literal["fail", "skip"]
Encoding = Literal["raw", "jpeg", "png", "webp", "original"]

DEFAULT_SPLIT = "train"

# These decide which images a shard has, and not what its records say of them.
_LAYOUT_SETTINGS = frozenset({
    "on_error", "num_shards", "shard_size", "splits", "split_method", "group_by",
    "split_from_dirs", "shuffle", "seed", "index",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildConfig:
    """What decides the content of a dataset; it is kept in the manifest.

    What decides speed alone (engine, workers) is no part of it.

    Attributes:
        schema: the name of the schema, or `module:attribute`.
        image: how files become pixels.
        num_shards: how many files each split has; None for files of `shard_size`.
        on_error: "fail" ends the build at a bad image; "skip" leaves the image out.
        shard_size: about how many bytes a file has; None for 256 MiB.
        splits: such as `train=0.9,test=0.1`; None for one split, `train`.
        split_method: "exact" gives each class its share to one image; "stable" never moves an image
            to another split when others come or go.
        group_by: a pattern; images for whose paths it finds the same come into the same split.
        split_from_dirs: the first folders of the paths are the splits.
        shuffle: order the images of each split by a hash of their paths, not by class.
        seed: of the splits and the shuffling.
        encoding: of the stored images; None for what the schema holds by itself. "original" keeps
            the bytes of files that show the wanted pixels already, and makes JPEGs of others.
        quality: of JPEG and WebP; None for the codec's own.
        compression: of the record files.
        compression_level: from 1, fast, to 9, small.
        features: further ones, as `KEY=VALUE` or `KEY=@COLUMN`.
        index: write DALI's index beside each file.
    """

    schema: str = "raw"
    image: ImageSettings = field(default_factory=ImageSettings)
    num_shards: int | None = None
    on_error: OnError = "fail"
    shard_size: int | None = None
    splits: str | None = None
    split_method: SplitMethod = "exact"
    group_by: str | None = None
    split_from_dirs: bool = False
    shuffle: bool = False
    seed: int = 0
    encoding: Encoding | None = None
    quality: int | None = None
    compression: Compression = "none"
    compression_level: int = 6
    features: tuple[str, ...] = ()
    index: bool = False

    def __post_init__(self) -> None:
        check_settings(self)
        refuse_encoding(self)

    @property
    def stored_encoding(self) -> str:
        """The encoding of the stored images, where none was asked for too."""
        return self.encoding or load_schema(self.schema).encodings[0]

    def to_json(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        return dataclasses.asdict(self) | {"encoding": self.stored_encoding}

    def record_settings(self) -> dict[str, Any]:
        """Return what decides the bytes of a record file besides its images, as JSON values."""
        settings = self.to_json()
        kept = {key: settings[key] for key in settings if key not in _LAYOUT_SETTINGS}
        return kept | {"schema_source": digest_schema(self.schema)}


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
        ConfigError: one file was asked for, and several shards or splits too.
        SourceError: a further feature has a value of another kind.
    """
    schema = load_schema(config.schema)
    if source.labels.offset < schema.first_label:
        labels = LabelMap(source.labels.names, schema.first_label)
        source = dataclasses.replace(source, labels=labels)
    features = resolve_extra_features(config.features, source, schema.features)
    if file_name is not None:
        _refuse_many_files(file_name, config)
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
