"""Folders of a dump: no name leads elsewhere, and every name can be had back."""

import os
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.dataset.folders import folder_name


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("tabby cat", "tabby cat"),
        ("猫", "猫"),
        ("", "%"),
        (".", "%2E"),
        ("..", "%2E%2E"),
        ("a/b", "a%2Fb"),
        ("100%", "100%25"),
        ("Con.txt", "%43on.txt"),
        ("\udcff", "%FF"),
    ],
)
def test_what_a_file_system_refuses_is_percent_encoded(name, folder):
    assert folder == folder_name(name)


@given(name=st.binary(min_size=1, max_size=60).map(os.fsdecode))
def test_percent_decoding_gives_the_name_back(name):
    folder = folder_name(name)

    assert os.fsencode(name) == unquote_to_bytes(folder)
    assert os.path.basename(folder) == folder


def test_long_names_that_begin_alike_stay_apart():
    folders = {folder_name("a" * 300), folder_name("a" * 299 + "b")}

    assert 2 == len(folders)
    assert all(len(folder) <= 200 for folder in folders)
