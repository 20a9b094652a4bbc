"""How time and memory grow with the number of images, and how much is installed.

The images are hard links to a few tiny ones, so that tens of thousands are made in seconds; what is
measured is what remains when decoding costs nothing.
"""

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from measure import Measurement, measure
from tasks import TFREC

HERE = Path(__file__).parent
_PACKAGES = ("click", "pillow", "numpy", "tqdm", "protobuf", "google-crc32c", "crcmod")


class Growth(NamedTuple):
    """One command on a smaller and on a larger number of images."""

    command: str
    small: Measurement
    large: Measurement
    num_small: int
    num_large: int

    @property
    def bytes_per_image(self) -> float:
        """By how much the peak of memory grows with each image."""
        difference = self.large.peak_mib - self.small.peak_mib
        return difference * 2**20 / (self.num_large - self.num_small)

    @property
    def seconds_per_image(self) -> float:
        """By how much the time grows with each image."""
        return (self.large.seconds - self.small.seconds) / (self.num_large - self.num_small)

    def at(self, num_images: int) -> tuple[float, float]:
        """Return seconds and MiB for a number of images, on the line through both."""
        further = num_images - self.num_large
        return (
            self.large.seconds + further * self.seconds_per_image,
            self.large.peak_mib + further * self.bytes_per_image / 2**20,
        )


def measure_growth(scratch: Path, num_images: int) -> list[Growth]:
    """Run each command on a hundredth of the images, and on all."""
    num_small = max(num_images // 100, 1)
    runs = [_run_commands(scratch / str(number), number) for number in (num_small, num_images)]
    return [Growth(name, runs[0][name], runs[1][name], num_small, num_images) for name in runs[0]]


def _run_commands(scratch: Path, num_images: int) -> dict[str, Measurement]:
    print(f"growth: {num_images:,} images", file=sys.stderr)
    scratch.mkdir()
    photos, dataset = scratch / "photos", scratch / "dataset"
    _make_links(photos, num_images)
    commands = {
        "build": ["build", photos, dataset, "--size", "16x16"],
        "build again": ["build", photos, dataset, "--size", "16x16"],
        "inspect": ["inspect", dataset],
        "verify": ["verify", dataset],
        "index": ["index", dataset],
        "reshard": ["reshard", dataset, scratch / "other"],
        "dump": ["dump", dataset, scratch / "dumped"],
    }
    return {name: measure([TFREC, *map(str, arguments)]) for name, arguments in commands.items()}


def _make_links(photos: Path, num_images: int) -> None:
    """Make a directory of tiny images, 10,000 a class."""
    photos.mkdir()
    make = [sys.executable, HERE / "photos.py", photos.parent / "originals", "--classes", "tiny"]
    subprocess.run([*make, "--images", "100", "--size", "24x18"], stdout=sys.stderr, check=True)
    originals = sorted(photos.parent.glob("originals/tiny/*"))
    for number in range(num_images):
        folder = photos / f"class{number // 10_000:03}"
        if number % 10_000 == 0:
            folder.mkdir()
        os.link(originals[number % len(originals)], folder / f"{number:07}.jpg")


def measure_installation() -> dict[str, float]:
    """Return the size of each package of the base install on disk, in MB, without caches."""
    return {name: _size_of(name) for name in ("tfrec-builder", *_PACKAGES)}


def _size_of(name: str) -> float:
    """Return MB; tfrec itself may be a checkout, whose files no record lists."""
    if name == "tfrec-builder":
        package = Path(__file__).parent.parent / "tfrec"
        return sum(path.stat().st_size for path in package.rglob("*.py")) / 1e6
    files = metadata.files(name) or []
    paths = (Path(str(file.locate())) for file in files if "__pycache__" not in str(file))
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6
