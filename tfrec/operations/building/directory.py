"""Write a dataset that is a directory, or bring it up to date.

Finished shards wait under their staged names, which are hidden, so that nobody takes half a dataset
for a whole one, and a build that fails leaves an earlier dataset as it was; a first build into an
object store has no need of that (`_path_to_write`). At the end, and only then:

    journal what is kept -> remove the manifest -> rename the staged shards -> other files
        -> publish the manifest -> remove files of earlier builds -> remove the journal

So wherever there is a manifest, the files are those it describes. A build that ends anywhere before
leaves a journal, from which the next one knows every finished shard and every file of ours; where
none is finished yet, it leaves nothing.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tfrec.dataset.manifest import Manifest
from tfrec.dataset.metadata import describe_dataset, list_own_names
from tfrec.dataset.naming import (
    INDEX_SUFFIX,
    JOURNAL_NAME,
    MANIFEST_NAME,
    final_name,
    is_record_path,
    manifest_path,
    staged_name,
)
from tfrec.operations.building.indexes import make_index_of
from tfrec.operations.building.journal import Journal
from tfrec.operations.building.recorded import load_recorded
from tfrec.operations.building.resume import ExaminedShard
from tfrec.operations.building.shards import WrittenShard
from tfrec.operations.building.work import Work
from tfrec.storage import Storage, base_name, scheme_of
from tfrec.storage.small_files import read_small_file


def has_finished_files(out: str, storage: Storage) -> bool:
    """Say whether an unfinished build into `out` has finished files, from which the next goes on.

    A dataset that is one file has none.
    """
    return not is_record_path(out) and bool(Journal(out, storage).load().shards)


@contextmanager
def nothing_left_unfinished(out: str, storage: Storage) -> Iterator[None]:
    """Remove what a build in the block leaves in `out` if it fails before any shard is finished.

    Its workers have to end within the block.
    """
    is_new = storage.info(out) is None
    try:
        yield
    except BaseException:
        journal = Journal(out, storage)
        content = journal.load()
        if not content.shards:
            for name in content.names:
                storage.discard(storage.join(out, staged_name(name)))
            journal.remove()
            if is_new:
                storage.discard(out)
        raise


@contextmanager
def _errors_as_known(out: str, storage: Storage) -> Iterator[None]:
    """Let failures at hidden files of a build name what a person knows.

    That is, for a shard its final name, and for the journal the directory.
    """
    try:
        yield
    except OSError as error:
        path = str(error.filename)
        name = final_name(base_name(path))
        if name is not None and path == storage.join(out, staged_name(name)):
            known = storage.join(out, name)
        elif path == storage.join(out, JOURNAL_NAME):
            known = out
        else:
            raise
        raise OSError(error.errno, error.strerror, known) from None


class DirectoryBuild:
    """One build into a directory, which nobody else writes to meanwhile."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._storage = work.storage
        self._journal = Journal(work.out, work.storage)
        self._recorded = load_recorded(work.out, work.storage)
        self._earlier_names = set(self._recorded.journal.names)
        previous = self._recorded.manifest
        if previous is not None:
            shards = (shard.name for shard in previous.shards)
            self._earlier_names |= list_own_names(shards, previous.config)

    def run(self) -> tuple[Manifest, dict[str, WrittenShard], list[str]]:
        """Return the manifest, all finished shards by name, and the names of those written now."""
        with _errors_as_known(self._work.out, self._storage):
            return self._run()

    def _run(self) -> tuple[Manifest, dict[str, WrittenShard], list[str]]:
        work = self._work
        examined = work.examine(self._recorded.find_candidates)
        finished: dict[str, WrittenShard] = {}
        missing = []
        for plan in work.plan.shards:
            found = examined[plan.name]
            if found.kept is None:
                missing.append(plan)
            else:
                finished[plan.name] = WrittenShard(found.kept.shard, found.content_keys)
                work.advance(len(plan.images))
        if missing:
            self._begin()
        for written in work.write_files(missing, self._path_to_write):
            self._journal.add(written.shard)
            finished[written.shard.name] = written
        manifest = work.make_manifest([finished[plan.name] for plan in work.plan.shards])
        self._finish(manifest, examined, is_begun=bool(missing))
        return manifest, finished, [plan.name for plan in missing]

    def _path_to_write(self, name: str) -> str:
        """Return where a shard is written: in a first build at a URL at its own place.

        An object store renames by copying, and without a manifest the shards are no dataset yet.
        """
        is_first = self._recorded.manifest is None
        is_remote = scheme_of(self._work.out) is not None
        return self._path(name) if is_first and is_remote else self._staged_path(name)

    def _staged_path(self, name: str) -> str:
        return self._path(staged_name(name))

    def _path(self, name: str) -> str:
        return self._storage.join(self._work.out, name)

    def _begin(self) -> None:
        """Journal the names of all files that were and will be ours."""
        plan = self._work.plan
        planned = list_own_names((shard.name for shard in plan.shards), plan.config.to_json())
        self._journal.begin(sorted(self._earlier_names | planned))

    def _finish(
        self, manifest: Manifest, examined: Mapping[str, ExaminedShard], *, is_begun: bool
    ) -> None:
        content = manifest.to_json()
        path = manifest_path(self._work.out)
        is_published = read_small_file(path, self._storage) == content
        has_changed = is_begun or bool(self._recorded.journal.names) or not is_published
        if has_changed:
            if not is_begun:
                self._begin()
            for found in examined.values():
                if found.kept is not None:
                    self._journal.add(found.kept.shard)
            self._storage.discard(path)
            self._rename_staged(examined)
        names = self._publish_others(manifest)
        if has_changed:
            self._work.publish_changed(path, content)
            self._remove_stale({MANIFEST_NAME, *names, *(shard.name for shard in manifest.shards)})
            self._journal.remove()

    def _rename_staged(self, examined: Mapping[str, ExaminedShard]) -> None:
        for name, found in examined.items():
            path = self._path_to_write(name) if found.kept is None else found.kept.path
            if path != self._path(name):
                self._storage.rename(path, self._path(name))

    def _publish_others(self, manifest: Manifest) -> set[str]:
        """Write labels, the metadata of other tools and indexes; return their names."""
        files = describe_dataset(manifest, self._work.plan)
        for name, content in files.items():
            self._work.publish_changed(self._path(name), content)
        shards = self._work.plan.shards if self._work.plan.config.index else ()
        for plan in shards:
            path = self._path(plan.name)
            index = make_index_of(path, self._storage)
            self._work.publish_changed(f"{path}{INDEX_SUFFIX}", index)
        return {*files, *(f"{plan.name}{INDEX_SUFFIX}" for plan in shards)}

    def _remove_stale(self, names: set[str]) -> None:
        """Remove files of earlier builds, and what killed ones have left of any."""
        for name in sorted(self._earlier_names - names):
            self._storage.discard(self._path(name))
        for name in sorted(self._recorded.journal.names):
            self._storage.discard(self._staged_path(name))
