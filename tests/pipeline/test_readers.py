"""Readers: keys and values, counters, ends, missing and damaged files, stops."""

import gzip
import os
import sys
import time
import warnings
import zlib
from contextlib import suppress
from itertools import chain, count
from pathlib import Path
from random import Random
from threading import Thread

import pytest

from tfrec.errors import ChecksumError, ConfigError, DataLossError, OutOfRangeError
from tfrec.pipeline import (
    Coordinator,
    FIFOQueue,
    TFRecordReader,
    WholeFileReader,
    batch,
    string_input_producer,
)
from tfrec.wire import RecordReader, frame_record


def names_of(*names):
    """A closed queue of file names."""
    queue = FIFOQueue(-1)
    queue.enqueue_many(names)
    queue.close()
    return queue


@pytest.fixture
def write(tmp_path):
    """Write a file of records and return its name."""

    def write_records(name, *records, compress=bytes):
        path = tmp_path / name
        path.write_bytes(compress(b"".join(map(frame_record, records))))
        return os.fspath(path)

    return write_records


@pytest.fixture
def make_reader():
    """Make readers whose files are closed when the test ends."""
    readers = []

    def make(*args):
        readers.append(TFRecordReader(*args))
        return readers[-1]

    yield make
    for reader in readers:
        reader.reset()


@pytest.fixture
def damaged(write):
    """Five records of 45 bytes with one bit of the payload of record 2 turned."""
    name = write("damaged.tfrecords", *[b"%d" % number * 45 for number in range(5)])
    with open(name, "r+b") as stream:
        stream.seek(2 * 61 + 12)
        stream.write(b"3")
    return name


def open_files(prefix):
    """Return the names of open files below `prefix`."""
    folder = "/proc/self/fd"
    names = []
    for number in os.listdir(folder):
        try:
            names.append(os.readlink(f"{folder}/{number}"))
        except FileNotFoundError:
            continue
    return [name for name in names if name.startswith(os.fspath(prefix))]


# Records


def test_key_is_name_and_offset(write, make_reader):
    name = write("a", b"x" * 10, b"", b"z")
    queue = names_of(name)
    reader = make_reader()
    pairs = [reader.read(queue) for _ in range(3)]
    key = os.fsencode(name)

    assert [(key + b":0", b"x" * 10), (key + b":26", b""), (key + b":42", b"z")] == pairs


@pytest.mark.parametrize("kind", [str, os.fsencode, Path])
def test_names_of_all_kinds(write, kind, make_reader):
    name = write("a", b"x")

    assert (os.fsencode(name) + b":0", b"x") == make_reader().read(names_of(kind(name)))


def test_what_is_no_name_is_refused():
    with pytest.raises(TypeError, match="file name"):
        TFRecordReader().read(names_of(5))


def test_files_follow_each_other_and_ends_are_counted_when_found(write):
    queue = names_of(write("a", b"1", b"2"), write("empty"), write("b", b"3"))
    reader = TFRecordReader()
    counts = []
    values = []
    for _ in range(2):
        values.append(reader.read(queue)[1])
    counts.append((reader.num_records_produced(), reader.num_work_units_completed()))
    values.append(reader.read(queue)[1])
    counts.append((reader.num_records_produced(), reader.num_work_units_completed()))
    for _ in range(2):
        with pytest.raises(OutOfRangeError):
            reader.read(queue)
        counts.append((reader.num_records_produced(), reader.num_work_units_completed()))

    assert [b"1", b"2", b"3"] == values
    assert [(2, 0), (3, 2), (3, 3), (3, 3)] == counts


def test_read_up_to_stops_at_the_end_of_a_file(write):
    queue = names_of(write("a", b"1", b"2", b"3"), write("empty"), write("b", b"4"))
    reader = TFRecordReader()
    values = [reader.read_up_to(queue, 2)[1] for _ in range(3)]

    assert [[b"1", b"2"], [b"3"], [b"4"]] == values
    with pytest.raises(OutOfRangeError):
        reader.read_up_to(queue, 2)


