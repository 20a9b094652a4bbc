"""Measure tfrec beside what people would use instead.

The sides of a task run in turns, each in a process of its own, and a ratio is that of two runs of
the same round. A side that is a script
measures its work alone, without its imports; a command is measured whole.

    python benchmarks/run.py                  # print the results
    python benchmarks/run.py --write          # put them into benchmarks/README.md
    python benchmarks/run.py --photos DIR     # build from your own photos too
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
from typing import NamedTuple

from growth import measure_growth
from inputs import make_photos, make_small_records, own_photos, repeat_photos
from measure import Measurement, measure
from report import Result, describe_machine, replace_results, to_page
from tasks import (
    Side,
    Task,
    build_task,
    dump_tasks,
    engine_task,
    overhead_task,
    read_tasks,
    start_task,
)

HERE = Path(__file__).parent


class PhotoSet(NamedTuple):
    """Photos of one size in pixels: `--images` divided by `divisor`, each built `times` times.

    Large photos take long to make; so that what a build takes once is a small part of its time, as
    it is with a real directory, there are several links to each.
    """

    size: str
    divisor: int = 1
    times: int = 1


SETS = {
    "small": PhotoSet("200x150"),
    "ImageNet-like": PhotoSet("500x375"),
    "web": PhotoSet("1064x800", divisor=5, times=3),
    "camera": PhotoSet("4000x3000", divisor=40, times=2),
}


def run(task: Task, num_rounds: int, scratch: Path) -> Result:
    """Run all sides in turns."""
    sides = [side for side in task.sides if side.can_run]
    print(f"{task.name}: {', '.join(side.name for side in sides)}", file=sys.stderr)
    rounds = [[_run_side(side, scratch) for side in sides] for _ in range(num_rounds)]
    runs = zip(*rounds, strict=True)
    return Result(task, {side.name: list(of) for side, of in zip(sides, runs, strict=True)})


def _run_side(side: Side, scratch: Path) -> Measurement:
    out = scratch / "out"
    try:
        return measure([part.replace("{out}", str(out)) for part in side.command])
    finally:
        for path in scratch.glob("out*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def list_tasks(options: argparse.Namespace, scratch: Path) -> Iterator[Task]:
    """Make the inputs, and yield the tasks that are wanted."""
    sets = {name: photo_set for name, photo_set in SETS.items() if name in options.sets}
    photos = {
        name: make_photos(name, options.size or of.size, options.images // of.divisor, scratch)
        for name, of in sets.items()
    }
    to_build = [
        repeat_photos(photos[name], of.times, scratch) if of.times > 1 else photos[name]
        for name, of in sets.items()
    ]
    if options.photos:
        photos["own"] = own_photos(options.photos)
        to_build.append(photos["own"])
    small, num_small = make_small_records(scratch, 150 * options.images)
    tasks = [build_task(of, options.threads) for of in to_build]
    main = photos.get("ImageNet-like")
    if main is not None:
        # Processes take a third of a second to start, and 500 raw images a twentieth to read.
        many = repeat_photos(main, 4, scratch)
        tasks.append(overhead_task(main))
        tasks.append(engine_task(many, options.threads))
        tasks += dump_tasks(main, many, options.threads)
        tasks += read_tasks(main, many, small, num_small, options.threads)
    tasks.append(start_task(make_small_records(scratch, 100)[0]))
    names = {task.name.partition(":")[0] for task in tasks}
    unknown = set(options.tasks or ()) - names
    if unknown:
        sys.exit(f"no task is named {min(unknown)!r}; there are: {', '.join(sorted(names))}")
    for task in tasks:
        if not options.tasks or task.name.partition(":")[0] in options.tasks:
            yield task
    options.directories = {of.name: of.directory for of in photos.values()}


def measure_quality(directories: dict[str, str]) -> dict[str, str]:
    """Return number of photos, least and mean PSNR of each set, where the extra is installed."""
    if importlib.util.find_spec("cykooz_resizer") is None:
        return {}
    command = [sys.executable, HERE / "quality.py"]
    return {
        name: subprocess.run(
            [*command, directory], capture_output=True, text=True, check=True
        ).stdout
        for name, directory in directories.items()
    }


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=500, help="of a set (default: 500)")
    parser.add_argument("--size", help="of the images of all sets (default: each its own)")
    parser.add_argument("--sets", nargs="*", default=list(SETS), help="of photos (default: all)")
    parser.add_argument("--photos", help="a directory of labelled photos to build from too")
    parser.add_argument("--threads", type=int, default=2, help="of all sides (default: 2)")
    parser.add_argument("--rounds", type=int, default=5, help="(default: 5)")
    parser.add_argument("--tasks", nargs="+", help="(default: all)")
    parser.add_argument("--growth", type=int, default=50_000, help="images; 0 leaves it out")
    parser.add_argument("--write", action="store_true", help="put the results into README.md")
    return parser.parse_args()


def main() -> None:
    options = parse_options()
    load = os.getloadavg()[0]
    if load > 0.5:
        print(
            f"note: the machine is busy (load {load:.1f}); measure when it is not", file=sys.stderr
        )
    with tempfile.TemporaryDirectory() as directory:
        scratch = Path(directory)
        results = [run(task, options.rounds, scratch) for task in list_tasks(options, scratch)]
        quality = measure_quality(options.directories)
        growth = measure_growth(scratch, options.growth) if options.growth else []
    text = to_page(results, quality, growth, describe_machine(options))
    print(text)
    if options.write:
        replace_results(HERE / "README.md", text)
        from plot import draw_results  # after all measuring: it needs much memory

        draw_results(results, HERE / "results.svg")


if __name__ == "__main__":
    main()
