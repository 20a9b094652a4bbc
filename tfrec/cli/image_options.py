"""Options that decide how a file becomes pixels: build, check."""

import re
from typing import TYPE_CHECKING, Any

import click

from tfrec.cli import options
from tfrec.cli.option_groups import option_group

if TYPE_CHECKING:
    from tfrec.images.settings import ImageSettings

_COLOURS = {"white": (255, 255, 255), "black": (0, 0, 0), "gray": (128, 128, 128)}
_HEX_COLOUR = re.compile(r"#?([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})")


def _parse_colour(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[int, int, int]:
    found = _HEX_COLOUR.fullmatch(value)
    if found:
        return int(found[1], 16), int(found[2], 16), int(found[3], 16)
    if value not in _COLOURS:
        names = ", ".join(f"`{name}`" for name in _COLOURS)
        raise click.BadParameter(f"{value!r} is no colour; give {names} or `#rrggbb`")
    return _COLOURS[value]


def _parse_size(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, int] | None:
    return None if value == "original" else options.parse_size(ctx, param, value)


def _make_settings(**values: Any) -> "ImageSettings":  # noqa: ANN401 (the options below)
    from tfrec.images.settings import ImageSettings

    return ImageSettings(**values)


image_settings = option_group(
    "image",
    _make_settings,
    [
        click.option(
            "--size",
            metavar="WxH|N|original",
            default="256x256",
            show_default=True,
            callback=_parse_size,
            help="Width and height in pixels of every image, or each image's own.",
        ),
        click.option(
            "--resize",
            type=click.Choice(["stretch", "crop", "pad", "fit"]),
            default="stretch",
            show_default=True,
            help="Ignore the aspect ratio; or fill the size and cut what sticks out; or add bars; "
            "or let one side come out shorter.",
        ),
        click.option(
            "--resample",
            type=click.Choice(["nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"]),
            default="bicubic",
            show_default=True,
            help="The filter. An image of the right size is never resampled.",
        ),
        click.option(
            "--background",
            metavar="COLOUR",
            default="white",
            show_default=True,
            callback=_parse_colour,
            help="What shows through transparent pixels, and the bars of `--resize pad`: a name or "
            "`#rrggbb`.",
        ),
        click.option("--grayscale", is_flag=True, help="Store one channel instead of three."),
        click.option(
            "--icc",
            type=click.Choice(["ignore", "srgb"]),
            default="ignore",
            show_default=True,
            help="What an embedded colour profile does: nothing, or convert the colours to sRGB.",
        ),
        click.option(
            "--max-pixels",
            type=click.IntRange(min=1),
            default=178_956_970,
            show_default=True,
            metavar="N",
            help="An image of more pixels is bad.",
        ),
        click.option(
            "--fast",
            is_flag=True,
            help="Decode JPEG at the smallest scale that gives at least twice the size, and resize "
            "with the resizer of the extra `fast`. The pixels differ a little, hardly visibly.",
        ),
    ],
)
