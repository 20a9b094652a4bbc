"""Options that several commands share, and the readers of their values."""

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from tfrec.cli.render import tell

if TYPE_CHECKING:
    from tfrec.operations.selection import Selection

PATH = click.Path(readable=False)
"""A text that shells complete as a path; whoever opens it says what is wrong with it."""

_Function = TypeVar("_Function", bound=Callable[..., None])

_SIDE = re.compile(r"0*[1-9][0-9]{0,8}")
_NUM_BYTES = re.compile(r"([0-9]{1,18}(?:\.[0-9]+)?)\s*(?:([kmgt])(i?)b?|b)?")


def parse_size(
    _ctx: click.Context, _param: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    """Return the (width, height) of `256x192`, or of `256` for a square."""
    if value is None:
        return None
    sides = value.lower().split("x")
    if len(sides) > 2 or not all(_SIDE.fullmatch(side) for side in sides):
        raise click.BadParameter(f"{value!r} is no size; give WIDTHxHEIGHT or one number in pixels")
    return int(sides[0]), int(sides[-1])


def parse_num_bytes(_ctx: click.Context, _param: click.Parameter, value: str | None) -> int | None:
    """Return the number of bytes of `256MiB`, `1.5GB` or `1000000`; case makes no difference."""
    if value is None:
        return None
    found = _NUM_BYTES.fullmatch(value.strip().lower())
    if found is None:
        raise click.BadParameter(f"{value!r} is no size; give one such as 256MiB or 1GB")
    base = 1024.0 if found[3] else 1000.0
    return round(float(found[1]) * base ** "_kmgt".index(found[2] or "_"))


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
    help="How many threads or processes work at once.  [default: one for each core]",
)

engine = click.option(
    "--engine",
    type=click.Choice(["threads", "processes", "ray"]),
    default="threads",
    show_default=True,
    help="What the workers are; processes, and those of a Ray cluster, write a whole file each.",
)


def engine_of_files(verb: str) -> Callable[[_Function], _Function]:
    """Return the option that says what the workers are, each of which does so with a file."""
    return click.option(
        "--engine",
        type=click.Choice(["processes", "ray"]),
        default="processes",
        show_default=True,
        help=f"What the workers are; each {verb} a whole file.",
    )


ray_address = click.option(
    "--ray-address",
    metavar="ADDR",
    help="Of the cluster of `--engine ray`.  [default: $RAY_ADDRESS, else a cluster of this "
    "machine alone]",
)


def set_ray_address(engine: str, address: str | None) -> None:
    """Let the engine find its cluster.

    Operations open engines by name, inside of what they publish: interrupted, they first wait for
    the tasks that write there.
    """
    if address is None:
        return
    if engine != "ray":
        raise click.UsageError("`--ray-address` belongs to `--engine ray`")
    os.environ["RAY_ADDRESS"] = address


compression = click.option(
    "--compression",
    type=click.Choice(["auto", "none", "gzip", "zlib"]),
    default="auto",
    show_default=True,
    help="Of what is written; `auto` goes by the name: .gz is gzip, .zz is zlib.",
)

compression_level = click.option(
    "--compression-level",
    type=click.IntRange(0, 9),
    default=6,
    show_default=True,
    metavar="N",
    help="From 0, quickest, to 9, smallest.",
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


def tell_none_chosen(paths: tuple[str, ...], chosen: "Selection") -> None:
    """Say that --index and --where have left nothing, and why where a feature is in no record."""
    from tfrec.operations.none_chosen import explain_missing_feature

    reason = explain_missing_feature(paths, chosen)
    why = f": {reason}" if reason else "; `tfrec inspect` shows their number and features"
    tell(f"note: no record was chosen{why}")


quarantine = click.option(
    "--quarantine",
    metavar="DIR",
    type=PATH,
    help="Copy bad images to this directory, with a list of the reasons, `reasons.tsv`.",
)

dataset_paths = click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=PATH)


def dataset_paths_and_out(function: _Function) -> _Function:
    """Take what is read and, as the last argument, where it goes."""
    out = click.argument("out", metavar="OUT", type=PATH)
    paths = click.argument(
        "paths", nargs=-1, metavar="PATH...", type=PATH, callback=_require_both
    )  # click would say of the only argument that it is OUT, and that PATH is missing
    return paths(out(function))


def _require_both(ctx: click.Context, _param: click.Parameter, paths: tuple[str, ...]) -> object:
    if not paths and not ctx.resilient_parsing:
        raise click.UsageError("give what is to be read and, after it, OUT: where it goes", ctx)
    return paths
