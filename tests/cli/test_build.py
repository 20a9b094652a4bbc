"""`tfrec build` as a process."""

import json
import os
import subprocess
import sys

import pytest
from PIL import Image

SORTED = "note: records are sorted by class; `--shuffle` mixes them\n"


def solid(red, green, blue):
    return bytes((red, green, blue)) * (256 * 256)


def test_the_summary_names_records_size_and_classes(tfrec, pets):
    done = tfrec("build", pets, "out.tfrecords")

    assert (0, SORTED) == (done.code, done.err)
    assert done.out == (
        "out.tfrecords: 3 records, 576.2 KiB\n"
        "  label  class  images\n"
        "      0  cat         2\n"
        "      1  dog         1\n"
    )


def test_records_come_in_the_order_of_classes_and_paths(tfrec, pets, records):
    tfrec("build", pets, "out.tfrecords")

    expected = [(0, solid(10, 20, 30)), (0, solid(40, 50, 60)), (1, solid(70, 80, 90))]
    assert expected == records("out.tfrecords")


def test_a_raw_record_has_196669_bytes(tfrec, pets, tmp_path):
    tfrec("build", pets, "out.tfrecords")

    assert 3 * 196_669 == (tmp_path / "out.tfrecords").stat().st_size


def test_json_says_what_was_built(tfrec, pets):
    done = tfrec("build", pets, "out.tfrecords", "--json")

    assert json.loads(done.out) == {
        "path": "out.tfrecords",
        "num_records": 3,
        "num_bytes": 590_007,
        "labels": {"cat": 0, "dog": 1},
        "images_per_class": {"cat": 2, "dog": 1},
        "shards": ["out.tfrecords"],
        "skipped": [],
        "ignored": {},
        "notes": ["records are sorted by class; `--shuffle` mixes them"],
    }


def test_a_directory_has_shards_labels_and_a_manifest(tfrec, pets, tmp_path, records):
    done = tfrec("build", pets, "out", "--num-shards", "2")

    assert 0 == done.code
    assert {
        "dataset.json",
        "labels.txt",
        "train-00000-of-00002.tfrecord",
        "train-00001-of-00002.tfrecord",
    } <= set(os.listdir(tmp_path / "out"))
    assert "cat\ndog\n" == (tmp_path / "out/labels.txt").read_text()
    assert [0, 0] == [label for label, _ in records("out/train-00000-of-00002.tfrecord")]
    assert [1] == [label for label, _ in records("out/train-00001-of-00002.tfrecord")]


def test_ten_images_fill_four_shards_evenly(tfrec, save, records):
    for number in range(10):
        save(f"pets/cat/{number}.png", (number, 0, 0))

    tfrec("build", "pets", "out", "--num-shards", "4")

    shards = [records(f"out/train-{number:05d}-of-00004.tfrecord") for number in range(4)]
    assert [3, 3, 2, 2] == [len(shard) for shard in shards]


def test_there_are_no_more_shards_than_images(tfrec, pets, tmp_path):
    tfrec("build", pets, "out", "--num-shards", "8")

    shards = sorted(name for name in os.listdir(tmp_path / "out") if name.startswith("train"))
    assert [f"train-0000{number}-of-00003.tfrecord" for number in range(3)] == shards


def test_one_file_cannot_hold_shards(tfrec, pets, tmp_path):
    done = tfrec("build", pets, "out.tfrecords", "--num-shards", "2")

    assert 2 == done.code
    assert "one file and can't hold 2 shards; give a directory instead" in done.err
    assert not (tmp_path / "out.tfrecords").exists()


@pytest.mark.parametrize("workers", [2, 8])
def test_the_number_of_workers_does_not_show_in_the_bytes(tfrec, save, tmp_path, workers):
    for number in range(30):
        noise = Image.effect_noise((40 + 9 * number, 300 - 7 * number), 60)
        save(f"pets/cat/{number}.png", noise)
    tfrec("build", "pets", "one.tfrecords", "--workers", "1")

    tfrec("build", "pets", "many.tfrecords", "--workers", str(workers))

    assert (tmp_path / "one.tfrecords").read_bytes() == (tmp_path / "many.tfrecords").read_bytes()


def test_the_same_files_made_in_another_order_give_the_same_bytes(tfrec, save, tmp_path):
    names = [f"{class_name}/{number}.png" for class_name in "ab" for number in (10, 9, 1)]
    for root, order in (("first", names), ("second", names[::-1])):
        for name in order:
            save(f"{root}/{name}", (len(name), ord(name[2]), 0))

    tfrec("build", "first", "first.tfrecords")
    tfrec("build", "second", "second.tfrecords")

    first, second = (tmp_path / f"{name}.tfrecords" for name in ("first", "second"))
    assert first.read_bytes() == second.read_bytes()


class TestBadImages:
    @pytest.fixture(autouse=True)
    def broken(self, pets, save):
        save("pets/cat/broken.jpg", b"\xff\xd8\xff\xe0 no image")
        save("pets/dog/empty.jpg", b"")

    def test_fail_names_each_and_leaves_nothing(self, tfrec, pets, tmp_path):
        done = tfrec("build", pets, "out.tfrecords")

        assert (1, "") == (done.code, done.out)
        assert "error: cat/broken.jpg: " in done.err
        assert "error: dog/empty.jpg: is empty (0 bytes)\n" in done.err
        assert "`--on-error skip` leaves such images out" in done.err
        assert "Traceback" not in done.err
        assert {"pets"} == set(os.listdir(tmp_path))

    def test_skip_leaves_them_out_and_names_each(self, tfrec, pets, records):
        done = tfrec("build", pets, "out.tfrecords", "--on-error", "skip", "--workers", "4")

        assert 3 == done.code
        assert "skipped: cat/broken.jpg: " in done.err
        assert "skipped: dog/empty.jpg: is empty (0 bytes)\n" in done.err
        assert "2 images skipped\n" in done.out
        assert [0, 0, 1] == [label for label, _ in records("out.tfrecords")]

    def test_skipped_images_stand_in_the_manifest(self, tfrec, pets, tmp_path):
        tfrec("build", pets, "out.tfrecords", "--on-error", "skip")

        manifest = json.loads((tmp_path / "out.tfrecords.json").read_text())
        assert ["cat/broken.jpg", "dog/empty.jpg"] == [
            i["path"] for i in manifest["splits"]["train"]["shards"][0]["skipped"]
        ]


