"""The options of `tfrec build` that say how a dataset is laid out and what its records hold.

Each has the name of the setting that it becomes.
"""

from typing import Any

import click

from tfrec.cli import options
from tfrec.cli.option_groups import option_group

_OPTIONS = [
    click.option(
        "--num-shards",
        type=click.IntRange(min=1),
        metavar="N",
        help="How many files each split of a directory dataset has.  [default: by size]",
    ),
    click.option(
        "--shard-size",
        metavar="SIZE",
        callback=options.parse_num_bytes,
        help="About how large each of the files is, such as 100MB.  [default: 256MiB]",
    ),
    click.option(
        "--split",
        "splits",
        metavar="NAME=SIZE,...",
        help="The splits, such as train=0.8,validation=0.1,test=0.1, or train=rest,test=500; "
        "each class is divided by these shares.  [default: all is `train`]",
    ),
    click.option(
        "--stable-split",
        is_flag=True,
        help="Divide by a hash of each path, so that new images move no other to another split.",
    ),
    click.option(
        "--group-by",
        metavar="REGEX",
        help="Keep images in one split for whose paths this finds the same, its group 1 if any.",
    ),
    click.option(
        "--split-from-dirs",
        is_flag=True,
        help="Take the folders directly below DIR as the splits, and those in them as the classes.",
    ),
    click.option(
        "--shuffle",
        is_flag=True,
        help="Mix the records of each split.  [default: sorted by class and path]",
    ),
    click.option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        metavar="N",
        help="Of --split and --shuffle.",
    ),
    click.option(
        "--schema",
        default="raw",
        show_default=True,
        metavar="NAME",
        help="Which features a record has: raw, imagenet, slim, tfds, kaggle, fiftyone, or your "
        "own as module:attribute.",
    ),
    click.option(
        "--encoding",
        type=click.Choice(["raw", "jpeg", "png", "webp", "original"]),
        help="How images are stored; `original` keeps the bytes of a file that has the wanted size "
        "and position already, and makes a JPEG of any other.  [default: raw for the schema raw, "
        "else jpeg]",
    ),
    click.option(
        "--quality",
        type=click.IntRange(0, 100),
        metavar="N",
        help="Of JPEG and WebP.  [default: 95 and 90]",
    ),
    click.option(
        "--feature",
        "features",
        multiple=True,
        metavar="KEY=VALUE",
        help="Add a feature; KEY=@COLUMN takes it from the table of the labels. Repeatable.",
    ),
    click.option(
        "--compression",
        type=click.Choice(["none", "gzip", "zlib"]),
        help="Of the files.  [default: by the name of OUT: .gz is gzip, .zz is zlib]",
    ),
    options.compression_level,
    click.option(
        "--index", is_flag=True, help="Write an index beside each file, for DALI and PyTorch."
    ),
]

dataset_options = option_group("dataset", dict, _OPTIONS)


def read_settings(values: dict[str, Any], out: str) -> dict[str, Any]:
    """Return the fields of `BuildConfig` that the options of this module say."""
    from tfrec.dataset.naming import named_compression

    settings = dict(values)
    settings["split_method"] = "stable" if settings.pop("stable_split") else "exact"
    if settings["compression"] is None:
        settings["compression"] = named_compression(out)
    return settings
