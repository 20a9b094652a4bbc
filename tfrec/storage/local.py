"""Files of this machine.

What is published is written under a temporary name beside the final one (temporary.py), flushed to
the disk, and then renamed, which is atomic; the directory is flushed last.
"""

import contextlib
import errno
import io
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from typing import BinaryIO, cast

from tfrec.storage.base import Entry, EntryKind, FileInfo
from tfrec.storage.named_file import NamedFile, errors_about, with_path
from tfrec.storage.temporary import (
    exchange,
    hold_lock,
    remove_left_overs,
    set_aside,
    temporary_directory,
    temporary_file,
)
from tfrec.storage.writeback import EarlyFlushedFile

BUFFER_SIZE = 64 * 1024  # what is larger goes past the buffer, and is copied once less
READ_BUFFER_SIZE = 16 * 1024  # a record's header fills it, and so that much is copied once more


class LocalStorage:
    """Files of this machine; holds no state."""

    def open_read(self, path: str) -> BinaryIO:
        """Open a file for buffered reading."""
        return cast("BinaryIO", io.BufferedReader(NamedFile(path, "rb"), READ_BUFFER_SIZE))

    def open_write(self, path: str) -> BinaryIO:
        """Create or empty a file and open it for buffered writing; others see it grow."""
        return cast("BinaryIO", io.BufferedWriter(NamedFile(path, "wb"), BUFFER_SIZE))

    def open_scratch(self, path: str) -> BinaryIO:
        """Open a nameless file for writing and reading, which is gone when it is closed."""
        directory = os.path.dirname(os.path.realpath(path))
        os.makedirs(directory, exist_ok=True)
        with tempfile.TemporaryFile(buffering=0, dir=directory) as nameless:
            file = NamedFile(os.dup(nameless.fileno()), "r+b", path)
        return cast("BinaryIO", io.BufferedRandom(file, BUFFER_SIZE))

    @contextlib.contextmanager
    def publish(self, path: str) -> Iterator[BinaryIO]:
        """Write a file that appears at `path` whole, when the block ends, or never.

        Where `path` is a link, the file it leads to is replaced, and the link stays.
        """
        target = os.path.realpath(path)
        _refuse_special_file(target)
        directory, name = os.path.split(target)
        os.makedirs(directory, exist_ok=True)
        remove_left_overs(directory, name)
        with temporary_file(directory, name, shown=path) as (temporary, descriptor):
            raw = EarlyFlushedFile(descriptor, "wb", path)
            with io.BufferedWriter(raw, BUFFER_SIZE) as stream:
                yield cast("BinaryIO", stream)
                stream.flush()
                with errors_about(path):
                    os.fsync(descriptor)
                    if sys.platform != "win32":  # while locked: nobody takes it for a left-over
                        os.replace(temporary, target)
            if sys.platform == "win32":  # an open file can't be renamed
                with errors_about(path):
                    os.replace(temporary, target)
        _flush_directory(directory)

    @contextlib.contextmanager
    def publish_directory(self, path: str, *, replace: bool = False) -> Iterator[str]:
        """Fill a directory that appears at `path` whole, when the block ends, or never."""
        target = os.path.realpath(path)
        _refuse_occupied(target, path, replace=replace)
        directory, name = os.path.split(target)
        os.makedirs(directory, exist_ok=True)
        remove_left_overs(directory, name)
        with temporary_directory(directory, name, shown=path) as temporary:
            yield temporary
            _refuse_occupied(target, path, replace=replace)  # what another has published meanwhile
            with errors_about(path):
                _replace_directory(temporary, target)
        remove_left_overs(directory, name)
        _flush_directory(directory)

    def write(self, path: str, content: bytes) -> None:
        """Write a file in a directory that is being filled; missing parents are made."""
        try:
            stream = NamedFile(path, "xb")
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            stream = NamedFile(path, "xb")
        with stream:
            view = memoryview(content)
            while view:
                view = view[stream.write(view) :]

    @contextlib.contextmanager
    def exclusive(self, path: str) -> Iterator[None]:
        """Keep others from writing a dataset at `path` until the block ends.

        The lock is a file beside it, which a killed process leaves behind and the next one takes.
        """
        target = os.path.realpath(path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with hold_lock(target, path=path):
            yield

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
        kind = _kind_of_mode(found.st_mode)
        modified = found.st_mtime_ns if kind == "file" else None
        return FileInfo(kind, found.st_size, (found.st_dev, found.st_ino), modified)

    def append(self, path: str, data: bytes) -> None:
        """Add bytes to the end of a file, which is made where it is missing, and flush them."""
        is_new = not os.path.exists(path)
        os.makedirs(os.path.dirname(os.path.realpath(path)), exist_ok=True)
        with io.BufferedWriter(NamedFile(path, "ab")) as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if is_new:
            _flush_directory(os.path.dirname(os.path.realpath(path)))

    def rename(self, path: str, new_path: str) -> None:
        """Give a file another path in the same directory, in place of what is there."""
        os.replace(path, new_path)
        _flush_directory(os.path.dirname(os.path.realpath(new_path)))

    def free_space(self, path: str) -> int | None:
        """Return how many bytes are free where `path` is or would be."""
        directory = os.path.realpath(path)
        while not os.path.isdir(directory):
            directory = os.path.dirname(directory)
        return shutil.disk_usage(directory).free

    def remove(self, path: str) -> None:
        """Remove one file."""
        os.unlink(path)

    def discard(self, path: str) -> None:
        """Remove a file or an empty directory, and what killed writers of the file have left."""
        directory, name = os.path.split(os.path.realpath(path))
        if os.path.isdir(path):
            with contextlib.suppress(OSError):  # it isn't empty
                os.rmdir(path)
            return
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        if os.path.isdir(directory):
            remove_left_overs(directory, name)

    def contains(self, directory: str, path: str) -> bool:
        """Say whether `path` leads to `directory` or below it, over links too."""
        above = os.path.join(os.path.realpath(directory), "")
        return os.path.join(os.path.realpath(path), "").startswith(above)

    def join(self, directory: str, *names: str) -> str:
        """Return the path of a file below `directory`."""
        return os.path.join(directory, *names)


# What a link can lead to instead of a file: nothing, below a file, itself, no name at all.
_BROKEN = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)


def _kind_of(entry: os.DirEntry[str]) -> EntryKind:
    try:
        if entry.is_file():
            return "file"
        if entry.is_dir():
            return "directory"
        if entry.is_symlink():
            entry.stat()  # raises where the link is broken; the two above just say no
    except OSError as error:
        if error.errno in _BROKEN:
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


def _replace_directory(temporary: str, target: str) -> None:
    """Rename a directory to a target that may be filled; a failure leaves what was there.

    Where the system can't exchange the two, a kill between two renames leaves what was there under
    a temporary name.
    """
    if os.path.lexists(target) and exchange(temporary, target):
        return
    aside = set_aside(target)
    try:
        os.replace(temporary, target)
    except BaseException:
        if aside is not None:
            os.replace(aside, target)
        raise


def _refuse_occupied(target: str, path: str, *, replace: bool) -> None:
    """Raise where a new directory can't take the place of what is at `path`."""
    if not os.path.lexists(target):
        return
    if not replace and not (os.path.isdir(target) and not os.listdir(target)):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
    if not os.path.isdir(target):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)


def _flush_directory(directory: str) -> None:
    """Flush a rename to the disk, where the system lets a directory be opened."""
    if sys.platform == "win32":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EROFS, errno.ENOTSUP):
            raise with_path(error, directory) from None
    finally:
        os.close(descriptor)
