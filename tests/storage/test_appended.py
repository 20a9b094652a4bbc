"""Files that grow, where objects can't."""

import pytest

from tfrec.storage import appended
from tfrec.storage.appended import AppendedObjects
from tfrec.storage.remote import RemoteStorage

pytestmark = pytest.mark.usefixtures("memory_url")
URL = "memory://bucket/journal"


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(appended.time, "monotonic", lambda: now[0])
    return now


def test_additions_within_a_second_are_one_request(clock):
    ours, others = AppendedObjects(), AppendedObjects()

    ours.append(URL, b"one ")
    ours.append(URL, b"two ")
    first = others.read(URL)
    clock[0] += 1
    ours.append(URL, b"three ")

    assert (b"one ", b"one two three ") == (first, others.read(URL))


def test_what_waits_is_read_by_its_writer(clock):
    ours = AppendedObjects()

    ours.append(URL, b"one ")
    ours.append(URL, b"two ")

    assert b"one two " == ours.read(URL)


def test_another_process_goes_on_behind_the_first(clock):
    AppendedObjects().append(URL, b"one ")
    AppendedObjects().append(URL, b"two ")

    assert b"one two " == AppendedObjects().read(URL)


def test_a_new_object_begins_when_the_last_one_is_full(clock):
    fsspec = pytest.importorskip("fsspec")
    ours = AppendedObjects()

    for _ in range(5):
        clock[0] += 1
        ours.append(URL, bytes(6000))

    assert [12_000, 12_000, 6000] == [
        entry["size"]
        for entry in sorted(fsspec.filesystem("memory").ls(URL), key=lambda one: one["name"])
    ]


def test_a_driver_may_say_in_its_own_words_that_it_opens_no_directory(monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    storage = RemoteStorage()
    storage.append(URL, b"one")

    def fail(*_, **__):
        raise OSError("Cannot open for reading: it is a directory")

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "_open", fail)
    monkeypatch.setattr(
        type(fsspec.filesystem("memory")), "cat", lambda _, paths: dict.fromkeys(paths, b"one")
    )
    with storage.open_read(URL) as stream:
        assert b"one" == stream.read()
