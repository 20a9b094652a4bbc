"""`tfrec dump` as a process."""

import json
import os
from urllib.parse import unquote

import numpy as np
import pytest
from PIL import Image

from tfrec.example import encode_example
from tfrec.wire import frame_record


def files_below(directory):
    return sorted(
        os.path.relpath(os.path.join(folder, name), directory)
        for folder, _, names in os.walk(directory)
        for name in names
        if not name.startswith(".")
    )


@pytest.fixture
def write_records(tmp_path):
    def write_records(path, *examples):
        payloads = [e if isinstance(e, bytes) else encode_example(e) for e in examples]
        (tmp_path / path).write_bytes(b"".join(map(frame_record, payloads)))

    return write_records


@pytest.fixture
def built(tfrec, pets):
    assert 0 == tfrec("build", pets, "out.tfrecords").code
    return "out.tfrecords"


def raw(red, green, blue, num_pixels=256 * 256):
    return bytes((red, green, blue)) * num_pixels


def test_each_record_is_a_jpeg_in_the_folder_of_its_class(tfrec, built, tmp_path):
    done = tfrec("dump", built, "show")

    assert (0, "") == (done.code, done.err)
    assert done.out == "show: 3 images\n  cat/  2 images\n  dog/  1 image\n"
    expected = ["cat/000000.jpg", "cat/000001.jpg", "dog/000002.jpg"]
    assert expected == files_below(tmp_path / "show")
    with Image.open(tmp_path / "show/dog/000002.jpg") as image:
        assert ("JPEG", (256, 256)) == (image.format, image.size)
        pixels = np.asarray(image).astype(int)
    assert 2 >= np.abs(pixels - (70, 80, 90)).max()


def test_a_file_named_twice_is_written_once(tfrec, built, tmp_path):
    done = tfrec("dump", built, built, "show")

    assert (0, "") == (done.code, done.err)
    expected = ["cat/000000.jpg", "cat/000001.jpg", "dog/000002.jpg"]
    assert expected == files_below(tmp_path / "show")


def test_png_keeps_every_pixel(tfrec, save, tmp_path):
    noise = Image.effect_noise((256, 256), 90).convert("RGB")
    save("pets/cat/a.png", noise)
    tfrec("build", "pets", "out.tfrecords")

    tfrec("dump", "out.tfrecords", "show", "--format", "png")

    with Image.open(tmp_path / "show/cat/000000.png") as image:
        assert noise.tobytes() == image.tobytes()


def test_without_a_manifest_folders_are_labels(tfrec, built, tmp_path):
    (tmp_path / "out.tfrecords.json").unlink()

    tfrec("dump", built, "show")

    assert ["0/000000.jpg", "0/000001.jpg", "1/000002.jpg"] == files_below(tmp_path / "show")


def test_shards_name_their_images(tfrec, pets, tmp_path):
    tfrec("build", pets, "out", "--num-shards", "2")

    tfrec("dump", "out", "show")

    assert files_below(tmp_path / "show") == [
        "cat/train-00000-of-00002-000000.jpg",
        "cat/train-00000-of-00002-000001.jpg",
        "dog/train-00001-of-00002-000000.jpg",
    ]


@pytest.mark.parametrize("threads", [1, 7])
def test_the_number_of_threads_does_not_show(tfrec, save, tmp_path, threads):
    for number in range(40):
        save(f"pets/{number % 3}/{number}.png", (number, 2 * number, 3 * number))
    tfrec("build", "pets", "out", "--num-shards", "5")

    done = tfrec("dump", "out", "show", "--format", "png", "--workers", str(threads))

    assert 0 == done.code
    found = {}
    for name in files_below(tmp_path / "show"):
        with Image.open(tmp_path / "show" / name) as image:
            found.setdefault(name[0], []).append(image.getpixel((9, 9))[0])
    # Within a class, images come in the order of their paths' bytes, and names sort by record.
    expected = {
        str(label): sorted((n for n in range(40) if n % 3 == label), key=lambda n: f"{n}.png")
        for label in range(3)
    }
    assert expected == found


@pytest.mark.parametrize("name", ["a:b*c?", "..", "...", "%41", "con", "a" * 255, "-rf"])
def test_a_class_name_stays_inside_the_target_and_can_be_had_back(tfrec, built, tmp_path, name):
    manifest = json.loads((tmp_path / "out.tfrecords.json").read_text())
    manifest["labels"]["names"][0] = name
    (tmp_path / "out.tfrecords.json").write_text(json.dumps(manifest))

    done = tfrec("dump", built, "show")

    assert 0 == done.code
    (folder,) = set(os.listdir(tmp_path / "show")) - {"dog", ".tfrec-dump.json"}
    assert ["000000.jpg", "000001.jpg"] == sorted(os.listdir(tmp_path / "show" / folder))
    assert len(name) > 200 or name == unquote(folder)
    assert {"pets", "out.tfrecords", "out.tfrecords.json", "show"} == set(os.listdir(tmp_path))


