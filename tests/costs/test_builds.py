"""What an image of a build costs, counted and not timed."""

import io
import sys
import tracemalloc
from ast import literal_eval
from collections import Counter
from pathlib import Path
from subprocess import run

import pytest
from PIL import Image

import tfrec
from tfrec.dataset.build_config import BuildConfig
from tfrec.dataset.plan import plan_build
from tfrec.example import encode_example
from tfrec.images import ImageSettings
from tfrec.operations.build import build
from tfrec.operations.building.records import RecordMaker
from tfrec.operations.building.shards import ShardTask, write_shard_file
from tfrec.source.walk import scan_images
from tfrec.storage import MemoryStorage
from tfrec.wire import frame_record

PACKAGE = str(Path(tfrec.__file__).parent)
TINY = BuildConfig(image=ImageSettings(size=(2, 2)))


class CountingStorage(MemoryStorage):
    """Counts what a disk would be asked for."""

    def __init__(self):
        super().__init__()
        self.opened = Counter()
        self.num_writes = 0

    def open_read(self, path):
        self.opened[path] += 1
        return super().open_read(path)

    def publish(self, path):
        return _Counted(super().publish(path), self)


class _Counted:
    def __init__(self, inner, storage):
        self.inner = inner
        self.storage = storage

    def __enter__(self):
        self.stream = self.inner.__enter__()
        return self

    def __exit__(self, *error):
        return self.inner.__exit__(*error)

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def write(self, data):
        self.storage.num_writes += 1
        return self.stream.write(data)


def fill(storage, num_images):
    content = io.BytesIO()
    Image.new("RGB", (2, 2)).save(content, "PNG")
    for number in range(num_images):
        storage.files[f"in/class/{number:06}.png"] = content.getvalue()


def build_again(storage, out):
    return build(scan_images("in", storage=storage), out, TINY, storage=storage, num_workers=1)


def test_each_image_is_opened_once_and_each_record_written_once():
    storage = CountingStorage()
    fill(storage, 20)

    build_again(storage, "out.tfrecord")

    assert {f"in/class/{number:06}.png": 1 for number in range(20)} == {
        path: number for path, number in storage.opened.items() if path.startswith("in/")
    }
    # The records and the manifest.
    assert 20 + 1 == storage.num_writes


def test_an_unchanged_image_is_opened_once_and_nothing_is_written():
    storage = CountingStorage()
    fill(storage, 20)
    build_again(storage, "out.tfrecord")
    storage.opened.clear()
    storage.num_writes = 0

    build_again(storage, "out.tfrecord")

    assert {1} == {number for path, number in storage.opened.items() if path.startswith("in/")}
    assert 0 == storage.num_writes


def test_calls_of_our_own_functions_for_an_image():
    def calls_of(num_images):
        storage = MemoryStorage()
        fill(storage, num_images)
        calls = 0

        def count(frame, event, _argument):
            nonlocal calls
            calls += event == "call" and frame.f_code.co_filename.startswith(PACKAGE)

        sys.setprofile(count)
        try:
            build_again(storage, "out.tfrecord")
        finally:
            sys.setprofile(None)
        return calls

    calls_of(5)

    assert (calls_of(60) - calls_of(20)) / 40 <= 115


class MemoryKeepingStorage(CountingStorage):
    """Notes whether Pillow keeps the memory of pixels when an image is opened."""

    def __init__(self):
        super().__init__()
        self.blocks_kept = set()

    def open_read(self, path):
        if path.startswith("in/"):
            self.blocks_kept.add(Image.core.get_blocks_max())
        return super().open_read(path)


def test_a_build_keeps_the_memory_of_pixels_from_image_to_image():
    storage = MemoryKeepingStorage()
    fill(storage, 3)
    before = Image.core.get_blocks_max()

    build_again(storage, "out.tfrecord")

    assert ({256}, before) == (storage.blocks_kept, Image.core.get_blocks_max())


