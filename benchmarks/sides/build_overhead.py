"""Measure what a build costs beside decoding and resizing, in CPU time: build_overhead.py DIR OUT.

The same images are decoded alone and built, in turns; the seconds are the median of the differences.
"""

import statistics
import sys
import time
from pathlib import Path

from tfrec import ImageSettings, build, scan_images
from tfrec.images import decode_image, kept_pixel_memory

NUM_TURNS = 3


def decode_alone(contents):
    started = time.process_time()
    with kept_pixel_memory():
        for content in contents:
            decode_image(content, path="", settings=ImageSettings())
    return time.process_time() - started


def build_whole(source, out):
    started = time.process_time()
    build(source, out, num_workers=1)
    return time.process_time() - started


def main():
    directory, out = sys.argv[1:]
    source = scan_images(directory)
    contents = [path.read_bytes() for path in Path(directory).glob("*/*")]
    differences = []
    for turn in range(NUM_TURNS):
        alone = decode_alone(contents)
        differences.append(build_whole(source, f"{out}-{turn}.tfrecords") - alone)
    print(f"{len(contents)} images")
    print(f"seconds {statistics.median(differences)}")


main()
