"""Read every record into an array with tf.data."""

import sys
import time

import tensorflow as tf

FEATURES = {
    "label": tf.io.FixedLenFeature([], tf.int64),
    "img_raw": tf.io.FixedLenFeature([], tf.string),
}


def parse(serialized):
    features = tf.io.parse_single_example(serialized, FEATURES)
    pixels = tf.io.decode_raw(features["img_raw"], tf.uint8)
    return tf.reshape(pixels, [256, 256, 3]), features["label"]


def main():
    started = time.perf_counter()
    dataset = tf.data.TFRecordDataset(sys.argv[1]).map(parse, tf.data.AUTOTUNE)
    total = sum(int(image[0, 0, 0]) for image, _ in dataset.prefetch(32).as_numpy_iterator())
    print(f"checksum {total}")
    print(f"seconds {time.perf_counter() - started}")


main()
