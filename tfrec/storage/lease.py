"""A lock in a store without locks: an object that its owner writes anew every few seconds.

Stores put an object where there is none in one step, and nothing else that helps. Whoever finds
the object watches it: where it changes, its owner is alive; where it stays the same for
`LEASE_SECONDS`, its owner is dead, and it is removed. No clocks of two machines are compared.
"""

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Literal, Protocol

LEASE_SECONDS = 30.0
RENEW_SECONDS = 5.0


class LeaseObject(Protocol):
    """The object that stands for the lock."""

    def create(self, content: bytes) -> bool:
        """Put the object where there is none; return whether it is this one."""
        ...

    def read(self) -> bytes | None:
        """Return its content; None where there is no object."""
        ...

    def replace(self, content: bytes) -> None:
        """Put the object in place of the former one."""
        ...

    def remove(self) -> None:
        """Remove the object where it is there."""
        ...


@contextmanager
def hold_lease(lease: LeaseObject) -> Iterator[Literal["free", "abandoned"]]:
    """Hold the lock until the block ends; say whether a dead owner has left it.

    Raises:
        BlockingIOError: its owner is alive.
    """
    owner = secrets.token_hex(8)
    found: Literal["free", "abandoned"] = "free"
    while not lease.create(_content(owner, 0)):
        if _is_abandoned(lease):
            lease.remove()
            found = "abandoned"
    stopped = threading.Event()
    thread = threading.Thread(
        target=_renew, args=(lease, owner, stopped.wait), name="tfrec-lease", daemon=True
    )
    thread.start()
    try:
        yield found
    finally:
        stopped.set()
        thread.join()
        with suppress(OSError):  # what stays is found abandoned by the next one
            if _is_owned(lease, owner):
                lease.remove()


def _is_abandoned(lease: LeaseObject) -> bool:
    """Watch a lock; return False where it is gone.

    Raises:
        BlockingIOError: it was renewed.
    """
    first = lease.read()
    end = time.monotonic() + LEASE_SECONDS
    while time.monotonic() < end:
        found = lease.read()
        if found is None:
            return False
        if found != first:
            raise BlockingIOError
        time.sleep(RENEW_SECONDS / 4)
    return True


def _renew(lease: LeaseObject, owner: str, wait: Callable[[float], bool]) -> None:
    number = 0
    while not wait(RENEW_SECONDS):
        number += 1
        with suppress(OSError):  # the next renewal may come through
            if not _is_owned(lease, owner):
                return
            lease.replace(_content(owner, number))


def _is_owned(lease: LeaseObject, owner: str) -> bool:
    found = lease.read()
    return found is not None and found.partition(b" ")[0] == owner.encode()


def _content(owner: str, number: int) -> bytes:
    return f"{owner} {number}\n".encode()
