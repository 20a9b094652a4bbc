"""What is fetched from a store, and when; and what is uploaded."""

import io

import pytest

from tfrec.storage.remote_files import MAX_AHEAD, RangeReader, UploadWriter

CONTENT = bytes(range(256)) * (1 << 17)  # 32 MiB


class Stream(io.BytesIO):
    """Counts what is asked of it."""

    def __init__(self, content):
        super().__init__(content)
        self.size = len(content)
        self.ranges = []

    def read(self, size=-1):
        self.ranges.append((self.tell(), size))
        return super().read(size)


def test_one_range_is_fetched_for_one_record():
    stream = Stream(CONTENT)
    reader = RangeReader(stream, "s3://b/x")

    reader.seek(1_000_001)
    data = reader.read(3000)

    assert CONTENT[1_000_001:1_003_001] == data
    assert [(1_000_001, 3000)] == stream.ranges


def test_more_is_fetched_while_reading_goes_straight_on():
    stream = Stream(CONTENT)
    reader = RangeReader(stream, "s3://b/x")

    pieces = [reader.read(1 << 18) for _ in range(128)]

    assert CONTENT == b"".join(pieces)
    sizes = [size for _, size in stream.ranges]
    assert [1 << 18, 2 << 18, 3 << 18] == sizes[:3]
    assert sizes[:-1] == sorted(sizes[:-1])
    assert len(CONTENT) == sum(sizes)  # nothing behind the end
    assert max(sizes) <= MAX_AHEAD + (1 << 18)


def test_nothing_is_fetched_ahead_after_a_jump():
    stream = Stream(CONTENT)
    reader = RangeReader(stream, "s3://b/x")
    for _ in range(8):
        reader.read(1 << 18)

    reader.seek(20_000_000)
    reader.read(10)

    assert (20_000_000, 10) == stream.ranges[-1]


def test_places_count_from_either_end():
    reader = RangeReader(Stream(b"0123456789"), "s3://b/x")

    assert 8 == reader.seek(-2, io.SEEK_END)
    assert b"89" == reader.read(5)
    assert 7 == reader.seek(-3, io.SEEK_CUR)
    assert b"" == (reader.seek(50), reader.read(1))[1]
    with pytest.raises(ValueError, match="before the start"):
        reader.seek(-1)


def test_all_that_is_left_is_read():
    reader = RangeReader(Stream(CONTENT), "s3://b/x")
    reader.seek(5)

    assert CONTENT[5:] == reader.read()


def test_what_a_driver_raises_names_the_url():
    class Broken(Stream):
        def read(self, _size=-1):
            raise RuntimeError("no route to the store")

    with pytest.raises(OSError, match="no route to the store") as caught:
        RangeReader(Broken(b"x"), "s3://b/x").read(1)

    assert "s3://b/x" == caught.value.filename


class Upload:
    """Notes what becomes of it."""

    def __init__(self, error=None):
        self.closed = False
        self.content = b""
        self.outcome = None
        self._error = error

    def write(self, data):
        self.content += data
        return len(data)

    def close(self):
        if self._error is not None:
            raise self._error
        self.closed, self.outcome = True, "complete"

    def discard(self):
        self.outcome = "discarded"


def test_an_upload_completes_when_it_is_closed():
    upload = Upload()

    with UploadWriter(upload, "s3://b/x") as writer:
        writer.write(b"content")

    assert (b"content", "complete") == (upload.content, upload.outcome)


def test_an_upload_that_is_given_up_never_completes():
    upload = Upload()

    with UploadWriter(upload, "s3://b/x") as writer:
        writer.write(b"content")
        writer.give_up()
        writer.write(b"more")

    assert (b"content", "discarded", True) == (upload.content, upload.outcome, upload.closed)


def test_an_upload_that_can_not_complete_is_discarded():
    upload = Upload(TimeoutError("timed out"))
    writer = UploadWriter(upload, "s3://b/x")

    with pytest.raises(TimeoutError) as caught:
        writer.close()

    assert ("s3://b/x", "discarded") == (caught.value.filename, upload.outcome)


def test_a_walk_over_headers_is_fetched_in_few_ranges():
    stream = Stream(CONTENT)
    reader = RangeReader(stream, "s3://b/x")

    for offset in range(0, len(CONTENT), 200_000):
        reader.seek(offset)
        assert CONTENT[offset : offset + 1000] == reader.read(1 << 18)[:1000]

    assert 16 == len(stream.ranges)  # of 168 headers
