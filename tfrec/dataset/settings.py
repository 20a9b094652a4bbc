"""Refuse settings that are out of range or contradict each other, and name the remedy."""

import re
from typing import TYPE_CHECKING

from tfrec.errors import ConfigError
from tfrec.images import CODECS, make_codec
from tfrec.schema import SCHEMAS
from tfrec.schema.choice import load_schema
from tfrec.source.splits import SplitSpec

if TYPE_CHECKING:
    from tfrec.dataset.plan import BuildConfig


def check_settings(config: "BuildConfig") -> None:
    """Raise ConfigError for what concerns the files of a dataset."""
    if config.num_shards is not None and config.num_shards < 1:
        raise ConfigError(f"the number of shards is {config.num_shards}, and must be at least 1")
    if config.shard_size is not None and config.shard_size < 1:
        raise ConfigError(f"the shard size is {config.shard_size}, and must be at least 1 byte")
    if config.num_shards is not None and config.shard_size is not None:
        raise ConfigError("the number of shards and their size contradict each other; give one")
    if not 1 <= config.compression_level <= 9:
        raise ConfigError(
            f"the compression level is {config.compression_level}, and must be from 1 to 9"
        )
    if config.index and config.compression != "none":
        raise ConfigError(
            f"there is no index of {config.compression} files; leave out the index or the "
            "compression"
        )
    _check_splits(config)


def refuse_encoding(config: "BuildConfig") -> None:
    """Raise ConfigError where the schema can't hold the encoding, or the encoding the pixels."""
    schema = load_schema(config.schema)
    encoding = config.stored_encoding
    known = (*CODECS, "original")
    if encoding not in known:
        raise ConfigError(f"encoding {encoding!r}: must be one of {', '.join(map(repr, known))}")
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


def _check_splits(config: "BuildConfig") -> None:
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
