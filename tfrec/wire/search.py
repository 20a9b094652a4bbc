"""Find where a record may start in bytes that have lost their way.

A position is a candidate if the 12 bytes there are a header: a length, and the CRC of that length.
By chance 1 position in 2^32 is one; whoever searches looks at the payload's CRC too.

CRC-32C is affine over the bits of its input. So the CRC of 8 bytes is the exclusive or of one table
entry a byte, which numpy looks up for all positions at once.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tfrec.wire.crc32c import crc32c, mask_all
from tfrec.wire.framing import HEADER_SIZE

_LENGTH_SIZE = 8


def find_headers(data: bytes, *, max_length: int) -> list[int]:
    """Return, in order, where in `data` a header stands whose length is at most `max_length`."""
    num_positions = len(data) - HEADER_SIZE + 1
    if num_positions <= 0 or not data.strip(b"\0"):  # a bomb of zeros holds no CRC
        return []
    values = np.frombuffer(data, np.uint8)
    positions = np.arange(num_positions)
    # Most bytes are ruled out here, since lengths have high bytes of zero.
    for place in range(_LENGTH_SIZE - 1, (max_length.bit_length() + 7) // 8 - 1, -1):
        positions = positions[values[positions + place] == 0]
    positions = positions[_masked_crcs(values, positions) == _stored_crcs(values, positions)]
    return [
        position
        for position in positions.tolist()
        if int.from_bytes(data[position : position + _LENGTH_SIZE], "little") <= max_length
    ]


def _masked_crcs(values: NDArray[np.uint8], positions: NDArray[np.intp]) -> NDArray[np.uint32]:
    crcs = np.full(len(positions), _crc_of_zeros(), np.uint32)
    for place, table in enumerate(_crc_tables()):
        crcs ^= table[values[positions + place]]
    return mask_all(crcs)


def _stored_crcs(values: NDArray[np.uint8], positions: NDArray[np.intp]) -> NDArray[np.uint32]:
    crcs = np.zeros(len(positions), np.uint32)
    for place in range(HEADER_SIZE - 1, _LENGTH_SIZE - 1, -1):
        crcs = crcs << np.uint32(8) | values[positions + place]
    return crcs


def _crc_of_zeros() -> int:
    return crc32c(bytes(_LENGTH_SIZE))


@lru_cache(maxsize=1)
def _crc_tables() -> tuple[NDArray[np.uint32], ...]:
    """Return for each place what a byte there changes in the CRC of 8 zero bytes."""
    zeros = _crc_of_zeros()
    return tuple(
        np.array(
            [
                crc32c(bytes(place) + bytes([value]) + bytes(_LENGTH_SIZE - 1 - place)) ^ zeros
                for value in range(256)
            ],
            np.uint32,
        )
        for place in range(_LENGTH_SIZE)
    )
