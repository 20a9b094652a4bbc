"""What is checked of intact records."""

import io

import pytest
from PIL import Image

from tfrec.dataset.description import RecordFile
from tfrec.dataset.manifest import Manifest
from tfrec.example import decode_example, encode_example
from tfrec.operations.record_checks import Fault, RecordChecker

SEQUENCE = bytes.fromhex("120e 0a0c 0a0166 1207 0a05 0a03 0a0178")
EVENT = b"\x09" + bytes(6) + b"\x08\x40"


def png():
    stream = io.BytesIO()
    Image.effect_noise((9, 9), 50).save(stream, "PNG")
    return stream.getvalue()


def check(*records, file=None, check_images=False):
    """Return the (index, reason) of each fault, and the kind of the messages."""
    checker = RecordChecker(file or RecordFile("x"), check_images=check_images)
    faults = [
        fault
        for index, record in enumerate(records)
        for fault in checker.check(index, 100 * index, record)
    ]
    faults += checker.decide()
    return [(fault.index, fault.reason) for fault in faults], checker.kind


def example(**features):
    return encode_example(features)


def test_equal_examples_have_no_faults():
    assert ([], "Example") == check(example(label=1), example(label=2))


def test_no_records_are_of_no_kind():
    assert ([], None) == check()


@pytest.mark.parametrize("num_good", [1, 15, 16, 30])
def test_a_record_that_is_no_example_among_others_is_a_fault(num_good):
    records = [example(label=1)] * num_good + [b"\xff\xff"]

    assert ([(num_good, "not a tf.train.Example")], "Example") == check(*records)


def test_a_first_record_that_is_no_example_is_a_fault_too():
    assert [(0, "not a tf.train.Example")] == check(b"\xff\xff", *[example(label=1)] * 20)[0]


@pytest.mark.parametrize("empty", [b"", bytes.fromhex("0a00")])
def test_an_empty_message_goes_with_any_others(empty):
    for records, kind in (
        ([example(label=1), empty], "Example"),
        ([empty, EVENT, empty], "Event"),
        ([empty, b"words"], "bytes"),
        ([empty], "Example"),
    ):
        assert ([], kind) == check(*records)


@pytest.mark.parametrize(
    ("record", "kind"), [(SEQUENCE, "SequenceExample"), (EVENT, "Event"), (b"words", "bytes")]
)
def test_a_file_of_another_kind_has_no_faults(record, kind):
    assert ([], kind) == check(*[record] * 20)


def test_a_stranger_among_events_is_a_fault():
    assert [(3, "no Event, as others of the file are")] == check(*[EVENT] * 3, SEQUENCE)[0]


def test_a_feature_of_two_kinds_is_a_fault():
    assert [(1, "feature 'a' is float, and int64 in the first record")] == check(
        example(a=1), example(a=1.5), example(a=2)
    )[0]


def test_a_missing_label_is_a_fault_and_another_feature_is_not():
    records = [example(label=1, note=b"x"), example(label=1), example(note=b"x")]

    assert [(2, "feature 'label' is missing, and the first record has it")] == check(*records)[0]


def test_a_label_without_a_class_is_a_fault():
    file = RecordFile("x", class_names={0: "cat", 1: "dog"}, described_by="x.json")

    assert [(1, "label 2 has no class; x.json names the classes 0 to 1")] == check(
        example(label=1), example(label=2), file=file
    )[0]


@pytest.mark.parametrize("num_good", [1, 40])
def test_a_record_is_checked_whatever_those_like_it_were(num_good):
    """Behind good records of its length each fault is found as it is behind other ones."""
    file = RecordFile("x", class_names={0: "cat", 1: "dog"}, described_by="x.json")
    good = [example(label=number % 2, name=b"abc") for number in range(num_good)]
    bad = [
        (example(label=2, name=b"abc"), "label 2 has no class; x.json names the classes 0 to 1"),
        (example(label=1, name=1.5), "feature 'name' is float, and bytes in the first record"),
        (
            example(label=1, name=b"abc").replace(b"\x0a\x01\x01", b"\x0a\x01\x80"),
            "feature 'label': not a tf.train.Feature",
        ),
    ]

    for record, reason in bad:
        assert [(num_good, reason)] == check(*good, record, *good, file=file)[0]


def test_records_like_a_good_one_are_not_decoded_again(monkeypatch):
    records = [example(label=number % 2, pixels=bytes([number] * 99)) for number in range(100)]
    decoded = []
    monkeypatch.setattr(
        "tfrec.operations.record_checks.decode_example",
        lambda data, *, copy: decoded.append(data) or decode_example(data, copy=copy),
    )

    assert ([], "Example") == check(*records)
    assert records[:16] == decoded  # which decide what the messages are


def test_a_fault_names_the_image_that_the_record_was_made_of():
    checker = RecordChecker(RecordFile("x", class_names={0: "cat"}, described_by="x.json"))
    record = example(**{"label": 5, "image/filename": b"cat/a.png"})

    (fault,) = checker.check(0, 0, record)

    assert isinstance(fault, Fault)
    assert "cat/a.png" == fault.source


# Dark pixels can begin as an icon does: reserved 0, type 1, one picture of 16 by 16.
LIKE_AN_ICON = bytes.fromhex("000001000100 1010000001002000 00")


def built_at(size):
    manifest = Manifest({}, (), 0, {"image": {"size": size}}, {})
    return RecordFile("x", manifest=manifest)


@pytest.mark.parametrize(
    ("features", "file", "words"),
    [
        ({"image": png()}, None, []),
        ({"image": png()[:60]}, None, ["cut short"]),
        ({"img_raw": bytes(12)}, None, []),
        ({"img_raw": bytes(13)}, None, ["13 bytes"]),
        ({"img_raw": bytes(18), "width": 2, "height": 3}, None, []),
        ({"img_raw": bytes(6), "width": 2, "height": 3}, None, []),
        ({"img_raw": bytes(12), "width": 2, "height": 3}, None, ["2x3x3 needs 18"]),
        ({"img_raw": bytes(18)}, built_at([3, 2]), []),
        ({"img_raw": LIKE_AN_ICON + bytes(3)}, built_at([3, 2]), []),
        ({"img_raw": bytes(72)}, built_at([3, 2]), ["4 times as many"]),
        ({"img_raw": bytes(12)}, built_at([3, 2]), ["2x2x3 fits"]),
    ],
)
def test_images_are_decoded_where_it_is_asked_for(features, file, words):
    record = encode_example(features)

    assert [] == check(record, file=file)[0]
    reasons = [reason for _, reason in check(record, file=file, check_images=True)[0]]
    assert len(words) == len(reasons)
    assert all(word in reason for word, reason in zip(words, reasons, strict=True))
