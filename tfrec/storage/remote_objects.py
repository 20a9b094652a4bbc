"""Single objects of a store: put, uploaded, moved."""

import contextlib
import errno
import secrets
from typing import Any, BinaryIO

from tfrec.storage.drivers import open_driver
from tfrec.storage.remote_errors import naming
from tfrec.storage.remote_files import UploadWriter

# Of an upload: S3 takes 10,000 parts of at least 5 MiB, so this is enough for 156 GiB a file.
PART_SIZE = 16 << 20


def open_upload(url: str) -> UploadWriter:
    """Open a raw file that appears at `url` when it is closed, or never."""
    from fsspec.spec import AbstractBufferedFile

    driver, key = open_driver(url)
    if not _has_uploads(driver):
        return UploadWriter(_RenamedUpload(driver, key), url)
    with naming(url):
        stream = driver.open(key, "wb", block_size=PART_SIZE)
    if not isinstance(stream, AbstractBufferedFile):
        raise OSError(errno.ENOTSUP, f"{type(driver).__name__} can't write files whole", url)
    return UploadWriter(stream, url)


def _has_uploads(driver: Any) -> bool:  # noqa: ANN401 (fsspec has no types)
    """Say whether a file that is written appears when it is closed: so it is in object stores."""
    return {"s3", "gs", "gcs", "az", "abfs"} & set(_protocols(driver)) != set()


def _protocols(driver: Any) -> tuple[str, ...]:  # noqa: ANN401
    return (driver.protocol,) if isinstance(driver.protocol, str) else tuple(driver.protocol)


class _RenamedUpload:
    """A file under a temporary name, which gets its own when it is closed: HDFS, memory."""

    def __init__(self, driver: Any, key: str) -> None:  # noqa: ANN401
        self.closed = False
        self._driver = driver
        self._key = key
        directory, _, name = key.rpartition("/")
        self._temporary = f"{directory}/.{name[:200]}.{secrets.token_hex(6)}.tfrec-tmp"
        self._stream: BinaryIO | None = None

    def write(self, data: memoryview) -> int:
        return self._open().write(data)

    def close(self) -> None:
        self._open().close()
        _move(self._driver, self._temporary, self._key)

    def discard(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._driver.rm_file(self._temporary)

    def _open(self) -> BinaryIO:
        if self._stream is None:
            self._stream = self._driver.open(self._temporary, "wb")
        return self._stream


def move_object(url: str, new_url: str) -> None:
    """Give an object another URL in the same store, in place of what is there."""
    driver, key = open_driver(url)
    _, new_key = open_driver(new_url)
    with naming(url):
        _move(driver, key, new_key)


def _move(driver: Any, key: str, new_key: str) -> None:  # noqa: ANN401
    from fsspec import AbstractFileSystem

    if type(driver).mv is not AbstractFileSystem.mv:  # a rename of its own, as HDFS has it
        driver.mv(key, new_key)
        return
    # `mv` of all others takes `*` in a name for a pattern.
    driver.cp_file(key, new_key)
    driver.rm_file(key)


def remove_empty_directory(url: str) -> None:
    """Remove a directory that its last file has left; in an object store it is gone already."""
    driver, key = open_driver(url)
    if _has_uploads(driver):
        return
    with contextlib.suppress(FileNotFoundError), naming(url):
        if not driver.ls(key, detail=False):
            driver.rmdir(key)


def create_object(url: str, content: bytes) -> bool:
    """Put an object where there is none; return whether what is there now is this one."""
    driver, key = open_driver(url)
    try:
        with naming(url):
            driver.pipe_file(key, content, mode="create")
    except FileExistsError:
        # A request that is sent again after a lost answer meets its own object.
        return read_object(url) == content
    return True


def read_object(url: str) -> bytes | None:
    """Return the content of a small object; None where there is none."""
    driver, key = open_driver(url)
    try:
        with naming(url):
            return bytes(driver.cat_file(key))
    except FileNotFoundError:
        return None


class LockObject:
    """The object of a lock."""

    def __init__(self, url: str) -> None:
        self._url = url

    def create(self, content: bytes) -> bool:
        return create_object(self._url, content)

    def read(self) -> bytes | None:
        return read_object(self._url)

    def replace(self, content: bytes) -> None:
        driver, key = open_driver(self._url)
        with naming(self._url):
            driver.pipe_file(key, content)

    def remove(self) -> None:
        driver, key = open_driver(self._url)
        try:
            with naming(self._url):
                driver.rm_file(key)
        except FileNotFoundError:
            pass
