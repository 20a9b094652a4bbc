"""Which records are meant."""

import gzip

import pytest

from tfrec.dataset.inputs import resolve_inputs
from tfrec.errors import ConfigError, DataLossError, ExampleError
from tfrec.example import BytesList, encode_example
from tfrec.operations.selection import FeatureTest, Selection, count_records, select_records
from tfrec.storage import MemoryStorage
from tfrec.wire import frame_record

WHOLE = b"".join(frame_record(encode_example({"label": number % 3})) for number in range(10))
FRAME_SIZE = len(WHOLE) // 10


def select(ranges=(), tests=(), content=WHOLE):
    """Return the numbers of the records that are meant."""
    storage = MemoryStorage({"x": content})
    files = resolve_inputs(["x"], storage)
    selection = Selection.parse(ranges, tests)
    found = [record.index for record in select_records(files, selection, storage)]
    assert len(found) == count_records(files, selection, storage)
    return found


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([], range(10)),
        (["3"], [3]),
        (["-1"], [9]),
        (["-10"], [0]),
        (["2:5"], [2, 3, 4]),
        (["7:"], [7, 8, 9]),
        ([":2"], [0, 1]),
        (["-3:"], [7, 8, 9]),
        ([":-8"], [0, 1]),
        ([":"], range(10)),
        (["8:99"], [8, 9]),
        (["99"], []),
        (["0:0"], []),
        (["5", "1", "4:6"], [1, 4, 5]),
        (["-1", "0"], [0, 9]),
    ],
)
def test_numbers_are_those_of_python(ranges, expected):
    assert list(expected) == select(ranges)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("label == 1", [1, 4, 7]),
        ("label==1", [1, 4, 7]),
        ("label != 1", [0, 2, 3, 5, 6, 8, 9]),
        ("label > 1", [2, 5, 8]),
        ("label >= 1.5", [2, 5, 8]),
        ("label <= 0", [0, 3, 6, 9]),
        ("label < 1", [0, 3, 6, 9]),
        ("label", range(10)),
        ("other", []),
        ("other == 1", []),
    ],
)
def test_records_pass_a_test_of_a_feature(test, expected):
    assert list(expected) == select(tests=[test])


def test_all_tests_must_pass():
    assert [1, 4] == select(["0:6"], ["label == 1", "label < 2"])


@pytest.mark.parametrize(
    ("test", "passes"),
    [
        ("name == tabby", True),
        ("name == 'tabby'", True),
        ('name == "tabby"', True),
        ("name == 'Tabby'", False),
        ("name < u", True),
        ("sizes > 4", True),
        ("sizes > 5", False),
        ("number == 7", True),  # bytes are compared as text
        ("empty", True),
        ("empty == 1", False),
        ("'a key' == 2", True),
    ],
)
def test_one_of_the_values_decides(test, passes):
    features = {
        "name": BytesList((b"tabby",)),
        "sizes": [3, 5],
        "number": b"7",
        "empty": BytesList(()),
        "a key": 2,
    }
    content = frame_record(encode_example(features))

    assert [0] * passes == select(tests=[test], content=content)


def test_a_text_is_no_number():
    with pytest.raises(ConfigError, match="'label' has numbers, and 'cat' is none"):
        select(tests=["label == cat"])


@pytest.mark.parametrize("text", ["", "x", "1:2:3", "--1", "1.5"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ConfigError, match="is no number of records"):
        Selection.parse([text], [])


@pytest.mark.parametrize("text", ["", " ", "== 3", "label = 3", "label >", "a => 3"])
def test_what_is_no_test_is_refused(text):
    with pytest.raises(ConfigError, match="is no test"):
        FeatureTest.parse(text)


def test_damage_behind_the_last_record_that_is_meant_is_not_met():
    damaged = WHOLE[: 5 * FRAME_SIZE] + b"?" * 100

    storage = MemoryStorage({"x": damaged})
    files = resolve_inputs(["x"], storage)
    found = select_records(files, Selection.parse([":5"], []), storage)

    assert [0, 1, 2, 3, 4] == [record.index for record in found]
    with pytest.raises(DataLossError, match="record 5"):
        list(select_records(files, Selection.parse([":6"], []), storage))


def test_a_compressed_file_is_not_counted_from_its_end():
    content = gzip.compress(WHOLE)

    assert [2, 3] == select(["2:4"], content=content)
    with pytest.raises(ConfigError, match="compressed"):
        select(["-1"], content=content)


def test_a_record_that_is_tested_has_to_be_an_example():
    with pytest.raises(ExampleError, match="x, record 1"):
        select(tests=["label"], content=WHOLE[:FRAME_SIZE] + frame_record(b"\xff"))
