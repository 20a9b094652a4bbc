"""What is measured: tasks, the programs that can do each, and the ratios to be reached.

A side is a command that runs in a process of its own. `{out}` in it is a new path for each run.
"""

import importlib.util
import sys
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

SIDES = Path(__file__).parent / "sides"
TFREC = str(Path(sysconfig.get_path("scripts")) / "tfrec")


@dataclass(frozen=True)
class Side:
    """One program; it is left out where a module that it needs isn't installed."""

    name: str
    command: list[str]
    needs: tuple[str, ...] = ()

    @property
    def can_run(self) -> bool:
        return all(importlib.util.find_spec(module) for module in self.needs)


@dataclass(frozen=True)
class Goal:
    """`ours` is to be at least `least` times as fast as `other`; both are names of sides."""

    ours: str
    other: str
    least: float | None = None


@dataclass(frozen=True)
class Task:
    """Programs that do the same `num_items` times; `quantity` is a name of `Measurement`."""

    name: str
    unit: str
    num_items: int
    sides: list[Side]
    goals: list[Goal]
    quantity: str = "seconds"
    most: dict[str, float] = field(default_factory=dict)  # of the quantity, by side


class BuildGoals(NamedTuple):
    """How many times as fast a build is to be; None where no goal was set."""

    exact_to_tutorial: float | None = None
    fast_to_opencv: float | None = None
    fast_to_tutorial: float | None = None


# For photos of about 0.85 megapixels, as the set `web` has them, and for camera photos. Smaller ones
# have the same ratios in the table, beside no goal.
_BUILD_GOALS = {
    "small": BuildGoals(),
    "ImageNet-like": BuildGoals(),
    "web": BuildGoals(1.8, 1.6, 5.0),
    "camera": BuildGoals(None, 3.0, 5.0),
    "your own": BuildGoals(1.8, 1.6, 5.0),
}


@dataclass(frozen=True)
class Photos:
    """A directory of labelled photos, and a dataset of them; `kind` is a key of `_BUILD_GOALS`."""

    kind: str
    name: str
    directory: str
    num_images: int
    raw: str = ""
    encoded: str = ""


def build_task(photos: Photos, num_threads: int) -> Task:
    """Build a dataset, exact and fast, beside what people do instead."""
    threads = str(num_threads)
    directory = photos.directory
    least = _BUILD_GOALS[photos.kind]
    tutorial = "TensorFlow tutorial"
    goals = [
        Goal("tfrec", "bare Pillow loop", 0.95),
        Goal("tfrec", tutorial, least.exact_to_tutorial),
        Goal("tfrec", "tf.data"),
        Goal("tfrec", "PyPI tfrecord"),
        Goal("tfrec", "PyPI tfrecords"),
        Goal("tfrec --fast", "OpenCV", least.fast_to_opencv),
        Goal("tfrec --fast", tutorial, least.fast_to_tutorial),
        Goal("tfrec --fast", "tf.data"),
        Goal("tfrec --fast", "decoding alone"),
    ]
    return Task(
        f"build: {photos.name}",
        "images",
        photos.num_images,
        [
            _side("tfrec", "build_tfrec", directory, "{out}.tfrecords", threads),
            _side("tfrec --fast", "build_tfrec", directory, "{out}.tfrecords", threads, "fast",
                  needs=("cykooz_resizer",)),
            _side("bare Pillow loop", "pillow_loop", directory, threads),
            _side("decoding alone", "pillow_loop", directory, threads, "decode"),
            _side("OpenCV", "opencv_loop", directory, threads, needs=("cv2",)),
            _side(tutorial, "tutorial_build", directory, "{out}.tfrecords", needs=("tensorflow",)),
            _side("tf.data", "tfdata_build", directory, "{out}.tfrecords", threads,
                  needs=("tensorflow",)),
            *(
                _side(f"PyPI {package}", "pypi_build", directory, "{out}.tfrecords", package,
                      needs=(package,))
                for package in ("tfrecord", "tfrecords")
                if photos.kind in _BUILT_BY_PYPI
            ),
        ],
        goals,
    )  # fmt: skip


# Both packages have one thread, in which Pillow decodes: with larger photos, minutes and nothing new.
_BUILT_BY_PYPI = {"small", "your own"}


def engine_task(photos: Photos, num_threads: int) -> Task:
    """Build a dataset of several files by either engine."""
    arguments = (photos.directory, "{out}", str(num_threads))
    return Task(
        f"engines: {photos.name}, {photos.num_images:,} images",
        "images",
        photos.num_images,
        [_side(name, "build_tfrec", *arguments, name) for name in ("threads", "processes")],
        [Goal("processes", "threads", 0.95)],
    )


def overhead_task(photos: Photos) -> Task:
    """Build with one worker, without decoding and resizing: at most 0.15 ms an image."""
    name = "tfrec, without decoding and resizing"
    return Task(
        f"overhead of a build: {photos.name}",
        "images",
        photos.num_images,
        [_side(name, "build_overhead", photos.directory, "{out}")],
        [],
        most={name: 0.15e-3 * photos.num_images},
    )


def dump_tasks(photos: Photos, many: Photos, num_threads: int) -> list[Task]:
    """Dump: the whole command; and `many` with one thread and with two, without the start."""
    threads = str(num_threads)
    return [
        Task(
            "dump", "images", photos.num_images,
            [
                Side("tfrec", [TFREC, "dump", photos.raw, "{out}", "--workers", threads]),
                _side("TensorFlow tutorial", "tutorial_dump", photos.raw, "{out}", threads,
                      needs=("tensorflow",)),
            ],
            [Goal("tfrec", "TensorFlow tutorial")],
        ),
        Task(
            "dump with more threads", "images", many.num_images,
            [
                _side(f"{number} threads", "dump_tfrec", many.raw, "{out}", number)
                for number in ("1", "2")
            ],
            [Goal("2 threads", "1 threads", 1.7)],
        ),
    ]  # fmt: skip


