"""What any program has to do with each image, in threads, and nothing else: no file is written.

python pillow_loop.py DIR THREADS [decode]    decode leaves out the resizing
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from PIL import Image, ImageOps


def load(path):
    with Image.open(path) as image:
        upright = ImageOps.exif_transpose(image)
        return len(upright.convert("RGB").resize((256, 256)).tobytes())


def decode(path):
    with Image.open(path) as image:
        image.load()
        return image.width * image.height * 3


def main():
    directory, num_threads = Path(sys.argv[1]), int(sys.argv[2])
    work = decode if sys.argv[3:] == ["decode"] else load
    started = time.perf_counter()
    with ThreadPoolExecutor(num_threads) as executor:
        num_bytes = sum(executor.map(work, sorted(directory.glob("*/*"))))
    print(f"{num_bytes:,} bytes of pixels")
    print(f"seconds {time.perf_counter() - started}")


main()
