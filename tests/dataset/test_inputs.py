"""What the arguments of a reading command mean."""

import hashlib
import json

import pytest

from tfrec.dataset.inputs import resolve_inputs
from tfrec.dataset.manifest import Manifest, Shard, Split
from tfrec.errors import ConfigError, ManifestError
from tfrec.storage import AnyStorage, LocalStorage, MemoryStorage
from tfrec.wire import frame_record

FILE = frame_record(b"a record")


def manifest(*names):
    digest = hashlib.sha256(FILE).hexdigest()
    shards = tuple(Shard(name, 1, len(FILE), digest, "") for name in names)
    return Manifest({}, ("cat", "dog"), 1, {}, {"train": Split(shards, {})}).to_json()


def tfds_info(**changes):
    split = {"name": "train", "numBytes": "0", "shardLengths": ["5", "6"]}
    document = {"fileFormat": "tfrecord", "name": "ds", "version": "1.0.0", "splits": [split]}
    return json.dumps({**document, **changes}).encode()


def resolve(*paths, **files):
    storage = MemoryStorage(files)
    return resolve_inputs(paths, storage)


class CountingStorage(MemoryStorage):
    """Tells which files were opened."""

    def __init__(self, files):
        super().__init__(files)
        self.opened = []

    def open_read(self, path):
        self.opened.append(path)
        return super().open_read(path)


def paths_of(files):
    return [file.path for file in files]


def test_a_file_is_itself():
    (file,) = resolve("x", x=FILE)

    assert ("x", None, None, {}) == (file.path, file.manifest, file.num_records, file.class_names)


def test_several_arguments_keep_their_order():
    assert ["b", "a", "b"] == paths_of(resolve("b", "a", "b", a=FILE, b=FILE))


def test_a_dash_is_standard_input():
    assert ["-"] == paths_of(resolve("-"))


def test_the_manifest_beside_a_file_describes_it():
    (file,) = resolve(
        "x.tfrecord", **{"x.tfrecord": FILE, "x.tfrecord.json": manifest("x.tfrecord")}
    )

    assert (1, "train", {1: "cat", 2: "dog"}) == (file.num_records, file.split, file.class_names)
    assert "x.tfrecord.json" == file.described_by


@pytest.mark.parametrize("argument", ["d", "d/", "d/dataset.json"])
def test_a_dataset_is_the_files_that_its_manifest_names(argument):
    files = resolve(
        argument,
        **{
            "d/dataset.json": manifest("b.tfrecord", "a.tfrecord"),
            "d/a.tfrecord": FILE,
            "d/labels.txt": b"cat\ndog\n",
        },
    )

    assert ["a.tfrecord", "b.tfrecord"] == [path.rpartition("/")[2] for path in paths_of(files)]
    assert ["dog"] * 2 == [file.class_name(2) for file in files]


def test_the_manifests_beside_the_files_of_a_directory_describe_them():
    """A directory may hold several datasets of one file each; and files of nobody's manifest."""
    files = {
        "d/test.tfrecords": FILE,
        "d/test.tfrecords.json": manifest("test.tfrecords"),
        "d/part-00000-of-00001": FILE,
        "d/theirs.tfrecord": FILE,
    }

    found = resolve("d", **files)

    assert [
        ("d/part-00000-of-00001", None, None),
        ("d/test.tfrecords", 1, "d/test.tfrecords.json"),
        ("d/theirs.tfrecord", None, None),
    ] == [(file.path, file.num_records, file.described_by) for file in found]
    assert {1: "cat", 2: "dog"} == found[1].class_names


def test_a_manifest_beside_a_file_comes_before_that_of_the_directory():
    (file,) = resolve(
        "d/a.tfrecord",
        **{
            "d/a.tfrecord": FILE,
            "d/a.tfrecord.json": manifest("a.tfrecord"),
            "d/dataset.json": manifest("a.tfrecord"),
        },
    )

    assert "d/a.tfrecord.json" == file.described_by


def test_a_manifest_beside_a_file_stands_for_it():
    files = {"x.tfrecord": FILE, "x.tfrecord.json": manifest("x.tfrecord")}

    assert ["x.tfrecord"] == paths_of(resolve("x.tfrecord.json", **files))


