"""Pixels <-> bytes; the only package that imports Pillow."""

from tfrec.images.codecs import CODECS, ImageCodec, make_codec
from tfrec.images.decode import decode_image
from tfrec.images.decoded import DecodedImage, SourceInfo
from tfrec.images.fast import require_extras
from tfrec.images.memory import kept_pixel_memory
from tfrec.images.settings import DEFAULT_MAX_PIXELS, ImageSettings
from tfrec.images.sniff import SNIFF_BYTES, describe_content, has_image_signature, sniff_format

__all__ = [
    "CODECS",
    "DEFAULT_MAX_PIXELS",
    "SNIFF_BYTES",
    "DecodedImage",
    "ImageCodec",
    "ImageSettings",
    "SourceInfo",
    "decode_image",
    "describe_content",
    "has_image_signature",
    "kept_pixel_memory",
    "make_codec",
    "require_extras",
    "sniff_format",
]
