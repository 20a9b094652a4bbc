"""Put any number of records in a random order, in bounded memory.

Each record gets a random key of 64 bits, from the seed and its place in the input alone; the result
is the records in the order of their keys. So it is the same for any amount of memory, and every
order is as likely as any other. What doesn't fit is sorted as by a postal service: records go to
scratch files by the first bits of their keys, and each file is then sorted by itself, or divided
further by the next bits.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import BinaryIO, NamedTuple

from tfrec.wire import RecordReader, RecordWriter

_KEY_BYTES = 8
_KEY_BITS = 64
_BITS_A_LEVEL = 5  # 32 files, of which each has a buffer
# Of an object that is held: its header and its place in a list; measured on CPython 3.11 to 3.13.
_OVERHEAD = 160


class Keyed(NamedTuple):
    """A record and its key."""

    key: int
    data: bytes


class Shuffler:
    """Takes records, then gives them back in a random order.

    Args:
        seed: decides the order.
        max_bytes: of the records that are held in memory.
        open_scratch: opens a nameless file for writing and reading.
    """

    def __init__(self, *, seed: int, max_bytes: int, open_scratch: Callable[[], BinaryIO]) -> None:
        self.num_records = 0
        self._random = random.Random(seed)
        self._pile = _Pile(max_bytes, open_scratch, 0)

    def add(self, record: bytes) -> None:
        """Take one record."""
        self._pile.add(Keyed(self._random.getrandbits(_KEY_BITS), record))
        self.num_records += 1

    def drain(self) -> Iterator[bytes]:
        """Yield all records in their new order; this can be done once."""
        return self._pile.drain()


class _Pile:
    """Records whose keys agree in the first `level` groups of bits."""

    def __init__(self, max_bytes: int, open_scratch: Callable[[], BinaryIO], level: int) -> None:
        self._max_bytes = max_bytes
        self._open_scratch = open_scratch
        self._level = level
        self._held: list[Keyed] = []
        self._num_bytes = 0
        self._files: list[_SpillFile] = []

    def add(self, record: Keyed) -> None:
        """Take one record; it may go to a file."""
        if self._files:
            self._spill(record)
            return
        self._held.append(record)
        self._num_bytes += len(record.data) + _OVERHEAD
        if self._num_bytes > self._max_bytes and len(self._held) > 1 and self._shift >= 0:
            self._files = [_SpillFile(self._open_scratch()) for _ in range(1 << _BITS_A_LEVEL)]
            for held in self._held:
                self._spill(held)
            self._held.clear()

    def drain(self) -> Iterator[bytes]:
        """Yield the records in the order of their keys."""
        self._held.sort(key=lambda record: record.key)  # stable: equal keys keep their order
        for record in self._held:
            yield record.data
        self._held.clear()
        with ExitStack() as stack:
            for file in self._files:
                stack.callback(file.close)
            for file in self._files:
                pile = _Pile(self._max_bytes, self._open_scratch, self._level + 1)
                for record in file.read():
                    pile.add(record)
                file.close()
                yield from pile.drain()

    @property
    def _shift(self) -> int:
        return _KEY_BITS - _BITS_A_LEVEL * (self._level + 1)

    def _spill(self, record: Keyed) -> None:
        self._files[record.key >> self._shift & (1 << _BITS_A_LEVEL) - 1].write(record)


class _SpillFile:
    """Keyed records in a scratch file."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._writer = RecordWriter(stream)

    def write(self, record: Keyed) -> None:
        self._writer.write(record.key.to_bytes(_KEY_BYTES) + record.data)

    def read(self) -> Iterator[Keyed]:
        self._writer.close()
        self._stream.seek(0)
        for record in RecordReader(self._stream, path="a scratch file"):
            yield Keyed(int.from_bytes(record.data[:_KEY_BYTES]), record.data[_KEY_BYTES:])

    def close(self) -> None:
        self._stream.close()
