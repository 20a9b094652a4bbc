"""Any record of a file by its number."""

import gzip
import multiprocessing
import os
import pickle
import threading

import pytest

from tfrec.dataset.record_file import TFRecordFile
from tfrec.errors import ChecksumError, ConfigError, DataLossError, TruncatedRecordError
from tfrec.operations.index import index
from tfrec.storage import MemoryStorage
from tfrec.wire import frame_record

RECORDS = [b"record %d" % number + b"." * number for number in range(10)]
FILE = b"".join(map(frame_record, RECORDS))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.tfrecord"
    path.write_bytes(FILE)
    return str(path)


@pytest.mark.parametrize("indexed", [False, True])
def test_records_are_found_by_their_numbers(path, indexed):
    if indexed:
        list(index([path]))
    with TFRecordFile(path) as file:
        found = [file[number] for number in (3, 0, 9, -1, -10, 5)]

        assert [RECORDS[number] for number in (3, 0, 9, 9, 0, 5)] == found
        assert 10 == len(file)


@pytest.mark.parametrize(
    "part",
    [slice(2, 5), slice(None, None, 3), slice(None, None, -1), slice(-2, None), slice(5, 99)],
    ids=str,
)
def test_a_slice_is_a_list_of_records(path, part):
    with TFRecordFile(path) as file:
        assert RECORDS[part] == file[part]


@pytest.mark.parametrize("number", [10, -11])
def test_a_record_that_is_not_there_is_named(path, number):
    with TFRecordFile(path) as file, pytest.raises(IndexError, match=f"10 records.*{number}"):
        file[number]


def test_all_records_come_in_order_any_number_of_times(path):
    with TFRecordFile(path) as file:
        assert RECORDS == list(file) == list(file)


def test_a_file_survives_pickling_before_and_after_its_use(path):
    file = TFRecordFile(path)
    before = pickle.loads(pickle.dumps(file))
    file[0]
    after = pickle.loads(pickle.dumps(file))

    for copy in (file, before, after):
        with copy:
            assert RECORDS == list(copy)


def _read_backwards(file, results):
    results.put([file[number] for number in range(9, -1, -1)] * 20)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of a fork beside threads
def test_a_forked_process_reads_beside_its_parent(path):
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    with TFRecordFile(path) as file:
        file[0]
        child = context.Process(target=_read_backwards, args=(file, results))
        child.start()
        mine = [file[number] for _ in range(20) for number in range(10)]
        theirs = results.get()
        child.join()

    assert RECORDS * 20 == mine
    assert RECORDS[::-1] * 20 == theirs


def test_threads_read_beside_one_another(path):
    found = []
    with TFRecordFile(path) as file:

        def read():
            found.append([file[number] for _ in range(50) for number in range(10)])

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert [RECORDS * 50] * 4 == found


def test_closing_is_no_end(path):
    file = TFRecordFile(path)
    file[0]
    file.close()

    with file:
        assert RECORDS[1] == file[1]


def test_a_damaged_payload_is_found_unless_nobody_asks(path):
    with open(path, "r+b") as stream:
        stream.seek(14)
        stream.write(b"?")

    with TFRecordFile(path) as file, pytest.raises(ChecksumError, match="record 0 at offset 12"):
        file[0]
    with TFRecordFile(path, verify=False) as file:
        assert b"re?ord 0" == file[0]


@pytest.mark.parametrize(("compress", "name"), [(gzip.compress, "gzip")])
def test_a_compressed_file_is_refused_with_a_remedy(path, compress, name):
    with open(path, "wb") as stream:
        stream.write(compress(FILE))

    with pytest.raises(ConfigError, match=rf"compressed \({name}\).*tfrec reshard"):
        TFRecordFile(path)


def test_a_missing_file_is_named_at_once():
    with pytest.raises(FileNotFoundError, match="none"):
        TFRecordFile("none")


def replace(path, records):
    with open(path, "wb") as stream:
        stream.writelines(map(frame_record, records))


def test_the_index_of_a_shorter_file_is_stale(path):
    list(index([path]))
    replace(path, [*RECORDS, b"one more"])

    with TFRecordFile(path) as file:
        assert [*RECORDS, b"one more"] == list(file)


def test_the_index_of_another_file_of_the_same_size_is_stale(path):
    list(index([path]))
    replace(path, RECORDS[::-1])
    os.utime(path, ns=(1, 1))

    with TFRecordFile(path) as file:
        assert RECORDS[::-1] == list(file)


def test_an_index_of_another_program_is_taken_if_it_is_right(path):
    sizes = [len(record) + 16 for record in RECORDS]
    lines = [f"{sum(sizes[:number])} {size}\n" for number, size in enumerate(sizes)]
    with open(f"{path}.idx", "w") as stream:
        stream.writelines(lines)
    damaged = b"\xff" + FILE[1:]  # a scan would end here

    with TFRecordFile(path) as file:
        assert RECORDS == list(file)
    with open(path, "wb") as stream:
        stream.write(damaged)
    with TFRecordFile(path) as file, pytest.raises(ChecksumError):
        len(file)


def test_an_index_of_another_program_is_not_taken_if_it_is_wrong(path):
    replace(path, [b"a", b"bcd"])
    with open(f"{path}.idx", "w") as stream:
        stream.write("0 19\n19 17\n")

    with TFRecordFile(path) as file:
        assert [b"a", b"bcd"] == list(file)


def test_a_length_that_changed_after_the_index_was_read_is_found(path):
    with TFRecordFile(path) as file:
        file[0]
        with open(path, "r+b") as stream:
            stream.write(frame_record(b"other"))

        with pytest.raises(DataLossError, match=r"has 5 bytes.*index 8.*tfrec index"):
            file[0]


@pytest.mark.parametrize("num_left", [12, 40_000, 40_013], ids=["header", "payload", "footer"])
def test_a_large_record_that_is_cut_after_the_index_was_read_is_found(path, num_left):
    replace(path, [bytes(40_000)])
    with TFRecordFile(path) as file:
        file[0]
        os.truncate(path, num_left)

        with pytest.raises(TruncatedRecordError, match=f"{num_left - 12:,} are left"):
            file[0]


@pytest.mark.parametrize("position", [0, 12, 40_011, 40_015])
def test_damage_of_a_large_record_is_found(path, position):
    replace(path, [b"small", bytes(40_000)])
    with TFRecordFile(path) as file:
        assert bytes(40_000) == file[1]
        with open(path, "r+b") as stream:
            stream.seek(21 + position)
            stream.write(b"?")

        with pytest.raises(ChecksumError, match="record 1"):
            file[1]


def test_another_storage_may_hold_the_file():
    with TFRecordFile("d/x", storage=MemoryStorage({"d/x": FILE})) as file:
        assert RECORDS == file[:]
