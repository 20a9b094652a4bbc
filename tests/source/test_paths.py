import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrec.source.paths import display_path, escape_name, sort_key, unescape_name


@given(name=st.binary())
def test_any_bytes_survive_being_written_as_text(name):
    text = escape_name(os.fsdecode(name))

    assert name == os.fsencode(unescape_name(text))


@given(name=st.binary())
def test_an_escaped_name_is_one_line_of_utf8_without_spaces_at_its_ends(name):
    text = escape_name(os.fsdecode(name))

    assert text == text.encode().decode().strip(" \t\r\n")
    assert len((text + "\n").splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (b"cat", "cat"),
        ("猫 犬 été".encode(), "猫 犬 été"),
        ("نمی\u200cخواهم".encode(), "نمی\u200cخواهم"),
        (b"caf\xe9", r"caf\xe9"),
        (b"a\nb", r"a\x0ab"),
        (b"\x1b[31mred", r"\x1b[31mred"),
        ("a\u202egpj.exe".encode(), r"a\u202egpj.exe"),
        (b"a\\xe9", r"a\\xe9"),
        (b" cat  ", r"\x20cat\x20\x20"),
    ],
)
def test_escapes_what_is_no_plain_text_and_nothing_else(name, text):
    assert text == escape_name(os.fsdecode(name))


def test_a_backslash_that_starts_no_escape_is_read_as_it_is():
    assert r"AC\DC" == unescape_name(r"AC\DC")


def test_a_path_is_shown_without_what_a_terminal_obeys_but_with_its_backslashes():
    assert r"C:\photos\x1b[2J\xff" == display_path(os.fsdecode(b"C:\\photos\x1b[2J\xff"))


def test_order_is_that_of_bytes():
    names = [b"2", b"10", b"B", b"a", "é".encode(), b"\xff", "\U0001f600".encode()]

    ordered = sorted(map(os.fsdecode, names), key=sort_key)

    assert sorted(names) == list(map(os.fsencode, ordered))
