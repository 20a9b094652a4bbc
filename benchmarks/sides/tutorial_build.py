"""Build a dataset as TensorFlow tutorials do: Pillow, tf.train.Example, TFRecordWriter."""

import os
import sys
import time

import tensorflow as tf
from PIL import Image


def main():
    directory, out = sys.argv[1:]
    started = time.perf_counter()
    with tf.io.TFRecordWriter(out) as writer:
        for label, class_name in enumerate(sorted(os.listdir(directory))):
            class_directory = os.path.join(directory, class_name)
            for name in sorted(os.listdir(class_directory)):
                image = Image.open(os.path.join(class_directory, name)).resize((256, 256))
                pixels = tf.train.BytesList(value=[image.tobytes()])
                feature = {
                    "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
                    "img_raw": tf.train.Feature(bytes_list=pixels),
                }
                example = tf.train.Example(features=tf.train.Features(feature=feature))
                writer.write(example.SerializeToString())
    print(f"seconds {time.perf_counter() - started}")


main()
