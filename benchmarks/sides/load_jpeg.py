"""Read records of JPEG images into arrays: python load_jpeg.py FILE WAY THREADS.

tfrec         by its loader
tensorflow    by tf.data
pillow        by Pillow alone: the encoded images are in memory before, and go into no batches
"""

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


def load_with_pillow(path, num_threads):
    import io
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np
    from PIL import Image

    from tfrec import open as open_dataset

    encoded = [features["image/encoded"].values[0] for features in open_dataset(path).examples()]
    groups = [encoded[start : start + 8] for start in range(0, len(encoded), 8)]

    def decode(group):
        return [int(np.asarray(Image.open(io.BytesIO(data)))[0, 0, 0]) for data in group]

    yield
    with ThreadPoolExecutor(num_threads) as executor:
        for values in executor.map(decode, groups):
            yield from (np.full((1, 1, 1), value) for value in values)


def main():
    path, way, num_threads = sys.argv[1:]
    images = WAYS[way](path, int(num_threads))
    next(images)
    started = time.perf_counter()
    total = sum(int(image[0, 0, 0]) for image in images)
    print(f"checksum {total}")
    print(f"seconds {time.perf_counter() - started}")


WAYS = {"tfrec": load_with_tfrec, "tensorflow": load_with_tensorflow, "pillow": load_with_pillow}
main()
