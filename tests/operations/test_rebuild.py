"""Builds into a dataset that is there already: what is written again, and what is not."""

import io
import json

import pytest
from PIL import Image

from tfrec import build, scan_images
from tfrec.errors import BadImagesError, ConfigError
from tfrec.images import ImageSettings

SORTED = {"num_shards": 4}
SHUFFLED = {"num_shards": 4, "shuffle": True}
SPLIT = {"num_shards": 2, "splits": "train=0.75,test=0.25", "split_method": "stable"}
LAYOUTS = pytest.mark.parametrize(
    "layout", [SORTED, SHUFFLED, SPLIT], ids=["sorted", "shuffled", "split"]
)


def shard_of(report, bench, path):
    """Find the shard of an image by its pixels, which are stored raw."""
    raw = Image.open(io.BytesIO(bench.files[path])).tobytes()
    return next(
        shard.name
        for shard in report.manifest.shards
        if raw in bench.files[f"{report.path}/{shard.name}"]
    )


@LAYOUTS
def test_the_same_build_again_writes_nothing(bench, layout):
    first = bench.build(**layout)
    before = bench.tree()

    again = bench.build(**layout)

    assert len(first.manifest.shards) == len(first.written)
    assert () == again.written
    assert before == bench.tree()


@LAYOUTS
def test_a_changed_image_rewrites_its_shard_alone(bench, layout):
    report = bench.build(**layout)
    expected = shard_of(report, bench, "in/b/03.png")

    bench.files["in/b/03.png"] = bench.png(200, 200, 200)

    assert (expected,) == bench.build(**layout).written
    assert bench.fresh(**layout) == bench.tree()


@pytest.mark.parametrize("layout", [SHUFFLED, SPLIT], ids=["shuffled", "split"])
def test_an_added_image_rewrites_one_shard(bench, layout):
    bench.build(**layout)

    bench.files["in/a/99.png"] = bench.png(250, 1, 1)
    again = bench.build(**layout)

    if layout is SHUFFLED:
        assert 1 == len(again.written)
    else:
        (split,) = {name.partition("-")[0] for name in again.written}
        assert split in ("train", "test")
    assert shard_of(again, bench, "in/a/99.png") in again.written
    assert bench.fresh(**layout) == bench.tree()


def test_an_image_added_to_a_sorted_build_rewrites_what_moves(bench):
    # 12 images are 3,3,3,3; a thirteenth at the end makes it 4,3,3,3, and everything moves by one.
    bench.build(**SORTED)

    bench.files["in/b/99.png"] = bench.png(250, 1, 1)

    assert 4 == len(bench.build(**SORTED).written)


@LAYOUTS
def test_a_removed_image_leaves_the_shards_before_it(bench, layout):
    report = bench.build(**layout)
    expected = shard_of(report, bench, "in/b/05.png")

    del bench.files["in/b/05.png"]
    again = bench.build(**layout)

    assert expected in again.written
    if layout is SHUFFLED:
        assert (expected,) == again.written
    if layout is SORTED:  # 3,3,3,2: nothing before the last moves
        assert ("train-00003-of-00004.tfrecord",) == again.written
    assert bench.fresh(**layout) == bench.tree()


def test_a_changed_setting_rewrites_all(bench):
    bench.build(**SORTED)

    assert 4 == len(bench.build(**SORTED, features=("site=x",)).written)


def test_a_new_class_rewrites_the_shards_whose_labels_change(bench):
    bench.build(num_shards=2)  # the six images of each class

    bench.files |= {f"in/aa/{number}.png": bench.png(9, 9, number) for number in range(6)}
    again = bench.build(num_shards=3)

    assert 3 == len(again.written)  # names say how many there are
    assert ("a", "aa", "b") == again.manifest.class_names


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda content: content[:-1] + bytes((content[-1] ^ 1,)),
        lambda content: None,
    ],
    ids=["shorter", "a flipped bit", "missing"],
)
def test_a_damaged_shard_is_written_again(bench, damage):
    bench.build(**SORTED)
    before = bench.tree()
    name = "train-00002-of-00004.tfrecord"
    damaged = damage(bench.files.pop(f"out/{name}"))
    if damaged is not None:
        bench.files[f"out/{name}"] = damaged

    assert (name,) == bench.build(**SORTED).written
    assert before == bench.tree()


@pytest.mark.parametrize("name", ["labels.txt", "features.json", "dataset_info.json"])
def test_a_changed_small_file_is_written_again(bench, name):
    bench.build(**SORTED)
    before = bench.tree()
    bench.files[f"out/{name}"] = b"?"

    assert () == bench.build(**SORTED).written
    assert before == bench.tree()


