"""Compressed shards: the blocks, and the bytes that do not depend on the workers."""

import gzip
import io
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from tfrec.engine import SerialExecutor
from tfrec.operations.building.compressing import compress_in_parallel

BLOCK = 1 << 20
MEMBER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"


def compress(pieces, compression="gzip", *, executor=None, level=6):
    stream = io.BytesIO()
    executor = executor or SerialExecutor()
    output = compress_in_parallel(stream, compression, level=level, executor=executor, window=3)
    for piece in pieces:
        output.write(piece)
    output.close()
    return stream.getvalue()


@pytest.mark.parametrize("pieces", [[], [b"abc"], [bytes(BLOCK)], [b"x" * 700_000] * 7])
@pytest.mark.parametrize(
    ("compression", "decompress"), [("gzip", gzip.decompress), ("zlib", zlib.decompress)]
)
def test_what_goes_in_comes_out(pieces, compression, decompress):
    assert b"".join(pieces) == decompress(compress(pieces, compression))


@pytest.mark.parametrize(
    ("num_bytes", "num_members"),
    [(0, 1), (1, 1), (BLOCK - 1, 1), (BLOCK, 1), (BLOCK + 1, 2), (3 * BLOCK, 3)],
)
def test_each_block_is_a_member(num_bytes, num_members):
    assert num_members == compress([bytes(num_bytes)]).count(MEMBER)


def test_the_pieces_do_not_show():
    whole = bytes(range(256)) * 20_000
    pieces = [whole[start : start + 77_777] for start in range(0, len(whole), 77_777)]

    assert compress([whole]) == compress(pieces)


def test_the_workers_do_not_show():
    pieces = [bytes([number]) * 300_000 for number in range(40)]
    with ThreadPoolExecutor(4) as executor:
        assert compress(pieces) == compress(pieces, executor=executor)


def test_none_passes_bytes_on():
    assert b"abcdef" == compress([b"abc", b"def"], "none")


def test_a_higher_level_takes_less_room():
    text = b"".join(b"%d " % (number * number) for number in range(100_000))

    assert len(compress([text], level=9)) < len(compress([text], level=1))
