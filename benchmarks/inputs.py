"""The inputs of the tasks: photos, datasets of them, and small records.

Other programs make them: what this process imports would count as memory of what it starts.
"""

import subprocess
import sys
from pathlib import Path

from tasks import TFREC, Photos

HERE = Path(__file__).parent


def make_photos(name: str, size: str, num_images: int, scratch: Path) -> Photos:
    """Make photos of two classes; of ImageNet-like ones a dataset of pixels and one of JPEGs."""
    directory = scratch / f"photos {name}"
    per_class = max(num_images // 2, 1)
    _call(sys.executable, HERE / "photos.py", directory, "--images", per_class, "--size", size)
    raw = encoded = ""
    if name == "ImageNet-like":
        raw, encoded = (str(scratch / f"{kind}.tfrecords") for kind in ("raw", "encoded"))
        _call(TFREC, "build", directory, raw)
        _call(TFREC, "build", directory, encoded, "--schema", "imagenet", "--encoding", "jpeg")
    return Photos(name, f"{name}, {size}", str(directory), 2 * per_class, raw, encoded)


def repeat_photos(photos: Photos, times: int, scratch: Path) -> Photos:
    """Return so many times as many photos, hard links to the same ones, and their pixels."""
    directory = scratch / f"photos {photos.kind} {times} times"
    for path in Path(photos.directory).glob("*/*"):
        folder = directory / path.parent.name
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(times):
            (folder / f"{number}-{path.name}").hardlink_to(path)
    raw = ""
    if photos.raw:
        raw = str(scratch / f"raw {times} times.tfrecords")
        _call(TFREC, "build", directory, raw)
    return Photos(photos.kind, photos.name, str(directory), times * photos.num_images, raw)


def own_photos(directory: str) -> Photos:
    """Return a user's directory, one folder a class and the images right below."""
    num_images = sum(path.is_file() for path in Path(directory).glob("*/*"))
    return Photos("your own", "your own", str(Path(directory).absolute()), num_images)


def make_small_records(scratch: Path, num_records: int) -> tuple[str, int]:
    """Write records of about 150 bytes with three features; return the file and their number."""
    path = str(scratch / f"small-{num_records}.tfrecord")
    _call(sys.executable, HERE / "make_records.py", path, num_records)
    return path, num_records


def _call(*command: object) -> None:
    subprocess.run([str(part) for part in command], stdout=sys.stderr, check=True)
