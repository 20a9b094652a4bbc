"""Which features of a record are its image and its label, by the keys that the field uses.

The order of the candidates is that in which they are looked for: `image/encoded` says more than
`image`, which some writers use for a file name.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tfrec.example import BytesList, FeatureValue, FloatList, Int64List

IMAGE_KEYS = (
    "image/encoded",
    "image",
    "image_bytes",
    "jpg",
    "png",
    "webp",
    "image_raw",
    "img_raw",
    "data",
)
LABEL_KEYS = ("image/class/label", "label", "class", "target", "image/class/text")
_IMAGE_RANKS = {key: rank for rank, key in enumerate(IMAGE_KEYS)}
_LABEL_RANKS = {key: rank for rank, key in enumerate(LABEL_KEYS)}
FILENAME_KEYS = ("image/filename", "filename", "image_name", "image/source_id", "key", "id")
_SIZE_KEYS = (
    ("image/width", "image/height"),
    ("width", "height"),
    ("image_width", "image_height"),
)

# Name, the keys that all must be there, the keys of which one must; the first that fits is meant.
_SCHEMAS: tuple[tuple[str, frozenset[str], frozenset[str]], ...] = tuple(
    (name, frozenset(needed.split()), frozenset(one_of.split()))
    for name, needed, one_of in (
        (
            "imagenet",
            "image/encoded image/class/label",
            "image/class/text image/class/synset image/colorspace image/channels",
        ),
        ("slim", "image/encoded image/class/label", ""),
        (
            "od",
            "image/height image/width",
            "image/object/bbox/xmin image/object/class/label image/object/class/text",
        ),
        ("raw", "img_raw label", ""),
        ("fiftyone", "image_bytes filename", ""),
        ("img2dataset", "key", "jpg png webp"),
        ("tfrecorder", "image image_name image_height image_width", ""),
        ("img2tensor", "data shape dtype", ""),
        ("stylegan", "data shape", ""),
        ("kaggle", "image", "class target id image_name"),
        ("tfds", "image label", ""),
    )
)


class ImageKeys(NamedTuple):
    """The keys of a record's image and label; None where it has none."""

    image: str | None
    label: str | None


def find_image_keys(features: Mapping[str, FeatureValue]) -> ImageKeys:
    """Return which features of a decoded Example are its image and its label."""
    # Loops over the few keys of a record, not over the many candidates: they run once a record.
    images = [key for key in features if key in _IMAGE_RANKS and _is_image(features[key])]
    labels = [key for key in features if key in _LABEL_RANKS and _is_label(features[key])]
    return ImageKeys(
        min(images, key=_IMAGE_RANKS.__getitem__, default=None),
        min(labels, key=_LABEL_RANKS.__getitem__, default=None),
    )


def detect_schema(keys: Iterable[str]) -> str | None:
    """Name the schema whose features these are, or None where it is no known one."""
    present = set(keys)
    return next(
        (
            name
            for name, needed, one_of in _SCHEMAS
            if needed <= present and (not one_of or one_of & present)
        ),
        None,
    )


def find_filename(features: Mapping[str, FeatureValue]) -> str | None:
    """Return the name of the image file that a record was made of, where the record says it."""
    for key in FILENAME_KEYS:
        value = features.get(key)
        if isinstance(value, BytesList) and len(value.values) == 1:
            return bytes(value.values[0]).decode(errors="surrogateescape")
    return None


def find_stored_size(features: Mapping[str, FeatureValue]) -> tuple[int, int] | None:
    """Return (width, height) as the record's own features give them, or None."""
    for width_key, height_key in _SIZE_KEYS:
        width, height = features.get(width_key), features.get(height_key)
        if (
            isinstance(width, Int64List)
            and isinstance(height, Int64List)
            and len(width.values) == len(height.values) == 1
        ):
            return width.values[0], height.values[0]
    shape = features.get("shape")
    if isinstance(shape, Int64List) and len(shape.values) == 3:
        first, second, third = shape.values
        return (third, second) if find_planes(features) is not None else (second, first)
    return None


def find_planes(features: Mapping[str, FeatureValue]) -> tuple[int, int, int] | None:
    """Return (channels, height, width) of raw pixels that are stored one channel after the other.

    StyleGAN's files are so; where `shape` ends in the channels, it is not meant.
    """
    shape = features.get("shape")
    if not isinstance(shape, Int64List) or len(shape.values) != 3:
        return None
    first, second, third = shape.values
    return (first, second, third) if first in (1, 3) and third not in (1, 3) else None


def guess_raw_size(num_bytes: int) -> tuple[int, int, int] | None:
    """Return (width, height, channels) of a square image of raw pixels, or None."""
    for channels in (3, 1):
        side = round((num_bytes / channels) ** 0.5)
        if side and side * side * channels == num_bytes:
            return side, side, channels
    return None


def _is_image(value: FeatureValue) -> bool:
    return isinstance(value, BytesList) and len(value.values) == 1


def _is_label(value: FeatureValue) -> bool:
    return not isinstance(value, FloatList) and len(value.values) == 1