def test_shards_of_an_earlier_layout_are_removed(bench):
    bench.build(num_shards=4, index=True)

    bench.build(num_shards=3, schema="kaggle", compression="gzip")

    assert {
        "dataset.json",
        "labels.txt",
        *(f"train-{number:05}-of-00003.tfrecord.gz" for number in range(3)),
    } == set(bench.tree())


def test_files_of_others_stay(bench):
    bench.build(num_shards=4)
    bench.files["out/label_map.pbtxt"] = b"mine"
    bench.files["out/other-00000-of-00001.tfrecord"] = b"mine too"

    bench.build(num_shards=2)

    assert b"mine" == bench.files["out/label_map.pbtxt"]
    assert b"mine too" == bench.files["out/other-00000-of-00001.tfrecord"]


def test_a_directory_of_others_is_refused(bench):
    bench.files["out/README"] = b"mine"

    with pytest.raises(ConfigError, match="out exists and was not built by tfrec; `--overwrite`"):
        bench.build()

    assert {"README": b"mine"} == bench.tree()


def test_overwrite_builds_beside_files_of_others(bench):
    bench.files["out/train-00000-of-00001.tfrecord"] = b"foreign"
    bench.files["out/README"] = b"mine"

    bench.build(num_shards=1, overwrite=True)

    assert bench.fresh(num_shards=1) | {"README": b"mine"} == bench.tree()


class TestBadImages:
    def test_a_failing_rebuild_leaves_the_dataset_as_it_was(self, bench):
        bench.build(**SORTED)
        before = bench.tree()
        bench.files["in/a/00.png"] = bench.png(100, 100, 100)
        bench.files["in/b/05.png"] = b"no image"

        with pytest.raises(BadImagesError):
            bench.build(**SORTED)

        after = bench.tree()
        assert before == {name: after[name] for name in before}
        assert () == tuple(name for name in bench.check(**SORTED) if "00000" in name)

    def test_the_mended_image_ends_it_and_nothing_is_left(self, bench):
        bench.build(**SORTED)
        bench.files["in/a/00.png"] = bench.png(100, 100, 100)
        bench.files["in/b/05.png"] = b"no image"
        with pytest.raises(BadImagesError):
            bench.build(**SORTED)

        bench.files["in/b/05.png"] = bench.png(101, 101, 101)

        assert ("train-00003-of-00004.tfrecord",) == bench.build(**SORTED).written
        assert bench.fresh(**SORTED) == bench.tree()

    def test_skipped_images_are_known_without_decoding(self, bench):
        bench.files["in/a/01.png"] = b"no image"
        first = bench.build(**SORTED, on_error="skip")

        again = bench.build(**SORTED, on_error="skip")

        assert () == again.written
        assert first.manifest.skipped == again.manifest.skipped
        assert ["a/01.png"] == [image.path for image in again.manifest.skipped]
        assert {"a": 5, "b": 6} == again.images_per_class

    def test_what_was_skipped_fails_a_build_that_may_not(self, bench):
        bench.files["in/a/01.png"] = b"no image"
        bench.build(**SORTED, on_error="skip")

        with pytest.raises(BadImagesError, match="a/01.png"):
            bench.build(**SORTED)

    def test_each_shard_says_what_it_skipped(self, bench):
        bench.files["in/b/00.png"] = b""
        bench.build(**SORTED, on_error="skip")

        shards = json.loads(bench.files["out/dataset.json"])["splits"]["train"]["shards"]
        assert [[], [], ["b/00.png"], []] == [
            [image["path"] for image in shard["skipped"]] for shard in shards
        ]


class TestOneFile:
    def test_the_same_build_again_writes_nothing(self, bench):
        assert ("x.tfrecord",) == bench.build("x.tfrecord").written
        before = bench.files["x.tfrecord"]

        assert () == bench.build("x.tfrecord").written
        assert before is bench.files["x.tfrecord"]

    def test_a_changed_image_writes_it_again(self, bench):
        bench.build("x.tfrecord")
        bench.files["in/a/00.png"] = bench.png(1, 2, 3)

        assert ("x.tfrecord",) == bench.build("x.tfrecord").written

    def test_a_missing_manifest_is_foreign(self, bench):
        bench.build("x.tfrecord")
        del bench.files["x.tfrecord.json"]

        with pytest.raises(ConfigError, match="--overwrite"):
            bench.build("x.tfrecord")

    def test_an_index_is_written_beside_it(self, bench):
        bench.build("x.tfrecord", index=True)

        # `label` and 12 bytes of pixels: 28 bytes of framing, keys and lengths around each.
        size = len(bench.files["x.tfrecord"]) // 12
        expected = "".join(f"{number * size} {size}\n" for number in range(12)).encode()
        assert expected == bench.files["x.tfrecord.idx"]


