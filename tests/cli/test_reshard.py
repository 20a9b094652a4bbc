"""`tfrec reshard` as a process."""

import json

import pytest

from tfrec.example import encode_example
from tfrec.wire import frame_record

FRAMES = [frame_record(encode_example({"label": number})) for number in range(5)]


@pytest.fixture
def file(save):
    save("x.tfrecord", b"".join(FRAMES))
    return "x.tfrecord"


def test_a_file_is_divided_into_shards(tfrec, file, tmp_path):
    done = tfrec("reshard", file, "out", "--num-shards", "2")

    assert (0, "out: 5 records in 2 files, 170 bytes\n", "") == (done.code, done.out, done.err)
    shards = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert ["train-00000-of-00002.tfrecord", "train-00001-of-00002.tfrecord"] == shards


def test_json_says_what_was_written(tfrec, file):
    done = tfrec("reshard", file, "out.tfrecord", "--where", "label > 2", "--json")

    document = json.loads(done.out)
    assert (2, 68) == (document["num_records"], document["num_bytes"])
    assert ["out.tfrecord"] == [shard["name"] for shard in document["shards"]]


def test_the_seed_decides_the_order(tfrec, file, tmp_path):
    for out, seed in (("a", 1), ("b", 1), ("c", 2)):
        tfrec("reshard", file, f"{out}.tfrecord", "--shuffle", "--seed", str(seed))

    a, b, c = ((tmp_path / f"{out}.tfrecord").read_bytes() for out in "abc")
    assert a == b != c


def test_standard_input_is_written_to_one_file(tfrec, file, tmp_path):
    with (tmp_path / file).open("rb") as stream:
        done = tfrec("reshard", "-", "out.tfrecord", stdin=stream)

    assert 0 == done.code
    assert b"".join(FRAMES) == (tmp_path / "out.tfrecord").read_bytes()


@pytest.mark.parametrize("memory", ["256MiB", "0.5 GB", "100000k", "1TiB"])
def test_memory_is_a_size(tfrec, file, memory):
    done = tfrec("reshard", file, "out.tfrecord", "--shuffle", "--memory", memory)

    assert (0, "") == (done.code, done.err)


def test_a_size_that_is_none_is_wrong_usage(tfrec, file):
    done = tfrec("reshard", file, "out.tfrecord", "--memory", "much")

    assert 2 == done.code
    assert "'much' is no size" in done.err
