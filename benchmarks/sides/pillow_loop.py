"""What any program has to do with each image, in threads, and nothing else: no file is written."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from PIL import Image, ImageOps


def load(path):
    with Image.open(path) as image:
        upright = ImageOps.exif_transpose(image)
        return len(upright.convert("RGB").resize((256, 256)).tobytes())


def main():
    directory, num_threads = Path(sys.argv[1]), int(sys.argv[2])
    started = time.perf_counter()
    with ThreadPoolExecutor(num_threads) as executor:
        num_bytes = sum(executor.map(load, sorted(directory.rglob("*.jpg"))))
    print(f"{num_bytes:,} bytes of pixels")
    print(f"seconds {time.perf_counter() - started}")


main()
