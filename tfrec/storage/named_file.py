"""A raw file whose every failure names it; Python's own names it only where it is opened."""

import contextlib
import io
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer


class NamedFile(io.FileIO):
    """A raw file; `path` names one that is opened by its descriptor."""

    def __init__(self, file: str | int, mode: str, path: str | None = None) -> None:
        super().__init__(file, mode)
        self._path = path if path is not None else file

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise with_path(error, self._path) from None

    def read(self, size: int | None = -1, /) -> bytes:
        try:
            return super().read(size)
        except OSError as error:
            raise with_path(error, self._path) from None

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        try:
            return super().readinto(buffer)
        except OSError as error:
            raise with_path(error, self._path) from None

    def readall(self) -> bytes:
        try:
            return super().readall()
        except OSError as error:
            raise with_path(error, self._path) from None


@contextlib.contextmanager
def errors_about(path: str) -> Iterator[None]:
    """Let the failures of the block name `path`, which a person knows, and not a temporary file."""
    try:
        yield
    except OSError as error:
        raise with_path(error, path) from None


@contextlib.contextmanager
def errors_below(directory: str, shown: str) -> Iterator[None]:
    """Let the failures of the block at files of a temporary directory name them below `shown`."""
    try:
        yield
    except OSError as error:
        above, separator, below = str(error.filename).partition(os.path.join(directory, ""))
        if above or not separator:
            raise
        raise with_path(error, os.path.join(shown, below)) from None


def with_path(error: OSError, path: str | int) -> OSError:
    """Return the same error, about `path`."""
    return OSError(error.errno, error.strerror, path)
