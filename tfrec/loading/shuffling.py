"""Orders that a seed decides, the same for ever.

Of Python's `random` only `random()` after seeding with text is used: its values are documented to
stay as they are, those of `shuffle` and `sample` are not.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


def shuffle_files(files: Sequence[Item], *, seed: int, epoch: int) -> list[Item]:
    """Return files in the order of a keyed hash of their places in the sequence."""

    def key(position: int) -> bytes:
        return hashlib.blake2b(f"{seed} {epoch} {position}".encode(), digest_size=16).digest()

    return [files[position] for position in sorted(range(len(files)), key=key)]


def shuffle_through_buffer(
    items: Iterable[Item], *, buffer_size: int, seed: int, epoch: int
) -> Iterator[Item]:
    """Yield all items, each drawn at random from the `buffer_size` that are waiting."""
    draw = Random(f"{seed} {epoch}").random
    buffer: list[Item] = []
    for item in items:
        if len(buffer) < buffer_size:
            buffer.append(item)
            continue
        position = int(draw() * buffer_size)
        yield buffer[position]
        buffer[position] = item
    while buffer:
        position = int(draw() * len(buffer))
        buffer[position], buffer[-1] = buffer[-1], buffer[position]
        yield buffer.pop()