def test_a_file_of_a_dataset_is_described_by_its_manifest():
    files = {"d/dataset.json": manifest("a.tfrecord"), "d/a.tfrecord": FILE, "d/b.tfrecord": FILE}

    described, stranger = resolve("d/a.tfrecord", "d/b.tfrecord", **files)

    assert ("d/dataset.json", "cat") == (described.described_by, described.class_name(1))
    assert (None, None) == (stranger.described_by, stranger.class_name(1))


@pytest.mark.parametrize("arguments", [["d/*"], [f"d/{number}.tfrecord" for number in range(9)]])
def test_the_manifest_of_many_files_is_read_once(arguments):
    names = [f"{number}.tfrecord" for number in range(9)]
    files = {f"d/{name}": FILE for name in names} | {"d/dataset.json": manifest(*names)}
    storage = CountingStorage(files)

    found = resolve_inputs(arguments, storage)

    assert ["d/dataset.json"] * 9 == [file.described_by for file in found]
    assert 1 == storage.opened.count("d/dataset.json")
    assert 1 == len({id(file.class_names) for file in found})


def test_a_file_in_a_directory_of_another_program_is_itself():
    files = {"d/dataset.json": b'{"labels": null}', "d/a.tfrecord": FILE}

    assert ["d/a.tfrecord"] == paths_of(resolve("d/a.tfrecord", **files))
    with pytest.raises(ManifestError, match=r"d/dataset\.json"):
        resolve("d", **files)


def test_files_of_a_directory_are_known_by_their_names():
    names = [
        "a.tfrecord",
        "b.TFRECORDS",
        "c.tfrec",
        "d.record",
        "e.tfrecord.gz",
        "e.tfrecord.zz",
        "f.tfr",
        "train-00000-of-00002",
        "mnist-train.tfrecord-00000-of-00001",
        "x_train_00000-of-00005.tfrecord",
        "coco.record-00000-of-00010",
        "events.out.tfevents.1632459639.host.1.0.v2",
    ]
    others = [
        "a.tfrecord.idx",
        "a.tfrecord.json",
        "labels.txt",
        ".hidden.tfrecord",
        "x.csv",
        "cat.jpg",
    ]
    files = {f"d/{name}": b"" for name in names + others}

    assert sorted(f"d/{name}" for name in names) == paths_of(resolve("d", **files))


def test_files_without_a_known_name_are_known_by_their_first_length():
    files = {"d/part-0": FILE, "d/part-1": b"some text, of more than 12 bytes"}

    assert ["d/part-0"] == paths_of(resolve("d", **files))


def test_a_directory_of_something_else_is_said_to_be_that():
    files = {
        "d/a": b"\xff\xd8\xff\xe0" + bytes(20),
        "d/b": b"\xff\xd8\xff\xe0",
        "d/c": b"PK\x03\x04",
    }
    files |= {"d/e/f": b"", "d/g": b""}

    with pytest.raises(ConfigError) as caught:
        resolve("d", **files)

    assert (
        "d has no record files: it holds 1 directory, a JPEG image (2 of them), a ZIP archive, "
        "an empty file"
    ) == str(caught.value)


def test_an_empty_directory_is_said_to_be_empty(tmp_path):
    with pytest.raises(ConfigError, match="it is empty"):
        resolve_inputs([str(tmp_path)], LocalStorage())


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("d/*.tfrecord", ["d/a.tfrecord", "d/b.tfrecord"]),
        ("d/?.tfrecord", ["d/a.tfrecord", "d/b.tfrecord"]),
        ("d/[b-z].*", ["d/b.tfrecord"]),
        ("*/a.tfrecord", ["d/a.tfrecord"]),
        ("**/*.tfrecord", ["d/a.tfrecord", "d/b.tfrecord", "d/e/c.tfrecord"]),
        ("d/*", ["d/a.tfrecord", "d/b.tfrecord"]),  # no index, no directory, nothing hidden
    ],
)
def test_a_pattern_is_the_files_that_match(pattern, expected):
    names = ["a.tfrecord", "b.tfrecord", "a.tfrecord.idx", "e/c.tfrecord", ".h.tfrecord"]

    assert expected == paths_of(resolve(pattern, **{f"d/{name}": FILE for name in names}))


