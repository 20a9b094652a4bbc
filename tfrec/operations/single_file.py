"""Write a dataset that is one file, or leave it as it is.

The manifest is renamed into place just before the file: a build that is killed between the two
leaves a manifest that the file contradicts, and the next build writes both again.
"""

from tfrec.dataset.manifest import Manifest
from tfrec.dataset.naming import INDEX_SUFFIX, manifest_path
from tfrec.dataset.plan import ShardPlan
from tfrec.operations.directory import find_previous
from tfrec.operations.indexes import make_index_of
from tfrec.operations.resume import Candidate
from tfrec.operations.shards import WrittenShard, write_shard
from tfrec.operations.work import Work


def write_single_file(work: Work) -> tuple[Manifest, dict[str, WrittenShard], list[str]]:
    """Return the manifest, the finished shard by name, and the name if it was written now."""
    plan = work.plan.shards[0]
    examined = work.examine(lambda plan: find_file_candidates(plan, work))[plan.name]
    if examined.kept is not None:
        finished = WrittenShard(examined.kept.shard, examined.digests)
        manifest = work.make_manifest([finished])
        work.publish_changed(manifest_path(work.out), manifest.to_json())
        work.advance(len(plan.images))
    else:
        with work.feed([plan]) as feed, work.storage.publish(work.out) as stream:
            finished = write_shard(stream, plan, feed)
            manifest = work.make_manifest([finished])
            stream.flush()  # a full disk is met here, before the manifest appears
            work.publish_changed(manifest_path(work.out), manifest.to_json())
    if work.plan.config.index:
        work.publish_changed(f"{work.out}{INDEX_SUFFIX}", make_index_of(work.out, work.storage))
    return manifest, {plan.name: finished}, [] if examined.kept is not None else [plan.name]


def find_file_candidates(plan: ShardPlan, work: Work) -> tuple[Candidate, ...]:
    """Return the file of the dataset, if it has a manifest that names it."""
    previous = find_previous(work.out, work.storage)
    shards = previous.shards if previous is not None else ()
    return tuple(Candidate(work.out, shard) for shard in shards if shard.name == plan.name)
