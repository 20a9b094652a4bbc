"""Options that several commands share.

compression      reshard, salvage
json_output      build, check, dump, verify, inspect
dataset_paths    dump, verify, inspect
engine           build
on_error         build, dump
parse_num_bytes  reshard
parse_size       build, check, dump
quarantine       build, check
selection        cat, reshard
workers          build, check, dump
"""

import re
from collections.abc import Callable
from typing import TypeVar

import click

PATH = click.Path(readable=False)
"""A text that shells complete as a path; whoever opens it says what is wrong with it."""

_Function = TypeVar("_Function", bound=Callable[..., None])


def parse_size(
    _ctx: click.Context, _param: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    """Return the (width, height) of `256x192`, or of `256` for a square."""
    if value is None:
        return None
    sides = value.lower().split("x")
    if len(sides) > 2 or not all(side.isdecimal() and int(side) > 0 for side in sides):
        raise click.BadParameter(f"{value!r} is no size; give WIDTHxHEIGHT or one number in pixels")
    return int(sides[0]), int(sides[-1])


def parse_num_bytes(_ctx: click.Context, _param: click.Parameter, value: str) -> int:
    """Return the number of bytes of `256MiB`, `2GB` or `1000000`."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(?:([kmgt])(i?)b?|b)?", value.strip().lower())
    if found is None:
        raise click.BadParameter(f"{value!r} is no size; write it like `256MiB` or `2GB`")
    base = 1024 if found[3] else 1000
    return int(float(found[1]) * base ** ("kmgt".index(found[2]) + 1 if found[2] else 0))


def on_error(thing: str) -> Callable[[_Function], _Function]:
    """Return the option that says what a bad thing does."""
    return click.option(
        "--on-error",
        type=click.Choice(["fail", "skip"]),
        default="fail",
        show_default=True,
        help=f"What a {thing} does: end the command, or be left out and named.",
    )


json_output = click.option(
    "--json", "as_json", is_flag=True, help="Write the result as JSON, for programs."
)

workers = click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many threads decode.  [default: one for each core]",
)

engine = click.option(
    "--engine",
    type=click.Choice(["threads", "processes"]),
    default="threads",
    show_default=True,
    help="What the workers are; processes write a whole file each.",
)

compression = click.option(
    "--compression",
    type=click.Choice(["auto", "none", "gzip", "zlib"]),
    default="auto",
    show_default=True,
    help="Of what is written; `auto` goes by the name: .gz is gzip, .zz is zlib.",
)


def selection(command: _Function) -> _Function:
    """Add the options that say which records are meant."""
    by_number = click.option(
        "--index",
        "ranges",
        multiple=True,
        metavar="N",
        help="Records by their number in each file: `3`, `-1`, `2:10`, `5:`.  [default: all]",
    )
    by_features = click.option(
        "--where",
        "tests",
        multiple=True,
        metavar="TEST",
        help="Records whose feature passes: `label == 3`, `name == 'x'`, `size > 2`, `label`.",
    )
    return by_number(by_features(command))


quarantine = click.option(
    "--quarantine",
    metavar="DIR",
    type=PATH,
    help="Copy bad images to this directory, with a list of the reasons, `reasons.tsv`.",
)

dataset_paths = click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=PATH)
