"""`dump` as a function: which thread does what, and what a failing storage leaves."""

import errno
import os
import threading

import pytest

from tfrec.errors import ConfigError
from tfrec.example import encode_example
from tfrec.operations.dump import dump
from tfrec.storage import MemoryStorage
from tfrec.wire import frame_record


def records(num_records):
    example = {"label": 1, "img_raw": bytes(12)}
    return frame_record(encode_example(example)) * num_records


class WatchedStorage(MemoryStorage):
    """Notes which threads write pictures; the first two wait until both are at it."""

    def __init__(self, files):
        super().__init__(files)
        self.writers = set()
        self._both = threading.Barrier(2, timeout=30)
        self._turns = iter(range(2))

    def write(self, path, content):
        if path.endswith(".jpg"):
            self.writers.add(threading.current_thread())
            if next(self._turns, None) is not None:
                self._both.wait()
        super().write(path, content)


class FullStorage(MemoryStorage):
    """Has room for a few pictures."""

    def write(self, path, content):
        if path.endswith("000005.jpg"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        super().write(path, content)


def test_pictures_are_written_by_all_workers_at_once():
    storage = WatchedStorage({"x.tfrecords": records(40)})

    report = dump(["x.tfrecords"], "show", storage=storage, size=(2, 2), num_workers=2)

    assert 40 == report.num_images
    assert 2 == len(storage.writers)
    assert threading.current_thread() not in storage.writers


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"on_error": "ignore"}, "on_error 'ignore': must be one of 'fail', 'skip'"),
        ({"image_format": "bmp"}, "image_format 'bmp': must be one of 'jpeg', 'png'"),
    ],
)
def test_an_unknown_choice_is_refused(options, words):
    storage = MemoryStorage({"x.tfrecords": records(1)})

    with pytest.raises(ConfigError, match=words):
        dump(["x.tfrecords"], "show", storage=storage, size=(2, 2), **options)

    assert ["x.tfrecords"] == list(storage.files)


def test_a_failure_to_write_is_raised_and_leaves_nothing():
    storage = FullStorage({"x.tfrecords": records(40)})

    with pytest.raises(OSError, match="No space left") as caught:
        dump(["x.tfrecords"], "show", storage=storage, size=(2, 2), num_workers=2)

    assert errno.ENOSPC == caught.value.errno
    assert ["x.tfrecords"] == list(storage.files)
