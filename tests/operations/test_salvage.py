"""Copying what is intact."""

import gzip

import pytest

from tfrec.dataset.description import Descriptions
from tfrec.errors import ConfigError, DataLossError
from tfrec.example import encode_example
from tfrec.operations.record_checks import Fault
from tfrec.operations.salvage import SalvageReport, salvage
from tfrec.operations.verify import verify
from tfrec.storage import LocalStorage, MemoryStorage
from tfrec.wire import frame_record

FRAMES = [frame_record(b"record %d" % number) for number in range(5)]  # of 24 bytes
WHOLE = b"".join(FRAMES)


def flip(content, position):
    return content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :]


def salvage_bytes(content, out="out.tfrecord", **options):
    """Return the report, and the content of the file that was written."""
    storage = MemoryStorage({"in.tfrecord": content})
    report = salvage("in.tfrecord", out, storage=storage, **options)
    return report, storage.files[out]


def test_an_intact_file_is_copied_byte_for_byte():
    assert (SalvageReport("out.tfrecord", 5, 0, ()), WHOLE) == salvage_bytes(WHOLE)


def test_a_damaged_payload_is_left_out_and_reported_by_its_bytes():
    report, written = salvage_bytes(flip(WHOLE, 2 * 24 + 15))

    assert FRAMES[0] + FRAMES[1] + FRAMES[3] + FRAMES[4] == written
    assert (4, 24) == (report.num_records, report.num_bytes_lost)
    assert [(2, 60, 48, 72)] == [
        (fault.index, fault.offset, fault.start, fault.end) for fault in report.faults
    ]


def test_behind_a_damaged_length_records_are_searched_for():
    report, written = salvage_bytes(flip(WHOLE, 2 * 24))

    assert FRAMES[0] + FRAMES[1] + FRAMES[3] + FRAMES[4] == written
    assert [(48, 72)] == [(fault.start, fault.end) for fault in report.faults]


def test_a_file_cut_short_keeps_its_whole_records():
    report, written = salvage_bytes(WHOLE[:-1])

    assert b"".join(FRAMES[:4]) == written
    assert [
        Fault(4, 96, "the record needs 12 bytes after its header, 11 are left", start=96, end=119)
    ] == list(report.faults)


def test_the_name_of_the_image_is_told_where_it_is_whole():
    record = bytearray(encode_example({"image/filename": b"cat/7.jpg", "label": 3}))
    record[-1] ^= 1
    good = frame_record(encode_example({"label": 0}))
    damaged = frame_record(bytes(record))
    damaged = damaged[:-4] + frame_record(encode_example({"label": 3}))[-4:]

    report, _ = salvage_bytes(damaged + good)

    assert ["cat/7.jpg"] == [fault.source for fault in report.faults]


def test_the_name_of_the_output_decides_its_compression():
    _, written = salvage_bytes(WHOLE, out="out.tfrecord.gz")

    assert WHOLE == gzip.decompress(written)


def test_a_compressed_file_is_kept_up_to_the_damage():
    content = gzip.compress(WHOLE, 0)  # stored, so that bytes are where they were

    report, written = salvage_bytes(content[:-30])

    assert b"".join(FRAMES[:4]) == written
    assert 1 == len(report.faults)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\1" * 30, "no record is intact"),
        (b"some text, of more than 12 bytes", "this is no TFRecord file, but a text file"),
    ],
)
def test_where_nothing_is_intact_nothing_is_written(content, words):
    storage = MemoryStorage({"in": content})

    with pytest.raises(DataLossError, match=f"in: .*{words}"):
        salvage("in", "out", storage=storage)

    assert {"in"} == set(storage.files)


def test_an_output_that_is_there_is_kept_unless_it_may_be_replaced():
    storage = MemoryStorage({"in": WHOLE, "out": b"former"})

    with pytest.raises(ConfigError, match="out exists"):
        salvage("in", "out", storage=storage)
    salvage("in", "out", storage=storage, overwrite=True)

    assert WHOLE == storage.files["out"]


def test_the_input_is_never_the_output(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(WHOLE)
    (tmp_path / "link").symlink_to(path)

    with pytest.raises(ConfigError, match="is read"):
        salvage(str(path), str(tmp_path / "link"), storage=LocalStorage(), overwrite=True)


def damage_second_record(files, path):
    """Flip a bit of the second record's image; all records have one length."""
    length = int.from_bytes(files[path][:8], "little")
    files[path] = flip(files[path], (16 + length) + 12 + length // 2)


@pytest.mark.parametrize(
    ("built", "path", "split"),
    [
        ("out.tfrecord", "out.tfrecord", "train"),
        ("out", "out/test-00000-of-00001.tfrecord", "test"),
    ],
    ids=["file", "directory"],
)
def test_class_names_go_with_the_records_and_counts_are_those_of_the_output(
    bench, built, path, split
):
    bench.build(built, splits=None if built == path else "train=0.5,test=0.5")
    origin = Descriptions(bench.storage).describe(path)
    damage_second_record(bench.files, path)

    report = salvage(path, "good.tfrecord", storage=bench.storage)

    file = Descriptions(bench.storage).describe("good.tfrecord")
    assert (1, ()) == (len(report.faults), report.notes)
    assert {0: "a", 1: "b"} == file.class_names
    assert origin.manifest.config == file.manifest.config
    assert (origin.num_records - 1, split) == (file.num_records, file.split)
    per_class = {"a": origin.num_records // 2 - 1, "b": origin.num_records // 2}
    assert per_class == file.manifest.splits[split].images_per_class
    (verified,) = verify(["good.tfrecord"], storage=bench.storage)
    assert () == verified.faults


def test_an_output_without_known_classes_has_no_manifest(bench):
    bench.build("former.tfrecord")
    bench.files["in.tfrecord"] = WHOLE

    salvage("in.tfrecord", "former.tfrecord", storage=bench.storage, overwrite=True)

    assert "former.tfrecord.json" not in bench.files


def test_a_damaged_manifest_does_not_keep_the_records_back():
    storage = MemoryStorage({"in.tfrecord": WHOLE, "in.tfrecord.json": b"{"})

    report = salvage("in.tfrecord", "out.tfrecord", storage=storage)

    note = "the class names are lost: in.tfrecord.json: it is no manifest of tfrec"
    assert SalvageReport("out.tfrecord", 5, 0, (), (note,)) == report
    assert {"in.tfrecord", "in.tfrecord.json", "out.tfrecord"} == set(storage.files)
