"""`--check`: whether a build would write something, and why."""

import pytest

from tfrec.images import ImageSettings

LAYOUT = {"num_shards": 4, "index": True}


def test_an_untouched_dataset_has_no_reason(bench):
    bench.build(**LAYOUT)

    assert () == bench.check(**LAYOUT)


def test_an_untouched_file_has_no_reason(bench):
    bench.build("x.tfrecord")

    assert () == bench.check("x.tfrecord")


def test_nothing_is_written(bench):
    bench.build(**LAYOUT)
    bench.files["in/a/00.png"] = bench.png(1, 2, 3)
    before = dict(bench.files)

    bench.check(**LAYOUT)

    assert before == bench.files


def test_no_dataset_is_a_reason(bench):
    assert ("out: there is no dataset of tfrec",) == bench.check()


def test_a_changed_image_names_its_shard(bench):
    bench.build(**LAYOUT)
    bench.files["in/a/00.png"] = bench.png(1, 2, 3)

    assert (
        "train-00000-of-00004.tfrecord: its images or the settings have changed",
    ) == bench.check(**LAYOUT)


def test_a_changed_setting_is_named_with_both_values(bench):
    bench.build("x.tfrecord", seed=1)

    assert ("the setting `seed` is 2 and was 1",) == bench.check("x.tfrecord", seed=2)[:1]


def test_a_setting_that_was_not_set_is_said_to_be_so(bench):
    bench.build()

    reasons = bench.check(splits="a=0.5,b=0.5")

    assert ("the setting `splits` is 'a=0.5,b=0.5' and was not set",) == reasons[:1]


def test_a_setting_of_a_group_is_named_alone(bench):
    bench.build("x.tfrecord", image=ImageSettings(size=(4, 4)))

    reasons = bench.check("x.tfrecord", image=ImageSettings(size=(4, 5)))

    assert ("the setting `image.size` is [4, 5] and was [4, 4]",) == reasons[:1]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("train-00001-of-00004.tfrecord", b"", "the file has 0 bytes instead of "),
        ("train-00001-of-00004.tfrecord", None, "the file is missing"),
        ("train-00001-of-00004.tfrecord.idx", None, "the file is missing"),
        ("labels.txt", b"?", "the file's content has changed"),
        ("dataset_info.json", None, "the file is missing"),
    ],
)
def test_a_damaged_file_is_named(bench, name, content, reason):
    bench.build(**LAYOUT)
    del bench.files[f"out/{name}"]
    if content is not None:
        bench.files[f"out/{name}"] = content

    (found,) = bench.check(**LAYOUT)
    assert found.removeprefix("out/").startswith(f"{name}: {reason}")


def test_shards_of_another_layout_are_named(bench):
    bench.build(num_shards=2)

    assert (
        "the setting `num_shards` is 1 and was 2",
        "train-00000-of-00001.tfrecord: it is not in the dataset",
        "train-00000-of-00002.tfrecord: it is no part of the dataset any more",
        "train-00001-of-00002.tfrecord: it is no part of the dataset any more",
    ) == bench.check(num_shards=1)


def test_a_new_class_is_a_reason(bench):
    bench.build(**LAYOUT)
    bench.files["in/0/00.png"] = bench.png(1, 2, 3)

    assert "the classes or their numbers have changed" in bench.check(**LAYOUT)


def test_an_interrupted_build_is_a_reason(bench):
    bench.build(**LAYOUT)
    bench.files["out/.tfrec-journal"] = b""

    assert ("out: a build was interrupted",) == bench.check(**LAYOUT)
