"""The lock of a store without locks."""

import threading

import pytest

from tfrec.storage import lease
from tfrec.storage.lease import hold_lease


class Slot:
    """The place of a lock's object; `changed` is set whenever it is written."""

    def __init__(self, content=None):
        self.content = content
        self.changed = threading.Event()

    def create(self, content):
        if self.content is not None:
            return False
        self.replace(content)
        return True

    def read(self):
        return self.content

    def replace(self, content):
        self.content = content
        self.changed.set()

    def remove(self):
        self.content = None


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(lease, "RENEW_SECONDS", 0.01)
    monkeypatch.setattr(lease, "LEASE_SECONDS", 0.2)


def test_the_object_is_there_until_the_block_ends():
    slot = Slot()

    with hold_lease(slot) as found:
        assert slot.content is not None

    assert ("free", None) == (found, slot.content)


def test_the_object_is_written_anew_while_it_is_held():
    slot = Slot()

    with hold_lease(slot):
        first = slot.content
        slot.changed.clear()
        assert slot.changed.wait(10)
        assert first != slot.content


def test_a_lock_that_changes_is_held_by_another(monkeypatch):
    monkeypatch.setattr(lease, "LEASE_SECONDS", 30)  # the first renewal ends the wait
    slot = Slot()

    with hold_lease(slot), pytest.raises(BlockingIOError), hold_lease(slot):
        pytest.fail("the block is not entered")

    assert slot.content is None


def test_a_lock_that_stays_as_it_is_is_taken_over():
    slot = Slot(b"its owner is dead")

    with hold_lease(slot) as found:
        assert b"its owner is dead" != slot.content

    assert "abandoned" == found


def test_a_lock_that_another_has_taken_over_is_left_to_it():
    slot = Slot()

    with hold_lease(slot):
        slot.content = b"another 0"

    assert b"another 0" == slot.content


def test_a_renewal_that_fails_is_tried_again():
    slot = Slot()
    with hold_lease(slot):
        replace, failed = slot.replace, threading.Event()

        def fail_once(content):
            slot.replace = replace
            failed.set()
            raise OSError

        slot.replace = fail_once
        assert failed.wait(10)
        slot.changed.clear()
        assert slot.changed.wait(10)
