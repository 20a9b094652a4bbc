"""Which shards of a plan are there already, and which have to be written, and why.

A shard is kept if the digest of its inputs is the one recorded, in the manifest or in the journal
of an unfinished build, and its file has the recorded size and SHA-256. Resuming an interrupted
build, rebuilding after a change and checking are this one question.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from tfrec.dataset.manifest import Shard
from tfrec.dataset.plan import ShardPlan
from tfrec.engine import map_completed, map_ordered, shares_memory, worker_executor
from tfrec.operations.building.inputs_digest import InputsDigest
from tfrec.operations.building.records import RecordMaker
from tfrec.storage import Storage

_IMAGES_A_TASK = 16  # a task costs about as much as reading one small file
_PIECE_SIZE = 1 << 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may be a planned shard, and what is recorded of it."""

    path: str
    shard: Shard


@dataclass(frozen=True, slots=True)
class ExaminedShard:
    """The file that is kept for a planned shard; without one, the reason why it has to be written.

    `content_keys` are those of its images (see `InputsDigest`); none where nothing was recorded.
    """

    plan: ShardPlan
    kept: Candidate | None
    reason: str = ""
    content_keys: bytes = b""


@dataclass(frozen=True, slots=True)
class _ExamineTask:
    plan: ShardPlan
    candidates: tuple[Candidate, ...]
    make_record: RecordMaker


def examine_shards(
    plans: Sequence[ShardPlan],
    find_candidates: Callable[[ShardPlan], tuple[Candidate, ...]],
    make_record: RecordMaker,
    *,
    executor: Executor,
    window: int,
) -> Iterator[ExaminedShard]:
    """Yield what is there of each planned shard, in no particular order."""
    candidates = {plan.name: find_candidates(plan) for plan in plans}
    for plan in plans:
        if not candidates[plan.name]:  # no work for a task: a first build has a million of them
            yield ExaminedShard(plan, None, "it is not in the dataset")
    tasks = (
        _ExamineTask(plan, candidates[plan.name], make_record)
        for plan in plans
        if candidates[plan.name]
    )
    if shares_memory(executor):
        for task in tasks:
            yield _examine_shard(task, executor, window)
    else:
        for _, examined in map_completed(executor, _examine_shard_alone, tasks, window=window):
            yield examined


def _examine_shard_alone(task: _ExamineTask) -> ExaminedShard:
    return _examine_shard(task, worker_executor(), 1)


def _examine_shard(task: _ExamineTask, executor: Executor, window: int) -> ExaminedShard:
    storage = task.make_record.storage
    reason = "its images or the settings have changed"
    # The files are read while the images are: either is about half of the work.
    damages = [
        (candidate, executor.submit(_find_damage, candidate, storage))
        for candidate in task.candidates
    ]
    inputs = _digest_inputs(task, executor, window)
    for candidate, damage in damages:
        if candidate.shard.inputs == inputs.hexdigest():
            reason = damage.result()
            if not reason:
                _cancel(future for _, future in damages)
                return ExaminedShard(task.plan, candidate, "", inputs.content_keys)
    _cancel(future for _, future in damages)
    return ExaminedShard(task.plan, None, reason)


def _digest_inputs(task: _ExamineTask, executor: Executor, window: int) -> InputsDigest:
    inputs = InputsDigest(task.make_record)
    images = task.plan.images
    parts = (
        images[start : start + _IMAGES_A_TASK] for start in range(0, len(images), _IMAGES_A_TASK)
    )
    with closing(
        map_ordered(executor, task.make_record.digest_files, parts, window=window)
    ) as digests_of_parts:
        digests = (digest for part in digests_of_parts for digest in part)
        for image, digest in zip(images, digests, strict=True):
            inputs.add(image, digest)
    return inputs


def _find_damage(candidate: Candidate, storage: Storage) -> str:
    """Say how a file differs from what is recorded of it; nothing where it doesn't."""
    info = storage.info(candidate.path)
    if info is None or info.kind != "file":
        return "the file is missing"
    if info.size != candidate.shard.num_bytes:
        return f"the file has {info.size:,} bytes instead of {candidate.shard.num_bytes:,}"
    sha256 = hashlib.sha256()
    with storage.open_read(candidate.path) as stream:
        for piece in iter(partial(stream.read, _PIECE_SIZE), b""):
            sha256.update(piece)
    return "" if sha256.hexdigest() == candidate.shard.sha256 else "the file's content has changed"


def _cancel(futures: Iterator[Future[str]]) -> None:
    for future in futures:
        future.cancel()
