"""Pixels <-> bytes; the only package that imports Pillow.

Names are loaded when first used: most commands read records and never see a pixel, and Pillow takes
as long to load as the records of a small file to check.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfrec.images.codecs import CODECS, ImageCodec, make_codec
    from tfrec.images.decode import decode_image
    from tfrec.images.decoded import DecodedImage, SourceInfo
    from tfrec.images.fast import require_extras
    from tfrec.images.header import ImageHeader, read_image_header
    from tfrec.images.memory import kept_pixel_memory
    from tfrec.images.settings import DEFAULT_MAX_PIXELS, ImageSettings
    from tfrec.images.sniff import (
        SNIFF_BYTES,
        Buffer,
        describe_content,
        has_image_signature,
        sniff_format,
    )

__all__ = [
    "CODECS",
    "DEFAULT_MAX_PIXELS",
    "SNIFF_BYTES",
    "Buffer",
    "DecodedImage",
    "ImageCodec",
    "ImageHeader",
    "ImageSettings",
    "SourceInfo",
    "decode_image",
    "describe_content",
    "has_image_signature",
    "kept_pixel_memory",
    "make_codec",
    "read_image_header",
    "require_extras",
    "sniff_format",
]

_MODULES = {
    "CODECS": "codecs",
    "ImageCodec": "codecs",
    "make_codec": "codecs",
    "decode_image": "decode",
    "DecodedImage": "decoded",
    "SourceInfo": "decoded",
    "require_extras": "fast",
    "ImageHeader": "header",
    "read_image_header": "header",
    "kept_pixel_memory": "memory",
    "DEFAULT_MAX_PIXELS": "settings",
    "ImageSettings": "settings",
    "SNIFF_BYTES": "sniff",
    "Buffer": "sniff",
    "describe_content": "sniff",
    "has_image_signature": "sniff",
    "sniff_format": "sniff",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value  # so that this runs once a name, and not for each image
    return value
