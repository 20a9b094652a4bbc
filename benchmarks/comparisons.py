"""What is compared with what: each side is a command that runs in a process of its own."""

import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from measure import Measurement

SIDES = Path(__file__).parent / "sides"
TFREC = str(Path(sysconfig.get_path("scripts")) / "tfrec")

Quantity = Callable[[Measurement], float]


@dataclass(frozen=True)
class Comparison:
    """Two commands that do the same; `{out}` in them is a new path for each run."""

    task: str
    ours: list[str]
    other_name: str
    other: list[str]
    needs_tensorflow: bool = True
    quantity: Quantity = lambda measurement: measurement.seconds


def list_comparisons(photos: str, records: str, num_threads: int) -> list[Comparison]:
    """Return all comparisons; `records` is a dataset file that was built from `photos`."""
    workers = str(num_threads)
    build = [TFREC, "build", photos, "{out}.tfrecords", "--workers", workers]
    dump = [TFREC, "dump", records, "{out}", "--workers", workers]
    return [
        Comparison(
            "build",
            build,
            f"a bare Pillow loop in {workers} threads, writing nothing",
            _side("pillow_loop", photos, workers),
            needs_tensorflow=False,
        ),
        Comparison(
            "build", build, "the tutorials' TensorFlow program",
            _side("tutorial_build", photos, "{out}.tfrecords"),
        ),
        Comparison(
            "dump", dump, "the tutorials' TensorFlow program",
            _side("tutorial_dump", records, "{out}", workers),
        ),
        Comparison(
            "read",
            _side("read_tfrec", records),
            "`tf.data.TFRecordDataset`, each record parsed into an array",
            _side("read_tensorflow", records),
        ),
        Comparison(
            "verify",
            _side("verify_tfrec", records),
            "a loop over `tf.data.TFRecordDataset`, which compares checksums too",
            _side("verify_tensorflow", records),
        ),
        Comparison(
            "verify",
            _side("verify_tfrec", records),
            "reading the bytes and taking their CRC-32C alone",
            _side("checksum_alone", records),
            needs_tensorflow=False,
        ),
        Comparison(
            "random access",
            _side("random_access", records, "tfrec"),
            "bare seeks and reads of the same bytes",
            _side("random_access", records, "seek"),
            needs_tensorflow=False,
        ),
        Comparison(
            "start",
            [TFREC, "--help"],
            "`import tensorflow`, CPU time",
            [sys.executable, "-c", "import tensorflow"],
            quantity=lambda measurement: measurement.cpu_seconds,
        ),
    ]  # fmt: skip


def _side(name: str, *arguments: str) -> list[str]:
    return [sys.executable, str(SIDES / f"{name}.py"), *arguments]
