"""`tfrec verify` as a process."""

import json

from tfrec.example import encode_example
from tfrec.wire import frame_record

FRAMES = [frame_record(encode_example({"a": number})) for number in range(5)]


def test_an_intact_file_is_ok(tfrec, save):
    save("x.tfrecord", b"".join(FRAMES))

    done = tfrec("verify", "x.tfrecord")

    assert (0, "x.tfrecord: ok: 5 records, 150 bytes\n", "") == (done.code, done.out, done.err)


def test_a_built_dataset_is_ok(tfrec, pets):
    tfrec("build", pets, "out", "--num-shards", "2")

    done = tfrec("verify", "out")

    assert 0 == done.code
    assert done.out == (
        "out/train-00000-of-00002.tfrecord: ok: 2 records, 384.1 KiB\n"
        "out/train-00001-of-00002.tfrecord: ok: 1 record, 192.1 KiB\n"
        "2 files, 3 records, no faults\n"
    )


def test_faults_are_named_by_record_and_offset(tfrec, save):
    save("x.tfrecord", b"".join(FRAMES[:2]) + b"\0" * 12 + FRAMES[3])

    done = tfrec("verify", "x.tfrecord")

    assert 1 == done.code
    assert done.out == (
        "x.tfrecord: 1 fault: 3 intact records, 102 bytes\n"
        "  record 2 at offset 60: the checksum of the length is wrong "
        "(stored 0x00000000, computed 0x07980329); bytes 60 to 72 are lost\n"
    )


def test_json_has_every_fault(tfrec, save):
    save("x.tfrecord", FRAMES[0] + FRAMES[1][:-1])

    done = tfrec("verify", "x.tfrecord", "--json")

    assert 1 == done.code
    assert json.loads(done.out) == {
        "num_records": 1,
        "num_faults": 1,
        "files": [
            {
                "path": "x.tfrecord",
                "num_records": 1,
                "num_bytes": 59,
                "compression": "none",
                "kind": "Example",
                "faults": [
                    {
                        "record": 1,
                        "offset": 30,
                        "lost": [30, 59],
                        "source": None,
                        "reason": "the record needs 18 bytes after its header, 17 are left",
                    }
                ],
            }
        ],
    }


def test_a_missing_file_is_named(tfrec):
    done = tfrec("verify", "none.tfrecord")

    assert (1, "", "error: none.tfrecord: No such file or directory\n") == (
        done.code,
        done.out,
        done.err,
    )


def test_the_help_ends_with_examples_and_exit_codes(tfrec):
    done = tfrec("verify", "--help")

    assert 0 == done.code
    assert done.out.endswith(
        "Exit codes:\n"
        "    0   done\n"
        "    1   failed, or damage or a difference was found\n"
        "    2   wrong usage\n"
        "    130 interrupted\n"
    )
