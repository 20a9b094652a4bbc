"""What an unfinished build has written into its directory: `.tfrec-journal`.

    journal = *line
    line    = JSON end-of-line
    JSON    = {"names": [...]}     a build begins, and will write files of these names
            | a shard as the manifest has it, when its file is finished

It is only added to, each line flushed, and removed after the manifest is published. A build that is
killed may leave its last line torn; such a line counts for nothing. Of two lines on a name the
last counts.
"""

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from tfrec.dataset.manifest import Shard
from tfrec.dataset.naming import JOURNAL_NAME, is_file_name
from tfrec.storage import Storage
from tfrec.storage.small_files import read_small_file


@dataclass(frozen=True, slots=True)
class JournalContent:
    """The finished shards by name, and the names of all files that may be there."""

    shards: dict[str, Shard] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)


class Journal:
    """The journal of one directory."""

    def __init__(self, directory: str, storage: Storage) -> None:
        self._path = storage.join(directory, JOURNAL_NAME)
        self._storage = storage

    def exists(self) -> bool:
        """Say whether a build has begun here, and not ended."""
        return self._storage.info(self._path) is not None

    def load(self) -> JournalContent:
        """Read what earlier builds have written; nothing where there is no journal."""
        content = JournalContent()
        lines = (read_small_file(self._path, self._storage) or b"").split(b"\n")
        for line in filter(None, lines):
            try:
                document = json.loads(line)
                if "names" in document:
                    content.names.update(filter(is_file_name, document["names"]))
                    continue
                shard = Shard.from_json(document)
            except (ValueError, TypeError, AttributeError):
                continue  # torn when its writer was killed
            content.shards[shard.name] = shard
            content.names.add(shard.name)
        return content

    def begin(self, names: Iterable[str]) -> None:
        """Say that a build will write files of these names."""
        # After a torn line, a new one has to start.
        self._append(b"\n" + json.dumps({"names": list(names)}).encode() + b"\n")

    def add(self, shard: Shard) -> None:
        """Say that the file of a shard is finished."""
        self._append(json.dumps(dataclasses.asdict(shard)).encode() + b"\n")

    def remove(self) -> None:
        """Remove the journal: the build has ended."""
        self._storage.discard(self._path)

    def _append(self, line: bytes) -> None:
        self._storage.append(self._path, line)
