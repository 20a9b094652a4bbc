"""Files that are read whole: manifests, journals and their like."""

from tfrec.storage.base import Storage


def read_small_file(path: str, storage: Storage) -> bytes | None:
    """Return the content of a file; None where nothing is at `path`."""
    try:
        with storage.open_read(path) as stream:
            return stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
