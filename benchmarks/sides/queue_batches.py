"""Batches of raw images through queues: python queue_batches.py FILE tfrec|tensorflow THREADS."""

import sys
import time

BATCH_SIZE = 32
SHAPE = (256, 256, 3)


def batch_with_tfrec(path, num_threads):
    from tfrec.example import ExampleParser, FixedLenFeature, decode_raw
    from tfrec.pipeline import Coordinator, TFRecordReader, batch, string_input_producer

    parser = ExampleParser(
        {"label": FixedLenFeature([], "int64"), "img_raw": FixedLenFeature([], "string")},
        copy=False,
    )
    yield  # what comes next is measured
    with Coordinator():
        file_names = string_input_producer([path], num_epochs=1, shuffle=False)
        reader = TFRecordReader()

        def sample():
            _, serialized = reader.read(file_names)
            example = parser.parse(serialized)
            image = decode_raw(example["img_raw"], "uint8", copy=False)
            return image.reshape(SHAPE), example["label"]

        yield from batch(
            sample, BATCH_SIZE, num_threads=num_threads, allow_smaller_final_batch=True
        )


def batch_with_tensorflow(path, num_threads):
    import tensorflow.compat.v1 as tf

    tf.disable_eager_execution()
    tf.logging.set_verbosity(tf.logging.ERROR)
    features = {
        "label": tf.FixedLenFeature([], tf.int64),
        "img_raw": tf.FixedLenFeature([], tf.string),
    }
    yield
    file_names = tf.train.string_input_producer([path], num_epochs=1, shuffle=False)
    _, serialized = tf.TFRecordReader().read(file_names)
    example = tf.parse_single_example(serialized, features)
    image = tf.reshape(tf.decode_raw(example["img_raw"], tf.uint8), SHAPE)
    batch = tf.train.batch(
        [image, example["label"]],
        BATCH_SIZE,
        num_threads=num_threads,
        allow_smaller_final_batch=True,
    )
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            while True:
                yield session.run(batch)
        except tf.errors.OutOfRangeError:
            coordinator.request_stop()
            coordinator.join(threads)


def main():
    path, way, num_threads = sys.argv[1:]
    load = batch_with_tfrec if way == "tfrec" else batch_with_tensorflow
    batches = load(path, int(num_threads))
    next(batches)
    started = time.perf_counter()
    total = sum(int(images[:, 0, 0, 0].sum()) + int(labels.sum()) for images, labels in batches)
    print(f"checksum {total}")
    print(f"seconds {time.perf_counter() - started}")


main()
