"""`tfrec salvage` as a process."""

import json

from tfrec.wire import frame_record

FRAMES = [frame_record(b"record %d" % number) for number in range(5)]  # of 24 bytes
DAMAGED = b"".join(FRAMES[:2]) + b"?" * 24 + b"".join(FRAMES[3:])


def test_what_is_intact_is_copied_and_what_is_lost_is_told(tfrec, save, tmp_path):
    save("in.tfrecord", DAMAGED)

    done = tfrec("salvage", "in.tfrecord", "out.tfrecord")

    assert (3, "") == (done.code, done.err)
    assert done.out.splitlines()[0] == "out.tfrecord: 4 records kept, 24 bytes lost"
    assert done.out.splitlines()[1].startswith(
        "  bytes 48 to 72: the checksum of the length is wrong (stored 0x3f3f3f3f, computed 0x"
    )
    assert b"".join(FRAMES[:2] + FRAMES[3:]) == (tmp_path / "out.tfrecord").read_bytes()


def test_an_intact_file_is_done(tfrec, save):
    save("in.tfrecord", b"".join(FRAMES))

    done = tfrec("salvage", "in.tfrecord", "out.tfrecord")

    assert (0, "out.tfrecord: 5 records kept, nothing lost\n", "") == (
        done.code,
        done.out,
        done.err,
    )


def test_json_has_the_ranges(tfrec, save):
    save("in.tfrecord", DAMAGED)

    done = tfrec("salvage", "in.tfrecord", "out.tfrecord", "--json")

    document = json.loads(done.out)
    assert [(2, 48, 72)] == [
        (lost["record"], lost["start"], lost["end"]) for lost in document["lost"]
    ]
    assert (4, 24) == (document["num_records"], document["num_bytes_lost"])


def test_standard_input_is_read(tfrec, save, tmp_path):
    path = save("in.tfrecord", DAMAGED)

    with path.open("rb") as stream:
        done = tfrec("salvage", "-", "out.tfrecord", stdin=stream)

    assert 3 == done.code
    assert b"".join(FRAMES[:2] + FRAMES[3:]) == (tmp_path / "out.tfrecord").read_bytes()


def test_a_file_without_records_is_a_failure(tfrec, save, tmp_path):
    save("in.tfrecord", b"\1" * 30)

    done = tfrec("salvage", "in.tfrecord", "out.tfrecord")

    assert 1 == done.code
    assert "no record is intact" in done.err
    assert not (tmp_path / "out.tfrecord").exists()
