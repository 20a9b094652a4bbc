"""Why an image is refused, in words that a person understands.

A reason follows the file's name and a colon: "is cut short", "is an HTML page, not an image".
"""

import re

from PIL import Image

from tfrec.images.sniff import SNIFF_BYTES, describe_content


class Refusal(Exception):  # noqa: N818 - it never leaves this package; ImageError does
    """An image is not to be used; the message is the reason."""


_CUT_SHORT = (
    "truncated", "not enough", "eof", "end of file", "not large enough",
    "requires a buffer", "index out of range",
)  # fmt: skip
"""What Pillow and Python say when the bytes are used up."""

_IN_PLAIN_WORDS: dict[str, tuple[str, ...]] = {
    "is of an unsupported kind: {what} of {detail} channels": (r"cannot handle (\d+)-layer",),
    "is of an unsupported kind: {what} of {detail} bits a value": (r"cannot handle (\d+)-bit",),
    "is of an unsupported kind: {what} of an unusual number of bits or channels, or of numbers "
    "that are not whole": (
        r"unknown pixel mode", r"unknown data organization", r"unable to determine \w+ image mode",
    ),
    "is damaged or of an unsupported kind: {what} whose data do not decode": (r"decoder error",),
    "is damaged or of an unsupported kind: {what} ({detail})": (r"failed to decode image: (.+)",),
    "is damaged: {what} whose data do not decode": (
        r"decoding error", r"broken data stream", r"unrecognized data stream", r"no marker found",
        r"codec configuration", r"could not create decoder", r"bad quantization table",
        r"failed to (?:read|decode) next frame",
    ),
    "is damaged: {what} without pixels": (
        r"cannot load this image", r"no more images in", r"(?:frame|image) not found in",
    ),
    "is damaged: {what} with a part outside of it": (
        r"tile cannot extend outside", r"tile \w+ cannot be negative",
    ),
    "is damaged: {what} whose header makes no sense": (
        r"not identified by this driver", r"not a \w+ file", r"(?:missing|invalid) dimensions",
        r"size must be positive", r"unknown filter", r"\d+$",
    ),
    "is damaged: {what} whose part {detail} is damaged": (r"broken png file \(.+ b'(\w+)'\)",),
    "is damaged: {what} with a part that is none": (r"broken png file",),
}  # fmt: skip
"""What a reason says, and how what Pillow says begins: words for its own insides."""


def explain(error: Exception, data: bytes, max_pixels: int) -> str:
    """Say why decoding `data` ended in `error`."""
    if isinstance(error, Refusal):
        return str(error)
    what = describe_content(data[:SNIFF_BYTES]) or "an image"
    message = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, MemoryError):
        return f"does not fit into memory: {what}"
    if isinstance(error, Image.DecompressionBombError):
        pixels = re.search(r"\d+", message)
        return _too_large(f"a part of {pixels[0]}" if pixels else "more", max_pixels)
    if any(words in message.lower() for words in _CUT_SHORT):
        return f"is cut short: {what} whose data end too early"
    for words, patterns in _IN_PLAIN_WORDS.items():
        for pattern in patterns:
            if found := re.match(pattern, message, re.IGNORECASE):
                return words.format(what=what, detail="".join(found.groups()))
    return f"is damaged or of an unsupported kind: {what} ({message})"


def explain_unidentified(data: bytes) -> str:
    """Say what `data` are, which no decoder takes."""
    kind = describe_content(data[:SNIFF_BYTES])
    if kind is None:
        return f"is not an image: it starts with the bytes {data[:8].hex(' ')}"
    if kind.endswith(" image"):
        return f"is {kind}, which is not supported"
    return f"is {kind}, not an image"


def explain_pixels(size: tuple[int, int], max_pixels: int) -> str:
    """Say that an image of `size` exceeds the limit."""
    width, height = size
    return _too_large(f"{width}x{height} = {width * height}", max_pixels)


def _too_large(found: str, max_pixels: int) -> str:
    return (
        f"is too large: {found} pixels, and the limit is {max_pixels}; raise it with `--max-pixels`"
    )
