"""Records of files to other files."""

import gzip
import json
import threading
import zlib
from collections import Counter
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor

import pytest
from PIL import Image

from tfrec.dataset.description import Descriptions
from tfrec.engine import LostTaskError
from tfrec.errors import ConfigError, DataLossError, WorkerError
from tfrec.example import encode_example
from tfrec.operations.build import build
from tfrec.operations.reshard import ReshardConfig, reshard
from tfrec.operations.selection import Selection
from tfrec.operations.slices import divide_records, find_records
from tfrec.operations.verify import verify
from tfrec.source.walk import scan_images
from tfrec.storage import LocalStorage, MemoryStorage
from tfrec.wire import frame_record

RECORDS = [encode_example({"label": number % 3, "number": number}) for number in range(10)]
FRAMES = [frame_record(record) for record in RECORDS]


@pytest.fixture
def storage():
    """Two files, the second compressed."""
    return MemoryStorage(
        {"a.tfrecord": b"".join(FRAMES[:6]), "b.tfrecord.gz": gzip.compress(b"".join(FRAMES[6:]))}
    )


BOTH = ["a.tfrecord", "b.tfrecord.gz"]


def test_files_are_merged_in_their_order(storage):
    report = reshard(BOTH, "out.tfrecord", storage=storage)

    assert b"".join(FRAMES) == storage.files["out.tfrecord"]
    assert 10 == report.num_records


def test_a_directory_gets_shards_whose_numbers_differ_by_one(storage):
    report = reshard(BOTH, "out", ReshardConfig(num_shards=4), storage=storage)

    assert [3, 3, 2, 2] == [shard.num_records for shard in report.shards]
    names = [f"out/train-0000{number}-of-00004.tfrecord" for number in range(4)]
    assert b"".join(FRAMES) == b"".join(storage.files[name] for name in names)


def test_a_directory_with_the_name_of_a_file_is_noted(storage):
    report = reshard(["a.tfrecord"], "out.rec", storage=storage)

    note = "out.rec is a directory of files; a name that ends in .tfrecord makes one file"
    assert (note,) == report.notes
    assert "out.rec/train-00000-of-00001.tfrecord" in storage.files


def test_more_shards_than_records_leave_empty_ones(storage):
    report = reshard(["a.tfrecord"], "out", ReshardConfig(num_shards=8), storage=storage)

    assert [1, 1, 1, 1, 1, 1, 0, 0] == [shard.num_records for shard in report.shards]


@pytest.mark.parametrize(
    ("out", "compression", "inflate"),
    [
        ("out.tfrecord.gz", "auto", gzip.decompress),
        ("out.tfrecord.zz", "auto", zlib.decompress),
        ("out.tfrecord", "gzip", gzip.decompress),
        ("out.tfrecord", "zlib", zlib.decompress),
        ("out.tfrecord.gz", "none", bytes),
    ],
)
def test_compression_goes_by_the_name_or_by_the_option(storage, out, compression, inflate):
    reshard(BOTH, out, ReshardConfig(compression=compression), storage=storage)

    assert b"".join(FRAMES) == inflate(storage.files[out])


def test_the_shards_of_a_compressed_directory_say_so(storage):
    config = ReshardConfig(num_shards=2, compression="gzip")
    reshard(BOTH, "out", config, storage=storage)

    assert b"".join(FRAMES[:5]) == gzip.decompress(
        storage.files["out/train-00000-of-00002.tfrecord.gz"]
    )


def test_records_are_selected(storage):
    config = ReshardConfig(selection=Selection.parse([], ["label == 1"]), num_shards=2)
    reshard(BOTH, "out", config, storage=storage)

    assert FRAMES[1] + FRAMES[4] == storage.files["out/train-00000-of-00002.tfrecord"]
    assert FRAMES[7] == storage.files["out/train-00001-of-00002.tfrecord"]


@pytest.mark.parametrize("num_shards", [1, 3])
def test_a_shuffle_is_one_over_all_files(storage, num_shards):
    config = ReshardConfig(seed=5, num_shards=num_shards)
    reshard(BOTH, "out", config, storage=storage)
    reshard(BOTH, "again", config, storage=storage)

    shuffled = b"".join(
        content for name, content in sorted(storage.files.items()) if name.startswith("out/")
    )
    assert shuffled != b"".join(FRAMES)
    size = len(FRAMES[0])
    assert Counter(FRAMES) == Counter(
        shuffled[start : start + size] for start in range(0, len(shuffled), size)
    )
    again = b"".join(
        content for name, content in sorted(storage.files.items()) if name.startswith("again/")
    )
    assert shuffled == again


