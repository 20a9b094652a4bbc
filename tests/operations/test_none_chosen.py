"""Why a selection may have left no record."""

import os
import sys

import pytest

from tfrec.example import encode_example
from tfrec.operations.none_chosen import explain_missing_feature
from tfrec.operations.selection import Selection
from tfrec.storage import LocalStorage, MemoryStorage
from tfrec.wire import frame_record


def explain(files, ranges=(), tests=()):
    framed = {
        path: b"".join(frame_record(encode_example(features)) for features in records)
        for path, records in files.items()
    }
    storage = MemoryStorage(framed)
    return explain_missing_feature(files, Selection.parse(ranges, tests), storage=storage)


@pytest.mark.parametrize(
    ("ranges", "tests", "expected"),
    [
        ([], ["label == 9"], None),
        ([], ["size == 9"], None),  # the records of the other file have it
        ([], [], None),
        (["7:"], ["labl"], None),  # which features there are isn't the matter
        ([], ["colour"], "none has a feature 'colour'; there are 'label', 'name', 'size'"),
        (
            ["0:2"],
            ["label == 1", "nam == x"],
            "none has a feature 'nam'; there are 'label', 'name', 'size'; did you mean 'name'?",
        ),
    ],
)
def test_a_feature_that_no_record_has_is_named(ranges, tests, expected):
    files = {"x": [{"label": 1, "name": b"a"}], "y": [{"label": 2, "size": 3}]}

    assert expected == explain(files, ranges, tests)


@pytest.mark.parametrize(
    ("number", "who"), [(100, "none"), (101, "none of the first 100")], ids=["all", "some"]
)
def test_of_many_records_the_first_are_read(number, who):
    told = explain({"x": [{"label": 1}] * number}, tests=["size"])

    assert f"{who} has a feature 'size'; there are 'label'" == told


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
@pytest.mark.timeout(30)
def test_a_pipe_is_not_read_again(tmp_path):
    """Whoever wrote to it has gone, and opening it would wait for another writer."""
    os.mkfifo(tmp_path / "pipe")
    paths = [str(tmp_path / "pipe")]

    told = explain_missing_feature(paths, Selection.parse([], ["labl"]), storage=LocalStorage())

    assert told is None
