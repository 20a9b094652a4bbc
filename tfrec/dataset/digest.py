"""The SHA-256 of bytes that pass by, taken by a helper beside who reads them.

SHA-256 takes longer than to read and check a record, and hashlib needs no GIL for it: a second
core can do it meanwhile. The bytes are copied into a few buffers that are used again and again.
Kept as they are, they would wake the helper for each record, and records that live longer are
given fresh memory each time, which costs more than the copy.
"""

from collections import deque
from concurrent.futures import Executor, Future
from hashlib import sha256

_BUFFER_SIZE = 1 << 20
_NUM_BUFFERS = 3  # one is filled, and one hashed


class Digest:
    """Takes a SHA-256 in the one thread of `helper`, which belongs to the caller.

    Every buffer is either `_buffer`, which is being filled, or waits with its future in `_pending`.
    """

    def __init__(self, helper: Executor) -> None:
        self._helper = helper
        self._sha256 = sha256()
        self._buffer = bytearray(_BUFFER_SIZE)
        self._size = 0  # of what is in it
        self._pending: deque[tuple[Future[None], bytearray]] = deque()

    def update(self, data: bytes) -> None:
        """Add bytes; waits for the helper where it is far behind."""
        rest = memoryview(data)
        while rest:
            part = rest[: _BUFFER_SIZE - self._size]
            self._buffer[self._size : self._size + len(part)] = part
            self._size += len(part)
            rest = rest[len(part) :]
            if self._size == _BUFFER_SIZE:
                self._hand_over()

    def hexdigest(self) -> str:
        """Return the SHA-256 of all bytes so far."""
        for future, _ in self._pending:
            future.result()
        self._sha256.update(memoryview(self._buffer)[: self._size])
        self._size = 0
        return self._sha256.hexdigest()

    def _hand_over(self) -> None:
        future = self._helper.submit(self._sha256.update, self._buffer)
        self._pending.append((future, self._buffer))
        if len(self._pending) < _NUM_BUFFERS:
            self._buffer = bytearray(_BUFFER_SIZE)
        else:
            future, self._buffer = self._pending.popleft()
            future.result()
        self._size = 0