def test_a_split_is_taken_by_the_names_of_its_files():
    storage = MemoryStorage(
        {
            "in/train-00000-of-00001.tfrecord": FRAMES[0],
            "in/test-00000-of-00001.tfrecord": FRAMES[1],
        }
    )
    reshard(["in"], "out", ReshardConfig(split="test"), storage=storage)

    assert FRAMES[1] == storage.files["out/test-00000-of-00001.tfrecord"]
    with pytest.raises(ConfigError, match="'validation'; the splits are 'test', 'train'"):
        reshard(["in"], "other", ReshardConfig(split="validation"), storage=storage)


def test_splits_that_become_one_are_said():
    files = {f"in/{name}-00000-of-00001.tfrecord": FRAMES[0] for name in ("train", "test")}
    storage = MemoryStorage(files)

    merged = reshard(["in"], "merged", storage=storage)
    one = reshard(["in"], "one", ReshardConfig(split="test"), storage=storage)

    note = "the splits test, train are merged into one; `--split NAME` takes one"
    assert ((note,), ()) == (merged.notes, one.notes)


def test_an_unknown_compression_is_refused():
    choices = "must be one of 'auto', 'none', 'gzip', 'zlib'"
    with pytest.raises(ConfigError, match=f"compression 'lz4': {choices}"):
        ReshardConfig(compression="lz4")


def test_one_file_has_no_shards(storage):
    with pytest.raises(ConfigError, match="name a directory"):
        reshard(BOTH, "out.tfrecord", ReshardConfig(num_shards=2), storage=storage)


def test_what_is_there_is_kept_unless_it_may_be_replaced(storage):
    storage.files["out.tfrecord"] = b"former"
    storage.files["out.tfrecord.json"] = json.dumps({"of": "the former"}).encode()

    with pytest.raises(ConfigError, match="exists"):
        reshard(BOTH, "out.tfrecord", storage=storage)
    reshard(BOTH, "out.tfrecord", storage=storage, overwrite=True)

    assert b"".join(FRAMES) == storage.files["out.tfrecord"]
    assert "out.tfrecord.json" not in storage.files


def test_a_directory_that_holds_something_is_kept(storage):
    storage.files["out/mine.txt"] = b""

    with pytest.raises(FileExistsError, match="out"):
        reshard(BOTH, "out", storage=storage, overwrite=True)


def test_damage_leaves_nothing(storage):
    storage.files["a.tfrecord"] = FRAMES[0] + FRAMES[1][:-1]

    for out in ("out.tfrecord", "out"):
        with pytest.raises(DataLossError, match=r"a\.tfrecord: record 1"):
            reshard(BOTH, out, ReshardConfig(), storage=storage)

    assert set(BOTH) == set(storage.files)


@pytest.mark.parametrize("settings", [{"num_shards": 0}, {"compression_level": 10}])
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ConfigError):
        ReshardConfig(**settings)


def test_too_little_memory_is_refused(storage):
    with pytest.raises(ConfigError, match="memory is 1,000 bytes"):
        reshard(BOTH, "out.tfrecord", storage=storage, memory=1000)


@pytest.mark.parametrize("out", ["again", "again.tfrecord"])
def test_the_manifest_of_a_dataset_goes_with_its_records(tmp_path, out):
    for name in ("cat/a", "cat/b", "dog/c"):
        (tmp_path / "images" / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8)).save(tmp_path / "images" / f"{name}.png")
    source = scan_images(str(tmp_path / "images"), storage=LocalStorage())
    build(source, str(tmp_path / "built"))
    out = str(tmp_path / out)

    reshard([str(tmp_path / "built")], out, ReshardConfig(seed=1))

    (report,) = verify([out])
    assert ((), 3) == (report.faults, report.num_records)
    path = f"{out}.json" if out.endswith("tfrecord") else f"{out}/dataset.json"
    with open(path) as stream:
        manifest = json.load(stream)
    assert ["cat", "dog"] == manifest["labels"]["names"]
    assert {"cat": 2, "dog": 1} == manifest["splits"]["train"]["images_per_class"]


