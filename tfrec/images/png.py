"""What Pillow leaves to do for a PNG file, and a way around broken metadata.

After 8 bytes of signature a file is a row of chunks: a length, a type, that many bytes, and a CRC
(W3C PNG, section 5.3).
"""

import zlib

from PIL import ImageFile

SIGNATURE = b"\x89PNG\r\n\x1a\n"

_KEPT = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}
_KEPT_IF_INTACT = {b"eXIf"}
"""EXIF tells the orientation."""

# How Pillow makes 8-bit pixels from samples of other depths, by its raw mode.
_EXPAND = {
    "L;2": lambda sample: sample * 0x55,
    "L;4": lambda sample: sample * 0x11,
    "RGB;16B": lambda sample: sample >> 8,
}


def match_transparency_to_pixels(image: ImageFile.ImageFile) -> None:
    """Bring the transparent colour, which has the file's bit depth, to that of Pillow's pixels.

    Of 16-bit colours Pillow keeps the high bytes, so pixels that share them become transparent too.
    Call it before the pixels are loaded.
    """
    transparent = image.info.get("transparency")
    if transparent is None or not image.tile:
        return
    expand = _EXPAND.get(str(image.tile[0][3]))
    if expand is None:
        return
    if isinstance(transparent, int):
        image.info["transparency"] = expand(transparent)
    elif isinstance(transparent, tuple):
        image.info["transparency"] = tuple(map(expand, transparent))


def without_metadata(data: bytes) -> bytes:
    """Return the file without the chunks that do not decide its pixels."""
    kept = [SIGNATURE]
    start = len(SIGNATURE)
    while start + 8 <= len(data):
        stop = start + 12 + int.from_bytes(data[start : start + 4], "big")
        kind, chunk = data[start + 4 : start + 8], data[start:stop]
        if kind in _KEPT or (kind in _KEPT_IF_INTACT and _is_intact(chunk)):
            kept.append(chunk)
        start = stop
    return b"".join(kept)


def _is_intact(chunk: bytes) -> bool:
    return zlib.crc32(chunk[4:-4]) == int.from_bytes(chunk[-4:], "big")