@pytest.mark.parametrize("name", ["../../evil", "/evil", "a/b", "a\\b", "nul\0l"])
def test_a_class_name_is_never_a_path(tfrec, built, tmp_path, name):
    manifest = json.loads((tmp_path / "out.tfrecords.json").read_text())
    manifest["labels"]["names"][0] = name
    (tmp_path / "out.tfrecords.json").write_text(json.dumps(manifest))

    tfrec("dump", built, "show")

    (folder,) = set(os.listdir(tmp_path / "show")) - {"dog", ".tfrec-dump.json"}
    assert name == unquote(folder)


def test_an_encoded_image_is_kept_byte_for_byte(tfrec, write_records, save, tmp_path):
    jpeg = save("a.jpg", (9, 9, 9)).read_bytes()
    write_records("x.tfrecords", {"label": 4, "img_raw": jpeg})

    tfrec("dump", "x.tfrecords", "show")

    assert jpeg == (tmp_path / "show/4/000000.jpg").read_bytes()


class TestTheTarget:
    def test_a_filled_directory_is_refused(self, tfrec, built, save, tmp_path):
        save("show/mine.txt", b"precious")

        done = tfrec("dump", built, "show")

        assert 2 == done.code
        assert "show is not empty" in done.err
        assert ["mine.txt"] == os.listdir(tmp_path / "show")

    def test_overwrite_replaces_a_dump(self, tfrec, built, tmp_path):
        tfrec("dump", built, "show", "--format", "png")

        done = tfrec("dump", built, "show", "--overwrite")

        assert 0 == done.code
        assert all(name.endswith(".jpg") for name in files_below(tmp_path / "show"))

    @pytest.mark.parametrize("path", ["show/mine.txt", "show/cat/mine.jpg", "show/new/mine.jpg"])
    def test_overwrite_keeps_what_a_dump_did_not_write(self, tfrec, built, save, tmp_path, path):
        tfrec("dump", built, "show")
        save(path, b"precious")

        done = tfrec("dump", built, "show", "--overwrite")

        assert 2 == done.code
        assert "holds files that `tfrec dump` did not write" in done.err
        assert b"precious" == (tmp_path / path).read_bytes()

    def test_overwrite_keeps_a_directory_of_others(self, tfrec, built, save, tmp_path):
        save("show/mine.txt", b"precious")

        done = tfrec("dump", built, "show", "--overwrite")

        assert 2 == done.code
        assert b"precious" == (tmp_path / "show/mine.txt").read_bytes()


