"""What record files hold."""

import gzip
import io

import pytest
from PIL import Image

from tfrec.errors import ChecksumError, ExampleError
from tfrec.example import BytesList, encode_example
from tfrec.operations.inspect import inspect
from tfrec.storage import MemoryStorage
from tfrec.wire import frame_record


def jpeg(width, height):
    stream = io.BytesIO()
    Image.new("RGB", (width, height)).save(stream, "JPEG")
    return stream.getvalue()


def inspect_examples(*examples):
    """Return the summary of one file that holds these features."""
    content = b"".join(frame_record(encode_example(features)) for features in examples)
    (summary,) = inspect(["x.tfrecord"], storage=MemoryStorage({"x.tfrecord": content}))
    return summary


def test_a_feature_has_its_kind_lengths_range_and_share():
    summary = inspect_examples(
        {"size": [3, 5], "name": b"abc"}, {"size": [-1]}, {"size": [4], "name": [b"", b"ab"]}
    )

    size, name = (summary.statistics.features[key] for key in ("size", "name"))
    assert 3 == summary.num_records == size.num_records
    assert {"int64": 3} == size.kinds
    assert (1, 2) == (size.lengths.low, size.lengths.high)
    assert (-1, 5) == (size.values.low, size.values.high)
    assert {"bytes": 2} == name.kinds
    assert 2 == name.num_records
    assert (1, 2) == (name.lengths.low, name.lengths.high)
    assert (0, 3) == (name.values.low, name.values.high)


def test_a_key_of_two_kinds_is_seen():
    summary = inspect_examples({"a": 1}, {"a": 0.5}, {"a": 2})

    assert {"int64": 2, "float": 1} == summary.statistics.features["a"].kinds


def test_an_empty_list_has_a_length_and_no_values():
    feature = inspect_examples({"a": BytesList(())}).statistics.features["a"]

    assert (0, 0, None, None) == (
        feature.lengths.low,
        feature.lengths.high,
        feature.values.low,
        feature.values.high,
    )


def test_records_are_counted_by_label():
    summary = inspect_examples({"label": 1}, {"label": 0}, {"label": 1}, {"other": 1})

    assert {0: 1, 1: 2} == summary.statistics.labels


def test_a_label_may_be_text():
    assert {"dog": 1} == inspect_examples({"label": b"dog"}).statistics.labels


def test_encoded_images_have_their_format_and_size():
    summary = inspect_examples(
        {"image/encoded": jpeg(20, 10)},
        {"image/encoded": jpeg(20, 10)},
        {"image/encoded": b"GIF89a"},
    )

    assert {"JPEG": 2, "damaged": 1} == summary.statistics.image_formats
    assert {(20, 10): 2} == summary.statistics.image_sizes


def test_raw_pixels_have_the_stored_or_the_square_size():
    summary = inspect_examples(
        {"image_raw": bytes(4 * 6 * 3), "width": 4, "height": 6},
        {"img_raw": bytes(5 * 5 * 3)},
        {"img_raw": bytes(4 * 4)},
        {"img_raw": bytes(7)},
    )

    assert {"raw": 3, "unknown": 1} == summary.statistics.image_formats
    assert {(4, 6): 1, (5, 5): 1, (4, 4): 1} == summary.statistics.image_sizes


def test_dark_pixels_that_begin_as_an_icon_does_are_raw():
    icon = bytes.fromhex("000001000100 1010000001002000 00")

    summary = inspect_examples({"img_raw": icon.ljust(4 * 6 * 3), "width": 4, "height": 6})

    assert {"raw": 1} == summary.statistics.image_formats


def test_damage_ends_the_inspection():
    content = frame_record(encode_example({"a": 1}))

    with pytest.raises(ChecksumError, match="record 0"):
        list(inspect(["x"], storage=MemoryStorage({"x": content[:-1] + b"\0"})))


