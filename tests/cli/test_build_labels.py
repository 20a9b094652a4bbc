"""`tfrec build` and which class an image has."""

import os
import sys

import pytest
from PIL import Image


@pytest.fixture
def images(save):
    """Save one small image at each path."""

    def images(*paths):
        for number, path in enumerate(paths):
            save(path, Image.new("RGB", (2, 2), (number, 0, 0)))

    return images


def labels_of(records, path="out.tfrecords"):
    return [label for label, _ in records(path)]


def classes_of(text):
    """The label, name and number of each class in a summary."""
    lines = text.partition("  label  class")[2].splitlines()[1:]
    return [tuple(line.split()) for line in lines if line.startswith("  ")]


def test_classes_are_numbered_by_name_and_shown_from_the_dataset_alone(tfrec, images, tmp_path):
    images("in/eel/1.png", "in/dog/1.png", "in/cat/1.png")
    tfrec("build", "in", "out")
    os.rename(tmp_path / "in", tmp_path / "gone")

    done = tfrec("inspect", "out")

    assert [("0", "cat", "1"), ("1", "dog", "1"), ("2", "eel", "1")] == classes_of(done.out)


def test_names_of_any_script_come_back(tfrec, images):
    images("in/chats été/фото 1.png", "in/猫 犬/фото 1.png")

    built, shown = tfrec("build", "in", "out.tfrecords"), tfrec("inspect", "out.tfrecords")

    assert (0, 0) == (built.code, shown.code)
    assert "      0  chats été        1\n      1  猫 犬            1\n" in shown.out


def test_an_empty_class_keeps_its_number(tfrec, images, records, tmp_path):
    images("in/a/1.png", "in/a/2.png", "in/c/1.png")
    (tmp_path / "in/b").mkdir()

    done = tfrec("build", "in", "out.tfrecords")

    assert 0 == done.code
    assert "note: the class `b` has no image\n" in done.err
    assert [("0", "a", "2"), ("1", "b", "0"), ("2", "c", "1")] == classes_of(done.out)
    assert [0, 0, 2] == labels_of(records)


class TestAListOfLabels:
    @pytest.fixture(autouse=True)
    def train_and_val(self, tfrec, images):
        images("train/a/1.png", "train/b/1.png", "train/c/1.png", "val/a/1.png", "val/c/1.png")
        tfrec("build", "train", "train-out")

    def test_it_makes_numbers_agree(self, tfrec, records):
        done = tfrec("build", "val", "out.tfrecords", "--labels", "train-out/labels.txt")

        assert 0 == done.code
        assert [0, 2] == labels_of(records)
        assert [("0", "a", "1"), ("2", "c", "1")] == classes_of(
            tfrec("inspect", "out.tfrecords").out
        )

    def test_without_it_the_other_number_is_shown(self, tfrec):
        tfrec("build", "val", "out.tfrecords")

        assert [("0", "a", "1"), ("1", "c", "1")] == classes_of(
            tfrec("inspect", "out.tfrecords").out
        )

    def test_a_class_that_it_lacks_is_refused(self, tfrec, save, tmp_path):
        save("few.txt", b"a\n")

        done = tfrec("build", "val", "out.tfrecords", "--labels", "few.txt")

        assert 1 == done.code
        assert "the class `c` of `c/1.png` is not among the 1 label" in done.err
        assert not (tmp_path / "out.tfrecords").exists()


def test_a_table_has_paths_and_labels(tfrec, images, save, records):
    images("in/1.png", "in/2.png")
    save("t.csv", b"path,label\n1.png,dog\n2.png,cat\n")

    done = tfrec("build", "in", "out.tfrecords", "--csv", "t.csv")

    assert 0 == done.code
    assert [(0, 1), (1, 0)] == [(label, pixels[0]) for label, pixels in records("out.tfrecords")]


@pytest.mark.parametrize(
    ("rule", "labels"),
    [("top", [0, 0, 1]), ("leaf", [0, 1, 2]), (r"(\d)\.png", [0, 1, 1])],
)
def test_the_class_is_where_the_rule_says(tfrec, images, records, rule, labels):
    images("in/cat/2019/1.png", "in/cat/2020/2.png", "in/dog/2.png")

    assert 0 == tfrec("build", "in", "out.tfrecords", "--label-from", rule).code

    assert labels == labels_of(records)


def test_an_image_without_a_class_in_its_path_is_said_to_be_left_out(tfrec, images):
    images("in/cat/1.png", "in/cat/x.png")

    done = tfrec("build", "in", "out.tfrecords", "--shuffle", "--label-from", r"(\d)\.png")

    note = "note: `cat/x.png` does not match the pattern of the classes and is left out\n"
    assert (3, note) == (done.code, done.err)


def test_a_directory_without_class_folders_names_the_options_for_it(tfrec, images):
    images("in/1.png")

    assert "(`--label-from`) or from a table (`--csv`)" in tfrec("build", "in", "x.tfrecord").err


def test_the_help_states_the_rule(tfrec):
    text = " ".join(tfrec("build", "--help").out.split())

    assert "Where a path has its class: its first folder, its last, or what" in text


@pytest.mark.skipif(sys.platform == "win32", reason="needs a character that Windows forbids")
def test_a_class_named_by_odd_characters_is_dumped_and_can_be_had_back(tfrec, images, tmp_path):
    images("in/a:b*c?/1.png")
    tfrec("build", "in", "out.tfrecords")

    done = tfrec("dump", "out.tfrecords", "show")

    assert 0 == done.code
    assert ["000000.jpg"] == os.listdir(tmp_path / "show/a%3Ab%2Ac%3F")
    assert [("0", "a:b*c?", "1")] == classes_of(tfrec("inspect", "out.tfrecords").out)
