"""Does a directory hold exactly what a dump wrote?

A dump leaves a small file in its directory: how many files it wrote, and a sum over their names
and sizes. A later dump may replace the directory only if the sum still fits, so that it never
removes anything that somebody else put there. The sum does not depend on the order of the files,
and needs no memory for them.
"""

import hashlib
import json
from dataclasses import dataclass

from tfrec.storage import Storage
from tfrec.storage.small_files import read_small_file

MARKER_NAME = ".tfrec-dump.json"
_FORMAT_VERSION = 1


@dataclass(slots=True)
class Fingerprint:
    """How many files there are, and the sum of the digests of their names and sizes."""

    num_files: int = 0
    total: int = 0

    def add(self, name: str, num_bytes: int) -> None:
        """Add a file by its path below the directory, with `/`, and its size."""
        text = f"{name}\0{num_bytes}".encode(errors="surrogateescape")
        digest = hashlib.blake2b(text, digest_size=16).digest()
        self.num_files += 1
        self.total = (self.total + int.from_bytes(digest)) % (1 << 128)

    def to_json(self) -> bytes:
        """Return what the marker file holds."""
        document = {
            "format_version": _FORMAT_VERSION,
            "num_files": self.num_files,
            "sum": f"{self.total:032x}",
        }
        return (json.dumps(document) + "\n").encode()


def is_untouched_dump(directory: str, storage: Storage) -> bool:
    """Say whether a directory holds just what a dump wrote to it."""
    marker = read_small_file(storage.join(directory, MARKER_NAME), storage)
    if marker is None:
        return False
    found = Fingerprint()
    for entry in storage.scan(directory):
        if entry.kind == "directory" and not entry.is_link:
            if not _add_folder(found, directory, entry.name, storage):
                return False
        elif entry.name != MARKER_NAME:
            return False
    return marker == found.to_json()


def _add_folder(found: Fingerprint, directory: str, folder: str, storage: Storage) -> bool:
    for entry in storage.scan(storage.join(directory, folder)):
        info = storage.info(storage.join(directory, folder, entry.name))
        if entry.kind != "file" or entry.is_link or info is None:
            return False
        found.add(f"{folder}/{entry.name}", info.size)
    return True