def test_the_classes_of_a_dataset_of_tfds_go_with_its_records(storage):
    splits = [{"name": "train", "filepathTemplate": "a.tfrecord", "shardLengths": ["6"]}]
    info = {"name": "pets", "splits": splits}
    storage.files |= {
        "d/dataset_info.json": json.dumps(info).encode(),
        "d/label.labels.txt": b"cat\ndog\neel\n",
        "d/a.tfrecord": storage.files["a.tfrecord"],
    }

    reshard(["d"], "out.tfrecord", storage=storage)

    file = Descriptions(storage).describe("out.tfrecord")
    assert {0: "cat", 1: "dog", 2: "eel"} == file.class_names
    assert ("train", 6) == (file.split, file.num_records)


SELECTIONS = {
    "all": Selection(),
    "numbers": Selection.parse(["1:3", "4:"], []),
    "from the end": Selection.parse([":-1"], []),
    "by a test": Selection.parse([], ["label != 1"]),
}


@pytest.mark.parametrize("num_shards", [2, 3, 4, 12])
@pytest.mark.parametrize("selection", SELECTIONS.values(), ids=SELECTIONS)
def test_files_written_as_tasks_have_the_bytes_of_one_pass(storage, selection, num_shards):
    paths = ["a.tfrecord", "empty.tfrecord", "a.tfrecord"]
    storage.files["empty.tfrecord"] = b""
    config = ReshardConfig(num_shards=num_shards, selection=selection)
    expected = reshard(paths, "expected", config, storage=storage)
    done = []

    with ThreadPoolExecutor(2) as executor:
        report = reshard(
            paths, "out", config, storage=storage, engine=executor, advance=done.append
        )

    assert expected.shards == report.shards
    assert files_in(storage, "expected") == files_in(storage, "out")
    assert report.num_records == sum(done)


def files_in(storage, directory):
    return {
        name.partition("/")[2]: content
        for name, content in storage.files.items()
        if name.startswith(f"{directory}/")
    }


def test_processes_give_the_bytes_of_one_pass(tmp_path, monkeypatch):
    monkeypatch.setattr("tfrec.operations.reshard.WORTH_CHECKING", 1)
    paths = [str(tmp_path / name) for name in BOTH]
    (tmp_path / BOTH[0]).write_bytes(b"".join(FRAMES[:6]))
    (tmp_path / BOTH[1]).write_bytes(gzip.compress(b"".join(FRAMES[6:])))
    config = ReshardConfig(num_shards=3, compression="zlib")
    expected = reshard(paths, str(tmp_path / "expected"), config, num_workers=1)

    report = reshard(paths, str(tmp_path / "out"), config, num_workers=2)

    assert expected.shards == report.shards


def test_each_engine_gives_the_bytes_of_one_pass(tmp_path, engine):
    (tmp_path / "a.tfrecord").write_bytes(b"".join(FRAMES))
    config = ReshardConfig(num_shards=3)
    paths = [str(tmp_path / "a.tfrecord")]
    expected = reshard(paths, str(tmp_path / "expected"), config, num_workers=1)

    report = reshard(paths, str(tmp_path / "out"), config, engine=engine, num_workers=2)

    assert expected.shards == report.shards
    assert 4 == report.shards[0].num_records


def test_a_compressed_file_of_many_shards_is_inflated_in_one_pass(storage, monkeypatch):
    opened = []
    open_read = storage.open_read
    monkeypatch.setattr(storage, "open_read", lambda path: opened.append(path) or open_read(path))
    storage.files["b.tfrecord.gz"] = gzip.compress(b"".join(FRAMES))
    with ThreadPoolExecutor(2) as executor:
        reshard(
            ["b.tfrecord.gz"],
            "out",
            ReshardConfig(num_shards=10),
            storage=storage,
            engine=executor,
        )

    assert b"".join(FRAMES) == b"".join(
        content for _, content in sorted(files_in(storage, "out").items())
    )
    assert 10 > opened.count("b.tfrecord.gz")


@pytest.mark.parametrize("max_marks", [1, 2, 5])
def test_few_marks_are_enough_to_find_every_record(storage, monkeypatch, max_marks):
    monkeypatch.setattr("tfrec.operations.slices._MIN_MARKS", max_marks)
    monkeypatch.setattr("tfrec.operations.slices._ALL_MARKS", 1)

    found = find_records("a.tfrecord", selection=Selection(), storage=storage, num_files=1)

    assert max_marks >= len(found.marks)
    slices = divide_records([found], 6)
    starts = [part.start.record_index + part.num_skipped for (part,) in slices]
    assert [0, 1, 2, 3, 4, 5] == starts
    assert {len(FRAMES[0]) * part.start.record_index for (part,) in slices} == {
        part.start.offset for (part,) in slices
    }


