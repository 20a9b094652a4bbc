"""Read the frames of small records, checksums verified, and parse nothing: FILE tfrec|tensorflow."""

import sys
import time


def batch_with_tfrec(path):
    from tfrec import open_records

    yield []  # what comes next is measured
    with open(path, "rb") as stream:
        yield from open_records(stream, path=path).batches()


def batch_with_tensorflow(path):
    import tensorflow as tf

    yield []
    yield from tf.data.TFRecordDataset(path).batch(4096)


def main():
    path, way = sys.argv[1:]
    batches = (batch_with_tfrec if way == "tfrec" else batch_with_tensorflow)(path)
    next(batches)
    started = time.perf_counter()
    print(f"{sum(map(len, batches))} records")
    print(f"seconds {time.perf_counter() - started}")


main()
