"""`tfrec inspect` as a process."""

import json

from tfrec.example import encode_example
from tfrec.wire import frame_record


def test_a_built_file_is_described_with_its_class_names(tfrec, pets):
    tfrec("build", pets, "out.tfrecords")

    done = tfrec("inspect", "out.tfrecords")

    assert (0, "") == (done.code, done.err)
    assert done.out == (
        "out.tfrecords: 3 records, 576.2 KiB\n"
        "schema: raw\n"
        "  feature  kind   length  values         in\n"
        "  img_raw  bytes  1       196,608 bytes  100%\n"
        "  label    int64  1       0 to 1         100%\n"
        "  label  class  records\n"
        "      0  cat          2\n"
        "      1  dog          1\n"
        "images in `img_raw`: 3 raw\n"
        "image sizes: 256x256 (3)\n"
    )


def test_several_files_are_summed_up(tfrec, pets):
    tfrec("build", pets, "out", "--num-shards", "3")

    done = tfrec("inspect", "out")

    assert done.out.startswith(
        "out/train-00000-of-00003.tfrecord: 1 record, 192.1 KiB\n"
        "out/train-00001-of-00003.tfrecord: 1 record, 192.1 KiB\n"
        "out/train-00002-of-00003.tfrecord: 1 record, 192.1 KiB\n"
        "in all: 3 files, 3 records, 576.2 KiB\n"
    )


def test_labels_without_a_manifest_are_numbers(tfrec, save):
    save("x.tfrecord", frame_record(encode_example({"label": 7})))

    done = tfrec("inspect", "x.tfrecord")

    assert done.out == (
        "x.tfrecord: 1 record, 34 bytes\n"
        "  feature  kind   length  values  in\n"
        "  label    int64  1       7       100%\n"
        "  label  class  records\n"
        "      7               1\n"
    )


def test_an_empty_file_has_no_records(tfrec, save):
    save("x.tfrecord", b"")

    done = tfrec("inspect", "x.tfrecord")

    assert (0, "x.tfrecord: 0 records, 0 bytes (an empty file)\n", "") == (
        done.code,
        done.out,
        done.err,
    )


def test_json_has_the_same_facts(tfrec, pets):
    tfrec("build", pets, "out.tfrecords")

    done = tfrec("inspect", "out.tfrecords", "--json")

    assert json.loads(done.out) == {
        "num_records": 3,
        "num_bytes": 590_007,
        "files": [
            {
                "path": "out.tfrecords",
                "num_records": 3,
                "num_bytes": 590_007,
                "compression": "none",
            }
        ],
        "num_looked_at": 3,
        "kinds": {"Example": 3},
        "schema": "raw",
        "summary_values": {},
        "features": {
            "img_raw": {
                "kinds": {"bytes": 3},
                "num_records": 3,
                "lengths": [1, 1],
                "values": [196_608, 196_608],
            },
            "label": {"kinds": {"int64": 3}, "num_records": 3, "lengths": [1, 1], "values": [0, 1]},
        },
        "labels": [
            {"label": 0, "class": "cat", "num_records": 2},
            {"label": 1, "class": "dog", "num_records": 1},
        ],
        "image_formats": {"raw": 3},
        "image_sizes": [{"width": 256, "height": 256, "num_images": 3}],
    }


def test_damage_is_named_and_fails(tfrec, save):
    save("x.tfrecord", frame_record(encode_example({"label": 7}))[:-1])

    done = tfrec("inspect", "x.tfrecord")

    assert 1 == done.code
    assert done.err == (
        "error: x.tfrecord: record 0 at offset 0: "
        "the record needs 22 bytes after its header, 21 are left\n"
        "`tfrec verify` names all damage, `tfrec salvage` copies the records that are intact\n"
    )
