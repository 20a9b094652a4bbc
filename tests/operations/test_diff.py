"""What differs between two datasets, by image."""

import pytest

from tfrec.errors import ExampleError
from tfrec.operations.diff import diff
from tfrec.wire import frame_record


@pytest.fixture
def compare(bench):
    """Build `a`, change the images, build `b`; return the kinds and file names that differ."""

    def compare(change, *, a=None, b=None, schema="tfds"):
        bench.build("a", schema=schema, encoding=None, **(a or {}))
        change()
        bench.build("b", schema=schema, encoding=None, **(b or {}))
        report = diff("a", "b", storage=bench.storage)
        found = [
            (d.kind, d.a.place if d.a else None, d.b.place if d.b else None)
            for d in report.differences
        ]
        return report, found

    return compare


def nothing():
    pass


def test_a_dataset_is_equal_to_itself(bench, compare):
    report, found = compare(nothing)

    assert ((), 12, []) == (report.settings, report.num_same, found)


def test_neither_order_nor_shards_make_a_difference(compare):
    report, found = compare(nothing, b={"num_shards": 5, "shuffle": True})

    assert (12, []) == (report.num_same, found)
    assert (
        "setting `num_shards`: not set in A, 5 in B",
        "setting `shuffle`: False in A, True in B",
    ) == report.settings


def test_an_added_image_is_only_in_b(bench, compare):
    report, found = compare(lambda: bench.files.update({"in/a/99.png": bench.png(99, 99, 99)}))

    assert (12, [("only in B", None, "a/99.png")]) == (report.num_same, found)


def test_a_removed_image_is_only_in_a(bench, compare):
    report, found = compare(lambda: bench.files.pop("in/b/03.png"))

    assert (11, [("only in A", "b/03.png", None)]) == (report.num_same, found)


def test_another_image_of_the_same_name_is_one_difference(bench, compare):
    _, found = compare(lambda: bench.files.update({"in/b/03.png": bench.png(99, 99, 99)}))

    assert [("image", "b/03.png", "b/03.png")] == found


def test_an_image_in_another_class_is_named(bench, compare):
    report, found = compare(
        lambda: bench.files.update({"in/b/03.png": bench.files.pop("in/a/03.png")}), schema="kaggle"
    )

    kinds = [kind for kind, _, _ in found]
    assert ["class", "only in A"] == sorted(kinds)
    (moved,) = [d for d in report.differences if d.kind == "class"]
    assert ("a", "b") == (moved.a.class_name, moved.b.class_name)


def test_an_image_in_another_split_is_named(compare):
    splits = {"splits": "train=0.5,test=0.5"}
    report, _ = compare(nothing, a=splits, b=splits | {"seed": 9})

    assert {"split"} == set(report.counts)
    assert 12 == report.num_same + len(report.differences)
    for difference in report.differences:
        assert {"train", "test"} == {difference.a.split, difference.b.split}


def test_another_feature_is_named(compare):
    report, _ = compare(nothing, a={"features": ("site=x",)}, b={"features": ("site=y",)})

    assert {"features": 12} == report.counts


def test_classes_are_compared_by_their_names(bench, compare):
    """A class before the others moves all numbers by one, and no image."""
    report, found = compare(lambda: bench.files.update({"in/0/0.png": bench.png(99, 99, 99)}))

    assert (12, [("only in B", None, "0/0.png")]) == (report.num_same, found)


def test_raw_records_are_named_by_their_place(bench, compare):
    bench.files["in/a/99.png"] = bench.png(1, 1, 1)
    _, found = compare(lambda: bench.files.pop("in/a/99.png"), schema="raw")

    assert [("only in A", "a/train-00000-of-00001.tfrecord record 6", None)] == found


def test_the_same_image_twice_is_counted_twice(bench, compare):
    report, found = compare(
        lambda: bench.files.update({"in/a/50.png": bench.files["in/a/05.png"]}), schema="raw"
    )

    assert (12, ["only in B"]) == (report.num_same, [kind for kind, _, _ in found])


def test_a_record_without_image_is_named(bench):
    bench.files["x.tfrecord"] = frame_record(b"")

    with pytest.raises(ExampleError, match="x.tfrecord, record 0: no feature looks like an image"):
        diff("x.tfrecord", "x.tfrecord", storage=bench.storage)
