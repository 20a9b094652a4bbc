"""Files between TensorFlow and us: written there and read here, and the other way."""

import pytest

import tfrec as package
from tfrec.operations.reshard import ReshardConfig
from tfrec.operations.verify import verify

tf = pytest.importorskip("tensorflow")

pytestmark = pytest.mark.interop

RECORDS = [b"", b"a", b"hello" * 100, bytes(range(256)) * 50]


def write_with_tensorflow(path, compression, records=RECORDS):
    with tf.io.TFRecordWriter(str(path), compression) as writer:
        for record in records:
            writer.write(record)


def read_with_tensorflow(path, compression=""):
    return [record.numpy() for record in tf.data.TFRecordDataset(str(path), compression)]


@pytest.mark.parametrize(
    ("compression", "name"), [("", "none"), ("GZIP", "gzip"), ("ZLIB", "zlib")]
)
def test_what_tensorflow_writes_is_read(tmp_path, compression, name):
    write_with_tensorflow(tmp_path / "x", compression)

    (report,) = verify([str(tmp_path / "x")])

    assert RECORDS == list(package.open(tmp_path / "x"))
    assert (name, 4, ()) == (report.compression, report.num_records, report.faults)


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_what_a_writer_of_ours_writes_is_read_by_tensorflow(tmp_path, compression):
    with package.TFRecordWriter(str(tmp_path / "x"), compression) as writer:
        for record in RECORDS:
            writer.write(record)

    assert RECORDS == read_with_tensorflow(tmp_path / "x", compression)


def test_an_uncompressed_file_is_that_of_tensorflow(tmp_path):
    write_with_tensorflow(tmp_path / "theirs", "")
    with package.TFRecordWriter(str(tmp_path / "ours")) as writer:
        for record in RECORDS:
            writer.write(record)

    assert (tmp_path / "theirs").read_bytes() == (tmp_path / "ours").read_bytes()


@pytest.mark.parametrize(
    ("compression", "flag"), [("none", ""), ("gzip", "GZIP"), ("zlib", "ZLIB")]
)
def test_a_resharded_file_is_read_by_tensorflow(tmp_path, compression, flag):
    write_with_tensorflow(tmp_path / "x", "GZIP")

    package.reshard(
        [str(tmp_path / "x")],
        str(tmp_path / "out"),
        ReshardConfig(num_shards=2, compression=compression),
    )

    shards = sorted((tmp_path / "out").iterdir())
    assert RECORDS == [record for shard in shards for record in read_with_tensorflow(shard, flag)]


def test_a_salvaged_file_is_read_by_tensorflow(tmp_path):
    write_with_tensorflow(tmp_path / "x", "")
    content = bytearray((tmp_path / "x").read_bytes())
    content[16] ^= 1  # the length of the second record
    (tmp_path / "x").write_bytes(content)

    report = package.salvage(str(tmp_path / "x"), str(tmp_path / "out.tfrecord"))

    assert (3, 1) == (report.num_records, len(report.faults))
    assert [RECORDS[0], *RECORDS[2:]] == read_with_tensorflow(tmp_path / "out.tfrecord")
