"""Bad images are copied to a place of their own, with the reasons."""

import errno
import os

import pytest

from tfrec.errors import ImageError
from tfrec.operations.quarantine import quarantine
from tfrec.storage import MemoryStorage


def test_copies_keep_their_paths_and_reasons_stand_in_a_table():
    storage = MemoryStorage({"in/a/x.jpg": b"bad", "in/b/y.jpg": b"worse", "in/b/z.jpg": b"good"})
    images = [ImageError("a/x.jpg", "is cut short"), ImageError("b/y.jpg", "is a\ttext file")]

    quarantine(images, "in", "bad", storage=storage)

    assert {
        "bad/a/x.jpg": b"bad",
        "bad/b/y.jpg": b"worse",
        "bad/reasons.tsv": b"a/x.jpg\tis cut short\nb/y.jpg\tis a\\x09text file\n",
    } == {path: data for path, data in storage.files.items() if path.startswith("bad/")}


def test_a_file_that_cannot_be_read_has_its_line_alone():
    storage = MemoryStorage({"bad/earlier.jpg": b"stays"})

    quarantine([ImageError("gone.jpg", "cannot be read")], "in", "bad", storage=storage)

    assert {
        "bad/earlier.jpg": b"stays",
        "bad/reasons.tsv": b"gone.jpg\tcannot be read\n",
    } == storage.files


def test_a_file_that_the_system_does_not_open_now_is_an_error():
    class Exhausted(MemoryStorage):
        def open_read(self, path):
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), path)

    storage = Exhausted({"in/x.jpg": b"bad"})

    with pytest.raises(OSError) as caught:
        quarantine([ImageError("x.jpg", "is cut short")], "in", "bad", storage=storage)

    assert errno.EMFILE == caught.value.errno
    assert ["in/x.jpg"] == list(storage.files)