def test_a_worker_of_shards_keeps_the_memory_of_pixels_too():
    storage = MemoryKeepingStorage()
    fill(storage, 3)
    plan = plan_build(scan_images("in", storage=storage), TINY, file_name="out.tfrecord")
    make_record = RecordMaker("in", plan.labels, plan.config, storage, plan.features)

    write_shard_file(ShardTask(plan.shards[0], "out.tfrecord", make_record))

    assert {256} == storage.blocks_kept


def test_source_and_plan_take_little_more_than_the_names():
    storage = MemoryStorage()
    storage.files.update(
        dict.fromkeys((f"in/class/{number:06}.png" for number in range(20_000)), b"")
    )
    tracemalloc.start()
    try:
        source = scan_images("in", storage=storage)
        plan = plan_build(source, BuildConfig(), file_name=None)
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()

    num_images = sum(len(shard.images) for shard in plan.shards)
    assert 20_000 == num_images
    assert held / num_images - len("class/000000.png") <= 200


def loaded_by(arguments, names):
    """Return which of the packages a run of the command line loads."""
    code = f"""
import sys
from tfrec.cli.main import main
sys.argv = ["tfrec", *{arguments!r}]
try:
    main()
except SystemExit:
    pass
print(sorted({names!r} & {{name.partition(".")[0] for name in sys.modules}}), file=sys.stderr)
"""
    done = run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return literal_eval(done.stderr)


@pytest.mark.parametrize("arguments", [["--help"], ["build", "--help"], ["verify", "--help"]])
def test_help_loads_click_and_little_else(arguments):
    heavy = {"numpy", "PIL", "google", "tqdm", "multiprocessing", "concurrent", "asyncio", "ssl"}

    assert [] == loaded_by(arguments, heavy)


@pytest.mark.parametrize("command", ["verify", "inspect", "index", "cat"])
def test_no_pillow_is_loaded_where_no_image_is_decoded(tmp_path, command):
    path = tmp_path / "a.tfrecord"
    path.write_bytes(frame_record(encode_example({"label": 1, "name": b"cat"})))

    assert ["numpy"] == loaded_by([command, str(path)], {"numpy", "PIL"})


BUILD = """
import sys, time
from tfrec.cli.main import main
sys.argv = ["tfrec", "build", "in", "out.tfrecords", "--workers", "1"]
try:
    main()
finally:
    peak = int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]) * 1024
    print(peak, time.process_time(), file=sys.stderr)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
@pytest.mark.parametrize(
    ("num_images", "max_memory"),
    [(500, 90 << 20), pytest.param(3000, 400 << 20, marks=pytest.mark.stress)],
)
def test_memory_does_not_grow_with_the_images(tmp_path, num_images, max_memory):
    """The pixels of the images take more: 94 and 563 MiB. And 150 a second of a processor."""
    first = tmp_path / "in/cat/0.png"
    first.parent.mkdir(parents=True)
    Image.new("RGB", (256, 256), (9, 9, 9)).save(first)
    for number in range(1, num_images):
        first.with_name(f"{number}.png").hardlink_to(first)

    done = run(
        [sys.executable, "-c", BUILD], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    out = tmp_path / "out.tfrecords"
    assert num_images * 196_669 == out.stat().st_size
    out.unlink()
    peak, seconds = map(float, done.stderr.splitlines()[-1].split())
    assert peak < max_memory
    assert num_images / seconds > 150


def test_a_build_loads_neither_tensorflow_nor_torch(tmp_path):
    """Both can be found, and are what nobody needs."""
    (tmp_path / "in/cat").mkdir(parents=True)
    Image.new("RGB", (2, 2)).save(tmp_path / "in/cat/a.png")
    for name in ("tensorflow", "torch", "tensorflow_datasets", "jax"):
        (tmp_path / f"{name}.py").touch()
    code = """
import sys, tfrec
from tfrec.cli.main import main
sys.argv = ["tfrec", "build", "in", "out", "--schema", "tfds"]
try:
    main()
finally:
    print(sorted({"tensorflow", "torch", "tensorflow_datasets", "jax"} & set(sys.modules)))
"""

    done = run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert "[]" == done.stdout.splitlines()[-1]
