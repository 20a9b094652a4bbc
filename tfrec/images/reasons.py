"""Why an image is refused, in words that a person understands.

A reason follows the file's name and a colon: "is cut short", "is an HTML page, not an image".
"""

from PIL import Image

from tfrec.images.settings import DEFAULT_MAX_PIXELS
from tfrec.images.sniff import describe_content


class Refusal(Exception):  # noqa: N818 - it never leaves this package; ImageError does
    """An image is not to be used; the message is the reason."""


_CUT_SHORT = ("truncated", "unexpected end", "not enough image data", "eof", "buffer is not large")


def explain(error: Exception, data: bytes) -> str:
    """Say why decoding `data` ended in `error`."""
    if isinstance(error, Refusal):
        return str(error)
    kind = describe_content(data)
    what = kind or "an image"
    if isinstance(error, MemoryError):
        return f"is {what} that does not fit into memory"
    message = _one_line(error)
    if isinstance(error, Image.DecompressionBombError):
        return f"is {what} with a part that is too large: {message}"
    if any(words in message.lower() for words in _CUT_SHORT):
        return f"is cut short: {what} whose data end too early ({message})"
    return f"is damaged or unsupported: {what} that cannot be decoded ({message})"


def explain_unidentified(data: bytes, failure: Exception | None) -> str:
    """Say why no decoder takes `data`; `failure` is what the one said that had begun."""
    kind = describe_content(data)
    if failure is not None:
        return explain(failure, data)
    if kind is None:
        return f"is not an image: starts with the bytes {data[:8].hex(' ')}"
    if kind.endswith(" image"):
        return f"is {kind}, a kind that is not supported or a damaged one"
    if kind == "only zero bytes":
        return "holds only zero bytes"
    return f"is {kind}, not an image"


def explain_pixels(size: tuple[int, int], max_pixels: int = DEFAULT_MAX_PIXELS) -> str:
    """Say that an image of `size` exceeds the limit."""
    width, height = size
    return (
        f"is too large: {width}x{height} = {width * height} pixels, and the limit is {max_pixels};"
        f" raise it with `--max-pixels`"
    )


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text or type(error).__name__
