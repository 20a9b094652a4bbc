"""File names of a dataset."""

import pytest

from tfrec.dataset.naming import looks_like_file


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("out", False),
        ("out.d/out", False),
        ("out.tfr", True),
        ("dir/out.TFR", True),
        ("s3://bucket/out.bin", True),
        ("out.tfrecord.bz2", True),
        ("out.tar.gz", True),
        ("out.tfrecord", False),  # it is one
        ("out.tfrecords.gz", False),
        ("out.tfr/", False),
        (".hidden", False),
        ("..", False),
        ("pets.v2", False),
        ("pets-1.5", False),
    ],
)
def test_a_directory_with_the_suffix_of_a_file_is_known(path, expected):
    assert expected == looks_like_file(path)
