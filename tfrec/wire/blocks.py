"""The whole, intact records at the beginning of a block of bytes, without a call for each.

A record of 50 bytes costs a third of what `read_record` takes. Whatever isn't whole and intact is
left to that function, which says what is wrong.
"""

import struct

from tfrec.wire.crc32c import MASK_DELTA, crc32c
from tfrec.wire.framing import FOOTER_SIZE, HEADER_SIZE

_HEADER = struct.Struct("<QI")
_CRC = struct.Struct("<I")
_UINT32 = 0xFFFFFFFF


def split_records(block: bytes) -> tuple[list[bytes], int]:
    """Return the payloads of the records that `block` begins with, and where they end."""
    payloads = []
    start = 0
    last_start = len(block) - HEADER_SIZE - FOOTER_SIZE
    while start <= last_start:
        length, stored = _HEADER.unpack_from(block, start)
        payload_start = start + HEADER_SIZE
        end = payload_start + length
        if end > len(block) - FOOTER_SIZE:
            break
        crc = crc32c(block[start : start + 8])
        if ((crc >> 15 | crc << 17) + MASK_DELTA) & _UINT32 != stored:  # masked, without a call
            break
        payload = block[payload_start:end]
        crc = crc32c(payload)
        masked = ((crc >> 15 | crc << 17) + MASK_DELTA) & _UINT32
        if masked != _CRC.unpack_from(block, end)[0]:
            break
        payloads.append(payload)
        start = end + FOOTER_SIZE
    return payloads, start