class TestTheTarget:
    def test_a_dataset_of_ours_is_replaced(self, tfrec, pets, save, records):
        tfrec("build", pets, "out.tfrecords")
        save("pets/dog/d.png", (1, 2, 3))

        done = tfrec("build", pets, "out.tfrecords")

        assert 0 == done.code
        assert 4 == len(records("out.tfrecords"))

    def test_a_foreign_file_is_kept(self, tfrec, pets, save, tmp_path):
        save("out.tfrecords", b"precious")

        done = tfrec("build", pets, "out.tfrecords")

        assert 2 == done.code
        assert "was not built by tfrec; `--overwrite` replaces it" in done.err
        assert b"precious" == (tmp_path / "out.tfrecords").read_bytes()

    def test_overwrite_replaces_a_foreign_file(self, tfrec, pets, save, records):
        save("out.tfrecords", b"precious")

        done = tfrec("build", pets, "out.tfrecords", "--overwrite")

        assert 0 == done.code
        assert 3 == len(records("out.tfrecords"))

    def test_a_device_is_refused(self, tfrec, pets):
        done = tfrec("build", pets, "/dev/full", "--overwrite")

        assert 0 != done.code
        assert done.err.startswith("error: /dev/full")
        assert "Traceback" not in done.err


class TestEmptyAndMissing:
    def test_a_missing_directory_is_one_sentence(self, tfrec, tmp_path):
        done = tfrec("build", "nowhere", "out.tfrecords")

        assert (1, "error: nowhere: there is no such directory\n") == (done.code, done.err)
        assert [] == os.listdir(tmp_path)

    def test_an_image_beside_the_classes_is_named_and_left_out(self, tfrec, pets, save, records):
        save("pets/a.png", (0, 0, 0))

        done = tfrec("build", pets, "out.tfrecords")

        assert 3 == done.code
        assert "a.png" in done.err
        assert [0, 0, 1] == [label for label, _ in records("out.tfrecords")]

    def test_junk_is_ignored_and_counted(self, tfrec, pets, save, records):
        save("pets/cat/._a.png", b"\0\5\26\7")
        save("pets/__MACOSX/cat/._a.png", b"\0\5\26\7")
        save("pets/.ipynb_checkpoints/a.png", (1, 1, 1))
        save("pets/cat/Thumbs.db", b"\xd0\xcf")

        done = tfrec("build", pets, "out.tfrecords")

        assert 0 == done.code
        assert "ignored: " in done.out
        assert [0, 0, 1] == [label for label, _ in records("out.tfrecords")]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit of open files")
class TestFewOpenFiles:
    def build(self, directory, *args):
        command = f"ulimit -n 64; exec {sys.executable} -m tfrec build {' '.join(args)}"
        return subprocess.run(
            ["bash", "-c", command], cwd=directory, capture_output=True, text=True, check=False
        )

    def test_images_are_closed(self, save, tmp_path):
        for number in range(500):
            save(f"pets/cat/{number}.png", Image.new("L", (2, 2), number % 256))

        done = self.build(tmp_path, "pets", "out.tfrecords", "--workers", "4")

        assert (0, 500 * 196_669) == (done.returncode, (tmp_path / "out.tfrecords").stat().st_size)

    def test_shards_are_closed(self, save, tmp_path):
        for number in range(100):
            save(f"pets/cat/{number}.png", Image.new("L", (2, 2), number))

        done = self.build(tmp_path, "pets", "out", "--num-shards", "100")

        assert 0 == done.returncode, done.stderr
        sizes = [path.stat().st_size for path in (tmp_path / "out").glob("train-*-of-00100.*")]
        assert 100 * [196_669] == sizes


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit of file sizes")
def test_a_full_disk_is_one_sentence_and_leaves_nothing(save, tmp_path):
    for number in range(40):
        save(f"pets/cat/{number}.png", (number, 0, 0))

    command = f"ulimit -f 2000; exec {sys.executable} -m tfrec build pets out.tfrecords"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (1, "error: out.tfrecords: File too large\n") == (done.returncode, done.stderr)
    assert ["pets"] == os.listdir(tmp_path)


def test_an_unwritable_reader_of_the_summary_is_no_failure(tfrec, pets, records):
    with tfrec.start("build", pets, "out.tfrecords") as process:
        process.stdout.close()
        process.wait(60)

    assert 0 == process.returncode
    assert 3 == len(records("out.tfrecords"))


def test_an_image_too_large_for_its_encoding_is_a_bad_image(tfrec, pets, save):
    save("pets/cat/wide.png", Image.new("1", (65_501, 1)))
    options = ("--schema", "imagenet", "--size", "original", "--on-error", "skip")

    done = tfrec("build", pets, "out.tfrecord", *options)

    assert 3 == done.code
    assert (
        "skipped: cat/wide.png: is too large: 65501x1 pixels, and JPEG holds at most 65500 on a "
        "side" in done.err.splitlines()
    )
