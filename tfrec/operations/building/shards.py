"""One shard of a plan -> one record file."""

import hashlib
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO, Self

from tfrec.dataset.manifest import Shard, SkippedImage
from tfrec.dataset.plan import ShardPlan
from tfrec.engine import map_ordered, worker_executor
from tfrec.errors import BadImagesError, ImageError
from tfrec.images import kept_pixel_memory
from tfrec.operations.building.compressing import compress_in_parallel
from tfrec.operations.building.inputs_digest import CONTENT_KEY_SIZE, InputsDigest
from tfrec.operations.building.records import MadeRecord, RecordMaker
from tfrec.operations.hashed_output import HashedOutput
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.source.image_source import LabelledImage
from tfrec.storage import scheme_of
from tfrec.wire import RecordWriter

# Of a task whose images are at a URL: each takes two requests, of 20 to 100 ms, for 2 ms of work.
_NUM_REMOTE_READS = 16


@dataclass(frozen=True, slots=True)
class WrittenShard:
    """A shard as the manifest has it, and the content keys of its images (see `InputsDigest`)."""

    shard: Shard
    content_keys: bytes


class RecordFeed:
    """Makes the records of several shards, in order, and ahead of the one that is being written.

    At most `window` images are in flight, over the borders of shards.
    """

    def __init__(
        self,
        make_record: RecordMaker,
        plans: Iterable[ShardPlan],
        *,
        executor: Executor,
        window: int,
        advance: Advance = ignore_progress,
    ) -> None:
        self.make_record = make_record
        self.executor = executor
        self.window = window
        self.advance = advance
        self._is_stopped = False
        images = self._images_of(plans)
        self._made = map_ordered(executor, make_record, images, window=window)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._made.close()

    def take(self, plan: ShardPlan) -> Iterator[MadeRecord]:
        """Yield the records of the next shard.

        Raises:
            BadImagesError: an image is bad, and none may be left out. Those in flight are finished
                first, so that the bad ones among them are named too.
        """
        may_skip = self.make_record.config.on_error == "skip"
        for made in islice(self._made, len(plan.images)):
            if made.error is not None and not may_skip:
                self._is_stopped = True
                others = (other.error for other in self._made)
                raise BadImagesError((made.error, *filter(None, others)))
            yield made
            self.advance(1)

    def _images_of(self, plans: Iterable[ShardPlan]) -> Iterator[LabelledImage]:
        for plan in plans:
            for image in plan.images:
                if self._is_stopped:
                    return
                yield image


def write_shard(stream: BinaryIO, plan: ShardPlan, feed: RecordFeed) -> WrittenShard:
    """Write the records of a shard's images to `stream`, in the order of the plan.

    Raises:
        BadImagesError: an image is bad, and none may be left out.
    """
    config = feed.make_record.config
    output = HashedOutput(stream)
    inputs = InputsDigest(feed.make_record)
    bad_images: list[ImageError] = []
    compressed = compress_in_parallel(
        output,
        config.compression,
        level=config.compression_level,
        executor=feed.executor,
        window=feed.window,
    )
    with RecordWriter(compressed) as writer:
        for made in feed.take(plan):
            inputs.add(made.image, made.digest)
            if made.record is not None:
                writer.write(made.record)
            elif made.error is not None:
                bad_images.append(made.error)
    compressed.close()
    shard = Shard(
        name=plan.name,
        num_records=writer.num_records,
        num_bytes=output.num_bytes,
        sha256=output.hexdigest(),
        inputs=inputs.hexdigest(),
        skipped=tuple(SkippedImage(error.path, error.reason) for error in bad_images),
    )
    return WrittenShard(shard, inputs.content_keys)


@dataclass(frozen=True, slots=True)
class ShardTask:
    """A whole shard as one task, for a worker in another process or on another machine."""

    plan: ShardPlan
    path: str
    make_record: RecordMaker


def write_shard_file(task: ShardTask) -> WrittenShard | BadImagesError:
    """Write and publish the file of one shard; return the error of bad images as a value.

    So the shards in flight beside it are finished, and their bad images are named too.
    """
    storage = task.make_record.storage
    num_threads = 1 if scheme_of(task.make_record.directory) is None else _NUM_REMOTE_READS
    try:
        with (
            kept_pixel_memory(),
            worker_executor(num_threads) as executor,
            RecordFeed(
                task.make_record, [task.plan], executor=executor, window=num_threads
            ) as feed,
            storage.publish(task.path) as stream,
        ):
            return write_shard(stream, task.plan, feed)
    except BadImagesError as error:
        return error


def leave_out(plan: ShardPlan, reason: str) -> WrittenShard:
    """Return a shard whose file is empty; as its digest is that of no inputs, it isn't kept."""
    skipped = tuple(SkippedImage(image.path, reason) for image in plan.images)
    shard = Shard(plan.name, 0, 0, hashlib.sha256().hexdigest(), inputs="", skipped=skipped)
    return WrittenShard(shard, bytes(CONTENT_KEY_SIZE * len(plan.images)))
