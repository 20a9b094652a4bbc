"""Checking record files: which faults are found, and where."""

import hashlib
import pickle
import struct
import zlib
from concurrent.futures import Future

import pytest

from tfrec.dataset.manifest import Manifest, Shard, Split
from tfrec.engine import LostTaskError, SerialExecutor
from tfrec.errors import ConfigError, ManifestError, WorkerError
from tfrec.example import encode_example
from tfrec.operations.verify import Fault, FileReport, verify
from tfrec.storage import MemoryStorage
from tfrec.wire import frame_record, masked_crc32c

# An Example of one int64 below 128 under a key of one letter has 14 bytes, and 30 in its frame.
FRAMES = [frame_record(encode_example({"a": number})) for number in range(5)]
WHOLE = b"".join(FRAMES)
FRAME_SIZE = 30


def verify_bytes(content):
    """Return the report of one file that holds `content`."""
    (report,) = verify(["x.tfrecord"], storage=MemoryStorage({"x.tfrecord": content}))
    return report


def flip(content, position):
    return content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :]


def test_an_intact_file_has_no_fault():
    expected = FileReport("x.tfrecord", 5, 150, "none", "Example", ())

    assert expected == verify_bytes(WHOLE)


def test_an_empty_file_has_no_records_and_no_fault():
    assert FileReport("x.tfrecord", 0, 0, "none", None, ()) == verify_bytes(b"")


@pytest.mark.parametrize(("window_bits", "name"), [(31, "gzip"), (15, "zlib")])
def test_a_compressed_file_is_read_through(window_bits, name):
    content = zlib.compress(WHOLE, wbits=window_bits)

    assert FileReport("x.tfrecord", 5, len(content), name, "Example", ()) == verify_bytes(content)


@pytest.mark.parametrize("byte", range(12, 30))
def test_the_check_goes_on_past_a_damaged_payload(byte):
    report = verify_bytes(flip(WHOLE, 2 * FRAME_SIZE + byte))

    assert report.num_records == 4
    assert [(2, 72)] == [(fault.index, fault.offset) for fault in report.faults]
    assert report.faults[0].reason.startswith("the checksum of the payload is wrong")


def test_every_damaged_payload_is_named():
    report = verify_bytes(flip(flip(WHOLE, 15), 4 * FRAME_SIZE + 15))

    assert [(0, 12), (4, 132)] == [(fault.index, fault.offset) for fault in report.faults]


@pytest.mark.parametrize("left", [1, 11, 12, 29])
def test_a_cut_is_found_at_the_record_that_it_meets(left):
    report = verify_bytes(WHOLE[: 4 * FRAME_SIZE + left])

    assert report.num_records == 4
    assert [(4, 120)] == [(fault.index, fault.offset) for fault in report.faults]


def test_a_checksum_fault_says_both_checksums():
    content = frame_record(b"a")[:-4] + b"\1\0\0\0"

    expected = (
        "the checksum of the payload is wrong, its record starts at offset 0 "
        "(stored 0x00000001, computed 0x28e46e78)"
    )
    assert expected == verify_bytes(content).faults[0].reason


def test_a_record_that_is_no_example_is_a_fault_at_its_start():
    content = FRAMES[0] + frame_record(b"\xff\xff\xff") + FRAMES[1]

    expected = (Fault(1, 30, "not a tf.train.Example"),)
    assert expected == verify_bytes(content).faults


def test_a_feature_that_is_damaged_is_named():
    # An entry `a` whose Feature is one byte, a field that is never ended.
    content = frame_record(bytes.fromhex("0a08 0a06 0a0161 1201 0a"))

    expected = (Fault(0, 0, "feature 'a': not a tf.train.Feature"),)
    assert expected == verify_bytes(content).faults


def test_a_huge_length_with_a_right_checksum_is_a_fault():
    length = struct.pack("<Q", 1 << 40)
    content = length + struct.pack("<I", masked_crc32c(length)) + b"ab"

    reason = "the record needs 1,099,511,627,780 bytes after its header, 2 are left"
    expected = Fault(0, 0, reason, start=0, end=14)
    assert (expected,) == verify_bytes(content).faults


def manifest_of(**shards):
    """Return a manifest whose shards hold what is given, as JSON."""
    described = tuple(
        Shard(name, num_records, len(content), hashlib.sha256(content).hexdigest(), "")
        for name, (num_records, content) in shards.items()
    )
    return Manifest({}, ("cat",), 0, {}, {"train": Split(described, {})}).to_json()


