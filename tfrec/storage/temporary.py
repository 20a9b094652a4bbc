"""Temporary names beside the final ones, and locks that tell the living from the dead.

A temporary file or directory is `.NAME.RANDOM.tfrec-tmp`. It is locked for as long as its writer
lives, so that whoever publishes the same name next can tell what a killed process left, and
removes it, from what is being written. A build's own lock is `.NAME.tfrec-lock`.
"""

import contextlib
import errno
import os
import re
import secrets
import shutil
import sys
import zlib
from collections.abc import Iterator
from typing import Literal

from tfrec.storage.named_file import errors_about, errors_below

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_TOKEN_BYTES = 6
_AT_FDCWD = -100  # relative paths are those of this process (Linux, fcntl.h)
_UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS)


@contextlib.contextmanager
def temporary_file(directory: str, name: str, *, shown: str) -> Iterator[tuple[str, int]]:
    """Create and lock a new file for `name`; yield its path and its descriptor.

    Where it can't be created, the error names `shown`.
    Whatever ends the block by an error removes it, wherever an interrupt comes.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        path = _new_path(directory, name)
        try:
            with errors_about(shown):
                descriptor = os.open(path, flags, 0o666)
            # Whoever removes left-overs may have come before the lock; then the file is gone.
            if _lock(descriptor) != "taken" and os.path.exists(path):
                yield path, descriptor
                return
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(path)
            raise
        os.close(descriptor)


@contextlib.contextmanager
def temporary_directory(directory: str, name: str, *, shown: str) -> Iterator[str]:
    """Create and lock a new directory for `name`; yield its path; an error removes it.

    Errors name `shown` in its place, also those about the files in it.
    """
    while True:
        path = _new_path(directory, name)
        descriptor = None
        try:
            with errors_about(shown):
                os.mkdir(path)
            descriptor = _open_directory(path)
            is_locked = descriptor is None or _lock(descriptor) != "taken"
            if is_locked and os.path.exists(path):
                with errors_below(path, shown):
                    yield path
                return
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise
        finally:
            if descriptor is not None:
                os.close(descriptor)


def _open_directory(path: str) -> int | None:
    """Open a directory to lock it; None where it is gone, or can't be opened."""
    if sys.platform == "win32":
        return None
    try:
        return os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None


def exchange(path: str, other: str) -> bool:
    """Exchange what two paths name, in one step; return whether the system has done so.

    (Linux, renameat2(2), RENAME_EXCHANGE; macOS, renamex_np(2), RENAME_SWAP.) Some file systems
    can't, nor can Windows.
    """
    if sys.platform not in ("linux", "darwin"):
        return False
    import ctypes  # few commands replace a directory

    first, second, flag = os.fsencode(path), os.fsencode(other), 2
    try:
        libc = ctypes.CDLL(None)
        if sys.platform == "darwin":
            return bool(libc.renamex_np(first, second, flag) == 0)
        return bool(libc.renameat2(_AT_FDCWD, first, _AT_FDCWD, second, flag) == 0)
    except AttributeError:  # a C library of before 2018
        return False


def set_aside(path: str) -> str | None:
    """Rename a directory to a name that `remove_left_overs` removes; None where there is none."""
    directory, name = os.path.split(path)
    aside = _new_path(directory, name)
    try:
        os.rename(path, aside)
    except FileNotFoundError:
        return None
    return aside


def remove_left_overs(directory: str, name: str) -> None:
    """Remove the temporary files and directories of `name` whose writers are dead."""
    pattern = re.compile(
        re.escape(f".{_shorten(name)}.") + rf"[0-9a-f]{{{2 * _TOKEN_BYTES}}}\.tfrec-tmp"
    )
    with os.scandir(directory) as entries:
        paths = [entry.path for entry in entries if pattern.fullmatch(entry.name)]
    for path in paths:
        with contextlib.suppress(OSError):  # another process removes it, or it isn't ours to remove
            _remove_unless_locked(path)


def _remove_unless_locked(path: str) -> None:
    if sys.platform == "win32":  # a file that anyone has open can't be removed
        os.unlink(path)
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if _lock(descriptor) == "locked":
            _remove(path)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def hold_lock(target: str, *, path: str) -> Iterator[None]:
    """Hold the lock of the dataset at `target` until the block ends; `path` is what errors name.

    Raises:
        BlockingIOError: another process holds it.
    """
    directory, name = os.path.split(target)
    lock_path = os.path.join(directory, f".{_shorten(name)}.tfrec-lock")
    try:
        descriptor = _open_lock(lock_path, path)
    except OSError as error:
        if error.errno not in _UNWRITABLE or sys.platform == "win32" or not os.path.isdir(target):
            raise
        # What is above a mounted disk, say, is often another's: the directory itself is locked.
        with _lock_directory(target, path=path):
            yield
        return
    try:
        yield
    finally:
        if sys.platform == "win32":  # an open file can't be removed
            os.close(descriptor)
            with contextlib.suppress(OSError):
                os.unlink(lock_path)
        else:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(lock_path)
            os.close(descriptor)


@contextlib.contextmanager
def _lock_directory(directory: str, *, path: str) -> Iterator[None]:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        if _lock(descriptor) == "taken":
            raise _taken(path)
        yield
    finally:
        os.close(descriptor)


def _taken(path: str) -> OSError:
    return BlockingIOError(errno.EAGAIN, "another tfrec is writing it", path)


def _open_lock(lock_path: str, path: str) -> int:
    while True:
        with errors_about(path):
            descriptor = os.open(lock_path, os.O_RDWR | os.O_CREAT, 0o666)
        if _lock(descriptor) == "taken":
            os.close(descriptor)
            raise _taken(path)
        # Its last owner may have removed it before the lock; then the lock keeps nobody out.
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.stat(lock_path)):
                return descriptor
        os.close(descriptor)


def _new_path(directory: str, name: str) -> str:
    token = secrets.token_hex(_TOKEN_BYTES)
    return os.path.join(directory, f".{_shorten(name)}.{token}.tfrec-tmp")


def _shorten(name: str) -> str:
    """Return `name`, or where a temporary name would be too long, a shorter one of its own.

    File systems allow 255 bytes, and a character has 4 at most. The temporary name and the lock
    of one target must not be those of another that starts alike.
    """
    encoded = os.fsencode(name)
    return name if len(encoded) <= 200 else f"{name[:40]}.{zlib.crc32(encoded):08x}"


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def _lock(descriptor: int) -> Literal["locked", "taken", "unknown"]:
    """Lock a file for as long as it is open, unless another process has it, or nobody can know."""
    if sys.platform == "win32":
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return "taken"
        return "locked"
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return "taken"
    except OSError:
        return "unknown"  # a file system without locks
    return "locked"
