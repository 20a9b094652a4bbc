"""Measure tfrec beside what people would use instead.

Both sides of a comparison run in turns, each in a process of its own, and the ratio is that of two
neighbouring runs; one run of each side comes first and is not counted. A side that is a script
measures its work alone, without its imports; a `tfrec` command is measured whole.

    python benchmarks/run.py            # print the results
    python benchmarks/run.py --write    # put them into benchmarks/README.md
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from comparisons import TFREC, Comparison, list_comparisons
from measure import Measurement, measure
from report import Result, describe_machine, replace_results, to_table

HERE = Path(__file__).parent


def run(comparison: Comparison, num_rounds: int, scratch: Path) -> Result:
    """Run both sides in turns."""
    pairs = [
        (_run_side(comparison.ours, scratch), _run_side(comparison.other, scratch))
        for _ in range(num_rounds + 1)
    ]
    ours, other = zip(*pairs[1:], strict=True)
    return Result(comparison, ours, other)


def _run_side(command: list[str], scratch: Path) -> Measurement:
    out = scratch / "out"
    try:
        return measure([part.replace("{out}", str(out)) for part in command])
    finally:
        for path in scratch.glob("out*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def run_all(options: argparse.Namespace, scratch: Path) -> Iterator[Result]:
    """Make the input, and run each comparison that can run here."""
    photos, records = scratch / "photos", scratch / "records.tfrecords"
    make = [sys.executable, HERE / "photos.py", photos, "--images", str(options.images // 2)]
    subprocess.run([*make, "--size", options.size], stdout=sys.stderr, check=True)
    subprocess.run([TFREC, "build", photos, records], stdout=sys.stderr, check=True)
    has_tensorflow = importlib.util.find_spec("tensorflow") is not None
    for comparison in list_comparisons(str(photos), str(records), options.threads):
        is_wanted = not options.tasks or comparison.task in options.tasks
        if is_wanted and (has_tensorflow or not comparison.needs_tensorflow):
            print(f"{comparison.task}: {comparison.other_name}", file=sys.stderr)
            yield run(comparison, options.rounds, scratch)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=1000, help="(default: 1000)")
    parser.add_argument("--size", default="500x375", help="of the images (default: 500x375)")
    parser.add_argument("--threads", type=int, default=2, help="of both sides (default: 2)")
    parser.add_argument("--rounds", type=int, default=5, help="(default: 5)")
    parser.add_argument("--tasks", nargs="+", help="(default: all)")
    parser.add_argument("--write", action="store_true", help="put the results into README.md")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    if load > 0.5:
        print(
            f"note: the machine is busy (load {load:.1f}); measure when it is not", file=sys.stderr
        )
    with tempfile.TemporaryDirectory() as scratch:
        results = list(run_all(options, Path(scratch)))
    text = f"{describe_machine(options)}\n\n{to_table(results)}\n"
    print(text)
    if options.write:
        replace_results(HERE / "README.md", text)


if __name__ == "__main__":
    main()
