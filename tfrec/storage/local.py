"""Files of this machine.

Publishing: the bytes go to `.NAME.RANDOM.tfrec-tmp` beside the final name, are flushed to the disk,
and are then renamed, which is atomic; the directory is flushed last. The temporary file is locked
while its writer lives, so that whoever publishes the same name next can tell a file that a killed
process left, and removes it, from one that is being written.
"""

import contextlib
import errno
import io
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, Literal, cast

from tfrec.storage.base import Entry, EntryKind, FileInfo

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

if sys.platform != "win32":
    import fcntl

BUFFER_SIZE = 256 * 1024
TEMPORARY_SUFFIX = ".tfrec-tmp"
_TOKEN_LENGTH = 12


class LocalStorage:
    """Files of this machine; holds no state."""

    def open_read(self, path: str) -> BinaryIO:
        """Open a file for buffered reading."""
        return cast("BinaryIO", io.BufferedReader(_NamedFile(path, "rb"), BUFFER_SIZE))

    @contextlib.contextmanager
    def publish(self, path: str) -> Iterator[BinaryIO]:
        """Write a file that appears at `path` whole, when the block ends, or never.

        Where `path` is a link, the file it leads to is replaced, and the link stays.
        """
        target = os.path.realpath(path)
        _refuse_special_file(target)
        directory, name = os.path.split(target)
        os.makedirs(directory, exist_ok=True)
        _remove_left_overs(directory, name)
        temporary, descriptor = _create_temporary(directory, name)
        try:
            with io.BufferedWriter(_NamedFile(descriptor, "wb", path), BUFFER_SIZE) as stream:
                yield cast("BinaryIO", stream)
                stream.flush()
                os.fsync(descriptor)
                if sys.platform != "win32":  # renamed while locked: nobody takes it for a left-over
                    os.replace(temporary, target)
            if sys.platform == "win32":  # an open file can't be renamed
                os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
        _flush_directory(directory)

    def scan(self, path: str) -> Iterator[Entry]:
        """List one directory, in no particular order."""
        with os.scandir(path) as entries:
            for entry in entries:
                yield Entry(entry.name, _kind_of(entry), entry.is_symlink())

    def info(self, path: str) -> FileInfo | None:
        """Say what is at `path`, following links; None where nothing is."""
        try:
            found = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                return FileInfo("broken link", 0, path)
            raise
        return FileInfo(_kind_of_mode(found.st_mode), found.st_size, (found.st_dev, found.st_ino))

    def remove(self, path: str) -> None:
        """Remove one file."""
        os.unlink(path)

    def join(self, directory: str, *names: str) -> str:
        """Return the path of a file below `directory`."""
        return os.path.join(directory, *names)


class _NamedFile(io.FileIO):
    """A raw file whose every failure names it; Python's own names it only where it is opened."""

    def __init__(self, file: str | int, mode: str, path: str | None = None) -> None:
        super().__init__(file, mode)
        self._path = path if path is not None else file

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise _with_path(error, self._path) from None

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        try:
            return super().readinto(buffer)
        except OSError as error:
            raise _with_path(error, self._path) from None

    def readall(self) -> bytes:
        try:
            return super().readall()
        except OSError as error:
            raise _with_path(error, self._path) from None


def _with_path(error: OSError, path: str | int) -> OSError:
    return OSError(error.errno, error.strerror, path)


def _kind_of(entry: os.DirEntry[str]) -> EntryKind:
    try:
        if entry.is_file():
            return "file"
        if entry.is_dir():
            return "directory"
        if entry.is_symlink():
            entry.stat()  # raises where the link is broken; the two above just say no
    except OSError as error:
        if isinstance(error, FileNotFoundError) or error.errno == errno.ELOOP:
            return "broken link"
        raise
    return "other"


def _kind_of_mode(mode: int) -> EntryKind:
    if stat.S_ISREG(mode):
        return "file"
    return "directory" if stat.S_ISDIR(mode) else "other"


def _refuse_special_file(path: str) -> None:
    """Raise where a rename would take the place of a directory or a device."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no regular file", path)


def _create_temporary(directory: str, name: str) -> tuple[str, int]:
    """Create and lock a new file beside `name`; return its path and descriptor."""
    while True:
        token = secrets.token_hex(_TOKEN_LENGTH // 2)
        path = os.path.join(directory, f"{_temporary_prefix(name)}{token}{TEMPORARY_SUFFIX}")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags, 0o666)
        # Whoever removes left-overs may have come between the two calls; then the file is gone.
        if _lock(descriptor) != "taken" and os.path.exists(path):
            return path, descriptor
        os.close(descriptor)


def _remove_left_overs(directory: str, name: str) -> None:
    prefix = _temporary_prefix(name)
    length = len(prefix) + _TOKEN_LENGTH + len(TEMPORARY_SUFFIX)
    with os.scandir(directory) as entries:
        paths = [
            entry.path
            for entry in entries
            if entry.name.startswith(prefix)
            and entry.name.endswith(TEMPORARY_SUFFIX)
            and len(entry.name) == length
        ]
    for path in paths:
        with contextlib.suppress(OSError):  # another process removes it, or it isn't ours to remove
            _remove_unless_locked(path)


def _remove_unless_locked(path: str) -> None:
    if sys.platform == "win32":  # a file that anyone has open can't be removed
        os.unlink(path)
        return
    descriptor = os.open(path, os.O_RDWR)
    try:
        if _lock(descriptor) == "locked":
            os.unlink(path)
    finally:
        os.close(descriptor)


def _temporary_prefix(name: str) -> str:
    # A name may be as long as file systems allow, 255 bytes, and a character has 4 at most.
    return f".{name[:50]}."


def _lock(descriptor: int) -> Literal["locked", "taken", "unknown"]:
    """Lock a file for as long as it is open, unless another process has it, or nobody can know."""
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return "taken"
        except OSError:
            return "unknown"  # a file system without locks
        return "locked"
    return "unknown"


def _flush_directory(directory: str) -> None:
    """Flush a rename to the disk, where the system lets a directory be opened."""
    if sys.platform == "win32":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EROFS, errno.ENOTSUP):
            raise _with_path(error, directory) from None
    finally:
        os.close(descriptor)
