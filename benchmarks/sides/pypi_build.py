"""Build a dataset with Pillow and a writer of the package index: `tfrecord` or `tfrecords`."""

import sys
import time
from pathlib import Path

from PIL import Image


def load(path):
    with Image.open(path) as image:
        return image.convert("RGB").resize((256, 256)).tobytes()


def open_writer(package, out):
    """Return a function that writes one image, and one that closes the file."""
    if package == "tfrecord":
        from tfrecord import TFRecordWriter

        writer = TFRecordWriter(out)
        return (
            lambda label, pixels: writer.write(
                {"label": (label, "int"), "img_raw": (pixels, "byte")}
            ),
            writer.close,
        )
    from tfrecord import example_pb2  # tfrecords has a writer, and no Example
    from tfrecords import TFRecordWriter

    writer = TFRecordWriter(out)

    def write(label, pixels):
        example = example_pb2.Example()
        example.features.feature["label"].int64_list.value.append(label)
        example.features.feature["img_raw"].bytes_list.value.append(pixels)
        writer.write(example.SerializeToString())

    return write, writer.close


def main():
    directory, out, package = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    write, close = open_writer(package, out)
    started = time.perf_counter()
    for label, folder in enumerate(sorted(directory.iterdir())):
        for path in sorted(folder.iterdir()):
            write(label, load(path))
    close()
    print(f"seconds {time.perf_counter() - started}")


main()
