"""Files: the only package that opens a path."""

from tfrec.storage.anywhere import AnyStorage
from tfrec.storage.base import Entry, EntryKind, FileInfo, Storage, is_shortage
from tfrec.storage.local import LocalStorage
from tfrec.storage.memory import MemoryStorage
from tfrec.storage.urls import base_name, join_path, scheme_of, split_path

__all__ = [
    "AnyStorage",
    "Entry",
    "EntryKind",
    "FileInfo",
    "LocalStorage",
    "MemoryStorage",
    "Storage",
    "base_name",
    "is_shortage",
    "join_path",
    "scheme_of",
    "split_path",
]