def test_read_up_to_gives_keys_too(write):
    name = write("a", b"1", b"2")
    keys, values = TFRecordReader().read_up_to(names_of(name), 5)

    assert [os.fsencode(name) + b":0", os.fsencode(name) + b":17"] == keys
    assert [b"1", b"2"] == values


@pytest.mark.parametrize("reader", [TFRecordReader(), WholeFileReader()])
def test_read_up_to_nothing_is_empty_and_negative_is_refused(reader):
    queue = FIFOQueue(1)

    assert ([], []) == reader.read_up_to(queue, 0)
    with pytest.raises(ValueError, match="-1"):
        reader.read_up_to(queue, -1)


def test_several_readers_split_the_files(write, make_reader):
    queue = names_of(write("a", b"a1", b"a2"), write("b", b"b1", b"b2"))
    first, second = make_reader(), make_reader()
    values = [reader.read(queue)[1] for reader in (first, second, first, second)]

    assert [b"a1", b"b1", b"a2", b"b2"] == values


def test_threads_may_share_a_reader(write):
    records = [b"%d" % number for number in range(200)]
    queue = names_of(
        *[write(f"f{start}", *records[start : start + 20]) for start in range(0, 200, 20)]
    )
    reader = TFRecordReader()
    stage = batch(lambda: reader.read(queue)[1], 10, num_threads=8)

    assert sorted(records) == sorted(record for found in stage for record in found)
    assert 200 == reader.num_records_produced()


def test_reset_drops_the_rest_of_the_file_and_zeroes_the_counters(write, make_reader):
    queue = names_of(write("a", b"1", b"2"), write("b", b"3"))
    reader = make_reader()
    reader.read(queue)
    reader.reset()

    assert (0, 0) == (reader.num_records_produced(), reader.num_work_units_completed())
    assert b"3" == reader.read(queue)[1]


def test_what_was_read_ahead_is_neither_lost_nor_counted(write, make_reader):
    name = write("a", *[b"%d" % number for number in range(40)], b"last")
    queue = names_of(name)
    reader = make_reader()

    first = reader.read(queue)[1]
    counted = reader.num_records_produced()
    some = reader.read_up_to(queue, 30)[1]
    rest = reader.read_up_to(queue, 30)[1]

    assert [b"%d" % number for number in range(40)] + [b"last"] == [first, *some, *rest]
    assert 1 == counted
    assert (41, 1) == (reader.num_records_produced(), reader.num_work_units_completed())


@pytest.mark.parametrize("seed", range(20))
def test_threads_lose_and_repeat_nothing_however_they_take_turns(write, seed):
    random = Random(seed)
    sizes = [random.choice([0, 1, 15, 16, 17, 40]) for _ in range(4)]
    contents = [
        [b"%d of %d" % (number, file) for number in range(n)] for file, n in enumerate(sizes)
    ]
    names = [
        write(f"{file}", *records, compress=random.choice([bytes, gzip.compress]))
        for file, records in enumerate(contents)
    ]
    queue, reader, found = names_of(*names), TFRecordReader(), []

    def take_all(random):
        with suppress(OutOfRangeError):
            while True:
                if random.random() < 0.3:
                    found.extend(reader.read_up_to(queue, random.randrange(1, 9))[1])
                else:
                    found.append(reader.read(queue)[1])

    threads = [Thread(target=take_all, args=[Random(number)]) for number in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)

    assert sorted(chain(*contents)) == sorted(found)
    assert (len(found), 4) == (reader.num_records_produced(), reader.num_work_units_completed())


