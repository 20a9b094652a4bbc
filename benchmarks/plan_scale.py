"""Measure what the driver of a large build costs: its plan, and its tasks if they did nothing.

A build on a cluster is limited by its workers until the driver can't send tasks, take results and
keep the journal as fast as they finish. Here the tasks do nothing, so what is left is the driver.
docs/scale.md has the figures.

    python benchmarks/plan_scale.py --shards 1000000
    python benchmarks/plan_scale.py --shards 20000 --ray
"""

import argparse
import os
import pickle
import resource
import tempfile
import time
from concurrent.futures import Executor, Future

from tfrec.dataset.build_config import BuildConfig
from tfrec.dataset.manifest import Shard
from tfrec.dataset.plan import plan_build
from tfrec.engine import create_ray_executor
from tfrec.operations.building.inputs_digest import CONTENT_KEY_SIZE
from tfrec.operations.building.journal import Journal
from tfrec.operations.building.records import RecordMaker
from tfrec.operations.building.shards import ShardTask, WrittenShard
from tfrec.operations.building.work import Work
from tfrec.operations.progress import ignore_progress
from tfrec.source.image_source import ImageSource
from tfrec.source.labels import LabelMap
from tfrec.storage import AnyStorage

NUM_CLASSES = 1000


def do_nothing(task: ShardTask) -> WrittenShard:
    """Return what a worker would, of a shard that nobody has written."""
    shard = Shard(task.plan.name, len(task.plan.images), 1 << 28, "0" * 64, inputs="0" * 64)
    return WrittenShard(shard, bytes(CONTENT_KEY_SIZE * len(task.plan.images)))


class NullExecutor(Executor):
    """Pickles tasks and unpickles results, as the driver of a cluster does, and runs nothing."""

    def submit(self, _function, /, task):
        pickle.dumps(task)
        future = Future()
        future.set_result(pickle.loads(pickle.dumps(do_nothing(task))))
        return future


class NullTasks(Executor):
    """Sends tasks that do nothing to the executor of a cluster."""

    def __init__(self, executor):
        self._executor = executor

    def submit(self, _function, /, *args, **_options):
        return self._executor.submit(do_nothing, *args)


def make_source(num_images: int) -> ImageSource:
    """Return a source of images in classes of equal size, with paths as ImageNet has them."""
    labels = LabelMap(tuple(f"n{number:08}" for number in range(NUM_CLASSES)))
    a_class = num_images // NUM_CLASSES
    paths = tuple(
        tuple(f"{name}/{name}_{number:07}.JPEG" for number in range(a_class))
        for name in labels.names
    )
    return ImageSource("s3://bucket/photos", labels, paths)


def measure(num_shards: int, images_a_shard: int, executor: Executor, window: int) -> None:
    """Plan a dataset, send its shards through `executor`, and print what each step takes."""
    storage = AnyStorage()
    with tempfile.TemporaryDirectory() as out:
        step = _Steps(num_shards)
        source = make_source(num_shards * images_a_shard)
        step.end("paths of the images")
        config = BuildConfig(num_shards=num_shards)
        plan = plan_build(source, config, file_name=None)
        step.end("plan")
        maker = RecordMaker(source.directory, plan.labels, config, storage)
        work = Work(plan, out, maker, storage, executor, window, ignore_progress)
        finished = list(work.write_files(plan.shards, lambda name: f"{out}/{name}"))
        step.end("tasks that do nothing")
        journal = Journal(out, storage)
        sample = finished[: min(num_shards, 2000)]
        for written in sample:
            journal.add(written.shard)
        step.end("journal on a local disk", len(sample))
        by_name = {written.shard.name: written for written in finished}
        manifest = work.make_manifest([by_name[shard.name] for shard in plan.shards])
        content = manifest.to_json()
        step.end(f"manifest of {len(content) / 1e6:,.0f} MB")


class _Steps:
    def __init__(self, num_shards: int) -> None:
        self._num_shards = num_shards
        self._start, self._memory = time.perf_counter(), _memory()

    def end(self, name: str, num_shards: int | None = None) -> None:
        seconds = (time.perf_counter() - self._start) / (num_shards or self._num_shards)
        grown = _memory() - self._memory
        print(
            f"{name:34} {1e6 * seconds:8,.0f} us a shard, {grown / self._num_shards:8,.0f} "
            f"bytes a shard; peak {_memory() / 1e6:,.0f} MB",
            flush=True,
        )
        self._start, self._memory = time.perf_counter(), _memory()


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    """Measure as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=1_000_000)
    parser.add_argument("--images-a-shard", type=int, default=1)
    parser.add_argument("--cores", type=int, default=1000, help="of the cluster that is imagined")
    parser.add_argument("--ray", action="store_true", help="send the tasks to a Ray cluster")
    arguments = parser.parse_args()
    window = 2 * arguments.cores + 2
    if not arguments.ray:
        measure(arguments.shards, arguments.images_a_shard, NullExecutor(), window)
        return
    paths = [os.path.dirname(os.path.abspath(__file__)), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))  # the workers import this
    with create_ray_executor() as executor:
        measure(arguments.shards, arguments.images_a_shard, NullTasks(executor), window)


if __name__ == "__main__":
    import plan_scale  # so that workers find `do_nothing` under a name of their own

    plan_scale.main()
