"""The indexes that a build writes: DALI's text, which says nothing of the time of its file.

So equal files have equal indexes, and a dataset stays equal to itself when it is copied.
"""

from tfrec.storage import Storage
from tfrec.wire.index import scan_index


def make_index_of(path: str, storage: Storage) -> bytes:
    """Return the text of the index of an uncompressed record file."""
    info = storage.info(path)
    with storage.open_read(path) as stream:
        index = scan_index(stream, path=path, size=0 if info is None else info.size)
    return b"".join(index.to_text())