def test_large_records_are_read_ahead_by_few(write, make_reader):
    name = write("a", *[bytes(1 << 20)] * 20)
    queue = names_of(name)
    reader = make_reader()
    sizes = [len(reader.read(queue)[1])]
    os.truncate(name, 0)  # what comes now was read ahead

    with pytest.raises(DataLossError, match="record 4 at"):
        while True:
            sizes.append(len(reader.read(queue)[1]))

    assert [1 << 20] * 4 == sizes


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("method", ["read", "read_up_to"])
def test_an_interrupt_while_records_are_read_ahead_loses_none(
    write, make_reader, monkeypatch, error, number, method
):
    payloads = [b"%d" % number for number in range(6)]
    queue = names_of(write("a", *payloads))
    reader = make_reader()
    calls = count()

    def fail_once(records):
        if next(calls) == number:
            raise error
        return read_next(records)

    read_next = RecordReader.__next__
    monkeypatch.setattr(RecordReader, "__next__", fail_once)

    def read():
        if method == "read":
            return [reader.read(queue)[1]]
        return reader.read_up_to(queue, 4)[1]

    found = []
    with pytest.raises(error):
        while True:
            found += read()
    assert len(found) == reader.num_records_produced()
    with pytest.raises(OutOfRangeError):
        while True:
            found += read()
    assert payloads == found
    assert 6 == reader.num_records_produced()


def test_what_is_just_being_read_ahead_is_not_counted(write, make_reader, monkeypatch):
    queue = names_of(write("a", *[b"x"] * 40))
    reader = make_reader()
    counts = []

    def count_and_read(records):
        counts.append(reader.num_records_produced())
        return read_next(records)

    read_next = RecordReader.__next__
    monkeypatch.setattr(RecordReader, "__next__", count_and_read)

    reader.read(queue)
    reader.read_up_to(queue, 30)

    assert [0] * 16 + [1] * 15 == counts


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_kept_waiting_for_records_behind(tmp_path, make_reader):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)  # so that neither side waits for the other to open it
    os.write(writer, frame_record(b"first"))
    try:
        assert b"first" == make_reader("").read(names_of(pipe))[1]
    finally:
        os.close(writer)


# Compression


@pytest.mark.parametrize(
    ("named", "compress"),
    [
        ("auto", bytes),
        ("auto", gzip.compress),
        ("auto", zlib.compress),
        (None, bytes),
        ("", bytes),
        ("GZIP", gzip.compress),
        ("ZLIB", zlib.compress),
    ],
)
def test_compressed_files_are_read_with_offsets_of_the_uncompressed_data(write, named, compress):
    name = write("a", b"x" * 10, b"y", compress=compress)
    keys, values = TFRecordReader(named).read_up_to(names_of(name), 5)

    assert ([b"0", b"26"], [b"x" * 10, b"y"]) == ([key.split(b":")[-1] for key in keys], values)


@pytest.mark.parametrize("named", [None, "", "ZLIB"])
def test_named_compression_must_be_right(write, named):
    name = write("a", b"x", compress=gzip.compress)
    with pytest.raises(DataLossError):
        TFRecordReader(named).read(names_of(name))


def test_unknown_compression_is_refused():
    with pytest.raises(ConfigError, match="'LZMA'"):
        TFRecordReader("LZMA")


# Missing and unreadable files


@pytest.mark.parametrize("reader", [TFRecordReader(), WholeFileReader()])
def test_missing_file_is_an_error_once_and_not_counted(write, tmp_path, reader):
    missing = os.fspath(tmp_path / "nope.tfrecords")
    queue = names_of(missing, write("a", b"1"))
    with pytest.raises(FileNotFoundError) as caught:
        reader.read(queue)

    assert missing == caught.value.filename
    assert (0, 0) == (reader.num_records_produced(), reader.num_work_units_completed())
    assert b"1" in reader.read(queue)[1]


@pytest.mark.parametrize("reader", [TFRecordReader(), WholeFileReader()])
def test_directory_is_an_error_once(write, tmp_path, reader):
    queue = names_of(os.fspath(tmp_path), write("a", b"1"))
    with pytest.raises(OSError, match="irectory|denied"):
        reader.read(queue)

    assert b"1" in reader.read(queue)[1]


def test_missing_file_ends_a_pipeline_at_once():
    begin = time.monotonic()
    with pytest.raises(FileNotFoundError, match=r"nope\.tfrecords"), Coordinator():
        files = string_input_producer(["nope.tfrecords"])
        reader = TFRecordReader()
        for _ in batch(lambda: reader.read(files), 1):
            pass

    assert time.monotonic() - begin < 2


