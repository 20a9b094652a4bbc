"""Records in a form for people and programs."""

import pytest

from tfrec.errors import ConfigError, ExampleError
from tfrec.example import BytesList, Int64List, encode_example
from tfrec.operations.cat import ShownFeature, ShownRecord, cat
from tfrec.storage import MemoryStorage
from tfrec.wire import frame_record


def show(*records, **options):
    storage = MemoryStorage({"x": b"".join(map(frame_record, records))})
    return list(cat(["x"], storage=storage, **options))


def test_a_record_has_its_place_and_its_features_by_key():
    record = encode_example({"b": [1, 2], "a": 0.5, "c": b"text"})

    expected = ShownRecord(
        "x",
        1,
        16,
        len(record),
        "Example",
        (
            ShownFeature("a", "float", [0.5]),
            ShownFeature("b", "int64", [1, 2]),
            ShownFeature("c", "bytes", ["text"]),
        ),
    )
    assert expected == show(b"", record)[1]


@pytest.mark.parametrize(
    ("data", "short", "full"),
    [
        (b"text", "text", "text"),
        ("é ü\n".encode(), "é ü\n", "é ü\n"),
        (b"", "", ""),
        (b"\xff\xd8", {"num_bytes": 2, "start": "ffd8"}, {"base64": "/9g="}),
        (b"\x1b[2J", {"num_bytes": 4, "start": "1b5b324a"}, {"base64": "G1sySg=="}),
        (b"a" * 201, {"num_bytes": 201, "start": "61" * 16}, "a" * 201),
        (bytes(300), {"num_bytes": 300, "start": "00" * 16}, {"base64": "A" * 400}),
    ],
)
def test_bytes_are_text_where_they_are_one(data, short, full):
    record = encode_example({"a": data})

    assert [short] == show(record)[0].features[0].values
    assert [full] == show(record, bytes_form="base64")[0].features[0].values


def test_an_unknown_form_of_bytes_is_refused():
    storage = MemoryStorage({"x": frame_record(b"")})

    with pytest.raises(ConfigError, match="bytes_form 'long': must be one of 'short', 'base64'"):
        list(cat(["x"], storage=storage, bytes_form="long"))


def test_empty_lists_keep_their_kind():
    (record,) = show(encode_example({"a": BytesList(()), "b": Int64List(())}))

    assert (ShownFeature("a", "bytes", []), ShownFeature("b", "int64", [])) == record.features


def test_some_features_are_chosen():
    (record,) = show(encode_example({"a": 1, "b": 2, "c": 3}), keys=["c", "a", "none"])

    assert ["a", "c"] == [feature.key for feature in record.features]


def test_features_that_are_not_there_are_named_with_those_that_are():
    with pytest.raises(
        ExampleError, match=r"x, record 0: .*none of lable; it has 'label'; did you mean 'label'"
    ):
        show(encode_example({"label": 1}), keys=["lable"])


def test_the_steps_of_a_sequence_have_numbers():
    # SequenceExample: context `c` = 5, list `f` of one step b"x".
    record = bytes.fromhex(
        "0a0c 0a0a 0a0163 1205 1a03 0a0105 120e 0a0c 0a0166 1207 0a05 0a03 0a0178"
    )

    (shown,) = show(record)

    assert "SequenceExample" == shown.kind
    assert [("context/c", "int64", [5]), ("list/f/0", "bytes", ["x"])] == [
        (feature.key, feature.kind, list(feature.values)) for feature in shown.features
    ]


def test_other_records_are_bytes():
    (shown,) = show(b"some words")

    assert ("bytes", (ShownFeature("", "bytes", ["some words"]),)) == (shown.kind, shown.features)


def test_a_damaged_message_is_named_with_its_place():
    with pytest.raises(ExampleError) as caught:
        show(encode_example({"label": 1})[:-1] + b"\x80")  # the varint goes on behind the end

    assert "x, record 0, feature 'label': not a tf.train.Feature" == str(caught.value)
