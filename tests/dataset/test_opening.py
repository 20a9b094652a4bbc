"""Opening record files, and naming what is none."""

import gzip
import hashlib
import pickle
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from tfrec.dataset.opening import open_record_file
from tfrec.errors import DataLossError
from tfrec.storage import MemoryStorage
from tfrec.wire import frame_record

FILE = frame_record(b"first") + frame_record(b"second")


def read(content):
    with open_record_file("x", MemoryStorage({"x": content})) as opened:
        return opened.compression, [record.data for record in opened.read_records()]


@pytest.mark.parametrize(
    ("content", "compression"),
    [
        (FILE, "none"),
        (gzip.compress(FILE), "gzip"),
        (gzip.compress(b"") + gzip.compress(FILE[:7]) + gzip.compress(FILE[7:]), "gzip"),
        (zlib.compress(FILE, 1), "zlib"),
        (zlib.compress(FILE, 9), "zlib"),
    ],
)
def test_compression_is_found_by_content(content, compression):
    assert (compression, [b"first", b"second"]) == read(content)


@pytest.mark.parametrize("content", [b"", gzip.compress(b""), zlib.compress(b"")])
def test_nothing_is_no_records(content):
    assert [] == read(content)[1]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 5\n",
            "a Git LFS pointer (run `git lfs pull`)",
        ),
        # The beginning that array_record 0.8 gives every file.
        (
            bytes.fromhex("83af70d10d884a3f 0000000000000000 4000000000000000 91bac23c9287e1a9"),
            "an ArrayRecord or Riegeli file",
        ),
        (b"PK\x03\x04" + bytes(30), "a ZIP archive"),
        (b"0 171504\n171504 382183\n", "an index of a record file"),
        (b"0 21\n# 21 1632459639\n", "an index of a record file"),
        (b"v1.2 10\njpg 0 100 a.jpg\n", "an index of a WebDataset"),
        (pickle.dumps({"a": [1, 2]}), "a Python pickle"),
        (b"\xff\xd8\xff\xe0" + bytes(30), "a JPEG image"),
        (b"\x89HDF\r\n\x1a\n" + bytes(30), "an HDF5 file"),
        (b"\x28\xb5\x2f\xfd" + bytes(30), "a Zstandard file"),
        (b"PAR1" + bytes(30), "a Parquet file"),
        (b"\x0a\x23\xd7\xce" + bytes(30), "an MXNet RecordIO file"),
        (b'{"a": 1}', "a JSON file"),
        (b"words and words\n" * 9, "a text file"),
        (bytes(600), "only zero bytes"),
        (gzip.compress(b"words and words\n" * 9), "a text file in a gzip file"),
    ],
)
def test_what_is_no_tfrecord_is_said_to_be_what_it_is(content, words):
    with pytest.raises(DataLossError) as caught:
        read(content)

    expected = f"x: record 0 at offset 0: this is no TFRecord file, but {words}"
    assert expected == str(caught.value)


def test_what_looks_like_nothing_may_be_no_tfrecord():
    with pytest.raises(DataLossError, match="offset 0: the checksum .* may be no TFRecord"):
        read(bytes(range(1, 100)))


@pytest.mark.parametrize(
    "content",
    [gzip.compress(FILE), FILE, frame_record(bytes(range(256)) * 1000) * 20 + FILE * 10_000, b""],
    ids=["gzip", "small", "large", "empty"],
)
@pytest.mark.parametrize("num_threads", [0, 1])
def test_stored_bytes_are_counted_and_hashed(content, num_threads):
    storage = MemoryStorage({"x": content})

    with (
        ThreadPoolExecutor(1) as helper,
        open_record_file(
            "x", storage, with_digest=True, helper=helper if num_threads else None
        ) as opened,
    ):
        list(opened.read_records())
        opened.stored.read_rest()

    assert len(content) == opened.stored.num_bytes
    assert hashlib.sha256(content).hexdigest() == opened.stored.hexdigest()
