"""`tfrec build` of images that are odd or too large, and of many."""

import json

import pytest
from PIL import Image

PALETTE = (200, 16, 64, 0, 90, 255)


def test_indexed_images_with_transparent_entries_are_built_in_silence(tfrec, save, records):
    image = Image.new("P", (256, 256))
    image.putpalette(PALETTE)
    image.paste(1, (128, 0, 256, 256))
    for number in range(40):
        save(f"pets/cat/{number}.png", image, transparency=bytes([255, 128]))

    done = tfrec("build", "pets", "out.tfrecords")

    assert (0, "") == (done.code, done.err)
    # 128 / 255 of the second colour over white: 255 - 128, and so on.
    row = bytes(PALETTE[:3]) * 128 + bytes([127, 172, 255]) * 128
    assert [(0, row * 256)] * 40 == records("out.tfrecords")


class TestOneBadOfSixty:
    @pytest.fixture(autouse=True)
    def images(self, save):
        for number in range(59):
            save(f"pets/cat/{number:02}.png", (number, 0, 0))
        save("pets/cat/30a.png", b"\x89PNG\r\n\x1a\n and no more")

    def test_skip_keeps_all_others(self, tfrec, records):
        done = tfrec("build", "pets", "out.tfrecords", "--on-error", "skip", "--workers", "4")

        assert 3 == done.code
        assert "1 image skipped\n" in done.out
        assert list(range(59)) == [pixels[0] for _, pixels in records("out.tfrecords")]

    @pytest.mark.parametrize(
        ("words", "line"),
        [
            (("check", "pets"), "1 bad image\n"),
            (("build", "pets", "out.tfrecords", "--dry-run"), "1 bad image of those tried\n"),
        ],
        ids=["check", "dry-run"],
    )
    def test_it_is_counted_in_the_singular(self, tfrec, words, line):
        assert f"\n{line}" in tfrec(*words).out

    @pytest.mark.parametrize(
        ("options", "code", "told"),
        [
            ((), 1, ["a build would fail; `--on-error skip` leaves such images out"]),
            (("--on-error", "skip"), 0, []),
        ],
        ids=["fail", "skip"],
    )
    def test_a_dry_run_that_meets_it_knows_what_a_build_would_do(self, tfrec, options, code, told):
        done = tfrec("build", "pets", "out.tfrecords", "--dry-run", *options)

        named, *others = done.err.splitlines()
        assert named.startswith("bad: cat/30a.png: ")
        assert (code, told) == (done.code, others)

    def test_a_dry_run_tells_how_many_images_it_has_not_opened(self, tfrec, save):
        for number in range(11):  # every second of 71 is tried, the bad one among them
            save(f"pets/cat/{number:02}+.png", (number, 1, 0))

        done = tfrec("build", "pets", "out.tfr", "--dry-run", "--json")
        said = tfrec("build", "pets", "out.tfr", "--dry-run")

        document = json.loads(done.out)
        assert (1, 71, 36, True) == (
            done.code,
            document["num_records"],
            document["num_tried"],
            document["would_fail"],
        )
        directory = "out.tfr is a directory of files; a name that ends in .tfrecord makes one file"
        assert [directory] == document["notes"]
        assert f"note: {directory}" == said.err.splitlines()[0]
        assert (
            "note: 35 images were not opened; `tfrec check` tries all" == said.err.splitlines()[-1]
        )

    def test_fail_names_it_and_leaves_nothing(self, tfrec, tmp_path):
        done = tfrec("build", "pets", "out.tfrecords", "--workers", "4")

        assert 1 == done.code
        assert "error: cat/30a.png: " in done.err
        assert ["pets"] == [path.name for path in tmp_path.iterdir()]


class TestHugeImages:
    @pytest.fixture(autouse=True)
    def images(self, save):
        save("pets/cat/big.png", Image.new("1", (14_000, 13_000)))
        for number in range(4):
            save(f"pets/dog/{number}.png", (9, 9, 9))

    def test_one_over_the_limit_is_a_bad_image(self, tfrec, tmp_path):
        done = tfrec("build", "pets", "out.tfrecords")

        assert 1 == done.code
        assert "error: cat/big.png: is too large: 14000x13000 = 182000000 pixels" in done.err
        assert ["pets"] == [path.name for path in tmp_path.iterdir()]

    def test_the_others_can_be_had(self, tfrec, records):
        done = tfrec("build", "pets", "out.tfrecords", "--on-error", "skip")

        assert 3 == done.code
        assert "1 image skipped\n" in done.out
        assert [1, 1, 1, 1] == [label for label, _ in records("out.tfrecords")]

    def test_a_raised_limit_admits_it(self, tfrec, records):
        done = tfrec("build", "pets", "out.tfrecords", "--max-pixels", "182000000")

        assert 0 == done.code
        built = records("out.tfrecords")
        assert [0, 1, 1, 1, 1] == [label for label, _ in built]
        assert bytes(196_608) == built[0][1]


def test_an_image_of_100_million_pixels_is_an_ordinary_one(tfrec, save, records):
    save("pets/cat/big.png", Image.new("1", (10_000, 10_000), 1))

    done = tfrec("build", "pets", "out.tfrecords")

    assert (0, "") == (done.code, done.err)
    assert [(0, b"\xff" * 196_608)] == records("out.tfrecords")
