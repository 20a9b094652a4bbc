"""The README's commands give the output it shows, and its help is the present one."""

import importlib.util
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A directory with what the README's examples start from."""
    directory = tmp_path_factory.mktemp("readme")
    for class_name in ("cat", "dog"):
        folder = directory / "photos" / class_name
        folder.mkdir(parents=True)
        for number in range(8):
            Image.effect_noise((500, 375), 50 + number).save(folder / f"{number}.jpg")
    return directory


def run(command, directory):
    words = command.replace("tfrec", f"{sys.executable} -m tfrec", 1)
    done = subprocess.run(
        words,
        shell=True,
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def test_each_command_prints_what_is_shown(workplace):
    blocks = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    shown = re.findall(r"\$ (.*?)\n(.*?)(?=\$ |\Z)", "".join(blocks), re.DOTALL)

    printed = [(command, run(command, workplace)) for command, _ in shown]

    assert shown == printed
    assert len(shown) >= 4


def test_the_program_runs(workplace, monkeypatch, capsys):
    (program,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    monkeypatch.chdir(workplace)
    names = {}

    exec(program, names)

    assert "16\n12 {0: 'cat', 1: 'dog'}\n" == capsys.readouterr().out
    assert ((256, 256, 3), 1, "dog") == (
        names["image"].shape,
        names["label"],
        names["class_name"],
    )


def load_commands():
    spec = importlib.util.spec_from_file_location("commands", ROOT / "docs" / "commands.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(
    tuple(map(int, version("click").split(".")[:2])) < (8, 3),
    reason="another click lays help out otherwise",
)
def test_the_help_is_the_present_one():
    """`python docs/commands.py` writes it."""
    assert README == load_commands().with_commands(README)


def test_links_lead_to_files():
    links = re.findall(r"\]\(([^)#]+)", README)

    assert [] == [link for link in links if not os.path.exists(ROOT / link)]
