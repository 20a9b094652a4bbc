"""One wake-up for one waiting thread.

Every blocking call of this package waits on a `Wakeup` of its own, so that a change wakes exactly
those whom it concerns and none can be lost between two waiters of one condition.
"""

import sys
import threading
from contextlib import suppress

# An untimed lock wait cannot be interrupted by Ctrl-C on Windows, so that platform alone wakes up
# now and then to look for signals.
_SLICE_SECS = 1.0 if sys.platform == "win32" else None


class Wakeup:
    """An event that happens once and that one thread waits for.

    `set` is for one caller and once; it is a single C call, which no signal handler can split.
    `set_again` is for many.
    """

    __slots__ = ("_lock", "set")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()
        self.set = self._lock.release

    def set_again(self) -> None:
        with suppress(RuntimeError):  # it is set
            self._lock.release()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until `set`, at most `timeout` seconds; return whether it was set."""
        if timeout is not None:
            return self._lock.acquire(timeout=min(max(timeout, 0), threading.TIMEOUT_MAX))
        if _SLICE_SECS is None:
            return self._lock.acquire()
        while not self._lock.acquire(timeout=_SLICE_SECS):
            continue
        return True
