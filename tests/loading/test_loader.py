"""Batches for training: each record once, in an order that the seed decides."""

import pickle
import threading
from collections import Counter
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from tfrec.dataset.reading import decode_sample, open_dataset
from tfrec.errors import ConfigError, DataLossError, ExampleError
from tfrec.example import encode_example
from tfrec.loading import Loader, ReadOptions
from tfrec.storage import MemoryStorage
from tfrec.wire import frame_record


def record(label, value=0, num_bytes=12):
    return frame_record(encode_example({"label": label, "img_raw": bytes([value]) * num_bytes}))


def load(*files, **options):
    """Return a loader of files, each given as a list of labels, of 2x2 images of label's colour."""
    storage = MemoryStorage(
        {
            f"{number}.tfrecord": b"".join(record(label, label % 256) for label in labels)
            for number, labels in enumerate(files)
        }
    )
    records = open_dataset(sorted(storage.files), storage=storage)
    return Loader(records, ReadOptions(num_threads=2, **options))


def labels_of(loader):
    return [int(label) for batch in loader for label in batch.labels]


def test_batches_are_arrays_of_images_and_labels():
    first, last = load([1, 2, 3], batch_size=2)

    assert ((2, 2, 2, 3), np.uint8) == (first.images.shape, first.images.dtype)
    assert ((2,), np.int64) == (first.labels.shape, first.labels.dtype)
    assert [1, 2] == first.labels.tolist()
    assert [1, 2] == first.images[:, 1, 1, 2].tolist()
    assert [3] == last.labels.tolist()


def test_a_smaller_last_batch_can_be_left_out():
    assert [0, 1] == labels_of(load([0, 1, 2], batch_size=2, drop_remainder=True))


def test_without_shuffling_the_order_is_that_of_files_and_records():
    assert list(range(100)) == labels_of(load(range(60), range(60, 100)))


def test_epochs_follow_each_other():
    assert [0, 1, 2] * 3 == labels_of(load([0, 1, 2], num_epochs=3, batch_size=4))


def test_reading_without_end_goes_on():
    batches = iter(load([0, 1, 2], num_epochs=None, batch_size=2))

    found = [next(batches).labels.tolist() for _ in range(4)]

    assert [[0, 1], [2, 0], [1, 2], [0, 1]] == found


def test_reading_nothing_without_end_is_an_error():
    with pytest.raises(ValueError, match="no records"):
        next(iter(load([], num_epochs=None)))


@pytest.mark.timeout(30)
@pytest.mark.parametrize("shuffle", [False, True])
def test_a_worker_that_has_nothing_to_read_without_end_is_an_error(shuffle):
    loader = load([0, 1, 2], num_epochs=None, batch_size=1, shuffle=shuffle)

    assert [2] == next(iter(load([0, 1, 2], num_epochs=None).for_worker(2, 4))).labels[:1].tolist()
    with pytest.raises(ValueError, match="no records for worker 3 of 4 to read without end"):
        next(iter(loader.for_worker(3, 4)))


@pytest.mark.parametrize("num_workers", [1, 2, 4, 7])
@pytest.mark.parametrize("shuffle", [False, True])
def test_workers_share_the_records(num_workers, shuffle):
    loader = load(range(60), range(60, 100), shuffle=shuffle, num_epochs=2)

    found = Counter()
    for worker in range(num_workers):
        found.update(labels_of(loader.for_worker(worker, num_workers)))

    assert Counter(dict.fromkeys(range(100), 2)) == found


class TestShuffling:
    def test_it_is_a_permutation_that_mixes_classes(self):
        labels = labels_of(load([0] * 50 + [1] * 50, shuffle=True, buffer_size=100, seed=3))

        assert {0: 50, 1: 50} == Counter(labels)
        assert {0, 1} == set(labels[:50])

    def test_the_same_seed_gives_the_same_order_whatever_the_threads(self):
        loader = load(range(40), range(40, 100), shuffle=True, buffer_size=16, seed=7)
        other = load(range(40), range(40, 100), shuffle=True, buffer_size=16, seed=7)
        other.options = ReadOptions(num_threads=5, shuffle=True, buffer_size=16, seed=7)

        assert labels_of(loader) == labels_of(loader) == labels_of(other)

    def test_seeds_and_epochs_give_other_orders(self):
        twice = labels_of(load(range(100), shuffle=True, num_epochs=2))
        other = labels_of(load(range(100), shuffle=True, seed=1))

        assert 3 == len({tuple(twice[:100]), tuple(twice[100:]), tuple(other)})
        assert list(range(100)) == sorted(twice[:100]) == sorted(twice[100:])

    def test_files_come_in_another_order(self):
        one_each = [[number] for number in range(20)]

        labels = labels_of(load(*one_each, shuffle=True, buffer_size=1))

        assert list(range(20)) == sorted(labels)
        assert list(range(20)) != labels

    def test_no_record_comes_before_the_buffer_has_reached_it(self):
        labels = labels_of(load(range(1000), shuffle=True, buffer_size=10))

        assert all(label <= place + 10 for place, label in enumerate(labels))


def test_a_loader_can_be_pickled_before_and_after_an_iteration():
    loader = load(range(10))

    before = pickle.loads(pickle.dumps(loader.options)), labels_of(loader)

    assert (loader.options, list(range(10))) == before


def test_a_loader_of_local_files_can_be_pickled(tmp_path):
    path = tmp_path / "x.tfrecord"
    path.write_bytes(record(1) + record(2))
    loader = Loader(open_dataset(path))

    copies = [pickle.loads(pickle.dumps(loader))]
    next(iter(loader))
    copies.append(pickle.loads(pickle.dumps(loader)))

    assert [[1, 2], [1, 2]] == [labels_of(copy) for copy in copies]


