"""Build on a Ray cluster of one machine, and with processes: how many times as long it takes.

The cluster has a node for the driver, and as many nodes of one core as there are processes. The
photos are hard links to a few, so that a build takes minutes. The engines take turns. Of each build
the processor time is told too, on Linux, by the kind of process: a cluster's own processes take
their part of the cores that build. docs/scale.md has the figures.

    python benchmarks/photos.py DIR --images 600 --size 500x375
    python benchmarks/ray_efficiency.py DIR --images 60000
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # else 127.0.0.1 is replaced
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

from tfrec import BuildConfig, ImageSettings, build, scan_images
from tfrec.engine import EXECUTORS, create_ray_executor

NODE = {"node_ip_address": "127.0.0.1", "object_store_memory": 80 << 20}
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("photos", type=Path, help="one folder a class; a few hundred are enough")
    parser.add_argument("--images", type=int, default=60_000, help="of a build (default: 60000)")
    parser.add_argument("--shards", type=int, default=120, help="(default: 120)")
    parser.add_argument("--workers", type=int, default=2, help="(default: 2)")
    parser.add_argument("--rounds", type=int, default=1, help="(default: 1)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.photos.parent) as scratch:
        directory = repeat_photos(options.photos, options.images, Path(scratch) / "photos")
        for _ in range(options.rounds):
            with EXECUTORS["processes"](options.workers) as executor:
                alone = measure("processes", executor, directory, options)
            started = time.perf_counter()
            with open_cluster(options.workers) as executor:
                start = time.perf_counter() - started
                cluster = measure("ray", executor, directory, options)
            print(
                f"{alone / cluster:.3f} of the speed; with the start of {start:.1f} s "
                f"{alone / (cluster + start):.3f}",
                flush=True,
            )


def repeat_photos(photos: Path, num_images: int, directory: Path) -> str:
    """Return a directory of hard links to `photos`."""
    paths = sorted(photos.glob("*/*"))
    for path in paths:
        (directory / path.parent.name).mkdir(parents=True, exist_ok=True)
    for number in range(num_images):
        path = paths[number % len(paths)]
        (directory / path.parent.name / f"{number // len(paths)}-{path.name}").hardlink_to(path)
    return str(directory)


@contextmanager
def open_cluster(num_workers: int) -> Iterator[Executor]:
    """Yield an executor on nodes of one core, beside one for the driver."""
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False, **NODE}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        for _ in range(num_workers):
            cluster.add_node(num_cpus=1, **NODE)
        cluster.wait_for_nodes()
        with create_ray_executor(address=cluster.address) as executor:
            yield executor
    finally:
        cluster.shutdown()


def measure(name: str, executor: Executor, directory: str, options: argparse.Namespace) -> float:
    """Build with one engine; return the seconds, and print what they were spent on."""
    config = BuildConfig(
        image=ImageSettings(), num_shards=options.shards, schema="imagenet", encoding="jpeg"
    )
    out = Path(directory).with_name("out")
    before, started = processor_seconds(), time.perf_counter()
    build(scan_images(directory), str(out), config, engine=executor, num_workers=options.workers)
    seconds = time.perf_counter() - started
    spent = {kind: at_end - before.get(kind, 0.0) for kind, at_end in processor_seconds().items()}
    shutil.rmtree(out)
    kinds = sorted(spent.items(), key=lambda item: -item[1])
    words = ", ".join(f"{kind} {value:.1f}" for kind, value in kinds if value >= 0.05)
    print(
        f"{name}: {seconds:.1f} s; processor time {sum(spent.values()):.1f} s: {words}", flush=True
    )
    return seconds


def processor_seconds() -> dict[str, float]:
    """Return the processor time of all processes of this session, by their kind."""
    total: Counter[str] = Counter()
    own = os.getsid(0)
    for path in Path("/proc").glob("[0-9]*"):
        try:
            stat = (path / "stat").read_text().rpartition(")")[2].split()
            words = (path / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if int(path.name) == os.getpid():
            kind = "driver"
        elif int(stat[3]) == own or any("ray" in word for word in words[:4]):
            kind = _kind_of(words)
        else:
            continue
        total[kind] += (int(stat[11]) + int(stat[12])) / TICKS
    return dict(total)


def _kind_of(words: list[str]) -> str:
    program = next((word for word in words[1:] if word.endswith(".py")), words[0])
    return "workers" if "spawn_main" in " ".join(words) else Path(program.split(" ")[0]).name


if __name__ == "__main__":
    sys.exit(main())