def test_progress_counts_records():
    content = frame_record(encode_example({"a": 1})) * 3
    steps = []

    list(inspect(["x"], storage=MemoryStorage({"x": content}), advance=steps.append))

    assert 3 == sum(steps)


def test_messages_are_told_apart():
    # A SequenceExample of a list `f` with one step, an Event of one time, text.
    sequence = bytes.fromhex("120e 0a0c 0a0166 1207 0a05 0a03 0a0178")
    event = b"\x09" + bytes(7) + b"\x40"
    content = b"".join(map(frame_record, (sequence, event, b"words", encode_example({"a": 1}))))

    (summary,) = inspect(["x"], storage=MemoryStorage({"x": content}))

    assert {"SequenceExample": 1, "Event": 1, "bytes": 1, "Example": 1} == summary.statistics.kinds
    assert {"list/f", "a"} == set(summary.statistics.features)


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_large_file_is_sampled_unless_all_is_asked_for(monkeypatch, compress):
    monkeypatch.setattr("tfrec.operations.inspect.LARGE_FILE", 100)
    records = [frame_record(encode_example({"label": number % 2})) for number in range(5000)]
    storage = MemoryStorage({"x": compress(b"".join(records))})

    (sampled,) = inspect(["x"], storage=storage)
    (whole,) = inspect(["x"], storage=storage, read_all=True)

    assert (5000, True) == (sampled.num_records, sampled.is_sampled)
    # From all over the file, 2,000; of a compressed one the first 1,000, then one in 50.
    assert (2000 if compress is bytes else 1080) == sampled.statistics.num_records
    assert (5000, False) == (whole.num_records, whole.is_sampled)
    assert {0: 2500, 1: 2500} == whole.statistics.labels


@pytest.mark.parametrize(
    ("compress", "num_sampled"), [(bytes, 2000), (gzip.compress, 10_000 + 100 // 50)]
)
def test_a_file_of_many_records_is_sampled_whatever_its_size(compress, num_sampled):
    records = [frame_record(encode_example({"label": number % 2})) for number in range(10_100)]
    storage = MemoryStorage(
        {"many": compress(b"".join(records)), "few": compress(b"".join(records[:10_000]))}
    )

    many, few = inspect(["many", "few"], storage=storage)

    assert (10_100, num_sampled) == (many.num_records, many.statistics.num_records)
    assert (10_000, 10_000) == (few.num_records, few.statistics.num_records)


EXAMPLE = encode_example({"label": 1})
DAMAGED_MESSAGES = {
    # Whole fields down to the list; its one varint goes on behind the end.
    "Example": (EXAMPLE[:-1] + b"\x80", ", feature 'label': not a tf.train.Feature"),
    # Context `c`, whose list is such a one; list `f` of one step.
    "SequenceExample": (
        bytes.fromhex("0a0c 0a0a 0a0163 1205 1a03 0a0180 120e 0a0c 0a0166 1207 0a05 0a03 0a0178"),
        ": not a tf.train.SequenceExample",
    ),
    # wall_time, and a summary whose value ends inside of a float.
    "Event": (
        bytes.fromhex("09000000000000f03f 2a05 0a03 150000"),
        ": the summary of the tensorflow.Event is damaged",
    ),
}


@pytest.mark.parametrize("kind", DAMAGED_MESSAGES)
@pytest.mark.parametrize("number", [2, 10_002], ids=["in order", "sampled"])
def test_a_damaged_message_is_named_with_its_place(monkeypatch, kind, number):
    monkeypatch.setattr("tfrec.operations.inspect._SAMPLE_SIZE", 20_000)
    record, words = DAMAGED_MESSAGES[kind]
    content = frame_record(EXAMPLE) * number + frame_record(record)
    storage = MemoryStorage({"x": content})

    with pytest.raises(ExampleError) as caught:
        list(inspect(["x"], storage=storage))

    assert f"x, record {number}{words}" == str(caught.value)
