"""Files at URLs, through fsspec: object stores, HDFS, the web, memory.

What is published is one upload, which completes or leaves nothing. There are no directories to
rename in an object store, so one that is filled holds an object `.tfrec-incomplete` meanwhile: to
this class, and so to every command, such a directory isn't there. Nothing can be added to an
object, so what is appended to lies in several ones, below its path.

A killed process leaves its lock, which the next one takes over, and perhaps the parts of an
upload, which no one sees and the bucket's own rule for unfinished uploads removes.
"""

import contextlib
import errno
import io
import tempfile
from collections.abc import Iterator
from datetime import datetime
from typing import Any, BinaryIO, cast

from tfrec.storage.appended import AppendedObjects
from tfrec.storage.base import Entry, EntryKind, FileInfo
from tfrec.storage.drivers import open_driver
from tfrec.storage.lease import hold_lease
from tfrec.storage.listing import list_folder
from tfrec.storage.remote_errors import naming, url_error
from tfrec.storage.remote_files import BUFFER_SIZE, RangeReader, RemoteFile, open_ranges
from tfrec.storage.remote_objects import (
    LockObject,
    create_object,
    move_object,
    open_upload,
    remove_empty_directory,
)
from tfrec.storage.urls import join_path, split_path

INCOMPLETE_NAME = ".tfrec-incomplete"


