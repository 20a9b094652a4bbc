"""Build a dataset with tf.data: decode, antialiased bicubic, serialize, TFRecordWriter."""

import sys
import time
from pathlib import Path

import tensorflow as tf


def load(path, label):
    pixels = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    resized = tf.image.resize(pixels, [256, 256], method="bicubic", antialias=True)
    return tf.cast(tf.clip_by_value(tf.round(resized), 0, 255), tf.uint8), label


def main():
    directory, out, num_threads = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    started = time.perf_counter()
    classes = sorted(path.name for path in directory.iterdir())
    paths = sorted(map(str, directory.glob("*/*")))
    labels = [classes.index(Path(path).parent.name) for path in paths]
    images = tf.data.Dataset.from_tensor_slices((paths, labels))
    images = images.map(load, num_parallel_calls=num_threads).prefetch(8)
    with tf.io.TFRecordWriter(out) as writer:
        for pixels, label in images.as_numpy_iterator():
            value = tf.train.BytesList(value=[pixels.tobytes()])
            feature = {
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
                "img_raw": tf.train.Feature(bytes_list=value),
            }
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())
    print(f"seconds {time.perf_counter() - started}")


main()