def _batch_task(many: Photos, num_threads: int) -> Task:
    threads = str(num_threads)
    return Task(
        f"batches of raw images through queues: {threads} thread{'s' * (num_threads > 1)}", "images", many.num_images,
        [
            _side("tfrec", "queue_batches", many.raw, "tfrec", threads),
            _side("TensorFlow 1", "queue_batches", many.raw, "tensorflow", threads,
                  needs=("tensorflow",)),
        ],
        [Goal("tfrec", "TensorFlow 1", 3.0)],
    )  # fmt: skip


def read_tasks(
    photos: Photos, many: Photos, small: str, num_small: int, num_threads: int
) -> list[Task]:
    """Read datasets of encoded and of `many` raw images, and of small records."""
    threads = str(num_threads)
    return [
        *(_batch_task(many, number) for number in sorted({1, num_threads})),
        Task(
            "read raw images into arrays", "images", many.num_images,
            [
                _side("tfrec", "read_tfrec", many.raw),
                _side("tf.data", "read_tensorflow", many.raw, needs=("tensorflow",)),
                _side("PyPI tfrecord", "pypi_read", many.raw, "tfrecord", needs=("tfrecord",)),
                _side("PyPI tfrecords", "pypi_read", many.raw, "tfrecords",
                      needs=("tfrecords",)),
                _side("bytes and checksums alone", "checksum_alone", many.raw),
            ],
            [Goal("tfrec", "tf.data", 5.0), Goal("tfrec", "PyPI tfrecord"),
             Goal("tfrec", "PyPI tfrecords"), Goal("tfrec", "bytes and checksums alone")],
        ),
        Task(
            "read JPEG images into arrays", "images", photos.num_images,
            [
                _side("tfrec", "load_jpeg", photos.encoded, "tfrec", threads),
                _side("tf.data", "load_jpeg", photos.encoded, "tensorflow", threads,
                      needs=("tensorflow",)),
                _side("decoding in Pillow alone", "load_jpeg", photos.encoded, "pillow", threads),
            ],
            [Goal("tfrec", "tf.data", 1.2), Goal("tfrec", "decoding in Pillow alone"),
             Goal("decoding in Pillow alone", "tf.data")],
        ),
        Task(
            "parse small records in batches of 256", "records", num_small,
            [
                _side("tfrec", "small_records", small, "tfrec"),
                _side("TensorFlow", "small_records", small, "tensorflow", needs=("tensorflow",)),
            ],
            [Goal("tfrec", "TensorFlow", 1.0)],
        ),
        Task(
            "frames of small records", "records", num_small,
            [
                _side("tfrec", "small_frames", small, "tfrec"),
                _side("tf.data in batches of 4,096", "small_frames", small, "tensorflow",
                      needs=("tensorflow",)),
            ],
            [Goal("tfrec", "tf.data in batches of 4,096", 1.0)],
            most={"tfrec": num_small / 2e6},
        ),
        Task(
            "verify", "images", many.num_images,
            [
                _side("tfrec", "verify_tfrec", many.raw, "alone"),
                _side("tfrec, against a manifest", "verify_tfrec", many.raw, "manifest"),
                _side("tf.data", "verify_tensorflow", many.raw, needs=("tensorflow",)),
                _side("bytes and checksums alone", "checksum_alone", many.raw),
                _side("bytes, checksums and SHA-256 alone", "checksum_alone", many.raw,
                      "sha256"),
            ],
            # Of the bytes alone at most 1.5 times the time.
            [Goal("tfrec", "tf.data", 3.0), Goal("tfrec", "bytes and checksums alone", 0.667),
             Goal("tfrec, against a manifest", "tf.data"),
             Goal("tfrec, against a manifest", "bytes, checksums and SHA-256 alone")],
        ),
        Task(
            "random access", "reads", 20_000,
            [
                _side("tfrec", "random_access", many.raw, "tfrec"),
                _side("bare seeks", "random_access", many.raw, "seek"),
            ],
            [Goal("tfrec", "bare seeks")],
            most={"tfrec": 20_000 / 20e3},
        ),
        Task(
            "inspect many small records", "records", num_small,
            [
                Side("tfrec", [TFREC, "inspect", small]),
                Side("tfrec --all", [TFREC, "inspect", small, "--all"]),
            ],
            [Goal("tfrec", "tfrec --all")],
        ),
    ]  # fmt: skip


def start_task(small_file: str) -> Task:
    """Start the program: CPU time of the whole process."""
    return Task(
        "start", "starts", 1,
        [
            Side("tfrec --help", [TFREC, "--help"]),
            Side("tfrec inspect", [TFREC, "inspect", small_file]),
            Side("import tensorflow", [sys.executable, "-c", "import tensorflow"],
                 ("tensorflow",)),
        ],
        [Goal("tfrec --help", "import tensorflow"), Goal("tfrec inspect", "import tensorflow")],
        quantity="cpu_seconds",
        most={"tfrec --help": 0.1, "tfrec inspect": 0.3},
    )  # fmt: skip


def _side(name: str, script: str, *arguments: str, needs: tuple[str, ...] = ()) -> Side:
    return Side(name, [sys.executable, str(SIDES / f"{script}.py"), *arguments], needs)
