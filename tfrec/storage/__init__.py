"""Files: the only package that opens a path."""

from tfrec.storage.base import Entry, EntryKind, FileInfo, Storage
from tfrec.storage.local import LocalStorage
from tfrec.storage.memory import MemoryStorage

__all__ = ["Entry", "EntryKind", "FileInfo", "LocalStorage", "MemoryStorage", "Storage"]
