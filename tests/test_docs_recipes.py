"""Each program of docs/recipes.md runs, where the framework that it is for is installed."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

PAGE = (Path(__file__).parent.parent / "docs" / "recipes.md").read_text(encoding="utf-8")
PROGRAMS = {
    f"{title} {number}": program
    for title, text in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    for number, program in enumerate(re.findall(r"```python\n(.*?)```", text, re.DOTALL), 1)
}
FRAMEWORKS = ("tensorflow", "tensorflow_datasets", "jax", "grain", "torch", "nvidia")


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A directory with what the programs read, made by the commands at the top of the page."""
    directory = tmp_path_factory.mktemp("recipes")
    for class_name in ("cat", "dog"):
        folder = directory / "photos" / class_name
        folder.mkdir(parents=True)
        for number in range(8):
            picture = Image.effect_noise((500, 375), 50 + number)
            picture.save(folder / f"{class_name}{number}.jpg")
    for command in re.findall(r"\$ tfrec (.*)", PAGE):
        subprocess.run([sys.executable, "-m", "tfrec", *command.split()], cwd=directory, check=True)
    return directory


def run(program, directory):
    """Return what the program prints in a process of its own: frameworks don't share one well."""
    (directory / "program.py").write_text(program)
    return subprocess.run(
        [sys.executable, "program.py"], cwd=directory, check=True, capture_output=True, text=True
    ).stdout


def needed(program):
    return [
        name
        for name in FRAMEWORKS
        if re.search(rf"^(?:import|from) {name}\b", program, re.MULTILINE)
    ]


@pytest.mark.parametrize(
    "title",
    [
        pytest.param(title, marks=[pytest.mark.interop] if needed(program) else [])
        for title, program in PROGRAMS.items()
    ],
)
def test_each_program_runs(workplace, title):
    for name in needed(PROGRAMS[title]):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"needs {name}")

    assert "" != run(PROGRAMS[title], workplace)


def test_the_test_split_is_read_as_it_was_built(workplace):
    """Of 8 images of each class, a quarter is for the test."""
    lines = run(PROGRAMS["NumPy 1"], workplace).splitlines()

    assert ["cat 0 (256, 256, 3)"] * 2 + ["dog 1 (256, 256, 3)"] * 2 == sorted(lines)
