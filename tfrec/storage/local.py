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
from typing import TYPE_CHECKING, BinaryIO, cast

from tfrec.storage.base import Entry, EntryKind, FileInfo

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

BUFFER_SIZE = 256 * 1024
TEMPORARY_SUFFIX = ".tfrec-tmp"
LOCK_SUFFIX = ".tfrec-lock"


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

    @contextlib.contextmanager
    def exclusive(self, path: str) -> Iterator[None]:
        """Keep others from writing a dataset at `path` until the block ends.

        The lock is a file beside it, which a killed process leaves behind and the next one takes.
        """
        directory, name = os.path.split(os.path.realpath(path))
        os.makedirs(directory, exist_ok=True)
        lock_path = os.path.join(directory, f".{_shorten(name)}{LOCK_SUFFIX}")
        descriptor = _open_lock(lock_path, path)
        try:
            yield
        finally:
            if sys.platform == "win32":  # an open file can't be removed
                os.close(descriptor)
                with contextlib.suppress(OSError):
                    os.unlink(lock_path)
            else:
                os.unlink(lock_path)
                os.close(descriptor)

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
    except OSError as error:
        if error.errno != errno.ELOOP:  # a link to itself
            raise
    if entry.is_symlink() and not os.path.exists(entry.path):
        return "broken link"
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
        token = secrets.token_hex(6)
        # The name may be as long as the file system allows already.
        path = os.path.join(directory, f".{_shorten(name)}.{token}{TEMPORARY_SUFFIX}")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0), 0o666)
        # Whoever removes left-overs may have come between the two calls; then the file is gone.
        if _lock(descriptor) and os.path.exists(path):
            return path, descriptor
        os.close(descriptor)


def _open_lock(lock_path: str, path: str) -> int:
    """Create, open and lock the file `lock_path`, which is held for `path`."""
    while True:
        descriptor = os.open(lock_path, os.O_RDWR | os.O_CREAT, 0o666)
        if not _lock(descriptor):
            os.close(descriptor)
            raise BlockingIOError(errno.EAGAIN, "another tfrec is writing it", path)
        # Its last owner may have removed it between the two calls; then the lock keeps nobody out.
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.stat(lock_path)):
                return descriptor
        os.close(descriptor)


def _remove_left_overs(directory: str, name: str) -> None:
    prefix = f".{_shorten(name)}."
    with os.scandir(directory) as entries:
        paths = [
            entry.path
            for entry in entries
            if entry.name.startswith(prefix)
            and entry.name.endswith(TEMPORARY_SUFFIX)
            and len(entry.name) == len(prefix) + 12 + len(TEMPORARY_SUFFIX)
        ]
    for path in paths:
        with contextlib.suppress(OSError):  # another process removes it, or it isn't ours to remove
            descriptor = os.open(path, os.O_RDWR)
            try:
                if _lock(descriptor):
                    os.unlink(path)
            finally:
                os.close(descriptor)


def _shorten(name: str) -> str:
    """Return a part of `name` short enough for a temporary name, which has 255 bytes at most."""
    return os.fsdecode(os.fsencode(name)[:200])


def _lock(descriptor: int) -> bool:
    """Lock a file for as long as it is open; say False where another process has it."""
    if sys.platform == "win32":
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks
    return True


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
