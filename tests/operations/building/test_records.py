"""One image file to one record: what is refused before it is read."""

import errno
import io
import os

import pytest

from tfrec.dataset.build_config import BuildConfig
from tfrec.images import ImageSettings
from tfrec.operations.building.records import RecordMaker
from tfrec.source.image_source import LabelledImage
from tfrec.source.labels import LabelMap
from tfrec.storage import MemoryStorage


class Sparse(io.RawIOBase):
    """A file of `size` bytes that are never there: reading past its start is an error."""

    def __init__(self, start, size):
        self.start, self.size, self.position = start, size, 0

    def seekable(self):
        return True

    def seek(self, offset, whence=io.SEEK_SET):
        self.position = offset + (self.size if whence == io.SEEK_END else 0)
        return self.position

    def read(self, size=-1):
        assert 0 <= size <= len(self.start)
        return self.start[:size]


@pytest.mark.parametrize(
    ("start", "size", "reason"),
    [
        (b"\0" * 512, 70_000_000, "is not an image: 70,000,000 bytes without the signature of one"),
        (
            b"\xff\xd8\xff".ljust(512, b"\0"),
            80_000_001,
            "is too large: 80,000,001 bytes, and at most 80,000,000 are read",
        ),
    ],
)
def test_a_file_too_large_to_be_an_image_is_not_read(start, size, reason):
    class Storage(MemoryStorage):
        def open_read(self, path):
            assert path == "photos/cat/x"
            return Sparse(start, size)

    config = BuildConfig(image=ImageSettings(max_pixels=10_000_000))
    make = RecordMaker("photos", LabelMap(("cat",)), config, Storage())

    made = make(LabelledImage("cat/x", 0))

    assert (None, b"", "cat/x", reason) == (
        made.record,
        made.digest,
        made.error.path,
        made.error.reason,
    )


def test_an_error_does_not_keep_the_bytes_of_its_file():
    storage = MemoryStorage({"photos/cat/x": b"no image" * 1000})
    make = RecordMaker("photos", LabelMap(("cat",)), BuildConfig(), storage)

    made = make(LabelledImage("cat/x", 0))

    assert (None, None, None) == (
        made.error.__traceback__,
        made.error.__cause__,
        made.error.__context__,
    )


class Exhausted(MemoryStorage):
    """Opens nothing: too much is open already."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def open_read(self, path):
        raise OSError(self.number, os.strerror(self.number), path)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
def test_an_image_is_not_bad_because_the_system_opens_no_more(number):
    make = RecordMaker("photos", LabelMap(("cat",)), BuildConfig(), Exhausted(number))

    for call in (lambda: make(LabelledImage("cat/x", 0)), lambda: make.digest_files(IMAGES)):
        with pytest.raises(OSError) as caught:
            call()
        assert (number, "photos/cat/x") == (caught.value.errno, caught.value.filename)


IMAGES = [LabelledImage("cat/x", 0)]
