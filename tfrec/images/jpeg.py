"""What Pillow leaves unchecked in a JPEG file, ways around broken metadata and around the GIL.

A file is a row of segments: FF, a marker, and for most markers a length and that many bytes less
two (ITU-T T.81, annex B). Entropy-coded data follow a scan's header; in them FF is always escaped,
so the next FF D9 after the first scan's header is the end of the image. A thumbnail, which has an
end of its own, lies inside a segment before it.
"""

import contextlib
import io
from collections.abc import Iterator

from PIL import Image

from tfrec.storage.memory_file import open_memory_file

SIGNATURE = b"\xff\xd8\xff"

_END_OF_IMAGE = b"\xff\xd9"
_START_OF_SCAN = 0xDA
_HUFFMAN_CODED_FRAMES = {0xC0, 0xC1, 0xC2}
_ALONE = {0x01, *range(0xD0, 0xD9)}
"""Markers without a length."""

# EXIF tells the orientation; Adobe's segment tells whether CMYK is inverted.
_NEEDED_METADATA = {0xE1, 0xEE}
_METADATA = {*range(0xE0, 0xF0), 0xFE} - _NEEDED_METADATA


def has_end_of_image(data: bytes) -> bool:
    """Tell whether the image's end marker is there; whatever may follow it.

    A download that was cut and filled up with zero bytes has none, and libjpeg takes the zeros for
    pixels.
    """
    if data.endswith(_END_OF_IMAGE):
        return True
    start = next((at for marker, at, _ in _segments(data) if marker == _START_OF_SCAN), 0)
    return data.find(_END_OF_IMAGE, start) >= 0


def save_jpeg(pixels: Image.Image, **options: int) -> bytes:
    """Return what Pillow writes, encoded without the GIL where the system has files in memory.

    Pillow encodes with the GIL (its `encode`) into whatever has no descriptor, and without it
    (`encode_to_file`) into a file: the same bytes, for 2 threads in 0.6 to 0.75 of the time.
    """
    # A limit of file sizes is an OSError, or, where it cuts short the last write, a missing end.
    with contextlib.suppress(OSError), open_memory_file() as file:
        pixels.save(file, "JPEG", **options)
        file.seek(0)
        content = file.read()
        if content.endswith(_END_OF_IMAGE):
            return content
    target = io.BytesIO()
    pixels.save(target, "JPEG", **options)
    return target.getvalue()


def count_scans(data: bytes) -> int:
    """Count the passes over the image; a few too many where a thumbnail has its own."""
    return data.count(bytes([0xFF, _START_OF_SCAN]))


def ends_in_mid_gray(image: Image.Image) -> bool:
    """Tell whether the last pixel is what libjpeg draws where a file has no data: exactly 128.

    A photo has it rarely, bars around one may.
    """
    last = image.getpixel((image.width - 1, image.height - 1))
    return set(last if isinstance(last, tuple) else (last,)) <= _MID_GRAY


_MID_GRAY = {128, 127}  # the latter in inverted CMYK


def with_more_data(data: bytes) -> bytes | None:
    """Return the file with more data in its last scan; a whole image decodes the same.

    Whatever follows the last block is skipped up to the end marker. Where blocks are missing, it is
    decoded in their place. None where that isn't so: arithmetic coding reads on.
    """
    frame, start = None, 0
    for marker, at, _ in _segments(data):
        if marker in _HUFFMAN_CODED_FRAMES:
            frame = marker
        start = at
    end = data.find(_END_OF_IMAGE, start)
    return None if frame is None or end < 0 else data[:end] + _MORE_DATA + data[end:]


# Any codes, and all restart markers, one of which may be due.
_MORE_DATA = b"".join(bytes([*range(255), 0xFF, 0xD0 + number]) for number in range(8))


def without_metadata(data: bytes) -> bytes:
    """Return the file without the segments that do not decide its pixels."""
    kept = [data[:2]]
    for marker, start, stop in _segments(data):
        if marker == _START_OF_SCAN:
            kept.append(data[start:])
            break
        if marker not in _METADATA:
            kept.append(data[start:stop])
    return b"".join(kept)


def _segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield marker, start and stop of each segment, up to the first scan's header."""
    start = data.find(0xFF, 2)
    while 0 <= start <= len(data) - 4:
        marker = data[start + 1]
        if marker in (0x00, 0xFF):
            start = data.find(0xFF, start + 1)
            continue
        length = 0 if marker in _ALONE else int.from_bytes(data[start + 2 : start + 4], "big")
        stop = start + 2 + length
        yield marker, start, stop
        if marker == _START_OF_SCAN:
            return
        start = data.find(0xFF, stop)
