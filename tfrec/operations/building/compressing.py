"""Streams that compress what is written to them: gzip in the workers of an executor.

A gzip file may be a chain of members, so each block of the records' bytes is one, and blocks need
not wait for each other; TensorFlow's reader takes the chain as one file. A zlib file is one stream,
which the writing thread compresses.
"""

from collections import deque
from concurrent.futures import Executor, Future
from typing import Protocol

from tfrec.wire.compression import Compression
from tfrec.wire.deflate import compress, gzip_member
from tfrec.wire.writer import Output

_BLOCK_SIZE = 1 << 20  # of uncompressed bytes; the files depend on it


class ClosableOutput(Protocol):
    """A stream that has to be closed to be whole; closing it leaves what is below it open."""

    def write(self, data: bytes, /) -> int: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...


def compress_in_parallel(
    output: Output, compression: Compression, *, level: int, executor: Executor, window: int
) -> ClosableOutput:
    """Return a stream that compresses into `output`; at most `window` blocks are in flight."""
    if compression == "gzip":
        return _GzipChain(output, level, executor, window)
    return compress(output, compression, level=level)


class _GzipChain:
    """Cuts what is written into blocks, and writes a member for each, in order."""

    def __init__(self, output: Output, level: int, executor: Executor, window: int) -> None:
        self._output = output
        self._level = level
        self._executor = executor
        self._window = window
        self._block = bytearray()
        self._pending: deque[Future[bytes]] = deque()
        self._is_empty = True

    def write(self, data: bytes, /) -> int:
        self._block += data
        while len(self._block) >= _BLOCK_SIZE:
            self._submit(bytes(self._block[:_BLOCK_SIZE]))
            del self._block[:_BLOCK_SIZE]
        return len(data)

    def flush(self) -> None:
        """Do nothing: a block is written when it is full."""

    def close(self) -> None:
        if self._block or self._is_empty:
            self._submit(bytes(self._block))
        while self._pending:
            self._write_first()
        self._output.flush()

    def _submit(self, block: bytes) -> None:
        self._is_empty = False
        self._pending.append(self._executor.submit(gzip_member, block, level=self._level))
        if len(self._pending) >= self._window:
            self._write_first()

    def _write_first(self) -> None:
        self._output.write(self._pending.popleft().result())
