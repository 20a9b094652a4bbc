"""Reading past damage: every intact record is found, none is made up."""

import gzip
import io
import itertools
import random
import struct
import zlib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tfrec.errors import ChecksumError, DataLossError, TruncatedRecordError
from tfrec.wire import Record, frame_record, masked_crc32c
from tfrec.wire.scan import Damage, scan_records

RECORDS = [b"first", b"", b"the third", b"x" * 40, b"", b"the last one"]
FRAMES = [frame_record(record) for record in RECORDS]
WHOLE = b"".join(FRAMES)
STARTS = [0, *itertools.accumulate(map(len, FRAMES))]


class Pipe(io.BytesIO):
    def seekable(self):
        return False


def scan(content, *, knows_size=True, compression="none", **options):
    """Return the intact records, and the damage."""
    size = len(content) if knows_size and compression == "none" else None
    found = list(
        scan_records(Pipe(content), path="x", compression=compression, size=size, **options)
    )
    records = [item.data for item in found if isinstance(item, Record)]
    return records, [item for item in found if isinstance(item, Damage)]


def intact_records(content, tags):
    """Return the records whose frame stands in `content` where its first or its last byte is.

    A tag is the position in WHOLE that a byte was copied from, or None where it was made up.
    """
    places = {tag: place for place, tag in enumerate(tags) if tag is not None}
    records = []
    for record, frame, start in zip(RECORDS, FRAMES, STARTS[:-1], strict=True):
        last = places.get(start + len(frame) - 1, -1) - len(frame) + 1
        for place in (places.get(start, -1), last):
            if place >= 0 and content[place : place + len(frame)] == frame:
                records.append(record)
                break
    return records


either_size = pytest.mark.parametrize("knows_size", [True, False])


@either_size
def test_an_intact_stream_has_no_damage(knows_size):
    assert (RECORDS, []) == scan(WHOLE, knows_size=knows_size)


@either_size
def test_every_cut_keeps_the_records_before_it(knows_size):
    for cut in range(len(WHOLE)):
        num_whole = sum(end <= cut for end in STARTS[1:])

        records, damage = scan(WHOLE[:cut], knows_size=knows_size)

        assert RECORDS[:num_whole] == records
        expected = [] if cut in STARTS else [(STARTS[num_whole], cut, TruncatedRecordError)]
        assert expected == [(item.start, item.end, type(item.error)) for item in damage]


@either_size
def test_every_flipped_bit_costs_its_record_alone(knows_size):
    for position, bit in itertools.product(range(len(WHOLE)), range(8)):
        index = sum(start <= position for start in STARTS) - 1
        content = bytearray(WHOLE)
        content[position] ^= 1 << bit

        records, damage = scan(bytes(content), knows_size=knows_size)

        assert RECORDS[:index] + RECORDS[index + 1 :] == records
        assert [(STARTS[index], STARTS[index + 1])] == [item[:2] for item in damage]
        assert isinstance(damage[0].error, DataLossError)
        assert index == damage[0].error.index


@either_size
def test_every_deleted_range_costs_the_records_that_it_meets(knows_size):
    for start in range(len(WHOLE)):
        for length in (1, 2, 3, 8, 12, 16, 17, 25, 40, 60, 100):
            tags = [*range(start), *range(min(start + length, len(WHOLE)), len(WHOLE))]
            content = bytes(WHOLE[tag] for tag in tags)

            assert intact_records(content, tags) == scan(content, knows_size=knows_size)[0]


@either_size
def test_every_inserted_range_costs_the_record_that_it_meets(knows_size):
    made_up = random.Random(5).randbytes(100)
    for start in range(len(WHOLE) + 1):
        for length in (1, 2, 3, 8, 12, 16, 17, 25, 40, 100):
            tags = [*range(start), *[None] * length, *range(start, len(WHOLE))]
            content = WHOLE[:start] + made_up[:length] + WHOLE[start:]

            records, damage = scan(content, knows_size=knows_size)

            assert intact_records(content, tags) == records
            assert damage


@either_size
def test_overwritten_ranges_cost_the_records_that_they_meet(knows_size):
    for start in range(len(WHOLE)):
        for length in (2, 12, 16, 40):
            end = min(start + length, len(WHOLE))
            content = WHOLE[:start] + b"\xa5" * (end - start) + WHOLE[end:]
            tags = [*range(start), *[None] * (end - start), *range(end, len(WHOLE))]

            assert intact_records(content, tags) == scan(content, knows_size=knows_size)[0]


@given(data=st.data(), seed=st.integers(0, 2**32))
def test_damage_in_several_places_costs_the_records_that_it_meets(data, seed):
    """Random records, each of which may lose, gain or change bytes."""
    rng = random.Random(seed)
    sizes = data.draw(st.lists(st.integers(0, 3000), min_size=1, max_size=30))
    frames, expected, cuts = [], [], {}
    for size in sizes:
        record = rng.randbytes(size)
        frame = frame_record(record)
        match data.draw(st.sampled_from(["none", "none", "delete", "insert", "change"])):
            case "none":
                expected.append(record)
            case "delete":
                start = rng.randrange(len(frame))
                end = rng.randint(start + 1, len(frame))
                cuts[len(frames)] = end - start
                frame = frame[:start] + frame[end:]
            case "insert":
                start = rng.randrange(1, len(frame))
                frame = frame[:start] + rng.randbytes(rng.randint(1, 40)) + frame[start:]
            case "change":
                start = rng.randrange(len(frame))
                frame = frame[:start] + bytes([frame[start] ^ 0x55]) + frame[start + 1 :]
        frames.append(frame)
    # A record that lost just as many bytes as whole records follow it looks as if it held them.
    for position, cut in cuts.items():
        assume(cut not in itertools.accumulate(map(len, frames[position + 1 :])))

    assert expected == scan(b"".join(frames))[0]


