"""Read every record into an array with tfrec; all checksums are verified."""

import sys
import time

import numpy as np

from tfrec.example import decode_example
from tfrec.wire import open_records


def main():
    started = time.perf_counter()
    total = 0
    with open(sys.argv[1], "rb") as stream:
        for record in open_records(stream, path=sys.argv[1]):
            features = decode_example(record.data)
            image = np.frombuffer(features["img_raw"].values[0], np.uint8).reshape(256, 256, 3)
            total += int(image[0, 0, 0])
    print(f"checksum {total}")
    print(f"seconds {time.perf_counter() - started}")


main()
