"""Walk a directory: every file that may be an image, by folder.

A folder is walked once, however many links lead to it. Folders that are really below the directory
come first and links after them, in the order of their bytes, so that a link never takes the images
of the folder it points to, and the result does not depend on the order of a listing. Errors of the
storage pass: a folder that can't be listed must not look like an empty one.
"""

import heapq
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tfrec.source.ignore import (
    OTHER_SUFFIXES,
    IgnoreReason,
    Patterns,
    find_junk,
    has_suffix,
    is_image_by_content,
)
from tfrec.source.image_source import Note
from tfrec.source.listings import Listings, open_listings
from tfrec.source.paths import display_path, sort_key
from tfrec.storage.base import Entry, Storage

if TYPE_CHECKING:
    from collections.abc import Hashable


@dataclass(frozen=True)
class Selection:
    """Which files and folders count; an `include` without patterns takes all files."""

    include: Patterns = field(default_factory=lambda: Patterns(()))
    exclude: Patterns = field(default_factory=lambda: Patterns(()))
    follow_links: bool = True

    def reason_against(self, entry: Entry, path: str) -> IgnoreReason | None:
        """Say by which of its rules an entry is left out, None where it counts."""
        if self.exclude and self.exclude.match(path, entry.name):
            return "excluded"
        if entry.is_link and not self.follow_links:
            return "link"
        if entry.kind == "other":
            return "special file"
        if entry.kind != "directory" and self.include:
            return None if self.include.match(path, entry.name) else "excluded"
        return None


@dataclass(frozen=True)
class Tree:
    """What was found below a directory; all paths are relative to it, with `/`.

    `files` has an entry for each folder that was walked, the directory itself being "".
    """

    files: dict[str, list[str]] = field(default_factory=dict)
    ignored: Counter[IgnoreReason] = field(default_factory=Counter)
    notes: list[Note] = field(default_factory=list)


def walk_tree(directory: str, *, storage: Storage, selection: Selection) -> Tree:
    """Find all files below `directory` that may be images, without opening more than a few."""
    with open_listings(directory, storage) as listings:
        return _walk(directory, listings, storage=storage, selection=selection)


def _walk(directory: str, listings: Listings, *, storage: Storage, selection: Selection) -> Tree:
    def path_of(folder: str) -> str:
        return storage.join(directory, *folder.split("/")) if folder else directory

    tree = Tree()
    walked: dict[Hashable, str] = {}
    folders = [""]
    links: list[tuple[bytes, str]] = []  # a heap
    while folders or links:
        folder = folders.pop() if folders else heapq.heappop(links)[1]
        listing = listings.take(path_of(folder))
        # Real folders too: a junction or a mount can lead back up without being a link.
        if listing.identity in walked:
            tree.notes.append(_repeated_folder(folder, walked[listing.identity]))
            continue
        walked[listing.identity] = folder
        below = _sort_entries(
            listing.entries,
            folder,
            tree,
            path=path_of(folder),
            storage=storage,
            selection=selection,
        )
        real = [name for name, is_link in below if not is_link]
        listings.expect(map(path_of, real))
        folders += sorted(real, key=sort_key, reverse=True)
        for name, is_link in below:
            if is_link:
                heapq.heappush(links, (sort_key(name), name))
    return tree


def _sort_entries(
    entries: Iterable[Entry],
    folder: str,
    tree: Tree,
    *,
    path: str,
    storage: Storage,
    selection: Selection,
) -> list[tuple[str, bool]]:
    """Add one folder's files to `tree`; return its sub-folders, and whether each is a link."""
    prefix = f"{folder}/" if folder else ""
    files = tree.files[folder] = []
    below = []
    for entry in entries:
        name = entry.name
        relative = prefix + name
        reason = find_junk(name) or selection.reason_against(entry, relative)
        if reason is None and entry.kind == "file" and has_suffix(name, OTHER_SUFFIXES):
            is_image = is_image_by_content(storage.join(path, name), storage=storage)
            reason = None if is_image else "not an image"
        if reason is not None:
            tree.ignored[reason] += 1
        elif entry.kind == "directory":
            below.append((relative, entry.is_link))
        elif entry.kind == "broken link":
            tree.notes.append(_broken_link(relative))
        else:
            files.append(relative)
    return below


def _broken_link(path: str) -> Note:
    return Note("broken link", path, f"`{display_path(path)}` is a link to nothing")


def _repeated_folder(path: str, walked: str) -> Note:
    shown = f"`{display_path(walked)}`" if walked else "the directory itself"
    sentence = f"`{display_path(path)}` leads to {shown}, whose images are taken once"
    return Note("repeated folder", path, sentence)
