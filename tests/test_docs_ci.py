"""The recipes of docs/ci.md, run on a few images."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from tfrec.cli.commands import cli

PAGE = (Path(__file__).parent.parent / "docs" / "ci.md").read_text()
SETTINGS = [" ".join(text.split()) for text in re.findall(r"SETTINGS: >-\n((?: +--.*\n)+)", PAGE)]
COMMANDS = [
    shlex.split(line.replace("$SETTINGS", SETTINGS[0]).partition("||")[0].partition(">")[0])
    for line in re.findall(r"^\s*(?:- )?(?:run: )?tfrec (.*?)(?:#.*)?$", PAGE, re.MULTILINE)
]


@pytest.fixture(autouse=True)
def photos(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in range(40):
        target = tmp_path / "photos" / "ab"[number % 2] / f"{number}.png"
        target.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8), (number, 2, 3)).save(target)


def test_both_platforms_build_alike():
    assert 2 == len(SETTINGS)
    assert 1 == len(set(SETTINGS))


def test_commands_are_found():
    assert {"build", "verify", "diff"} == {command[0] for command in COMMANDS}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_recipe_runs(command):
    runner = CliRunner()
    wanted = command if command[0] == "build" else ["build", "photos", "dataset"]
    build = [word for word in wanted if word != "--check"]
    assert 0 == runner.invoke(cli, build).exit_code
    if command[0] == "diff":
        assert 0 == runner.invoke(cli, ["build", "photos", "release"]).exit_code

    assert 0 == runner.invoke(cli, command).exit_code
