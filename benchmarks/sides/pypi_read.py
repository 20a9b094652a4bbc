"""Read raw images into arrays with a reader of the package index; neither verifies checksums."""

import sys
import time

import numpy as np


def iterate(package, path):
    """Yield the pixels of each record as bytes."""
    if package == "tfrecord":
        from tfrecord import tfrecord_loader

        yield b""  # what comes next is measured
        description = {"label": "int", "img_raw": "byte"}
        for features in tfrecord_loader(path, None, description):
            yield features["img_raw"]
        return
    from tfrecord import example_pb2  # tfrecords has a reader, and no Example
    from tfrecords import tf_record_iterator

    yield b""
    for record in tf_record_iterator(path):
        example = example_pb2.Example.FromString(record)
        yield example.features.feature["img_raw"].bytes_list.value[0]


def main():
    path, package = sys.argv[1:]
    images = iterate(package, path)
    next(images)
    started = time.perf_counter()
    total = 0
    for pixels in images:
        total += int(np.frombuffer(pixels, np.uint8).reshape(256, 256, 3)[0, 0, 0])
    print(f"checksum {total}")
    print(f"seconds {time.perf_counter() - started}")


main()
