"""Decode and resize with OpenCV in threads; no file is written, and no odd image is handled."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2

cv2.setNumThreads(1)  # the threads are ours


def load(path):
    pixels = cv2.imread(str(path), cv2.IMREAD_COLOR)  # which turns the image upright
    resized = cv2.resize(pixels, (256, 256), interpolation=cv2.INTER_AREA)
    return len(cv2.cvtColor(resized, cv2.COLOR_BGR2RGB).tobytes())


def main():
    directory, num_threads = Path(sys.argv[1]), int(sys.argv[2])
    started = time.perf_counter()
    with ThreadPoolExecutor(num_threads) as executor:
        num_bytes = sum(executor.map(load, sorted(directory.glob("*/*"))))
    print(f"{num_bytes:,} bytes of pixels")
    print(f"seconds {time.perf_counter() - started}")


main()
