"""The SHA-256 of bytes that pass by, taken beside who reads them.

SHA-256 takes longer than to read and check a record. hashlib works on it without the GIL, so that
a second core does it meanwhile.
"""

import hashlib
from collections import deque
from concurrent.futures import Executor, Future

_PIECE_SIZE = 1 << 17  # bytes given to the helper at a time: fewer are not worth waking it
_MAX_PIECES = 2  # that wait: more leave the cache, and their memory is given back and fetched anew


class Digest:
    """Takes the SHA-256 of bytes in the one thread of `helper`, which belongs to the caller."""

    def __init__(self, helper: Executor) -> None:
        self._helper = helper
        self._sha256 = hashlib.sha256()
        self._piece: list[bytes] = []
        self._size = 0
        self._pending: deque[Future[None]] = deque()

    def update(self, data: bytes) -> None:
        """Add bytes; they are kept until the helper has been there."""
        self._piece.append(data)
        self._size += len(data)
        if self._size >= _PIECE_SIZE:
            self._pending.append(self._helper.submit(self._add, self._piece))
            self._piece, self._size = [], 0
            if len(self._pending) > _MAX_PIECES:
                self._pending.popleft().result()

    def hexdigest(self) -> str:
        """Return the SHA-256 of all bytes so far."""
        while self._pending:
            self._pending.popleft().result()
        self._add(self._piece)
        self._piece, self._size = [], 0
        return self._sha256.hexdigest()

    def _add(self, piece: list[bytes]) -> None:
        for data in piece:
            self._sha256.update(data)
