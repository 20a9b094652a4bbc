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
    return Photos(f"{name}, {size}", str(directory), 2 * per_class, raw, encoded)


def own_photos(directory: str) -> Photos:
    """Return a user's directory, one folder a class and the images right below."""
    num_images = sum(path.is_file() for path in Path(directory).glob("*/*"))
    return Photos("your own", str(Path(directory).absolute()), num_images)


def make_small_records(scratch: Path, num_records: int) -> tuple[str, int]:
    """Write records of about 150 bytes with three features; return the file and their number."""
    path = str(scratch / "small.tfrecord")
    _call(sys.executable, HERE / "make_records.py", path, num_records)
    return path, num_records


def _call(*command: object) -> None:
    subprocess.run([str(part) for part in command], stdout=sys.stderr, check=True)
