"""Paths that may be URLs: `scheme://…`, where `/` separates names on every system.

Anything else is a path of this machine, one with a drive letter too.
"""

import os
import re

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)


def scheme_of(path: str) -> str | None:
    """Return the scheme of a URL in lower case; None for a path of this machine."""
    found = _SCHEME.match(path)
    return None if found is None else found[1].lower()


def join_path(directory: str, *names: str) -> str:
    """Return the path of a file below `directory`."""
    if scheme_of(directory) is None:
        return os.path.join(directory, *names)
    root = directory if directory.endswith("://") else directory.rstrip("/") + "/"
    return root + "/".join(names) if names else directory


def split_path(path: str) -> tuple[str, str]:
    """Return the directory that a path is in, and its name there; a whole bucket has no name."""
    scheme = scheme_of(path)
    if scheme is None:
        return os.path.split(path)
    start = len(scheme) + len("://")
    directory, separator, name = path[start:].rpartition("/")
    return (path[:start] + directory, name) if separator else (path, "")


def base_name(path: str) -> str:
    """Return the last name of a path."""
    return split_path(path)[1]
