"""`BuildConfig`: what decides the content of a dataset.

Settings that are out of range, or contradict each other, are refused where the value is made. A
setting that decides records has to count in `record_settings`: by it a rebuild knows what to keep.
"""

import dataclasses
import re
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from tfrec.errors import ConfigError, check_choice
from tfrec.images import ImageSettings, make_codec
from tfrec.schema import SCHEMAS
from tfrec.schema.choice import digest_schema, load_schema
from tfrec.source.splits import SplitMethod, SplitSpec
from tfrec.wire.compression import Compression
from tfrec.wire.deflate import DEFAULT_LEVEL, check_level
from tfrec.wire.framing import MAX_LENGTH

OnError = Literal["fail", "skip"]
Encoding = Literal["raw", "jpeg", "png", "webp", "original"]

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
        compression_level: from 0 (stored) to 9 (smallest).
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
    compression_level: int = DEFAULT_LEVEL
    features: tuple[str, ...] = ()
    index: bool = False

    def __post_init__(self) -> None:
        _check_settings(self)
        _refuse_encoding(self)

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


def _check_settings(config: BuildConfig) -> None:
    """Raise ConfigError for what concerns the files of a dataset."""
    check_choice("on_error", config.on_error, get_args(OnError))
    check_choice("split_method", config.split_method, get_args(SplitMethod))
    check_choice("compression", config.compression, get_args(Compression))
    if config.num_shards is not None and config.num_shards < 1:
        raise ConfigError(f"the number of shards is {config.num_shards}, and must be at least 1")
    if config.shard_size is not None and config.shard_size < 1:
        raise ConfigError(f"the shard size is {config.shard_size}, and must be at least 1 byte")
    if config.num_shards is not None and config.shard_size is not None:
        raise ConfigError("the number of shards and their size contradict each other; give one")
    check_level(config.compression_level)
    if config.index and config.compression != "none":
        raise ConfigError(
            f"there is no index of {config.compression} files; leave out the index or the "
            "compression"
        )
    _check_splits(config)


def _refuse_encoding(config: BuildConfig) -> None:
    """Raise ConfigError where the schema can't hold the encoding, or the encoding the pixels."""
    schema = load_schema(config.schema)
    encoding = config.stored_encoding
    check_choice("encoding", encoding, get_args(Encoding))
    if encoding not in (*schema.encodings, "original") or (
        encoding == "original" and "jpeg" not in schema.encodings
    ):
        fitting = [name for name, other in SCHEMAS.items() if encoding in other.encodings]
        remedy = f"the schema {fitting[0]!r} does" if fitting else "the schema 'imagenet' does"
        raise ConfigError(
            f"encoding {encoding!r}: the schema {config.schema!r} does not hold it; {remedy}"
        )
    if encoding == "raw" and (config.image.size is None or config.image.resize == "fit"):
        raise ConfigError(
            "raw pixels of images of different sizes can't be told apart; give one size, or a "
            "schema that holds encoded images, such as 'imagenet'"
        )
    if encoding == "original" and config.image.icc != "ignore":
        raise ConfigError(
            "encoding 'original' keeps the colours of each file, and can't convert them to sRGB; "
            "give the encoding 'jpeg' or 'png'"
        )
    make_codec("jpeg" if encoding == "original" else encoding, quality=config.quality)
    if encoding == "raw" and config.image.size is not None:
        _refuse_huge_records(config.image.size)


def _refuse_huge_records(size: tuple[int, int]) -> None:
    num_bytes = size[0] * size[1] * 3
    if num_bytes >= MAX_LENGTH:
        raise ConfigError(
            f"raw pixels of {size[0]}x{size[1]} are {num_bytes:,} bytes, and readers take at most "
            f"{MAX_LENGTH:,} a record; give a smaller size, or a schema that holds encoded images, "
            "such as 'imagenet'"
        )


def _check_splits(config: BuildConfig) -> None:
    if config.splits is not None:
        if config.split_from_dirs:
            raise ConfigError("the splits are given, and can't be the top folders too; choose one")
        SplitSpec.parse(config.splits)
    elif config.group_by is not None or config.split_method != "exact":
        what = "groups" if config.group_by is not None else "stable splits"
        raise ConfigError(f"{what} need splits; give some, such as `train=0.9,test=0.1`")
    if config.group_by is not None:
        try:
            re.compile(config.group_by)
        except re.error as error:
            raise ConfigError(f"the pattern {config.group_by!r} of groups: {error}") from error
