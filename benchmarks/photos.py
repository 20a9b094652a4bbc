"""Make a labelled directory of images that cost what photographs cost.

Each image is smooth noise of several octaves in three loosely coupled channels, a few soft shapes,
and the grain of a sensor: a 500x375 JPEG of it has 35 to 80 KB, as photographs of that size
have. The same arguments give the same pixels.

    python benchmarks/photos.py DIR --classes cat dog --images 8 --size 500x375
"""

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

Size = tuple[int, int]


def make_photo(size: Size, seed: int) -> Image.Image:
    """Return an image of `size` (width, height)."""
    random = np.random.default_rng(seed)
    pixels = _make_noise(size, random) + _make_shapes(size, random)
    grain = random.normal(scale=random.uniform(4, 14), size=pixels.shape)  # of the sensor
    pixels += grain.astype(np.float32)
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def _make_noise(size: Size, random: np.random.Generator) -> np.ndarray:
    """Return noise whose amplitude halves as its frequency doubles, about a random colour."""
    width, height = size
    total = np.zeros((height, width, 3), np.float32)
    cells, amplitude = 3, 60.0
    while amplitude > 1.5:
        shape = (cells * height // width + 2, cells + 2)
        grey = random.normal(size=(*shape, 1))
        octave = (0.8 * grey + 0.3 * random.normal(size=(*shape, 3))) * amplitude
        for channel in range(3):
            small = Image.fromarray(octave[..., channel].astype(np.float32))
            total[..., channel] += np.asarray(small.resize(size, Image.Resampling.BICUBIC))
        cells, amplitude = cells * 2, amplitude / 2
    return total + random.uniform(70, 170, size=3).astype(np.float32)


def _make_shapes(size: Size, random: np.random.Generator) -> np.ndarray:
    """Return soft-edged ellipses, brighter or darker than what is behind them."""
    width, height = size
    canvas = Image.new("RGB", size, (128, 128, 128))
    draw = ImageDraw.Draw(canvas)
    for _ in range(6):
        x, y = random.uniform(0, width), random.uniform(0, height)
        half_width, half_height = random.uniform(0.03, 0.25, size=2) * width
        colour = tuple(int(value) for value in random.integers(60, 200, size=3))
        draw.ellipse((x - half_width, y - half_height, x + half_width, y + half_height), colour)
    blurred = canvas.filter(ImageFilter.GaussianBlur(width / 400))
    return np.asarray(blurred, np.float32) - 128


def write_photo(path: Path, size: Size, seed: int) -> None:
    """Write one JPEG of quality 90."""
    make_photo(size, seed).save(path, quality=90)


def write_photos(directory: Path, classes: list[str], num_images: int, size: Size) -> None:
    """Write `num_images` JPEGs of each class."""
    paths = [
        directory / name / f"{number:05d}.jpg" for name in classes for number in range(num_images)
    ]
    for name in classes:
        (directory / name).mkdir(parents=True, exist_ok=True)
    write = partial(_write_numbered, size=size)
    if len(paths) < 100:
        list(map(write, paths, range(len(paths))))
        return
    with ProcessPoolExecutor(os.cpu_count()) as executor:
        list(executor.map(write, paths, range(len(paths)), chunksize=16))


def _write_numbered(path: Path, seed: int, size: Size) -> None:
    write_photo(path, size, seed)


def parse_size(text: str) -> Size:
    """Return (width, height) of `WIDTHxHEIGHT`."""
    width, height = map(int, text.split("x"))
    return width, height


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--classes", nargs="+", default=["cat", "dog"])
    parser.add_argument("--images", type=int, default=8, help="of each class (default: 8)")
    parser.add_argument("--size", type=parse_size, default="500x375", help="(default: 500x375)")
    options = parser.parse_args()
    write_photos(options.directory, options.classes, options.images, options.size)
    print(f"{len(options.classes) * options.images} photos in {options.directory}")


if __name__ == "__main__":
    main()
