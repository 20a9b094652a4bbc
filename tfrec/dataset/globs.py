"""Match a path with `*`, `?`, `[...]` and `**` against the files of a storage."""

import fnmatch
import os
import re
from collections.abc import Iterator

from tfrec.storage import Storage, scheme_of

_MAGIC = re.compile(r"[*?\[]")


def has_magic(path: str) -> bool:
    """Say whether a path is a pattern."""
    return _MAGIC.search(path) is not None


def match_files(pattern: str, storage: Storage) -> list[str]:
    """Return the paths of the files that match, sorted by their bytes.

    `*`, `?` and `[...]` match within a name, and no leading dot; `**` as a whole name matches any
    number of directories.
    """
    scheme, _, names = pattern.rpartition("://") if scheme_of(pattern) else ("", "", pattern)
    parts = names.replace(os.sep, "/").split("/")
    root = f"{scheme}://" if scheme else "/" if parts[0] == "" else ""
    parts = [part for part in parts if part]
    # What stands before the first pattern is taken as it is: the root of a store may not be listed.
    depth = next((place for place, part in enumerate(parts) if has_magic(part)), 0)
    start = root + "/".join(parts[:depth])
    paths = (_match_rest if depth else _match)(start, parts[depth:], storage)
    return sorted(set(paths), key=os.fsencode)


def _match(directory: str, parts: list[str], storage: Storage) -> Iterator[str]:
    """Yield the files below `directory` that the rest of a pattern matches."""
    head, *rest = parts
    if head == "**":
        yield from _match(directory, rest or ["*"], storage)
        for name, is_directory in _list_names(directory, storage):
            if is_directory and not name.startswith("."):
                yield from _match(_join(directory, name, storage), parts, storage)
        return
    if not has_magic(head):
        yield from _match_rest(_join(directory, head, storage), rest, storage)
        return
    for name, _ in _list_names(directory, storage):
        hidden = name.startswith(".") and not head.startswith(".")
        if not hidden and fnmatch.fnmatchcase(name, head):
            yield from _match_rest(_join(directory, name, storage), rest, storage)


def _match_rest(path: str, rest: list[str], storage: Storage) -> Iterator[str]:
    info = storage.info(path)
    if info is None:
        return
    if rest and info.kind == "directory":
        yield from _match(path, rest, storage)
    elif not rest and info.kind == "file":
        yield path


def _list_names(directory: str, storage: Storage) -> list[tuple[str, bool]]:
    entries = storage.scan(directory or ".")
    return [(entry.name, entry.kind == "directory" and not entry.is_link) for entry in entries]


def _join(directory: str, name: str, storage: Storage) -> str:
    return storage.join(directory, name) if directory else name
