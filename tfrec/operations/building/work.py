"""What it takes to carry out a plan, and how its shards are written by either kind of executor."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from tfrec.dataset.manifest import Manifest, Split
from tfrec.dataset.naming import is_record_path
from tfrec.dataset.plan import BuildPlan, ShardPlan
from tfrec.engine import LostTaskError, map_completed, open_reader, shares_memory
from tfrec.errors import BadImagesError, ImageError, WorkerError
from tfrec.operations.building.inputs_digest import current_versions
from tfrec.operations.building.records import RecordMaker
from tfrec.operations.building.resume import Candidate, ExaminedShard, examine_shards
from tfrec.operations.building.shards import (
    RecordFeed,
    ShardTask,
    WrittenShard,
    leave_out,
    write_shard,
    write_shard_file,
)
from tfrec.operations.progress import Advance
from tfrec.storage import Storage
from tfrec.storage.small_files import read_small_file


@dataclass(frozen=True, slots=True)
class Work:
    """A plan, and what it takes to carry it out; at most `window` tasks are in flight."""

    plan: BuildPlan
    out: str
    make_record: RecordMaker
    storage: Storage
    executor: Executor
    window: int
    advance: Advance

    def examine(
        self, find_candidates: Callable[[ShardPlan], tuple[Candidate, ...]]
    ) -> dict[str, ExaminedShard]:
        """Return what is there of each shard, by name.

        Raises:
            BadImagesError: a shard that is there has left images out, and none may be.
        """
        with open_reader(self.executor) as reader:
            found = examine_shards(
                self.plan.shards,
                find_candidates,
                self.make_record,
                executor=reader,
                window=self.window,
            )
            examined = {shard.plan.name: shard for shard in found}
        kept = [shard.kept for shard in examined.values() if shard.kept is not None]
        bad = [ImageError(bad.path, bad.reason) for file in kept for bad in file.shard.skipped]
        if bad and self.plan.config.on_error == "fail":
            raise BadImagesError(tuple(bad))
        return examined

    def write_files(
        self, plans: Sequence[ShardPlan], path_of: Callable[[str], str]
    ) -> Iterator[WrittenShard]:
        """Write the files of shards; yield each when it is finished.

        Raises:
            BadImagesError: images are bad, and none may be left out.
        """
        if not shares_memory(self.executor):
            yield from self._write_as_tasks(plans, path_of)
            return
        with self.feed(plans) as feed:
            for plan in plans:
                with self.storage.publish(path_of(plan.name)) as stream:
                    written = write_shard(stream, plan, feed)
                yield written

    def _write_as_tasks(
        self, plans: Sequence[ShardPlan], path_of: Callable[[str], str]
    ) -> Iterator[WrittenShard]:
        bad: list[ImageError] = []

        def tasks() -> Iterator[ShardTask]:
            for plan in plans:
                if bad:
                    return
                yield ShardTask(plan, path_of(plan.name), self.make_record)

        for task, outcome in map_completed(
            self.executor,
            write_shard_file,
            tasks(),
            window=self.window,
            replace_lost=self._leave_out,
        ):
            self.advance(len(task.plan.images))
            if isinstance(outcome, BadImagesError):
                bad += outcome.images
            else:
                yield outcome
        if bad:
            raise BadImagesError(tuple(bad))

    def _leave_out(self, task: ShardTask, error: LostTaskError) -> WrittenShard:
        """Write an empty file in place of a shard whose worker dies each time.

        Raises:
            WorkerError: none of its images may be left out.
        """
        if self.plan.config.on_error == "fail":
            raise WorkerError(
                f"{task.plan.name}: {error} while it wrote this file, perhaps for lack of memory, "
                "or because an image of it ends every worker; `--on-error skip` leaves it out"
            ) from error
        with self.storage.publish(task.path):
            pass
        return leave_out(task.plan, f"{error} while it wrote {task.plan.name}")

    def feed(self, plans: Sequence[ShardPlan]) -> RecordFeed:
        """Return what makes the records of shards, image by image."""
        return RecordFeed(
            self.make_record,
            plans,
            executor=self.executor,
            window=self.window,
            advance=self.advance,
        )

    @property
    def shard_paths(self) -> list[str]:
        """Where the files of the plan's shards are, in order."""
        if is_record_path(self.out):
            return [self.out]
        return [self.storage.join(self.out, plan.name) for plan in self.plan.shards]

    def make_manifest(self, finished: Sequence[WrittenShard]) -> Manifest:
        """Return the manifest of a dataset with these shards, the first ones of the plan."""
        labels = self.plan.labels
        by_split: dict[str, list[tuple[ShardPlan, WrittenShard]]] = {}
        for plan, shard in zip(self.plan.shards, finished, strict=False):
            by_split.setdefault(plan.split, []).append((plan, shard))
        return Manifest(
            versions=current_versions(self.plan.config.image),
            class_names=labels.names,
            label_offset=labels.offset,
            config=self.plan.config.to_json(),
            splits={name: self._make_split(shards) for name, shards in by_split.items()},
        )

    def publish_changed(self, path: str, content: bytes) -> None:
        """Write a small file unless it has that content already."""
        if read_small_file(path, self.storage) != content:
            with self.storage.publish(path) as stream:
                stream.write(content)

    def _make_split(self, shards: Sequence[tuple[ShardPlan, WrittenShard]]) -> Split:
        labels = self.plan.labels
        counts = dict.fromkeys(labels.names, 0)
        for plan, written in shards:
            skipped = {image.path for image in written.shard.skipped}
            for image in plan.images:
                if image.path not in skipped:
                    counts[labels.name(image.label)] += 1
        return Split(tuple(written.shard for _, written in shards), counts)
