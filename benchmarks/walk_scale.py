"""Scan a million images in a thousand classes: time and peak memory.

    python benchmarks/walk_scale.py [--directory /dev/shm/walk_scale] [--images 1000000]

The files are empty and are removed at the end; a million need about a gigabyte of a tmpfs. The aims:
under 10 s, under 500 MB, and at most 200 bytes an image above the file names.
"""

import argparse
import os
import resource
import shutil
import sys
import time

from tfrec.source.splits import SplitSpec, assign_splits
from tfrec.source.walk import scan_images
from tfrec.storage import LocalStorage

NUM_CLASSES = 1_000


def make_files(directory, num_images):
    for number in range(NUM_CLASSES):
        folder = os.path.join(directory, f"class_{number:04}")
        os.makedirs(folder)
        for image in range(number, num_images, NUM_CLASSES):
            os.close(os.open(os.path.join(folder, f"image_{image:08}.jpg"), os.O_CREAT))


def peak_bytes():
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def report(step, source, *, before, start):
    seconds = time.perf_counter() - start
    peak = peak_bytes()
    per_image = (peak - before) / source.num_images
    name = sum(len(path) for paths in source.paths for path in paths) / source.num_images
    print(
        f"{step}: {source.num_images:,} images in {seconds:.2f} s, peak {peak / 1e6:.0f} MB, "
        f"{per_image - name:.0f} bytes an image above its name of {name:.0f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--directory", default="/dev/shm/walk_scale")
    parser.add_argument("--images", type=int, default=1_000_000)
    options = parser.parse_args()
    try:
        make_files(options.directory, options.images)
        before = peak_bytes()
        start = time.perf_counter()
        source = scan_images(options.directory, storage=LocalStorage())
        report("scan", source, before=before, start=start)
        start = time.perf_counter()
        spec = SplitSpec.parse("train=0.8,validation=0.1,test=0.1")
        assign_splits(source, spec, seed=0)
        report("split", source, before=before, start=start)
    finally:
        shutil.rmtree(options.directory)


if __name__ == "__main__":
    main()
