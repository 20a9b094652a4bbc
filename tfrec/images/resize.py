"""Bring pixels to the wanted size."""

from PIL import Image, ImageOps

from tfrec.images.settings import ImageSettings


def resize_image(image: Image.Image, settings: ImageSettings) -> Image.Image:
    """Return `image`, of mode L or RGB, in the size that `settings` ask for.

    An image of that size already is returned as it is, so that no filter touches its pixels.
    """
    size = settings.size
    if size is None or image.size == size:
        return image
    resample = Image.Resampling[settings.resample.upper()]
    match settings.resize:
        case "stretch":
            return image.resize(size, resample)
        case "crop":
            return ImageOps.fit(image, size, resample)
        case "fit":
            return _fit(image, size, resample)
        case "pad":
            return _pad(_fit(image, size, resample), size, settings)


def _fit(image: Image.Image, size: tuple[int, int], resample: Image.Resampling) -> Image.Image:
    scale = min(size[0] / image.width, size[1] / image.height)
    # At least 1, which `ImageOps.contain` forgets for an image 1,000 times as wide as high.
    inner = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    return image if image.size == inner else image.resize(inner, resample)


def _pad(image: Image.Image, size: tuple[int, int], settings: ImageSettings) -> Image.Image:
    if image.size == size:
        return image
    if settings.grayscale:
        canvas = Image.new("RGB", size, settings.background).convert("L")
    else:
        canvas = Image.new("RGB", size, settings.background)
    left, top = ((outer - inner) // 2 for outer, inner in zip(size, image.size, strict=True))
    canvas.paste(image, (left, top))
    return canvas
