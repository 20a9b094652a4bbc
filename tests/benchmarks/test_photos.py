import subprocess
import sys
from pathlib import Path

from PIL import Image

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "photos.py"


def make(directory):
    command = [sys.executable, PROGRAM, directory, "--classes", "cat", "dog"]
    subprocess.run([*command, "--images", "2", "--size", "250x180"], check=True)
    return {
        str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*.jpg")
    }


def test_photos_are_labelled_and_the_same_every_time(tmp_path):
    photos = make(tmp_path / "a")

    assert sorted(photos) == ["cat/00000.jpg", "cat/00001.jpg", "dog/00000.jpg", "dog/00001.jpg"]
    assert len(set(photos.values())) == 4
    assert photos == make(tmp_path / "b")


def test_photos_have_the_size_and_the_bytes_of_photographs(tmp_path):
    make(tmp_path)

    for path in tmp_path.rglob("*.jpg"):
        with Image.open(path) as image:
            assert (image.format, image.mode, image.size) == ("JPEG", "RGB", (250, 180))
        assert 0.15 < path.stat().st_size / (250 * 180) < 0.6  # bytes a pixel
