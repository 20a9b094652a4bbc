"""What the command says to somebody who doesn't know it yet: help, mistakes, completion."""

import os
import re

import pytest
from click.shell_completion import BashComplete

from tfrec.cli import exits
from tfrec.cli.commands import COMMANDS, cli
from tfrec.example import encode_example
from tfrec.wire import frame_record

RECORDS = frame_record(b"first") + frame_record(b"")
DAMAGED = RECORDS[:12] + b"F" + RECORDS[13:]


def test_the_help_has_each_command_with_its_whole_sentence(tfrec):
    shown = " ".join(tfrec("--help").out.split("Commands:")[1].split())

    for name in COMMANDS:
        sentence = re.split(r"\n\n", tfrec(name, "--help").out)[1]
        assert f"{name} {' '.join(sentence.split())}" in shown


def test_no_help_is_wider_than_a_terminal(tfrec):
    narrow = {**os.environ, "COLUMNS": "80"}

    helps = [tfrec(*words, "--help", env=narrow).out for words in [(), *zip(COMMANDS, strict=True)]]

    assert 11 == len(helps)
    # Examples are single lines, to be copied.
    assert [] == [
        line for text in helps for line in text.split("Examples:")[0].splitlines() if len(line) > 79
    ]


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ("bild", "there is no command `bild`; did you mean `build`?"),
        ("verfiy", "there is no command `verfiy`; did you mean `verify`?"),
        ("train", "there is no command `train`"),
    ],
)
def test_an_unknown_command_is_answered_with_the_nearest(tfrec, word, answer):
    done = tfrec(word)

    assert (2, "", answer) == (
        done.code,
        done.out,
        done.err.splitlines()[1].removeprefix("error: "),
    )
    assert done.err.endswith("--help` says more\n")


def test_every_exit_code_has_a_meaning():
    codes = {value for value in vars(exits).values() if isinstance(value, int)}

    assert {0, 1, 2, 3, 128 + 2, 128 + 15} == codes == exits.MEANINGS.keys()


def test_without_a_command_the_help_is_shown(tfrec):
    done = tfrec()

    assert (2, "", tfrec("--help").out) == (done.code, done.out, done.err)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["build"], "error: missing argument 'DIR'"),
        (["diff", "a"], "error: missing argument 'B'"),
        (
            ["build", "a", "b", "--size", "big"],
            (
                "error: invalid value for '--size': "
                "'big' is no size; give WIDTHxHEIGHT or one number in pixels"
            ),
        ),
        (
            ["build", "a", "b", "--num-shards", "abc"],
            "error: invalid value for '--num-shards': 'abc' is no whole number",
        ),
        (
            ["build", "a", "b", "--workers", "0"],
            "error: invalid value for '--workers': 0 must be at least 1",
        ),
        (
            ["build", "a", "b", "--quality", "101"],
            "error: invalid value for '--quality': 101 must be from 0 to 100",
        ),
    ],
)
def test_wrong_usage_is_told_like_every_other_error(tfrec, words, answer):
    done = tfrec(*words)

    assert (2, answer) == (done.code, done.err.splitlines()[1])


def test_an_error_of_the_system_is_a_sentence(tfrec, save, tmp_path):
    save("x.tfrecord", RECORDS)
    (tmp_path / "folder").mkdir()

    missing = tfrec("inspect", "y.tfrecord")
    folder = tfrec("salvage", "folder", "z.tfrecord")

    assert "error: y.tfrecord: there is no such file or directory\n" == missing.err
    assert "error: folder: it is a directory, and must be a file\n" == folder.err


@pytest.mark.parametrize("words", [["cat"], ["inspect"], ["reshard", "y.tfrecord"]])
def test_after_damage_the_way_out_is_named(tfrec, save, words):
    save("x.tfrecord", DAMAGED)

    done = tfrec(words[0], "x.tfrecord", *words[1:])

    assert 1 == done.code
    assert done.err.endswith(
        "\n`tfrec verify` names all damage, `tfrec salvage` copies the records that are intact\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["index"], ["cat"], ["inspect"], ["diff", "x.jpg"], ["salvage", "y.tfrecord"],
        ["reshard", "y.tfrecord"], ["dump", "show"],
    ],
    ids=lambda words: words[0],
)  # fmt: skip
def test_a_file_that_is_something_else_is_named(tfrec, save, words):
    save("x.jpg", (1, 2, 3))

    done = tfrec(words[0], "x.jpg", *words[1:])

    assert (
        1,
        "error: x.jpg: record 0 at offset 0: this is no TFRecord file, but a JPEG image\n",
    ) == (
        done.code,
        done.err,
    )


@pytest.mark.parametrize(
    ("words", "out"),
    [
        (["cat"], ""),
        (["dump", "show"], "show: 0 images\n"),
        (["reshard", "y"], "y: 0 records, 0 bytes\n"),
    ],
    ids=["cat", "dump", "reshard"],
)
def test_choosing_no_record_is_said(tfrec, save, words, out):
    save("x.tfrecord", RECORDS)

    done = tfrec(words[0], "x.tfrecord", *words[1:], "--index", "7")

    note = "note: no record was chosen; `tfrec inspect` shows their number and features\n"
    assert (0, out, note) == (done.code, done.out, done.err)


@pytest.mark.parametrize("words", [["cat"], ["dump", "show"], ["reshard", "y"]], ids=lambda w: w[0])
def test_a_misspelt_feature_of_a_test_is_told(tfrec, save, words):
    save("x.tfrecord", frame_record(encode_example({"label": 1, "name": b"tabby"})))

    done = tfrec(words[0], "x.tfrecord", *words[1:], "--where", "labl == 1")

    note = (
        "note: no record was chosen: none has a feature 'labl'; there are 'label', 'name'; "
        "did you mean 'label'?\n"
    )
    assert (0, note) == (done.code, done.err)


@pytest.mark.parametrize("command", ["verify", "inspect", "cat", "index"])
def test_an_empty_name_is_no_input(tfrec, command):
    done = tfrec(command, "")

    assert (2, "error: the name of what is to be read is empty\n") == (done.code, done.err)


@pytest.mark.parametrize(
    "typed",
    [["build"], ["dump", "x.tfrecords"], ["build", "--labels"], ["verify"], ["salvage"]],
)
def test_shells_complete_paths(typed):
    shell = BashComplete(cli, {}, "tfrec", "_TFREC_COMPLETE")

    assert [("file", "ph")] == [
        (item.type, item.value) for item in shell.get_completions(typed, "ph")
    ]


def test_classes_are_one_table_in_all_commands(tfrec, pets):
    table = "  label  class  {}\n      0  cat    {:>{width}}\n      1  dog    {:>{width}}\n"
    images = table.format("images", 2, 1, width=6)

    assert images in tfrec("check", pets).out
    assert images in tfrec("build", pets, "x.tfrecords", "--dry-run").out
    assert images in tfrec("build", pets, "x.tfrecords").out
    assert table.format("records", 2, 1, width=7) in tfrec("inspect", "x.tfrecords").out
