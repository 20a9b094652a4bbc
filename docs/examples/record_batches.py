"""TFRecord files read for training, shuffled and without end, and for a test, once and in order.

    python record_batches.py train.tfrecords test.tfrecords

The records are those of `tfrec build`: `label`, an int64, and `img_raw`, 256x256x3 bytes.
"""

import sys
from collections.abc import Callable

import numpy as np

from tfrec.errors import OutOfRangeError
from tfrec.example import FixedLenFeature, decode_raw, parse_single_example
from tfrec.pipeline import (
    Coordinator,
    TFRecordReader,
    batch,
    shuffle_batch,
    start_queue_runners,
    string_input_producer,
)

Use = Callable[[np.ndarray, np.ndarray], None]

FEATURES = {
    "label": FixedLenFeature([], "int64"),
    "img_raw": FixedLenFeature([], "string"),
}


def decode(record: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return an image as float32 from -0.5 to 0.5, and its label."""
    features = parse_single_example(record, FEATURES)
    image = decode_raw(features["img_raw"], np.uint8).reshape(256, 256, 3)
    return image.astype(np.float32) / 255 - 0.5, features["label"]


def train_on(names: list[str], train: Use, num_steps: int) -> None:
    """Call `train` with `num_steps` batches; each epoch has an order of its own."""
    with Coordinator():
        files = string_input_producer(names, shuffle=True)
        reader = TFRecordReader()

        def sample() -> tuple[np.ndarray, np.ndarray]:
            _, record = reader.read(files)
            return decode(record)

        batches = shuffle_batch(sample, 3, capacity=20, min_after_dequeue=10, num_threads=2)
        for _, (images, labels) in zip(range(num_steps), batches, strict=False):
            train(images, labels)


def test_on(names: list[str], test: Use) -> None:
    """Call `test` with all records once and in order, in the form that TensorFlow 1 has it."""
    coord = Coordinator()
    files = string_input_producer(names, num_epochs=1, shuffle=False)
    reader = TFRecordReader()
    batches = batch(
        lambda: decode(reader.read(files)[1]),
        batch_size=3,
        capacity=20,
        allow_smaller_final_batch=True,
    )
    threads = start_queue_runners(coord=coord)
    try:
        while not coord.should_stop():
            test(*batches.get())
    except OutOfRangeError:
        pass  # all records came
    finally:
        coord.request_stop()
        coord.join(threads)  # raises what a thread met


if __name__ == "__main__":
    train_on([sys.argv[1]], lambda images, labels: print("train", images.shape, labels), 10)
    test_on([sys.argv[2]], lambda images, labels: print("test", images.shape, labels))