def test_a_file_is_compared_with_the_manifest_beside_it():
    storage = MemoryStorage(
        {
            "x.tfrecord": WHOLE,
            "x.tfrecord.json": manifest_of(**{"x.tfrecord": (6, WHOLE + b"abc")}),
        }
    )

    (report,) = verify(["x.tfrecord"], storage=storage)

    found, said = (hashlib.sha256(data).hexdigest() for data in (WHOLE, WHOLE + b"abc"))
    assert [
        "the file has 5 intact records, x.tfrecord.json says 6",
        "the file has 150 bytes, x.tfrecord.json says 153",
        f"the file has SHA-256 {found}, x.tfrecord.json says {said}",
    ] == [fault.reason for fault in report.faults]


def test_the_digest_covers_what_lies_behind_the_damage():
    damaged = flip(FRAMES[0], 0) + FRAMES[1]
    manifest = manifest_of(**{"x.tfrecord": (1, damaged)})
    storage = MemoryStorage({"x.tfrecord": damaged, "x.tfrecord.json": manifest})

    (report,) = verify(["x.tfrecord"], storage=storage)

    assert [0] == [fault.index for fault in report.faults]


def test_a_directory_is_compared_with_its_manifest():
    shards = {"a.tfrecord": (5, WHOLE), "b.tfrecord": (1, FRAMES[0])}
    storage = MemoryStorage(
        {
            "d/dataset.json": manifest_of(**shards),
            "d/a.tfrecord": WHOLE,
            "d/c.tfrecord": FRAMES[0],
        }
    )

    reports = list(verify(["d"], storage=storage))

    assert [
        ("d/a.tfrecord", 5, ()),
        (
            "d/b.tfrecord",
            0,
            (Fault(None, None, "d/dataset.json names this file, and it is missing"),),
        ),
        ("d/c.tfrecord", 1, (Fault(None, None, "d/dataset.json does not name this file"),)),
    ] == [(report.path, report.num_records, report.faults) for report in reports]


def test_a_directory_without_record_files_is_refused():
    with pytest.raises(ConfigError, match="d has no record files"):
        list(verify(["d"], storage=MemoryStorage({"d/readme.txt": b""})))


def test_a_manifest_that_is_none_is_refused():
    storage = MemoryStorage({"x.tfrecord": WHOLE, "x.tfrecord.json": b"{}"})

    with pytest.raises(ManifestError, match=r"x\.tfrecord\.json"):
        list(verify(["x.tfrecord"], storage=storage))


def test_a_missing_file_is_the_caller_s_fault():
    with pytest.raises(FileNotFoundError, match="none"):
        list(verify(["none.tfrecord"], storage=MemoryStorage()))


def test_files_are_checked_by_processes_as_by_one(tmp_path, monkeypatch):
    contents = {"a": WHOLE, "b": flip(WHOLE, 75), "c": WHOLE[:100]}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    paths = [str(tmp_path / name) for name in contents]
    alone = list(verify(paths, num_workers=1))

    monkeypatch.setattr("tfrec.operations.verify.WORTH_CHECKING", 0)

    assert alone == list(verify(paths, num_workers=2))
    assert [0, 1, 1] == [len(report.faults) for report in alone]


class LosingExecutor(SerialExecutor):
    """Loses its second task, as a cluster does whose workers die of it."""

    def __init__(self):
        super().__init__()
        self.num_tasks = 0

    def submit(self, function, /, *args, **kwargs):
        self.num_tasks += 1
        if self.num_tasks != 2:
            return super().submit(function, *args, **kwargs)
        future = Future()
        future.set_exception(LostTaskError("the worker died 3 times"))
        return future


def test_a_file_whose_check_ends_its_workers_is_named():
    storage = MemoryStorage({"a.tfrecord": b"", "b.tfrecord": b"", "c.tfrecord": b""})
    reports = verify(sorted(storage.files), storage=storage, engine=LosingExecutor())

    assert "a.tfrecord" == next(reports).path
    with pytest.raises(WorkerError, match=r"b\.tfrecord: a worker died while this file was"):
        next(reports)


def test_an_unknown_engine_is_refused():
    storage = MemoryStorage({"a.tfrecord": b""})

    with pytest.raises(ConfigError, match="engine 'spark': must be one of 'threads'"):
        list(verify(["a.tfrecord"], storage=storage, engine="spark"))


def test_a_task_carries_nothing_of_the_other_files():
    sizes = []

    class WeighingExecutor(SerialExecutor):
        def submit(self, function, /, *args, **kwargs):
            sizes.append(len(pickle.dumps(args)))
            return super().submit(function, *args, **kwargs)

    shards = tuple(Shard(f"{number}.tfrecord", 0, 0, "0" * 64, "0" * 64) for number in range(100))
    manifest = Manifest({}, (), 0, {}, {"train": Split(shards, {})}).to_json()
    storage = MemoryStorage({"d/dataset.json": manifest})

    reports = list(verify(["d"], storage=storage, engine=WeighingExecutor()))

    assert (100, 100) == (len(reports), len(sizes))
    assert 1000 > max(sizes)
