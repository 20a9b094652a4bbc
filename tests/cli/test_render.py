"""What is shown of names that could do harm, and of numbers."""

import pytest

from tfrec.cli import render


def test_a_terminal_has_nothing_to_obey(capsys):
    render.say("a\x1b[2J\nb\udcff")

    assert "a\\x1b[2J\\x0ab\\xff\n" == capsys.readouterr().out


def test_joiners_of_words_and_emoji_stay(capsys):
    render.tell("می\u200cخواهم")

    assert "می\u200cخواهم\n" == capsys.readouterr().err


def test_columns_are_as_wide_as_a_terminal_shows_their_characters(capsys):
    render.say_table([("ab", "1"), ("猫", "2"), ("e\u0301t", "3"), ("abc", "4")])

    assert "  ab   1\n  猫   2\n  e\u0301t   3\n  abc  4\n" == capsys.readouterr().out


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0 bytes"),
        (1023, "1,023 bytes"),
        (196_608, "192.0 KiB"),
        (3 << 29, "1.5 GiB"),
        (2000 << 40, "2,000.0 TiB"),
    ],
)
def test_sizes_have_a_unit(number, words):
    assert words == render.num_bytes(number)