def test_records_that_fill_a_damaged_payload_are_no_part_of_it():
    # The end of a record is lost, and what follows ends where it would have ended.
    outer = frame_record(b"o" * 30)
    content = outer[:-16] + FRAMES[1] + FRAMES[0]

    records, damage = scan(content)

    assert [b"", b"first"] == records
    assert [(0, 30)] == [item[:2] for item in damage]


def test_records_inside_a_damaged_payload_are_not_made_up():
    inner = frame_record(b"inner")
    content = bytearray(frame_record(b"a" + inner) + FRAMES[0])
    content[12] ^= 1

    assert [b"first"] == scan(bytes(content))[0]


@either_size
def test_a_huge_length_with_a_right_checksum_is_damage(knows_size):
    for length in (1 << 24, 1 << 40, 1 << 63, (1 << 64) - 1):
        head = struct.pack("<Q", length)
        content = head + struct.pack("<I", masked_crc32c(head)) + b"ab" + FRAMES[0]

        records, damage = scan(content, knows_size=knows_size)

        assert [b"first"] == records
        assert [(0, 14)] == [item[:2] for item in damage]


def test_junk_of_several_windows_is_searched():
    junk = random.Random(7).randbytes(3 << 20)
    for end in range(len(junk) - 20, len(junk)):
        junk_end = junk[:end]

        assert RECORDS == scan(junk_end + WHOLE)[0]


def test_zeros_of_several_windows_are_searched():
    assert [RECORDS[0]] == scan(bytes(5 << 20) + FRAMES[0])[0]


def test_text_holds_no_records():
    records, damage = scan(b"some text " * 100)

    assert [] == records
    assert [(0, 1000, ChecksumError)] == [
        (item.start, item.end, type(item.error)) for item in damage
    ]


@pytest.mark.parametrize("compress", [gzip.compress, zlib.compress])
def test_a_compressed_stream_is_used_up_to_its_end(compress):
    compression = "gzip" if compress is gzip.compress else "zlib"
    content = compress(WHOLE)
    for cut in range(20, len(content)):
        inflater = zlib.decompressobj(31 if compression == "gzip" else 15)
        num_bytes = len(inflater.decompress(content[:cut]))
        num_whole = sum(end <= num_bytes for end in STARTS[1:])

        records, damage = scan(content[:cut], compression=compression)

        assert RECORDS[:num_whole] == records
        assert [f"the {compression} stream ends early"] == [item.error.reason for item in damage]


def test_records_before_damaged_deflate_data_are_kept():
    records = [random.Random(number).randbytes(500) for number in range(200)]
    content = bytearray(gzip.compress(b"".join(map(frame_record, records)), 9))
    middle = len(content) // 2
    content[middle : middle + 100] = b"\xff" * 100

    found, damage = scan(bytes(content), compression="gzip")

    # Random bytes are stored, so the position in the file is nearly that in the stream.
    assert records[:98] == found[:98]
    assert set(found) < set(records)
    assert damage


def test_members_behind_a_damaged_one_are_kept():
    members = [gzip.compress(b"".join(FRAMES[part]), 6) for part in (slice(0, 3), slice(3, 5))]
    noise = random.Random(3)
    lost = gzip.compress(
        b"".join(frame_record(noise.choice([b"some ", b"word "]) * 9) for _ in range(100))
    )
    for position in range(12, len(lost) - 8, 7):
        damaged = lost[:position] + bytes([lost[position] ^ 0xFF]) + lost[position + 1 :]

        records, damage = scan(members[0] + damaged + members[1] + members[0], compression="gzip")

        assert RECORDS[:3] == records[:3]
        assert RECORDS[3:5] + RECORDS[:3] == records[-5:]
        assert damage


def test_a_record_across_members_is_lost_with_the_damaged_one():
    head, tail = WHOLE[:50], WHOLE[50:]  # inside the third record's frame
    damaged = bytearray(gzip.compress(head))
    damaged[12] ^= 0xFF

    records, damage = scan(bytes(damaged) + gzip.compress(tail), compression="gzip")

    assert RECORDS[3:] == records[-3:]
    assert damage


def test_padding_behind_a_member_is_damage_and_no_end():
    content = gzip.compress(FRAMES[0]) + bytes(20) + gzip.compress(FRAMES[2])

    records, damage = scan(content, compression="gzip")

    assert [RECORDS[0], RECORDS[2]] == records
    assert ["bytes that are no gzip member follow the end of the gzip stream"] == [
        item.error.reason for item in damage
    ]


def test_a_wrong_trailer_costs_no_record():
    content = bytearray(gzip.compress(WHOLE))
    content[-8] ^= 1

    records, damage = scan(bytes(content), compression="gzip")

    assert RECORDS == records
    assert 1 == len(damage)
