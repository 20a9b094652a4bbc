"""Read and parse small records in batches of 256 into arrays: FILE tfrec|tensorflow."""

import sys
import time
from itertools import islice

BATCH_SIZE = 256


def parse_with_tfrec(path):
    from tfrec import FixedLenFeature, open_records, parse_example

    features = {
        "id": FixedLenFeature([], "int64"),
        "vector": FixedLenFeature([20], "float32"),
        "name": FixedLenFeature([], "string"),
    }
    yield  # what comes next is measured
    with open(path, "rb") as stream:
        records = open_records(stream, path=path)
        while batch := [record.data for record in islice(records, BATCH_SIZE)]:
            yield parse_example(batch, features)


def parse_with_tensorflow(path):
    import tensorflow as tf

    features = {
        "id": tf.io.FixedLenFeature([], tf.int64),
        "vector": tf.io.FixedLenFeature([20], tf.float32),
        "name": tf.io.FixedLenFeature([], tf.string),
    }
    yield
    batches = tf.data.TFRecordDataset(path).batch(BATCH_SIZE)
    parsed = batches.map(lambda batch: tf.io.parse_example(batch, features))
    yield from parsed.prefetch(2).as_numpy_iterator()


def main():
    path, way = sys.argv[1:]
    parse = parse_with_tfrec if way == "tfrec" else parse_with_tensorflow
    batches = parse(path)
    next(batches)
    started = time.perf_counter()
    total = sum(int(batch["id"].sum()) for batch in batches)
    print(f"checksum {total}")
    print(f"seconds {time.perf_counter() - started}")


main()
