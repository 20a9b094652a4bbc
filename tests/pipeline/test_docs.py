"""The page and the programs of the documentation do what they say."""

import importlib.util
import os
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tfrec.pipeline
from tfrec.errors import DataLossError
from tfrec.example import encode_example
from tfrec.wire import frame_record

DOCS = Path(__file__).parents[2] / "docs"


def load(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def records(tmp_path):
    """Write files of records whose images are all of their label's value."""

    def write(name, labels):
        path = tmp_path / name
        examples = [
            encode_example({"label": label, "img_raw": bytes([label]) * (256 * 256 * 3)})
            for label in labels
        ]
        path.write_bytes(b"".join(map(frame_record, examples)))
        return os.fspath(path)

    return write


def test_code_of_the_page_prints_its_batches(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / "pipeline.md").read_text(), re.DOTALL)
    exec(compile(code, "pipeline.md", "exec"), {})

    assert ["['A', 'B'] [1 1]", "['C', 'A'] [1 1]", "['B', 'C'] [1 1]"] == (
        capsys.readouterr().out.splitlines()
    )


def test_page_names_every_public_name():
    page = (DOCS / "pipeline.md").read_text()
    unnamed = [name for name in tfrec.pipeline.__all__ if f"`{name}" not in page]

    assert [] == unnamed


def test_images_of_a_directory_come_in_batches(tmp_path):
    for class_name, colour, number in (("cat", (200, 30, 60), 40), ("dog", (10, 90, 250), 25)):
        (tmp_path / class_name).mkdir()
        for position in range(number):
            image = Image.new("RGB", (300 + position, 260), colour)
            image.save(tmp_path / class_name / f"{position}.png")
    batches = []
    load("image_batches").train_on(tmp_path, lambda *found: batches.append(found))
    colours = {
        (int(label), *image[0, 0].tolist(), *image[-1, -1].tolist())
        for images, labels in batches
        for image, label in zip(images, labels, strict=True)
    }

    assert [(32, 224, 224, 3), (32, 224, 224, 3), (1, 224, 224, 3)] == [
        images.shape for images, _ in batches
    ]
    assert [40, 25] == np.bincount(np.concatenate([labels for _, labels in batches])).tolist()
    assert {(0, 200, 30, 60, 200, 30, 60), (1, 10, 90, 250, 10, 90, 250)} == colours


def test_records_for_a_test_come_once_and_in_order(records):
    names = [records("a", range(4)), records("b", range(4, 7))]
    batches = []
    load("record_batches").test_on(names, lambda *found: batches.append(found))
    images = np.concatenate([images for images, _ in batches])

    assert [[0, 1, 2], [3, 4, 5], [6]] == [labels.tolist() for _, labels in batches]
    assert (np.float32, (7, 256, 256, 3)) == (images.dtype, images.shape)
    expected = np.arange(7, dtype=np.float32) / np.float32(255) - np.float32(0.5)
    assert expected.tolist() == images[:, 0, 0, 0].tolist()


def test_records_for_training_come_shuffled_and_without_end(records):
    names = [records("a", range(20)), records("b", range(20, 40))]
    batches = []
    load("record_batches").train_on(names, lambda *found: batches.append(found), 30)
    labels = [label for _, labels in batches for label in labels.tolist()]
    values = [float(image[0, 0, 0]) for images, _ in batches for image in images]

    assert 90 == len(labels)
    assert sorted(labels) != labels
    assert values == pytest.approx([label / 255 - 0.5 for label in labels], abs=1e-6)


@pytest.mark.parametrize("use", ["train", "test"])
def test_damage_comes_out_of_both(records, use):
    name = records("a", range(5))
    with open(name, "r+b") as stream:
        stream.seek(100)
        stream.write(b"damage")
    program = load("record_batches")
    with pytest.raises(DataLossError, match="record 0"):
        if use == "train":
            program.train_on([name], lambda *_: None, 3)
        else:
            program.test_on([name], lambda *_: None)
