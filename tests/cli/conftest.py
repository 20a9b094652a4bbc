"""The command as a person runs it: a process of its own, in a directory of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parents[2]  # of the package under test, whichever is installed


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


class Shell:
    """Runs `tfrec` in `directory`."""

    root = ROOT

    def __init__(self, directory):
        self.directory = directory

    def start(self, *args, env=None, **options):
        env = os.environ if env is None else env
        return subprocess.Popen(
            [sys.executable, "-m", "tfrec", *map(os.fspath, args)],
            cwd=self.directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**env, "PYTHONPATH": os.fspath(ROOT)},
            **options,
        )

    def __call__(self, *args, **options):
        with self.start(*args, **options) as process:
            out, err = process.communicate(timeout=60)
        return Outcome(process.returncode, out.decode(), err.decode())


@pytest.fixture
def tfrec(tmp_path):
    return Shell(tmp_path)


@pytest.fixture
def save(tmp_path):
    """Save an image, or bytes, at a path below the directory; return the path."""

    def save(path, content, **options):
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            target.write_bytes(content)
        elif isinstance(content, Image.Image):
            content.save(target, **options)
        else:
            Image.new("RGB", (256, 256), content).save(target, **options)
        return target

    return save


@pytest.fixture
def pets(save):
    """Two cats and a dog, each of one colour."""
    save("pets/cat/a.png", (10, 20, 30))
    save("pets/cat/b.png", (40, 50, 60))
    save("pets/dog/c.png", (70, 80, 90))
    return "pets"


# An Example of `label` (below 128) and `img_raw` has 29 bytes before the pixels, 16 after them.
PIXELS = slice(29, 29 + 256 * 256 * 3)


@pytest.fixture
def records(tmp_path):
    """Read the (label, pixels) of a raw record file, by hand: no code of the package does it."""

    def records(path):
        data = (tmp_path / path).read_bytes()
        found = []
        while data:
            length = int.from_bytes(data[:8], "little")
            payload, data = data[12 : 12 + length], data[16 + length :]
            found.append((payload[-1], payload[PIXELS]))
        return found

    return records
