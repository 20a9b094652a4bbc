"""Write a dataset that is one file, or leave it as it is.

The manifest is renamed into place just before the file: a build that is killed between the two
leaves a manifest that the file contradicts, and the next build writes both again.
"""

from tfrec.dataset.manifest import Manifest
from tfrec.dataset.naming import INDEX_SUFFIX, manifest_path
from tfrec.operations.building.indexes import make_index_of
from tfrec.operations.building.recorded import load_recorded
from tfrec.operations.building.shards import WrittenShard, write_shard
from tfrec.operations.building.work import Work


def write_single_file(work: Work) -> tuple[Manifest, dict[str, WrittenShard], list[str]]:
    """Return the manifest, the finished shard by name, and the name if it was written now."""
    plan = work.plan.shards[0]
    recorded = load_recorded(work.out, work.storage)
    examined = work.examine(recorded.find_candidates)[plan.name]
    if examined.kept is not None:
        finished = WrittenShard(examined.kept.shard, examined.content_keys)
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
