"""The order of a split's images, and how they are cut into shards.

Sorted images are cut evenly. Shuffled ones are cut by ranges of their shuffle key, so that an image
that comes or goes changes one shard alone; the shards are then of about the same length only.
"""

from collections.abc import Sequence
from itertools import pairwise

from tfrec.images.settings import ImageSettings
from tfrec.source.image_source import ImageSource, LabelledImage
from tfrec.source.paths import sort_key
from tfrec.source.splits import shuffle_key

DEFAULT_SHARD_SIZE = 256 << 20  # inside the 64 MiB to 1 GiB that readers like

# Bytes a pixel of photographs of 256x256 pixels, with the codecs' own qualities.
_BYTES_PER_PIXEL = {"raw": 3.0, "jpeg": 0.5, "png": 1.8, "webp": 0.35, "original": 0.5}
_OVERHEAD = 100  # keys, label and framing
_USUAL_PIXELS = 500 * 375  # where each image keeps its own size


def estimate_record_size(image: ImageSettings, encoding: str) -> int:
    """Return about how many bytes a record takes; exact to a few bytes for raw pixels."""
    pixels = _USUAL_PIXELS if image.size is None else image.size[0] * image.size[1]
    channels_share = 1 / 3 if image.grayscale else 1
    return round(pixels * _BYTES_PER_PIXEL[encoding] * channels_share) + _OVERHEAD


def cut_evenly(images: Sequence[LabelledImage], num_parts: int) -> list[Sequence[LabelledImage]]:
    """Cut a sequence into parts whose lengths differ by one at most, the longer ones first."""
    length, num_longer = divmod(len(images), num_parts)
    starts = [part * length + min(part, num_longer) for part in range(num_parts + 1)]
    return [images[start:end] for start, end in pairwise(starts)]


def cut_shuffled(
    source: ImageSource, num_parts: int, *, seed: int
) -> list[Sequence[LabelledImage]]:
    """Shuffle by the keyed hash of the paths, and cut at equal distances of the hash."""
    keyed = sorted((shuffle_key(image.path, seed), sort_key(image.path), image) for image in source)
    parts: list[list[LabelledImage]] = [[] for _ in range(num_parts)]
    for key, _, image in keyed:
        parts[int.from_bytes(key) * num_parts >> (8 * len(key))].append(image)
    return list(parts)