class TestFaults:
    def test_damage_is_named_and_leaves_nothing(self, tfrec, built, tmp_path):
        data = bytearray((tmp_path / built).read_bytes())
        data[196_669 + 5_000] ^= 1
        (tmp_path / built).write_bytes(data)

        done = tfrec("dump", built, "show")

        assert 1 == done.code
        assert "out.tfrecords: record 1 at offset 196681: the checksum of the payload" in done.err
        assert not (tmp_path / "show").exists()
        assert [] == [name for name in os.listdir(tmp_path) if name.startswith(".")]

    def test_a_record_that_is_no_example_is_named(self, tfrec, write_records):
        write_records("x.tfrecords", b"\xff\xff\xff")

        done = tfrec("dump", "x.tfrecords", "show")

        assert 1 == done.code
        assert done.err.startswith("error: x.tfrecords, record 0: ")
        assert "tf.train.Example" in done.err

    def test_floats_are_told_from_bytes(self, tfrec, write_records):
        write_records("x.tfrecords", {"label": 0, "img_raw": bytes(4 * 196_608)})

        done = tfrec("dump", "x.tfrecords", "show")

        assert 1 == done.code
        for part in ("record 0", "786432", "196608", "4 bytes"):
            assert part in done.err

    def test_another_size_is_guessed(self, tfrec, write_records):
        write_records("x.tfrecords", {"label": 0, "img_raw": raw(1, 2, 3, 128 * 128)})

        done = tfrec("dump", "x.tfrecords", "show")

        assert 1 == done.code
        for part in ("49152", "196608", "128x128"):
            assert part in done.err

    def test_another_size_can_be_given(self, tfrec, write_records, tmp_path):
        write_records("x.tfrecords", {"label": 0, "img_raw": raw(1, 2, 3, 64 * 32)})

        tfrec("dump", "x.tfrecords", "show", "--size", "64x32", "--format", "png")

        with Image.open(tmp_path / "show/0/000000.png") as image:
            assert ((64, 32), (1, 2, 3)) == (image.size, image.getpixel((0, 0)))

    def test_a_record_without_label_goes_to_a_folder_that_says_so(
        self, tfrec, write_records, tmp_path
    ):
        image = raw(5, 5, 5)
        write_records("x.tfrecords", {"label": 1, "img_raw": image}, {"img_raw": image})

        done = tfrec("dump", "x.tfrecords", "show")

        assert 0 == done.code
        assert ["1/000000.jpg", "no-label/000001.jpg"] == files_below(tmp_path / "show")

    def test_skip_leaves_bad_records_out_and_names_them(self, tfrec, write_records, tmp_path):
        image = raw(5, 5, 5)
        good, bad = {"label": 1, "img_raw": image}, {"label": 1, "img_raw": image[:-1]}
        write_records("x.tfrecords", good, bad, b"\xff", good)

        done = tfrec("dump", "x.tfrecords", "show", "--on-error", "skip")

        assert 3 == done.code
        assert "skipped: x.tfrecords, record 1, feature 'img_raw': " in done.err
        assert "skipped: x.tfrecords, record 2: " in done.err
        assert "2 records skipped\n" in done.out
        assert ["1/000000.jpg", "1/000003.jpg"] == files_below(tmp_path / "show")

    def test_an_empty_file_gives_an_empty_directory(self, tfrec, write_records, tmp_path):
        write_records("x.tfrecords")

        done = tfrec("dump", "x.tfrecords", "show")

        assert (0, "show: 0 images\n") == (done.code, done.out)
        assert [".tfrec-dump.json"] == os.listdir(tmp_path / "show")

    def test_a_missing_file_is_one_sentence(self, tfrec, tmp_path):
        done = tfrec("dump", "nope.tfrecords", "show")

        assert (1, "error: nope.tfrecords: there is no such file or directory\n") == (
            done.code,
            done.err,
        )
        assert [] == os.listdir(tmp_path)


def test_a_record_of_an_impossible_size_is_left_out_and_named(tfrec, write_records):
    write_records(
        "their.tfrecord",
        {"label": 1, "image": bytes(12), "width": -2, "height": -2},
        {"label": 1, "image": bytes(3 * 65_501), "width": 65_501, "height": 1},
        {"label": 1, "image": bytes(12), "width": 2, "height": 2},
    )

    done = tfrec("dump", "their.tfrecord", "show", "--on-error", "skip")

    assert 3 == done.code
    assert (
        "skipped: their.tfrecord, record 0, feature 'image': the image has the size -2x-2, and no "
        "image has that\n"
        "skipped: their.tfrecord, record 1, feature 'image': the image is too large: 65501x1 "
        "pixels, and JPEG holds at most 65500 on a side\n"
    ) == done.err


class TestSelection:
    @pytest.fixture
    def numbered(self, write_records):
        image = raw(5, 5, 5)
        write_records("x.tfrecords", *({"label": n % 3, "img_raw": image} for n in range(9)))
        return "x.tfrecords"

    def test_numbers_choose_records(self, tfrec, numbered, tmp_path):
        done = tfrec("dump", numbered, "show", "--index", "0", "--index", "-2:")

        assert 0 == done.code
        assert ["0/000000.jpg", "1/000007.jpg", "2/000008.jpg"] == files_below(tmp_path / "show")

    def test_tests_of_features_choose_records(self, tfrec, numbered, tmp_path):
        tfrec("dump", numbered, "show", "--where", "label == 2")

        assert ["2/000002.jpg", "2/000005.jpg", "2/000008.jpg"] == files_below(tmp_path / "show")


@pytest.mark.parametrize(
    ("filename", "expected"),
    [
        ("cat 1.JPG", "000000-cat 1.png"),
        ("../../etc/passwd.jpg", "000000-passwd.png"),
        ("C:\\photos\\a*b.png", "000000-a%2Ab.png"),
        (".jpg", "000000.png"),
        ("n0153_12", "000000-n0153_12.png"),
    ],
)
def test_the_image_files_own_name_follows_the_number(
    tfrec, write_records, tmp_path, filename, expected
):
    features = {"label": 4, "img_raw": raw(5, 5, 5), "image/filename": filename.encode()}
    write_records("x.tfrecords", features)

    tfrec("dump", "x.tfrecords", "show", "--format", "png")

    assert [f"4/{expected}"] == files_below(tmp_path / "show")
