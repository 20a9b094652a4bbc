"""Files as one collection of records."""

import gzip
import io
import pickle

import numpy as np
import pytest
from PIL import Image

import tfrec
from tfrec.dataset.manifest import Manifest, Shard, Split
from tfrec.errors import ChecksumError, ConfigError, ExampleError
from tfrec.example import Int64List, encode_example
from tfrec.storage import MemoryStorage
from tfrec.wire import frame_record


def png(color, size=(3, 2)):
    stream = io.BytesIO()
    Image.new("RGB", size, color).save(stream, "PNG")
    return stream.getvalue()


def open_examples(*examples):
    content = b"".join(frame_record(encode_example(features)) for features in examples)
    return tfrec.open("x", storage=MemoryStorage({"x": content}))


def test_the_records_of_several_files_come_in_order_any_number_of_times():
    files = {"a": frame_record(b"1"), "b": gzip.compress(frame_record(b"2") + frame_record(b"3"))}

    records = tfrec.open(["b", "a"], storage=MemoryStorage(files))

    assert [b"2", b"3", b"1"] == list(records) == list(records)


def test_a_gzip_file_is_read_to_its_end():
    content = gzip.compress(b"".join(frame_record(b"%d" % number) for number in range(200)))

    assert 200 == len(list(tfrec.open("x", storage=MemoryStorage({"x": content}))))


def test_a_collection_survives_pickling_before_and_after_its_use(tmp_path):
    path = tmp_path / "x.tfrecord"
    path.write_bytes(frame_record(b"1") + frame_record(b"2"))
    records = tfrec.open(path)
    before = pickle.loads(pickle.dumps(records))
    next(iter(records))
    after = pickle.loads(pickle.dumps(records))

    assert [[b"1", b"2"]] * 3 == [list(records), list(before), list(after)]


def test_a_stream_is_read_by_its_own_function():
    stream = io.BytesIO(frame_record(b"1"))

    assert [b"1"] == [record.data for record in tfrec.open_records(stream, path="memory")]


def test_damage_is_found_unless_nobody_asks():
    content = frame_record(b"1")[:-1] + b"?"
    storage = MemoryStorage({"x": content})

    with pytest.raises(ChecksumError):
        list(tfrec.open("x", storage=storage))
    assert [b"1"] == list(tfrec.open("x", storage=storage, verify=False))


def dataset(directory, splits, class_names, label_offset=0):
    """Return the files of a dataset with so many records in each split."""
    described = {
        name: Split((Shard(f"{name}-00000-of-00001.tfrecord", number, 0, "", ""),), {})
        for name, number in splits.items()
    }
    manifest = Manifest({}, class_names, label_offset, {}, described)
    return {f"{directory}/dataset.json": manifest.to_json()} | {
        f"{directory}/{name}-00000-of-00001.tfrecord": b"".join(
            frame_record(b"%s %d" % (name.encode(), index)) for index in range(number)
        )
        for name, number in splits.items()
    }


def test_the_records_of_one_split_are_opened():
    storage = MemoryStorage(dataset("d", {"train": 2, "test": 1}, ("cat",)))

    assert [b"train 0", b"train 1"] == list(tfrec.open("d", split="train", storage=storage))
    assert [b"test 0"] == list(tfrec.open("d/t*", split="test", storage=storage))
    assert 3 == len(list(tfrec.open("d", storage=storage)))


def test_a_split_that_no_file_belongs_to_is_refused():
    storage = MemoryStorage(dataset("d", {"train": 2, "test": 1}, ("cat",)))

    with pytest.raises(ConfigError) as caught:
        tfrec.open("d", split="valid", storage=storage)

    assert "no file belongs to the split 'valid'; the splits are 'test', 'train'" == str(
        caught.value
    )


def test_what_the_dataset_says_is_known_of_the_records():
    files = dataset("d", {"train": 2, "test": 1}, ("cat", "dog"), 1) | {"x": frame_record(b"1")}
    storage = MemoryStorage(files)

    whole, train, nobody, both = (
        tfrec.open(paths, split=split, storage=storage)
        for paths, split in [("d", None), ("d", "train"), ("x", None), (["d", "x"], None)]
    )

    assert [3, 2, None, None] == [one.num_records for one in (whole, train, nobody, both)]
    names = {1: "cat", 2: "dog"}
    assert [names, names, {}, names] == [one.class_names for one in (whole, train, nobody, both)]


def test_a_label_of_two_classes_has_no_name():
    files = dataset("d", {"train": 2}, ("cat", "dog")) | dataset("e", {"train": 3}, ("cat", "eel"))

    records = tfrec.open(["d", "e"], storage=MemoryStorage(files))

    assert (5, {0: "cat"}) == (records.num_records, records.class_names)


def test_examples_are_features_by_key():
    assert [{"a": Int64List((1,))}, {"a": Int64List(())}] == list(
        open_examples({"a": 1}, {"a": Int64List(())}).examples()
    )


def test_an_example_that_is_none_is_named():
    storage = MemoryStorage({"x": frame_record(b"\xff\xff\xff")})

    with pytest.raises(ExampleError, match="x, record 0: not a tf.train.Example"):
        list(tfrec.open("x", storage=storage).examples())


def test_samples_are_decoded_images_with_labels():
    records = open_examples(
        {"image/encoded": png((1, 2, 3)), "image/class/label": 7},
        {"img_raw": bytes(range(12)), "label": 0},
    )

    first, second = records.samples()

    assert np.array_equal(np.full((2, 3, 3), (1, 2, 3), np.uint8), first.image)
    assert (7, None) == first[1:]
    assert np.array_equal(np.arange(12, dtype=np.uint8).reshape(2, 2, 3), second.image)


def test_pixels_may_be_stored_one_channel_after_the_other():
    pixels = np.arange(3 * 4 * 5, dtype=np.uint8)
    in_planes, in_rows = open_examples(
        {"data": pixels.tobytes(), "shape": [3, 4, 5]},
        {"data": pixels.tobytes(), "shape": [4, 5, 3]},
    ).samples()

    assert np.array_equal(pixels.reshape(3, 4, 5).transpose(1, 2, 0), in_planes.image)
    assert np.array_equal(pixels.reshape(4, 5, 3), in_rows.image)


def test_the_features_of_a_sample_may_be_named():
    (sample,) = open_examples({"picture": png((9, 9, 9)), "kind": b"tabby"}).samples(
        image_key="picture", label_key="kind"
    )

    assert ((2, 3, 3), "tabby", "tabby") == (sample.image.shape, *sample[1:])


@pytest.mark.parametrize(
    ("features", "words"),
    [
        ({"label": 1}, "no feature looks like an image; it has 'label'"),
        ({"img_raw": bytes(7), "label": 1}, "holds 7 bytes"),
        ({"img_raw": png((0, 0, 0))[:40], "label": 1}, "is damaged"),
    ],
)
def test_a_record_without_a_good_image_is_named(features, words):
    with pytest.raises(ExampleError, match=f"x, record 0.*{words}"):
        list(open_examples(features).samples())
