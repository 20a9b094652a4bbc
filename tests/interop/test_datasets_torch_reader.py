"""Datasets as the PyPI package `tfrecord` reads them, in a process of its own.

Its message classes stand in protobuf's default pool, and can't be loaded beside TensorFlow's.
"""

import glob
import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.interop

pytest.importorskip("numpy")

READER = """
import json, sys
from tfrecord import reader
path, index = sys.argv[1], sys.argv[2] or None
description = {"label": "int", "img_raw": "byte"}
records = reader.tfrecord_loader(path, index, description)
print(json.dumps([[int(r["label"][0]), len(bytes(r["img_raw"]))] for r in records]))
"""


@pytest.fixture(scope="session", autouse=True)
def _need_reader():
    found = subprocess.run([sys.executable, "-c", "import tfrecord"], check=False)
    if found.returncode:
        pytest.skip("the package tfrecord is not installed")


@pytest.mark.parametrize("has_index", [False, True])
def test_records_are_read_with_and_without_index(make_dataset, has_index):
    out = make_dataset(num_shards=2, index=True)
    for path, label_counts in zip(
        sorted(glob.glob(f"{out}/*.tfrecord")), [{0: 8, 1: 4}, {1: 4, 2: 8}], strict=True
    ):
        index = f"{path}.idx" if has_index else ""
        done = subprocess.run(
            [sys.executable, "-c", READER, path, index], capture_output=True, check=True, text=True
        )

        labels = [label for label, num_bytes in json.loads(done.stdout) if num_bytes == 196_608]
        assert label_counts == {label: labels.count(label) for label in set(labels)}


def test_the_index_is_that_of_the_readers_own_tool(make_dataset, tmp_path):
    out = make_dataset(num_shards=1, index=True)
    path = f"{out}/train-00000-of-00001.tfrecord"
    tool = [sys.executable, "-m", "tfrecord.tools.tfrecord2idx", path, str(tmp_path / "their.idx")]
    subprocess.run(tool, capture_output=True, check=True)

    with open(f"{path}.idx", "rb") as stream:
        assert (tmp_path / "their.idx").read_bytes() == stream.read()