class TestDuplicates:
    def test_the_same_file_in_two_splits_is_reported(self, bench):
        source = dict(bench.files)
        bench.files.clear()
        for path, content in source.items():
            split = "train" if "in/a" in path else "test"
            bench.files[path.replace("in/", f"in/{split}/")] = content
        bench.files["in/test/b/copy.png"] = bench.files["in/train/a/02.png"]

        (found,) = bench.build(split_from_dirs=True, label_rule="second").duplicates
        assert ("test/b/copy.png", "train/a/02.png") in (
            (found.path, found.other_path),
            (found.other_path, found.path),
        )

    def test_within_a_split_it_is_not(self, bench):
        bench.files["in/b/copy.png"] = bench.files["in/a/02.png"]

        assert () == bench.build().duplicates


def test_a_label_map_goes_with_its_schema(bench):
    bench.build(schema="imagenet")
    bench.build(schema="tfds")

    assert {"dataset.json", "labels.txt", "features.json", "dataset_info.json"} | {
        "label.labels.txt",
        "train-00000-of-00001.tfrecord",
    } == set(bench.tree())


@pytest.mark.parametrize("name", ["../in/a/00.png", "..", "", "/etc/hosts"])
def test_a_manifest_cannot_choose_files_elsewhere(bench, name):
    bench.build(num_shards=1)
    content = bench.files["out/dataset.json"].replace(
        b'"train-00000-of-00001.tfrecord"', json.dumps(name).encode()
    )
    bench.files["out/dataset.json"] = content

    with pytest.raises(ConfigError, match="was not built by tfrec"):
        bench.build(num_shards=2)
    assert "in/a/00.png" in bench.files


def test_a_journal_cannot_choose_files_elsewhere(bench):
    bench.files["out/.tfrec-journal"] = b'{"names": ["../in/a/00.png", "..", 3]}\n'

    bench.build(num_shards=1)

    assert "in/a/00.png" in bench.files


def test_a_directory_is_built_by_its_name(tmp_path):
    for name, colour in (("cat", "red"), ("dog", "blue")):
        folder = tmp_path / "photos" / name
        folder.mkdir(parents=True)
        Image.new("RGB", (4, 4), colour).save(folder / "0.png")
    photos = str(tmp_path / "photos")

    build(photos, str(tmp_path / "by_name.tfrecord"))
    build(scan_images(photos), str(tmp_path / "by_scan.tfrecord"))

    made = (tmp_path / "by_name.tfrecord").read_bytes()
    assert (tmp_path / "by_scan.tfrecord").read_bytes() == made
    assert 2 * 196_669 == len(made)


SORTED_NOTE = "records are sorted by class; `--shuffle` mixes them"
UP_TO_DATE = "was built otherwise, and a build brings it up to date: the"


@pytest.mark.parametrize("out", ["out", "out.tfrecord"])
def test_what_is_different_from_the_dataset_that_was_there_is_noted(bench, out):
    first = bench.build(out)
    same = bench.build(out)

    larger = bench.build(out, image=ImageSettings(size=(4, 3)))
    several = bench.build(out, schema="tfds", quality=80, seed=3, on_error="skip")
    bench.fill("c", 1)
    grown = bench.build(out, schema="tfds", quality=80, seed=3, on_error="skip")

    assert ((SORTED_NOTE,), (SORTED_NOTE,)) == (first.notes, same.notes)
    first_three = (
        "setting `encoding` is 'jpeg' and was 'raw'; the setting `image.size` is [2, 2] and was "
        "[4, 3]; the setting `on_error` is 'skip' and was 'fail'"
    )
    assert [
        f"{out} {UP_TO_DATE} setting `image.size` is [4, 3] and was [2, 2]",
        f"{out} {UP_TO_DATE} {first_three}; and 3 more",
        f"{out} {UP_TO_DATE} classes or their numbers have changed",
    ] == [report.notes[0] for report in (larger, several, grown)]


def test_a_new_directory_with_the_name_of_a_file_is_noted(bench):
    note = "out.tfr is a directory of files; a name that ends in .tfrecord makes one file"

    assert [(note, SORTED_NOTE), (SORTED_NOTE,)] == [
        bench.build("out.tfr").notes,
        bench.build("out.tfr").notes,  # by then it is known
    ]


def test_a_replaced_dataset_of_somebody_else_is_not_compared(bench):
    bench.files["out/dataset.json"] = b"theirs"

    assert (SORTED_NOTE,) == bench.build(overwrite=True).notes
