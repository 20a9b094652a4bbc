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


def test_the_fields_of_an_event_file_are_no_fault(tfrec, save):
    save("events", frame_record(b"\x09" + bytes(6) + b"\x08\x40") * 2)

    done = tfrec("verify", "events")

    assert (0, "events: ok: 2 records, 50 bytes, Events\n") == (done.code, done.out)


def test_the_only_record_that_is_no_message_is_said_to_be_none(tfrec, save):
    save("x.tfrecord", frame_record(b"\xff\xff\xff"))

    verified, shown = tfrec("verify", "x.tfrecord"), tfrec("cat", "x.tfrecord", "--where", "label")

    assert (0, "x.tfrecord: ok: 1 record, 19 bytes, no messages, checked as records alone\n") == (
        verified.code,
        verified.out,
    )
    assert (1, "error: x.tfrecord, record 0: not a tf.train.Example\n") == (shown.code, shown.err)


def test_an_empty_file_is_ok(tfrec, save):
    save("x.tfrecords", b"")

    done = tfrec("verify", "x.tfrecords")

    assert (0, "x.tfrecords: ok: 0 records, 0 bytes\n", "") == (done.code, done.out, done.err)


def test_a_text_file_is_a_fault_of_one_line(tfrec, save):
    save("x.txt", b"words, words and more words\n" * 5)

    done = tfrec("verify", "x.txt")

    assert 1 == done.code
    assert done.out == (
        "x.txt: 1 fault: 0 intact records, 140 bytes\n"
        "  record 0 at offset 0: this is no TFRecord file, but a text file\n"
    )


def test_labels_of_a_dataset_of_tfds_have_names(tfrec, save):
    info = {"name": "ds", "splits": [{"name": "train", "shardLengths": ["2"]}]}
    save("ds/dataset_info.json", json.dumps(info).encode())
    save("ds/label.labels.txt", b"cat\n")
    frames = [frame_record(encode_example({"label": label})) for label in (0, 1)]
    save("ds/ds-train.tfrecord-00000-of-00001", b"".join(frames))

    done = tfrec("verify", "ds")

    assert 1 == done.code
    assert done.out == (
        "ds/ds-train.tfrecord-00000-of-00001: 1 fault: 2 intact records, 68 bytes\n"
        "  record 1 at offset 34: label 1 has no class; ds/dataset_info.json names the classes "
        "0 to 0\n"
    )


def test_a_missing_file_is_named(tfrec):
    done = tfrec("verify", "none.tfrecord")

    assert (1, "", "error: none.tfrecord: there is no such file or directory\n") == (
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
        "    130 interrupted by Ctrl-C\n"
        "    143 interrupted by SIGTERM\n"
    )
