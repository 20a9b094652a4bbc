"""Images as bytes: what a dataset stores, and what a dump writes.

`encode` gives the same bytes for the same pixels and the same version of Pillow, since the result
depends on the codec's own fields alone and no metadata is written. One more codec is one class and
one line in `CODECS`.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, cast

from PIL import Image

from tfrec.errors import ConfigError, ImageError, check_choice
from tfrec.images.decode import decode_image
from tfrec.images.decoded import DecodedImage, SourceInfo
from tfrec.images.jpeg import save_jpeg
from tfrec.images.settings import ImageSettings
from tfrec.images.sniff import SNIFF_BYTES, Buffer, describe_content, has_image_signature

_AS_STORED = ImageSettings(size=None)
_AS_STORED_GRAY = ImageSettings(size=None, grayscale=True)


class ImageCodec(Protocol):
    """Image <-> bytes. `suffix` is that of a file which holds the bytes, with its dot."""

    @property
    def name(self) -> str: ...

    @property
    def suffix(self) -> str: ...

    def encode(self, image: DecodedImage) -> bytes:
        """Return the image's bytes.

        Raises:
            ImageError: the format can't hold so large an image; it names no path.
        """
        ...

    def decode(
        self, data: Buffer, *, path: str, size: tuple[int, int] | None = None, channels: int = 3
    ) -> DecodedImage:
        """Return the image that `data` hold, with `channels` 1 or 3.

        Encoded images know their `size` (width, height) themselves; only raw pixels need it.

        Raises:
            ImageError: the bytes are no such image; `path` names it.
        """
        ...


@dataclass(frozen=True, slots=True)
class RawCodec:
    """Pixels as they are: height x width x channels bytes, row by row, RGB."""

    name: ClassVar[str] = "raw"
    suffix: ClassVar[str] = ".rgb"

    def encode(self, image: DecodedImage) -> bytes:
        return image.tobytes()

    def decode(
        self, data: Buffer, *, path: str, size: tuple[int, int] | None = None, channels: int = 3
    ) -> DecodedImage:
        if size is None:
            raise ConfigError("raw pixels need a size to be decoded")
        width, height = size
        if width < 1 or height < 1:
            raise ImageError(path, f"has the size {width}x{height}, and no image has that")
        mode = _raw_mode(channels)
        expected = width * height * channels
        if len(data) != expected:
            raise ImageError(
                path,
                f"holds {len(data)} bytes of raw pixels, and {width}x{height}x{channels} needs "
                f"{expected}{_length_hint(data, expected, channels)}",
            )
        # Any buffer will do for its decoder, which is in C; its annotation doesn't say so.
        pixels = Image.frombytes(mode, size, cast("bytes", data))
        source = SourceInfo("raw", mode, width, height, is_upright=True)
        return DecodedImage(pixels, source)


class _PillowCodec:
    """What the codecs that Pillow writes have in common."""

    __slots__ = ()

    def decode(
        self, data: Buffer, *, path: str, size: tuple[int, int] | None = None, channels: int = 3
    ) -> DecodedImage:
        gray = _raw_mode(channels) == "L"
        image = decode_image(
            bytes(data), path=path, settings=_AS_STORED_GRAY if gray else _AS_STORED
        )
        if size is not None and (image.width, image.height) != size:
            raise ImageError(
                path, f"is {image.width}x{image.height} pixels instead of {size[0]}x{size[1]}"
            )
        return image


@dataclass(frozen=True, slots=True)
class JpegCodec(_PillowCodec):
    """Baseline JPEG; `quality` from 1 to 100, and colour at half resolution below 95."""

    name: ClassVar[str] = "jpeg"
    suffix: ClassVar[str] = ".jpg"
    quality: int = 95

    def __post_init__(self) -> None:
        _check_quality(self.name, self.quality, lowest=1)

    def encode(self, image: DecodedImage) -> bytes:
        _check_sides(image, "JPEG")
        subsampling = 0 if self.quality >= 95 else 2
        return save_jpeg(image.pixels, quality=self.quality, subsampling=subsampling)


@dataclass(frozen=True, slots=True)
class PngCodec(_PillowCodec):
    """PNG; loses nothing."""

    name: ClassVar[str] = "png"
    suffix: ClassVar[str] = ".png"

    def encode(self, image: DecodedImage) -> bytes:
        return _save(image, "PNG")


@dataclass(frozen=True, slots=True)
class WebpCodec(_PillowCodec):
    """WebP; `quality` from 0 to 100."""

    name: ClassVar[str] = "webp"
    suffix: ClassVar[str] = ".webp"
    quality: int = 90

    def __post_init__(self) -> None:
        _check_quality(self.name, self.quality, lowest=0)

    def encode(self, image: DecodedImage) -> bytes:
        return _save(image, "WEBP", quality=self.quality)


CODECS: dict[str, Callable[..., ImageCodec]] = {
    RawCodec.name: RawCodec,
    JpegCodec.name: JpegCodec,
    PngCodec.name: PngCodec,
    WebpCodec.name: WebpCodec,
}


def make_codec(name: str, *, quality: int | None = None) -> ImageCodec:
    """Return the codec `name`, with its default quality if None.

    Raises:
        ConfigError: there is no such codec, or it has no such quality.
    """
    check_choice("codec", name, tuple(CODECS))
    if quality is None:
        return CODECS[name]()
    if name not in _WITH_QUALITY:
        raise ConfigError(f"quality {quality}: the encoding {name!r} has none")
    return CODECS[name](quality=quality)


_WITH_QUALITY = {JpegCodec.name, WebpCodec.name}


def _check_quality(name: str, quality: int, *, lowest: int) -> None:
    if not lowest <= quality <= 100:
        raise ConfigError(f"quality {quality}: the encoding {name!r} takes {lowest} to 100")


# libjpeg, jmorecfg.h: JPEG_MAX_DIMENSION; libwebp, encode.h: WEBP_MAX_DIMENSION. Both say so on
# standard error themselves, or not at all, so they are not asked.
_MAX_SIDES = {"JPEG": 65_500, "WEBP": 16_383}


def _save(image: DecodedImage, pillow_format: str, **options: int) -> bytes:
    _check_sides(image, pillow_format)
    target = io.BytesIO()
    image.pixels.save(target, pillow_format, **options)
    return target.getvalue()


def _check_sides(image: DecodedImage, pillow_format: str) -> None:
    max_side = _MAX_SIDES.get(pillow_format)
    if max_side is not None and max(image.width, image.height) > max_side:
        raise ImageError(
            "",
            f"is too large: {image.width}x{image.height} pixels, and {pillow_format} holds at most "
            f"{max_side} on a side",
        )


def _raw_mode(channels: int) -> str:
    modes = {1: "L", 3: "RGB"}
    if channels not in modes:
        raise ConfigError(f"channels {channels}: must be 1 or 3")
    return modes[channels]


def _length_hint(data: Buffer, expected: int, channels: int) -> str:
    """Guess what raw pixels of another length may be."""
    prefix = bytes(data[:SNIFF_BYTES])
    if has_image_signature(prefix):
        return f"; they begin {describe_content(prefix)}"
    found = len(data)
    if found == 4 * expected:
        return "; 4 times as many, so these may be values of 4 bytes (int32 or float32)"
    side = round((found / channels) ** 0.5)
    if found and side * side * channels == found:
        return f"; {side}x{side}x{channels} fits"
    return ""
