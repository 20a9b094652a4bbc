"""The image of a record: encoded, or raw pixels whose size is said elsewhere.

Bytes that are just as many as raw pixels of the size that is said are raw pixels, whatever they
begin with: a dark picture can begin like an icon.
"""

from collections.abc import Mapping

from tfrec.dataset.description import RecordFile
from tfrec.errors import ImageError
from tfrec.example import FeatureValue
from tfrec.images import (
    SNIFF_BYTES,
    DecodedImage,
    ImageSettings,
    decode_image,
    describe_content,
    make_codec,
    sniff_format,
)
from tfrec.schema.detect import find_stored_size, guess_raw_size

_AS_STORED = ImageSettings(size=None)


def decode_stored_image(
    data: bytes, features: Mapping[str, FeatureValue], file: RecordFile
) -> DecodedImage:
    """Decode `data`, the image among the features of a record of `file`.

    Raises:
        ImageError: it doesn't decode.
    """
    pixels = find_raw_pixels(data, features, file)
    return pixels or decode_image(data, path=file.path, settings=_AS_STORED)


def find_raw_pixels(
    data: bytes,
    features: Mapping[str, FeatureValue],
    file: RecordFile,
    *,
    size: tuple[int, int] | None = None,
) -> DecodedImage | None:
    """Return the image whose raw pixels `data` is; None where it is an encoded image.

    The features say its size, or the manifest of the file, or else `size` (width, height). Where
    nobody does, a square is taken for one.

    Raises:
        ImageError: the bytes are neither an encoded image nor as many as the size asks for.
    """
    is_encoded = sniff_format(data[:SNIFF_BYTES]) is not None
    size = find_stored_size(features) or file.image_size or size
    if size is not None:
        width, height = size
        channels = 1 if len(data) == width * height else 3
        if is_encoded and len(data) != width * height * channels:
            return None
    elif is_encoded:
        return None
    else:
        guessed = guess_raw_size(len(data))
        if guessed is None:
            words = describe_content(data[:SNIFF_BYTES]) or "not of any format known"
            raise ImageError(file.path, f"holds {len(data):,} bytes, and is {words}")
        width, height, channels = guessed
    return make_codec("raw").decode(data, path=file.path, size=(width, height), channels=channels)