# Damage


def test_records_before_the_damage_come_first_then_the_error_stays(damaged):
    reader = TFRecordReader()
    queue = names_of(damaged, damaged)
    values = [reader.read(queue)[1] for _ in range(2)]
    errors = []
    for _ in range(3):
        with pytest.raises(ChecksumError) as caught:
            reader.read(queue)
        errors.append(caught.value)

    assert [b"0" * 45, b"1" * 45] == values
    assert [(damaged, 2)] * 3 == [(error.path, error.index) for error in errors]
    assert 1 == queue.size()


def test_reset_goes_on_with_the_next_file(damaged, write, make_reader):
    reader = make_reader()
    queue = names_of(damaged, write("good", b"good"))
    with pytest.raises(ChecksumError):
        for _ in range(5):
            reader.read(queue)
    reader.reset()

    assert b"good" == reader.read(queue)[1]


def test_read_up_to_returns_what_came_before_the_damage(damaged):
    reader = TFRecordReader()
    queue = names_of(damaged)

    assert [b"0" * 45, b"1" * 45] == reader.read_up_to(queue, 10)[1]
    with pytest.raises(ChecksumError):
        reader.read_up_to(queue, 10)


@pytest.mark.parametrize("num_threads", [1, 4])
def test_damage_comes_out_of_a_pipeline_naming_file_and_record(damaged, num_threads):
    with pytest.raises(DataLossError, match="record 2") as caught, Coordinator():
        files = string_input_producer([damaged], num_epochs=1)
        reader = TFRecordReader()
        for _ in batch(lambda: reader.read(files), 1, num_threads=num_threads):
            pass

    assert (damaged, 2) == (caught.value.path, caught.value.index)


def test_damage_comes_out_of_join_in_the_classic_form(damaged):
    coord = Coordinator()
    files = string_input_producer([damaged], num_epochs=1, coord=coord)
    reader = TFRecordReader()
    batches = batch(lambda: reader.read(files), 1, coord=coord)
    with pytest.raises(OutOfRangeError):
        while True:
            batches.get()
    with pytest.raises(DataLossError, match="record 2"):
        coord.join()


# Stops


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs Linux's list of open files")
def test_no_file_is_open_after_a_stop(write, tmp_path):
    name = write("a", *[b"x"] * 1000)
    with Coordinator():
        files = string_input_producer([name])
        reader = TFRecordReader()
        batch(lambda: reader.read(files)[1], 1, num_threads=3).get()
        num_open = len(open_files(tmp_path))

    assert 1 == num_open
    assert [] == open_files(tmp_path)


def test_reader_that_a_stop_has_closed_is_at_its_end(write):
    name = write("a", *[b"x"] * 10)
    with warnings.catch_warnings(), Coordinator() as coord:
        warnings.simplefilter("error")
        files = string_input_producer([name])
        reader = TFRecordReader()
        reader.read(files)
        coord.request_stop()
        with pytest.raises(OutOfRangeError):
            reader.read(files)


def test_stop_wakes_a_reader_that_waits_for_a_name(start):
    queue = FIFOQueue(1)
    with Coordinator() as coord:
        reader = TFRecordReader()
        stage = batch(lambda: reader.read(names), 1, num_threads=3)
        names = batch(queue, 1).queue
        stage.runner.start()
        names.feeder.start()
        coord.request_stop()

    assert [] == [*stage]


# Whole files


def test_whole_files(tmp_path):
    (tmp_path / "a").write_bytes(b"content")
    (tmp_path / "empty").touch()
    names = [os.fsencode(tmp_path / name) for name in ("a", "empty")]
    queue = names_of(*names)
    reader = WholeFileReader()
    pairs = [reader.read(queue), reader.read_up_to(queue, 5)]

    assert [(names[0], b"content"), ([names[1]], [b""])] == pairs
    assert (2, 2) == (reader.num_records_produced(), reader.num_work_units_completed())
    with pytest.raises(OutOfRangeError):
        reader.read(queue)
