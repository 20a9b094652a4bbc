"""`tfrec index` as a process."""

import gzip
import json

from tfrec.wire import frame_record

FILE = frame_record(b"first") + frame_record(b"")


def test_an_index_is_written_beside_the_file(tfrec, save, tmp_path):
    save("x.tfrecord", FILE)

    done = tfrec("index", "x.tfrecord")

    modified = (tmp_path / "x.tfrecord").stat().st_mtime_ns
    assert (0, "x.tfrecord.idx: 2 records\n", "") == (done.code, done.out, done.err)
    assert f"0 21\n21 16\n# 37 {modified}\n" == (tmp_path / "x.tfrecord.idx").read_text()


def test_an_index_that_is_right_is_kept(tfrec, save):
    save("x.tfrecord", FILE)
    tfrec("index", "x.tfrecord")

    done = tfrec("index", "x.tfrecord")

    assert "x.tfrecord.idx: 2 records, kept as it is\n" == done.out


def test_an_index_of_an_earlier_file_is_replaced(tfrec, save, tmp_path):
    save("x.tfrecord", FILE)
    tfrec("index", "x.tfrecord")
    save("x.tfrecord", FILE[:21])

    done = tfrec("index", "x.tfrecord", "--json")

    assert [{"path": "x.tfrecord.idx", "num_records": 1, "is_kept": False}] == json.loads(done.out)
    assert (tmp_path / "x.tfrecord.idx").read_text().startswith("0 21\n# 21 ")


def test_a_compressed_file_is_refused(tfrec, save):
    save("x.tfrecord.gz", gzip.compress(FILE))

    done = tfrec("index", "x.tfrecord.gz")

    assert 2 == done.code
    assert "x.tfrecord.gz is compressed (gzip)" in done.err


def test_a_damaged_file_gets_no_index(tfrec, save, tmp_path):
    save("x.tfrecord", FILE[:-1])

    done = tfrec("index", "x.tfrecord")

    assert 1 == done.code
    assert "x.tfrecord: record 1 at offset 21" in done.err
    assert not (tmp_path / "x.tfrecord.idx").exists()
