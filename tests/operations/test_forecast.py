"""What a build would do: nothing is written, and few images are decoded."""

import dataclasses

import pytest

from tfrec.operations.forecast import forecast


@pytest.fixture
def foresee(bench):
    def foresee(out="out", **settings):
        return forecast(
            bench.scan(), out, bench.config(**settings), storage=bench.storage, num_workers=1
        )

    return foresee


def test_classes_and_files_are_those_of_the_build(bench, foresee):
    found = foresee(num_shards=2)

    assert {"a": 6, "b": 6} == found.images_per_class
    assert ["train-00000-of-00002.tfrecord", "train-00001-of-00002.tfrecord"] == [
        shard.name for shard in found.plan.shards
    ]
    assert {} == bench.tree()


def test_raw_records_of_one_size_are_foreseen_to_the_byte(bench, foresee):
    found = foresee()
    bench.build()

    (size,) = (len(data) for name, data in bench.tree().items() if name.endswith(".tfrecord"))
    assert (12, size) == (found.num_tried, found.num_bytes)


def test_few_of_many_images_are_tried(bench, foresee):
    bench.fill(number=100)  # every fourth of 200 makes 50, every third would be more than 64

    found = foresee()

    assert (200, 50, 150) == (found.plan.num_images, found.num_tried, found.num_untried)


def test_bad_images_are_named_and_take_no_bytes(bench, foresee):
    good = foresee().num_bytes
    bench.files["in/a/bad.png"] = b"no image"

    found = foresee()

    assert (["a/bad.png"], 13) == ([error.path for error in found.bad_images], found.num_tried)
    assert good == found.num_bytes


@pytest.mark.parametrize(
    ("content", "on_error", "would_fail"),
    [(b"no image", "fail", True), (b"no image", "skip", False), (None, "fail", False)],
)
def test_a_bad_image_is_known_to_end_a_build(bench, foresee, content, on_error, would_fail):
    bench.files["in/a/more.png"] = content or bench.png(1, 2, 3)

    assert would_fail == foresee(on_error=on_error).would_fail


@pytest.mark.parametrize(("free_bytes", "fits"), [(99, False), (100, True), (None, True)])
def test_it_fits_where_there_is_room_or_nobody_knows(foresee, free_bytes, fits):
    found = dataclasses.replace(foresee(), num_bytes=100, free_bytes=free_bytes)

    assert fits == found.fits
