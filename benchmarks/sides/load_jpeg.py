"""Read records of JPEG images into arrays: python load_jpeg.py FILE tfrec|tensorflow THREADS."""

import sys
import time


def load_with_tfrec(path, num_threads):
    from tfrec import open as open_dataset
    from tfrec.loading import Loader, ReadOptions

    options = ReadOptions(batch_size=32, num_threads=num_threads)
    batches = Loader(open_dataset(path), options)
    yield  # what comes next is measured
    for batch in batches:
        yield from batch.images


def load_with_tensorflow(path, num_threads):
    import tensorflow as tf

    feature = {"image/encoded": tf.io.FixedLenFeature([], tf.string)}

    def decode(serialized):
        encoded = tf.io.parse_single_example(serialized, feature)["image/encoded"]
        return tf.io.decode_jpeg(encoded, channels=3)

    yield
    images = tf.data.TFRecordDataset(path).map(decode, num_parallel_calls=num_threads)
    for batch in images.batch(32).prefetch(2).as_numpy_iterator():
        yield from batch


def main():
    path, way, num_threads = sys.argv[1:]
    load = load_with_tfrec if way == "tfrec" else load_with_tensorflow
    images = load(path, int(num_threads))
    next(images)
    started = time.perf_counter()
    total = sum(int(image[0, 0, 0]) for image in images)
    print(f"checksum {total}")
    print(f"seconds {time.perf_counter() - started}")


main()