def test_a_pattern_works_on_this_machine_too(tmp_path):
    (tmp_path / "a.tfrecord").write_bytes(FILE)

    files = resolve_inputs([f"{tmp_path}/*.tfrecord"], LocalStorage())

    assert [str(tmp_path / "a.tfrecord")] == paths_of(files)


@pytest.mark.parametrize("pattern", ["a/b/*.tfrecord", "none/b/*.tfrecord"])
def test_what_stands_before_a_pattern_is_not_looked_at_by_itself(pattern, monkeypatch):
    storage = MemoryStorage({"a/b/x.tfrecord": FILE})
    asked = []
    info = storage.info
    monkeypatch.setattr(storage, "info", lambda path: asked.append(path) or info(path))

    if pattern.startswith("a"):
        assert ["a/b/x.tfrecord"] == paths_of(resolve_inputs([pattern], storage))
    else:
        with pytest.raises(ConfigError, match="no file matches"):
            resolve_inputs([pattern], storage)

    assert {"a", "none"}.isdisjoint(asked)


def test_a_name_that_looks_like_a_pattern_is_itself():
    assert ["a[1].tfrecord"] == paths_of(resolve("a[1].tfrecord", **{"a[1].tfrecord": FILE}))


def test_a_pattern_that_matches_nothing_is_named():
    with pytest.raises(ConfigError, match=r"no file matches 'none-\*\.tfrecords'"):
        resolve("none-*.tfrecords", x=FILE)


def test_a_pattern_can_be_a_url(memory_url):
    storage = AnyStorage()
    for name in ("a/1.tfrecord", "b/2.tfrecord", "b/3.txt"):
        with storage.publish(f"{memory_url}/{name}") as stream:
            stream.write(FILE)

    found = resolve_inputs([f"{memory_url}/*/*.tfrecord"], storage)

    assert [f"{memory_url}/a/1.tfrecord", f"{memory_url}/b/2.tfrecord"] == paths_of(found)


def test_a_directory_of_tfds_is_the_files_that_it_names():
    files = resolve(
        "d",
        **{
            "d/dataset_info.json": tfds_info(),
            "d/label.labels.txt": b"cat\ndog\n",
            "d/ds-train.tfrecord-00000-of-00002": FILE,
        },
    )

    assert [
        ("d/ds-train.tfrecord-00000-of-00002", 5, "train", "dog"),
        ("d/ds-train.tfrecord-00001-of-00002", 6, "train", "dog"),
    ] == [(file.path, file.num_records, file.split, file.class_name(1)) for file in files]


def test_tfds_may_name_its_files_by_a_template():
    split = {
        "name": "test",
        "shardLengths": ["1"],
        "filepathTemplate": "{SPLIT}-{SHARD_X_OF_Y}.{FILEFORMAT}",
    }

    (file,) = resolve("d", **{"d/dataset_info.json": tfds_info(splits=[split])})

    assert "d/test-00000-of-00001.tfrecord" == file.path


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"{}", "not what TFDS writes"), (tfds_info(fileFormat="array_record"), "'array_record'")],
)
def test_what_tfds_says_must_be_of_tfrecords(content, words):
    with pytest.raises(ManifestError, match=words):
        resolve("d", **{"d/dataset_info.json": content})


def test_a_part_of_a_dataset_is_none():
    files = {"ds/train-00000-of-00002.tfrecord": FILE, "ds/.tfrec-journal": b"\n"}

    with pytest.raises(ManifestError, match="ds: a build was interrupted"):
        resolve("ds", **files)
    assert 1 == len(resolve("ds/train-00000-of-00002.tfrecord", **files))


def test_a_dataset_is_whole_while_a_build_prepares_the_next():
    name = "train-00000-of-00001.tfrecord"
    files = {f"ds/{name}": FILE, "ds/.tfrec-journal": b"\n", "ds/dataset.json": manifest(name)}

    assert [f"ds/{name}"] == paths_of(resolve("ds", **files))
