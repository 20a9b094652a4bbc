"""How far the pixels of `--fast` are from the exact ones: python quality.py DIR.

Prints the number of photos, and the least and the mean PSNR in decibels; 40 dB is what the setting
promises on photos.
"""

import math
import sys
from pathlib import Path

import numpy as np

from tfrec.errors import ImageError
from tfrec.images import ImageSettings, decode_image

_MOST_PHOTOS = 200


def psnr(exact: bytes, fast: bytes) -> float:
    """Return the peak signal-to-noise ratio of 8-bit values; infinite for equal ones."""
    difference = np.frombuffer(exact, np.uint8).astype(float) - np.frombuffer(fast, np.uint8)
    error = float(np.square(difference).mean())
    return 10 * math.log10(255**2 / error) if error else math.inf


def compare(directory: Path) -> list[float]:
    """Return the PSNR of each photo that isn't the same by both settings."""
    values = []
    for path in sorted(directory.glob("*/*"))[:_MOST_PHOTOS]:
        data = path.read_bytes()
        try:
            exact, fast = (
                decode_image(data, path=path.name, settings=ImageSettings(fast=is_fast)).tobytes()
                for is_fast in (False, True)
            )
        except ImageError:
            continue
        values.append(psnr(exact, fast))
    return [value for value in values if value < math.inf]


def main() -> None:
    values = compare(Path(sys.argv[1]))
    print(len(values), min(values, default=math.inf), sum(values) / max(len(values), 1))


if __name__ == "__main__":
    main()
