"""A stream that knows how many bytes went through it, and their SHA-256."""

import hashlib
from typing import BinaryIO


class HashedOutput:
    """Passes bytes on to a stream, counts them and takes their SHA-256."""

    def __init__(self, stream: BinaryIO) -> None:
        self.num_bytes = 0
        self._stream = stream
        self._sha256 = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self._sha256.update(data)
        self.num_bytes += len(data)
        return self._stream.write(data)

    def flush(self) -> None:
        self._stream.flush()

    def hexdigest(self) -> str:
        return self._sha256.hexdigest()