class RemoteStorage:
    """Files at URLs of any scheme that fsspec knows."""

    def __init__(self) -> None:
        self._appended = AppendedObjects()

    def __reduce__(self) -> tuple[type["RemoteStorage"], tuple[()]]:
        return RemoteStorage, ()

    def open_read(self, path: str) -> BinaryIO:
        """Open a file for buffered reading.

        A file that is replaced meanwhile can't be read on: that is an error, never a mixture.
        """
        driver, key = open_driver(path)
        try:
            with naming(path):
                stream = open_ranges(driver, key)
        except OSError:  # of what kind, each driver has its own mind about directories
            if self._is_directory(path):
                return self._open_appended(path)
            raise
        if getattr(stream, "details", {}).get("type") == "directory":
            return self._open_appended(path)
        if isinstance(stream, io.BytesIO):  # fsspec's memory gives all readers one position
            return io.BytesIO(stream.getvalue())
        return cast("BinaryIO", RemoteFile(RangeReader(stream, path)))

    def open_write(self, path: str) -> BinaryIO:
        """Create or empty a file and open it for buffered writing.

        Others see nothing of it before it is closed.
        """
        self._refuse_directory(path)
        return cast("BinaryIO", io.BufferedWriter(open_upload(path), BUFFER_SIZE))

    def open_scratch(self, path: str) -> BinaryIO:  # noqa: ARG002 (there is no place beside it)
        """Open a nameless file of this machine, which is gone when it is closed."""
        return cast("BinaryIO", tempfile.TemporaryFile(buffering=BUFFER_SIZE))

    @contextlib.contextmanager
    def publish(self, path: str) -> Iterator[BinaryIO]:
        """Write a file that appears at `path` whole, when the block ends, or never."""
        self._refuse_directory(path)
        upload = open_upload(path)
        stream = io.BufferedWriter(upload, BUFFER_SIZE)
        try:
            yield cast("BinaryIO", stream)
            stream.flush()
        except BaseException:
            with contextlib.suppress(OSError):  # the first error is the one that matters
                upload.give_up()
            stream.close()
            raise
        stream.close()

    @contextlib.contextmanager
    def publish_directory(self, path: str, *, replace: bool = False) -> Iterator[str]:
        """Fill a directory that is there for this class when the block ends, or never.

        Its files stand at their places before; one that replaces another is filled beside it and
        copied within the store.
        """
        self._refuse_occupied(path, replace=replace)
        staged = f"{path.rstrip('/')}.tfrec-tmp"
        target = staged if replace else path
        with self._filling(target):
            try:
                yield target
                if replace:
                    self._replace_directory(path, staged)
            except BaseException:
                self._remove_below(target)
                raise

    @contextlib.contextmanager
    def _filling(self, directory: str) -> Iterator[None]:
        """Hold the mark of a directory that isn't whole; take what a killed process left of it."""
        lock = LockObject(self.join(directory, INCOMPLETE_NAME))
        with self._hold(lock, directory) as found:
            if found == "abandoned":
                self._remove_below(directory)
            yield

    def _replace_directory(self, path: str, staged: str) -> None:
        prefix = open_driver(staged)[1]
        with self._filling(path):
            self._remove_below(path)
            try:
                for file in self._find_below(staged):
                    relative = file.removeprefix(prefix).lstrip("/")
                    move_object(self.join(staged, relative), self.join(path, relative))
            except BaseException:
                self._remove_below(path)
                raise

    def write(self, path: str, content: bytes) -> None:
        """Write a file in a directory that is being filled."""
        if not create_object(path, content):
            raise url_error(errno.EEXIST, path)

    @contextlib.contextmanager
    def exclusive(self, path: str) -> Iterator[None]:
        """Keep others from writing a dataset at `path` until the block ends.

        The lock is an object beside it. A store that can't put an object only where there is none
        keeps nobody out: S3 and Google can, Azure too; others of their kind may not.
        """
        directory, name = split_path(path.rstrip("/"))
        with self._hold(LockObject(join_path(directory, f".{name}.tfrec-lock")), path):
            yield

    @contextlib.contextmanager
    def _hold(self, lock: LockObject, path: str) -> Iterator[str]:
        with contextlib.ExitStack() as stack:
            try:
                found = stack.enter_context(hold_lease(lock))
            except BlockingIOError:
                raise BlockingIOError(errno.EAGAIN, "another tfrec is writing it", path) from None
            yield found

    def scan(self, path: str) -> Iterator[Entry]:
        """List one directory, in no particular order."""
        driver, key = open_driver(path)
        prefix = key.rstrip("/") + "/" if key.strip("/") else key
        with naming(path):
            for entry in list_folder(driver, key):
                if entry["name"] == key and entry["type"] == "file":
                    raise url_error(errno.ENOTDIR, path)
                # An empty object `path/` stands for the directory itself.
                name = entry["name"].removeprefix(prefix).strip("/")
                if name and name != INCOMPLETE_NAME:
                    kind: EntryKind = "directory" if entry["type"] == "directory" else "file"
                    yield Entry(name, kind, is_link=False)

    def info(self, path: str) -> FileInfo | None:
        """Say what is at `path`; None where nothing is, or a directory that isn't whole yet."""
        found = self._info(path)
        if found is None or found["type"] != "directory":
            return None if found is None else _file_info(found)
        if self._info(self.join(path, INCOMPLETE_NAME)) is not None:
            return None
        return FileInfo("directory", 0, found["name"])

    def append(self, path: str, data: bytes) -> None:
        """Add bytes to the end of a file, which is made where it is missing."""
        self._appended.append(path, data)

    def rename(self, path: str, new_path: str) -> None:
        """Copy a file to another path of the same store, and remove it."""
        move_object(path, new_path)

    def free_space(self, path: str) -> int | None:  # noqa: ARG002 (the protocol's signature)
        """Return None: nobody can say."""
        return None

    def remove(self, path: str) -> None:
        """Remove one file."""
        if self._info(path) is None:  # a store says nothing of what it doesn't have
            raise url_error(errno.ENOENT, path)
        driver, key = open_driver(path)
        with naming(path):
            driver.rm_file(key)

    def discard(self, path: str) -> None:
        """Remove a file where it is there; directories go with their last file."""
        found = self._info(path)
        if found is not None and found["type"] == "directory":
            self._appended.remove(path)
            remove_empty_directory(path)
        elif found is not None:
            driver, key = open_driver(path)
            with contextlib.suppress(FileNotFoundError), naming(path):
                driver.rm_file(key)

    def contains(self, directory: str, path: str) -> bool:
        """Say whether `path` is `directory` or below it."""
        return f"{path.rstrip('/')}/".startswith(f"{directory.rstrip('/')}/")

    def join(self, directory: str, *names: str) -> str:
        """Return the path of a file below `directory`."""
        return join_path(directory, *names)

    def _info(self, path: str) -> dict[str, Any] | None:
        driver, key = open_driver(path)
        try:
            with naming(path):
                return cast("dict[str, Any]", driver.info(key))
        except FileNotFoundError:
            return None

    def _is_directory(self, path: str) -> bool:
        found = self._info(path)
        return found is not None and found["type"] == "directory"

    def _open_appended(self, path: str) -> BinaryIO:
        content = self._appended.read(path)
        if content is None:
            raise url_error(errno.EISDIR, path)
        return io.BytesIO(content)

    def _refuse_directory(self, path: str) -> None:
        if self._is_directory(path):
            raise url_error(errno.EISDIR, path)

    def _refuse_occupied(self, path: str, *, replace: bool) -> None:
        found = self.info(path)
        if found is None:
            return
        if found.kind != "directory":
            raise url_error(errno.ENOTDIR if replace else errno.EEXIST, path)
        if not replace and next(self.scan(path), None) is not None:
            raise url_error(errno.EEXIST, path)

    def _find_below(self, path: str) -> list[str]:
        """Return the driver's names of all files below a directory, without its mark."""
        driver, key = open_driver(path)
        with naming(path):
            found = driver.find(key)
        return [name for name in found if name.rpartition("/")[2] != INCOMPLETE_NAME]

    def _remove_below(self, path: str) -> None:
        driver, _ = open_driver(path)
        for name in self._find_below(path):
            with naming(path):
                driver.rm_file(name)


def _file_info(found: dict[str, Any]) -> FileInfo:
    times = (found.get(name) for name in ("LastModified", "last_modified"))
    modified = next((time for time in times if isinstance(time, datetime)), None)
    return FileInfo(
        "file",
        found["size"] or 0,
        found["name"],
        None if modified is None else int(modified.timestamp()) * 10**9,
    )
