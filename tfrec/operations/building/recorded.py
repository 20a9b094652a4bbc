"""What is recorded of a target: in its manifest, and in the journal of an unfinished build."""

from contextlib import suppress
from dataclasses import dataclass

from tfrec.dataset.manifest import Manifest, load_manifest
from tfrec.dataset.naming import is_record_path, manifest_path, staged_name
from tfrec.dataset.plan import ShardPlan
from tfrec.errors import ManifestError
from tfrec.operations.building.journal import Journal, JournalContent
from tfrec.operations.building.resume import Candidate
from tfrec.storage import Storage, split_path


@dataclass(frozen=True, slots=True)
class Recorded:
    """The records of what is in `directory`; `manifest` is None where there is none of ours."""

    directory: str
    storage: Storage
    manifest: Manifest | None
    journal: JournalContent

    def find_candidates(self, plan: ShardPlan) -> tuple[Candidate, ...]:
        """Return the files that may be a planned shard, those of an unfinished build first."""
        path = self.storage.join(self.directory, plan.name)
        staged_path = self.storage.join(self.directory, staged_name(plan.name))
        found: list[Candidate] = []
        if plan.name in self.journal.shards:
            shard = self.journal.shards[plan.name]
            found += [Candidate(staged_path, shard), Candidate(path, shard)]
        if self.manifest is not None:
            found += [
                Candidate(path, shard) for shard in self.manifest.shards if shard.name == plan.name
            ]
        return tuple(dict.fromkeys(found))


def load_recorded(out: str, storage: Storage) -> Recorded:
    """Return what is recorded of the dataset at `out`, which may be nothing."""
    manifest = None
    with suppress(ManifestError):
        manifest = load_manifest(manifest_path(out), storage)
    if is_record_path(out):
        return Recorded(split_path(out)[0], storage, manifest, JournalContent())
    return Recorded(out, storage, manifest, Journal(out, storage).load())
