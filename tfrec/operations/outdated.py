"""Say whether a dataset is what a build would write now, without writing anything."""

from collections.abc import Iterator
from concurrent.futures import Executor

from tfrec.dataset.build_config import BuildConfig
from tfrec.dataset.manifest import Manifest
from tfrec.dataset.metadata import describe_dataset
from tfrec.dataset.naming import INDEX_SUFFIX, is_record_path, manifest_path
from tfrec.operations.build import open_work, plan_dataset
from tfrec.operations.building.changes import find_changes
from tfrec.operations.building.indexes import make_index_of
from tfrec.operations.building.journal import Journal
from tfrec.operations.building.recorded import Recorded, load_recorded
from tfrec.operations.building.shards import WrittenShard
from tfrec.operations.building.work import Work
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.source.image_source import ImageSource
from tfrec.storage import AnyStorage, Storage
from tfrec.storage.small_files import read_small_file


def find_outdated(
    source: ImageSource,
    out: str,
    config: BuildConfig | None = None,
    *,
    storage: Storage | None = None,
    engine: str | Executor = "threads",
    num_workers: int | None = None,
    advance: Advance = ignore_progress,
) -> tuple[str, ...]:
    """Return the reasons why `build` with the same arguments would write something; none if not.

    Image files are read and not decoded.

    Raises:
        BadImagesError: images of the dataset are known to be bad, and may not be left out.
        ConfigError: the settings contradict each other.
    """
    storage = storage or AnyStorage()
    recorded = load_recorded(out, storage)
    if not is_record_path(out) and Journal(out, storage).exists():
        return (f"{out}: a build was interrupted",)
    if recorded.manifest is None:
        return (f"{out}: there is no dataset of tfrec",)
    plan = plan_dataset(source, out, config)
    with open_work(plan, source.directory, out, storage, engine, num_workers, advance) as work:
        return (
            *find_changes(recorded.manifest, plan.config, plan.labels),
            *_compare_shards(recorded, recorded.manifest, work),
        )


def _compare_shards(recorded: Recorded, manifest: Manifest, work: Work) -> Iterator[str]:
    examined = work.examine(recorded.find_candidates)
    finished = []
    for plan in work.plan.shards:
        found = examined[plan.name]
        work.advance(len(plan.images))
        if found.kept is None:
            yield f"{plan.name}: {found.reason}"
        else:
            finished.append(WrittenShard(found.kept.shard, found.content_keys))
    for shard in manifest.shards:
        if shard.name not in examined:
            yield f"{shard.name}: it is no part of the dataset any more"
    if len(finished) == len(examined):
        yield from _compare_small_files(work.make_manifest(finished), work)


def _compare_small_files(manifest: Manifest, work: Work) -> Iterator[str]:
    """Compare the manifest and all that is derived from shards that are as they should be."""
    expected = {manifest_path(work.out): manifest.to_json()}
    join = work.storage.join
    if not is_record_path(work.out):
        files = describe_dataset(manifest, work.plan)
        expected |= {join(work.out, name): content for name, content in files.items()}
    if work.plan.config.index:
        for path in work.shard_paths:
            expected[f"{path}{INDEX_SUFFIX}"] = make_index_of(path, work.storage)
    for path, content in expected.items():
        found = read_small_file(path, work.storage)
        if found is None:
            yield f"{path}: the file is missing"
        elif found != content:
            yield f"{path}: the file's content has changed"
