import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.errors import ConfigError, SourceError
from tfrec.source.labels import LabelMap, read_labels
from tfrec.storage import MemoryStorage


def read(content, **options):
    return read_labels("labels.txt", storage=MemoryStorage({"labels.txt": content}), **options)


def test_numbers_and_names_belong_together():
    labels = LabelMap(("cat", "dog"), offset=1)

    assert (1, 2) == (labels.number("cat"), labels.number("dog"))
    assert ("cat", "dog") == (labels.name(1), labels.name(2))
    assert "cat" in labels
    assert "eel" not in labels
    assert 2 == len(labels)


@pytest.mark.parametrize("number", [0, 3, -1])
def test_a_number_outside_the_labels_has_no_name(number):
    with pytest.raises(KeyError):
        LabelMap(("cat", "dog"), offset=1).name(number)


def test_classes_are_numbered_in_the_order_of_their_bytes():
    names = [os.fsdecode(name) for name in (b"b", b"10", b"2", b"\xff", "é".encode(), b"B", b"b")]

    labels = LabelMap.from_classes(names)

    assert (b"10", b"2", b"B", b"b", "é".encode(), b"\xff") == tuple(map(os.fsencode, labels.names))


def test_a_repeated_name_is_refused():
    with pytest.raises(ConfigError, match="`cat` is named twice"):
        LabelMap(("cat", "dog", "cat"))


def test_a_negative_offset_is_refused():
    with pytest.raises(ConfigError, match="-1"):
        LabelMap(("cat",), offset=-1)


@pytest.mark.parametrize(
    "content",
    [
        b"daisy\nrose\n",
        b"daisy\nrose",
        b"daisy\r\nrose\r\n",
        b"daisy\rrose\r",
        b"\xef\xbb\xbfdaisy\nrose\n",
        b"daisy \n\trose\n\n \n",
        b"0:daisy\n1:rose\n",
        b"1:rose\n0: daisy\n",
        b"item { id: 1 name: 'rose' }\nitem { name: \"daisy\" id: 0 }",
    ],
)
def test_every_form_of_label_file_is_read(content):
    assert LabelMap(("daisy", "rose"), 0) == read(content)


def test_numbers_in_the_file_give_the_offset():
    assert LabelMap(("daisy", "rose"), 1) == read(b"1:daisy\n2:rose\n")
    assert LabelMap(("daisy",), 1) == read(b"item { id: 1 name: 'daisy' }", offset=1)


def test_lines_without_numbers_start_at_the_offset():
    assert LabelMap(("daisy", "rose"), 5) == read(b"daisy\nrose\n", offset=5)


def test_an_offset_that_contradicts_the_file_is_refused():
    with pytest.raises(ConfigError, match=r"labels.txt: its labels start at 1.* offset 0"):
        read(b"1:daisy\n2:rose\n", offset=0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it has no label"),
        (b"\n\n", "it has no label"),
        (b"a\n\nb\n", "line 2: it is blank"),
        (b"a\nb\na\n", "line 3: the label `a` stands in line 1 already"),
        (b"0:a\n1:a\n", "line 2: the label `a` stands in line 1 already"),
        (b"0:a\n1:b\n1:c\n", "line 3: the number 1 stands in line 2 already"),
        (b"0:a\n3:c\n1:b\n", "line 2: the number 3 follows 1; 2 is missing"),
        (b"a\nb\n\xff\n", "line 3: it is no UTF-8"),
        (b"\xff\xfea\0\n\0", "line 1: it is no UTF-8"),
        (b"item { id: 1 name: 'a' }\nitem { id: 1 name: 'b' }", "line 2: the number 1 .* line 1"),
        (b"item { id: 1 name: 'a' }\n\nitem { id: 4 name: 'b' }", "line 3: .* 2 is missing"),
    ],
)
def test_a_faulty_label_file_is_refused_with_the_line(content, message):
    with pytest.raises(SourceError, match=f"^labels.txt: {message}"):
        read(content)


def test_lines_that_are_not_all_numbered_are_names():
    assert ("4:3", "square") == read(b"4:3\nsquare\n").names


@given(
    names=st.lists(
        st.binary(min_size=1, max_size=8).filter(lambda name: b"\0" not in name),
        min_size=1,
        unique=True,
    )
)
def test_any_class_names_survive_a_label_file(names):
    labels = LabelMap(tuple(map(os.fsdecode, names)))

    assert labels == read(labels.to_text().encode())


def test_names_that_look_like_numbered_lines_survive_a_label_file():
    labels = LabelMap(("16:9", "4:3"))

    assert labels == read(labels.to_text().encode())


def test_ordinary_names_are_written_as_they_are():
    assert "cat\n猫 犬\na:b*c?\n" == LabelMap(("cat", "猫 犬", "a:b*c?")).to_text()
