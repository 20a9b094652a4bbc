"""Builds by each engine and by executors of the caller's, and what goes wrong in them."""

import errno
import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from PIL import Image

from tfrec.dataset.build_config import BuildConfig
from tfrec.engine import SerialExecutor
from tfrec.errors import BadImagesError, ConfigError
from tfrec.images import ImageSettings
from tfrec.operations.build import build
from tfrec.operations.outdated import find_outdated
from tfrec.source.walk import scan_images
from tfrec.storage import LocalStorage

SETTINGS = {"num_shards": 4, "shuffle": True, "image": ImageSettings(size=(8, 8))}


@pytest.fixture
def directory(tmp_path):
    for name in "ab":
        (tmp_path / "in" / name).mkdir(parents=True)
        for number in range(10):
            image = Image.new("RGB", (9, 7), (number, ord(name), 3))
            image.save(tmp_path / "in" / name / f"{number}.png")
    return tmp_path


def build_at(directory, out, *, config=None, **options):
    source = scan_images(str(directory / "in"), storage=LocalStorage())
    return build(source, str(directory / out), BuildConfig(**config or SETTINGS), **options)


def tree(directory):
    return {file.name: file.read_bytes() for file in directory.glob("*")}


@pytest.mark.parametrize("num_workers", [1, 3])
def test_every_engine_gives_the_same_bytes(directory, engine, num_workers):
    build_at(directory, "expected", engine=SerialExecutor())

    build_at(directory, "out", engine=engine, num_workers=num_workers)

    assert tree(directory / "expected") == tree(directory / "out")


def test_one_file_is_made_by_every_engine(directory, engine):
    one = SETTINGS | {"num_shards": 1}
    build_at(directory, "expected.tfrecord", config=one, engine=SerialExecutor())

    build_at(directory, "out.tfrecord", config=one, engine=engine, num_workers=2)

    expected = (directory / "expected.tfrecord").read_bytes()
    assert expected == (directory / "out.tfrecord").read_bytes()


@pytest.mark.parametrize(
    "create",
    [
        lambda: ThreadPoolExecutor(3),
        lambda: ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")),
    ],
    ids=["threads", "processes"],
)
def test_an_executor_of_the_caller_stays_open(directory, create):
    build_at(directory, "expected", engine=SerialExecutor())
    with create() as executor:
        build_at(directory, "out", engine=executor)

        assert 6 == executor.submit(sum, (1, 2, 3)).result()
    assert tree(directory / "expected") == tree(directory / "out")


def test_progress_counts_every_image(directory, engine):
    done = []

    build_at(directory, "out", engine=engine, num_workers=2, advance=done.append)

    assert 20 == sum(done)


def test_kept_images_count_as_progress(directory, engine):
    build_at(directory, "out")
    done = []

    build_at(directory, "out", engine=engine, num_workers=2, advance=done.append)

    assert 20 == sum(done)


def test_a_bad_image_is_named_by_every_engine(directory, engine):
    (directory / "in/a/3.png").write_bytes(b"no image")

    with pytest.raises(BadImagesError) as caught:
        build_at(directory, "out", engine=engine, num_workers=2)

    assert ["a/3.png"] == [image.path for image in caught.value.images]
    assert not [name for name in tree(directory / "out") if not name.startswith(".")]


def test_bad_images_in_flight_are_named_too(directory, engine):
    config = SETTINGS | {"shuffle": False, "num_shards": 10}
    for number in range(2):  # 2 images a shard, and a window of 6 tasks
        (directory / f"in/a/{3 * number}.png").write_bytes(b"no image")

    with pytest.raises(BadImagesError) as caught:
        build_at(directory, "out", config=config, engine=engine, num_workers=2)

    assert {"a/0.png", "a/3.png"} == {image.path for image in caught.value.images}


def test_a_build_without_a_finished_shard_leaves_nothing(directory, engine):
    (directory / "in/a/3.png").write_bytes(b"no image")
    config = SETTINGS | {"num_shards": 1}

    for _ in range(2):
        with pytest.raises(BadImagesError):
            build_at(directory, "out", config=config, engine=engine, num_workers=2)

        assert ["in"] == os.listdir(directory)