class Decoding:
    """Stands for `decode_sample`; tells which labels were decoded, and lets a test wait for one."""

    def __init__(self):
        self.labels = set()
        self.has_more = threading.Condition()

    def __call__(self, placed, **keys):
        sample = decode_sample(placed, **keys)
        with self.has_more:
            self.labels.add(sample.label)
            self.has_more.notify_all()
        return sample

    def comes_to(self, label):
        """Say whether every label up to this one is decoded in the end."""
        wanted = set(range(label + 1))
        with self.has_more:
            return self.has_more.wait_for(lambda: wanted <= self.labels, timeout=60)


@pytest.mark.parametrize(("prefetch", "last"), [(1, 55), (2, 87), (3, 119)])
def test_threads_decode_ahead_while_the_caller_works_on_a_batch(monkeypatch, prefetch, last):
    decoding = Decoding()
    monkeypatch.setattr("tfrec.loading.loader.decode_sample", decoding)
    batches = iter(load(range(1000), batch_size=32, prefetch=prefetch))

    next(batches)

    # Two threads have four parts of each batch; the caller keeps the last part of the first one.
    assert decoding.comes_to(last)
    batches.close()
    assert set(range(last + 1)) == decoding.labels


def test_each_thread_has_something_to_decode_where_batches_are_small(monkeypatch):
    together = threading.Barrier(4, timeout=20)

    def decode(placed, **keys):
        if threading.current_thread() is not threading.main_thread():
            together.wait()
        return decode_sample(placed, **keys)

    monkeypatch.setattr("tfrec.loading.loader.decode_sample", decode)
    loader = load(range(4), batch_size=1, prefetch=1)

    loader = Loader(loader.records, replace(loader.options, num_threads=4))

    assert [0, 1, 2, 3] == labels_of(loader)


def test_one_thread_decodes_what_is_asked_for(monkeypatch):
    decoding = Decoding()
    monkeypatch.setattr("tfrec.loading.loader.decode_sample", decoding)
    loader = load(range(1000), batch_size=32)

    next(iter(Loader(loader.records, replace(loader.options, num_threads=1))))

    assert set(range(32)) == decoding.labels


@pytest.mark.parametrize("batch_size", [1, 2, 3, 7, 16, 33, 100])
@pytest.mark.parametrize("num_threads", [1, 2, 3])
def test_batches_are_the_same_however_they_are_divided(batch_size, num_threads):
    loader = load(range(50), num_epochs=2, batch_size=batch_size)
    options = replace(loader.options, num_threads=num_threads)

    batches = list(Loader(loader.records, options))

    sizes = [batch_size] * (100 // batch_size) + [100 % batch_size] * (100 % batch_size > 0)
    assert sizes == [len(batch.labels) for batch in batches]
    labels = [int(label) for batch in batches for label in batch.labels]
    assert list(range(50)) * 2 == labels
    assert labels == [int(image[0, 0, 0]) for batch in batches for image in batch.images]


def test_a_loader_opens_paths_itself(tmp_path):
    for number in range(2):
        (tmp_path / f"{number}.tfrecord").write_bytes(record(number))

    assert [0, 1] == labels_of(Loader(str(tmp_path / "*.tfrecord")))
    assert [1] == labels_of(Loader(tmp_path / "1.tfrecord"))


class TestFaults:
    def test_images_of_other_shapes_are_named(self):
        content = record(1, num_bytes=12) + record(2, num_bytes=27)
        records = open_dataset("x.tfrecord", storage=MemoryStorage({"x.tfrecord": content}))

        with pytest.raises(ExampleError) as raised:
            list(Loader(records))

        assert ("x.tfrecord", 1, "(3, 3, 3)", "(2, 2, 3)") == (
            raised.value.path,
            raised.value.index,
            raised.value.found,
            raised.value.expected,
        )

    def test_damage_is_named_after_the_batches_before_it(self):
        content = bytearray(record(1) + record(2) + record(3))
        content[2 * len(content) // 3 + 20] ^= 1
        storage = MemoryStorage({"x.tfrecord": bytes(content)})
        batches = iter(
            Loader(open_dataset("x.tfrecord", storage=storage), ReadOptions(batch_size=1))
        )

        labels = [next(batches).labels.tolist(), next(batches).labels.tolist()]
        with pytest.raises(DataLossError) as raised:
            next(batches)

        assert [[1], [2]] == labels
        assert ("x.tfrecord", 2) == (raised.value.path, raised.value.index)

    @pytest.mark.parametrize("number", range(9))
    def test_an_error_comes_after_all_batches_before_it(self, number):
        content = [record(label) for label in range(9)]
        content[number] = frame_record(encode_example({"label": number, "img_raw": b"no image"}))
        storage = MemoryStorage({"x.tfrecord": b"".join(content)})
        loader = Loader(
            open_dataset("x.tfrecord", storage=storage), ReadOptions(batch_size=2, num_threads=2)
        )
        batches = iter(loader)

        labels = [batch.labels.tolist() for batch in islice(batches, number // 2)]
        with pytest.raises(ExampleError, match="8 bytes") as raised:
            next(batches)

        assert [[even, even + 1] for even in range(0, number - 1, 2)] == labels
        assert number == raised.value.index

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"batch_size": 0}, "batch_size is 0"),
            ({"num_epochs": 0}, "num_epochs is 0"),
            ({"buffer_size": 0}, "buffer_size is 0"),
            ({"prefetch": 0}, "prefetch is 0"),
            ({"worker": 1}, "worker is 1, and must be from 0 to 0"),
            ({"worker": -1, "num_workers": 2}, "worker is -1"),
        ],
    )
    def test_options_out_of_range_are_refused(self, options, words):
        with pytest.raises(ConfigError, match=words):
            ReadOptions(**options)
