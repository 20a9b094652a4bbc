"""Measure what a build costs beside decoding and resizing, in CPU time: build_overhead.py DIR OUT.

The first image is decoded, and stands for each: so nothing is subtracted that varies by more than
what is left.
"""

import sys
import time

from tfrec import build, scan_images
from tfrec.images import decode_image
from tfrec.operations.building import records


def main():
    directory, out = sys.argv[1:]
    source = scan_images(directory)
    decoded = []

    def decode_once(data, *, path, settings):
        if not decoded:
            decoded.append(decode_image(data, path=path, settings=settings))
        return decoded[0]

    records.decode_image = decode_once
    started = time.process_time()
    build(source, f"{out}.tfrecords", num_workers=1)
    seconds = time.process_time() - started
    print(f"seconds {seconds}")


main()