def test_a_finished_shard_is_kept_after_a_bad_image(directory, engine):
    config = SETTINGS | {"shuffle": False, "num_shards": 10}
    (directory / "in/b/9.png").write_bytes(b"no image")
    with pytest.raises(BadImagesError):
        build_at(directory, "out", config=config, engine=engine, num_workers=1)
    Image.new("RGB", (9, 7)).save(directory / "in/b/9.png")

    report = build_at(directory, "out", config=config)

    assert ("train-00009-of-00010.tfrecord",) == report.written


def test_a_storage_that_cannot_be_sent_to_processes_is_refused(bench):
    with pytest.raises(ConfigError, match="use the engine 'threads'"):
        bench.build(engine="processes", workers=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"engine": "fibres"}, "engine 'fibres'.*'threads'"), ({"num_workers": -1}, "at least 1")],
)
def test_other_engines_and_numbers_are_refused(directory, options, message):
    with pytest.raises(ConfigError, match=message):
        build_at(directory, "out", **options)


@pytest.mark.parametrize("out", ["in/out", "in/a"])
def test_a_dataset_inside_of_its_images_is_refused(directory, out):
    with pytest.raises(ConfigError, match="would be a class the next time"):
        build_at(directory, out)


class FullStorage(LocalStorage):
    """A disk that is full after `room` bytes of all files together."""

    def __init__(self, room):
        self.room = room

    def publish(self, path):
        return _Limited(super().publish(path), self, path)

    def append(self, path, data):
        self.take(len(data), path)
        super().append(path, data)

    def take(self, num_bytes, path):
        self.room -= num_bytes
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)


class _Limited:
    def __init__(self, publishing, storage, path):
        self._publishing, self._storage, self._path = publishing, storage, path

    def __enter__(self):
        self._stream = self._publishing.__enter__()
        return self

    def __exit__(self, *error):
        return self._publishing.__exit__(*error)

    def write(self, data):
        self._storage.take(len(data), self._path)
        return self._stream.write(data)

    def flush(self):
        self._stream.flush()


@pytest.mark.parametrize("has_earlier", [False, True], ids=["first build", "rebuild"])
def test_a_disk_that_is_full_at_any_point_loses_nothing(directory, has_earlier):
    expected = build_at(directory, "expected") and tree(directory / "expected")
    size = sum(map(len, expected.values()))
    if has_earlier:
        build_at(directory, "out", config=SETTINGS | {"schema": "kaggle"})
    for room in range(0, 3 * size, size // 23):
        before = tree(directory / "out")
        try:
            build_at(directory, "out", storage=FullStorage(room))
        except OSError as error:
            assert errno.ENOSPC == error.errno
            assert error.filename.startswith(str(directory / "out"))
            assert "/." not in error.filename.removeprefix(str(directory))  # a hidden name
            after = tree(directory / "out")
            if "dataset.json" in after:  # then it is the earlier dataset, whole
                assert before["dataset.json"] == after["dataset.json"]
            assert not [name for name in after if name.endswith("-tmp")]
        else:
            break
    build_at(directory, "out")

    assert expected == tree(directory / "out")


@pytest.mark.stress
def test_a_check_takes_less_than_a_fifth_of_the_build(tmp_path):
    for number in range(400):
        target = tmp_path / "in" / "ab"[number % 2] / f"{number}.jpg"
        target.parent.mkdir(parents=True, exist_ok=True)
        Image.effect_noise((500, 375), 60).convert("RGB").save(target, quality=90)
    config = {"num_shards": 4}
    start = time.perf_counter()
    build_at(tmp_path, "out", config=config)
    build_seconds = time.perf_counter() - start

    start = time.perf_counter()
    source = scan_images(str(tmp_path / "in"), storage=LocalStorage())
    assert () == find_outdated(source, str(tmp_path / "out"), BuildConfig(**config))
    assert time.perf_counter() - start < build_seconds / 5