def test_damage_behind_a_mark_is_named_by_its_number_in_the_file(storage):
    damaged = bytearray(b"".join(FRAMES))
    damaged[7 * len(FRAMES[0]) + 14] ^= 1
    storage.files["a.tfrecord"] = bytes(damaged)

    with (
        ThreadPoolExecutor(2) as executor,
        pytest.raises(DataLossError, match=r"a\.tfrecord: record 7"),
    ):
        reshard(
            ["a.tfrecord"], "out", ReshardConfig(num_shards=4), storage=storage, engine=executor
        )

    assert {} == files_in(storage, "out")


def test_a_file_that_grows_shorter_meanwhile_is_an_error(storage, monkeypatch):
    find = find_records

    def find_and_cut(path, **options):
        found = find(path, **options)
        storage.files[path] = b"".join(FRAMES[:3])
        return found

    monkeypatch.setattr("tfrec.operations.slice_tasks.find_records", find_and_cut)

    with (
        ThreadPoolExecutor(2) as executor,
        pytest.raises(DataLossError, match="the file has changed while it was read"),
    ):
        reshard(
            ["a.tfrecord"], "out", ReshardConfig(num_shards=2), storage=storage, engine=executor
        )


def test_standard_input_is_one_file_for_every_engine(storage):
    with ThreadPoolExecutor(2) as executor, pytest.raises(ConfigError, match="write one"):
        reshard(["-"], "out", ReshardConfig(num_shards=2), storage=storage, engine=executor)


def test_no_file_is_written_once_the_engine_of_its_task_stops(storage, monkeypatch):
    is_stopping = threading.Event()

    def divide_and_stop(*args):
        is_stopping.set()
        return divide_records(*args)

    monkeypatch.setattr("tfrec.engine.stopping._event", is_stopping)
    monkeypatch.setattr("tfrec.operations.slice_tasks.divide_records", divide_and_stop)
    with ThreadPoolExecutor(1) as executor, pytest.raises(CancelledError):
        reshard(
            ["a.tfrecord"], "out", ReshardConfig(num_shards=2), storage=storage, engine=executor
        )

    assert set(BOTH) == set(storage.files)


def test_no_files_give_empty_shards_by_every_engine(storage):
    report = reshard(
        [], "out", ReshardConfig(num_shards=2), storage=storage, engine="threads", num_workers=2
    )

    assert [0, 0] == [shard.num_records for shard in report.shards]


def test_a_shuffle_is_the_same_for_every_engine(storage):
    config = ReshardConfig(seed=3, num_shards=3)
    expected = reshard(BOTH, "expected", config, storage=storage)

    with ThreadPoolExecutor(2) as executor:
        report = reshard(BOTH, "out", config, storage=storage, engine=executor)

    assert expected.shards == report.shards


def test_an_engine_that_is_none_is_named(storage):
    with pytest.raises(ConfigError, match="engine 'dask': must be one of"):
        reshard(BOTH, "out", ReshardConfig(num_shards=2), storage=storage, engine="dask")


def test_a_file_whose_task_ends_its_workers_is_named(storage):
    class LosingExecutor(ThreadPoolExecutor):
        """Loses its third task: the first looks for records, the others write."""

        num_tasks = 0

        def submit(self, function, /, *args, **kwargs):
            self.num_tasks += 1
            if self.num_tasks != 3:
                return super().submit(function, *args, **kwargs)
            future = Future()
            future.set_exception(LostTaskError("the worker died 3 times"))
            return future

    with (
        LosingExecutor(1) as executor,
        pytest.raises(WorkerError, match=r"before train-00001-of-00003\.tfrecord was written"),
    ):
        reshard(
            ["a.tfrecord"], "out", ReshardConfig(num_shards=3), storage=storage, engine=executor
        )

    assert {} == files_in(storage, "out")


@pytest.mark.parametrize("engine", ["processes", "threads"])
def test_an_index_of_another_program_that_joins_two_records_loses_none(tmp_path, engine):
    frames = [frame_record(bytes(20))] * 50
    path = tmp_path / "a.tfrecord"
    path.write_bytes(b"".join(frames))
    sizes = [36, 72, *[36] * 47]  # 16 of them are compared with the file, not the second
    places = [f"{sum(sizes[:number])} {size}\n" for number, size in enumerate(sizes)]
    (tmp_path / "a.tfrecord.idx").write_text("".join(places))

    report = reshard(
        [str(path)],
        str(tmp_path / "out"),
        ReshardConfig(num_shards=2),
        engine=engine,
        num_workers=2,
    )

    assert [25, 25] == [shard.num_records for shard in report.shards]
