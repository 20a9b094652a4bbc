"""Raw files over those of fsspec: reading by ranges, and writing that can be given up.

fsspec's own read cache is off. It fetches megabytes around each place, which is right for a pass
through a file and wrong for one record of it; here what is fetched ahead grows while reading goes
straight on, and starts again from nothing after a jump.
"""

import errno
import io
from typing import TYPE_CHECKING, Any

from tfrec.storage.remote_errors import naming

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

BUFFER_SIZE = 256 * 1024
_PROBE_END = 2  # of the first range that doesn't begin at the start
# A request takes 20 to 100 ms whatever its size; 8 MiB take about as long again at 100 MB/s.
MAX_AHEAD = 8 << 20


class RangeReader(io.RawIOBase):
    """Reads ranges of a remote file, or on from its start where its size isn't known.

    What is asked for right behind the last range, or within its length behind it, is fetched
    together with as much as was fetched so far, up to `MAX_AHEAD`; what is asked for elsewhere is
    fetched alone. Nothing is asked for behind the end: some drivers make an error of that.
    """

    def __init__(self, stream: Any, url: str) -> None:  # noqa: ANN401 (fsspec has no types)
        self._stream = stream
        self._url = url
        self._size: int | None = stream.size
        self._position = 0
        self._held = b""
        self._held_start = 0
        self._ahead = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._size is not None

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        if self._size is None:
            raise OSError(errno.ESPIPE, "the server sends whole files only, not parts", self._url)
        if whence == io.SEEK_CUR:
            offset += self._position
        elif whence == io.SEEK_END:
            offset += self._size
        if offset < 0:
            raise ValueError(f"{self._url}: {offset} is before the start of the file")
        self._position = offset
        return offset

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        view = memoryview(buffer).cast("B")
        held_end = self._held_start + len(self._held)
        if not self._held_start <= self._position < held_end:
            goes_on = 0 <= self._position - held_end < len(self._held)
            self._fetch(len(view), goes_on=goes_on)
        start = self._position - self._held_start
        data = self._held[start : start + len(view)]
        view[: len(data)] = data
        self._position += len(data)
        return len(data)

    def readall(self) -> bytes:
        data = bytearray()
        while piece := self.read(MAX_AHEAD):
            data += piece
        return bytes(data)

    def close(self) -> None:
        if not self.closed:
            with naming(self._url):
                self._stream.close()
        super().close()

    def _fetch(self, size: int, *, goes_on: bool) -> None:
        self._ahead = min(self._ahead + size, MAX_AHEAD) if goes_on else 0
        wanted = size + self._ahead
        with naming(self._url):
            if self._size is not None:
                wanted = min(wanted, max(self._size - self._position, 0))
                self._stream.seek(self._position)
            self._held = self._stream.read(wanted) if wanted else b""
        self._held_start = self._position


class RemoteFile(io.BufferedReader):
    """A buffer over a `RangeReader`, which says itself why it can't seek."""

    def __init__(self, raw: RangeReader) -> None:
        super().__init__(raw, BUFFER_SIZE)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        if not self.seekable():
            return self.raw.seek(offset, whence)
        return super().seek(offset, whence)


def open_ranges(driver: Any, key: str) -> Any:  # noqa: ANN401 (fsspec has no types)
    """Return a file of a driver that gives ranges, or one without a size that reads on.

    A server of web pages may ignore that a range is asked for. What fsspec makes of its answer is
    an error, or the wrong bytes, unless the range is shorter than the file.
    """
    stream = driver.open(key, "rb", cache_type="none")
    if "http" not in driver.protocol or not stream.size or stream.size < _PROBE_END:
        return stream
    try:
        stream.seek(_PROBE_END - 1)
        stream.read(1)
    except ValueError:
        stream.close()
        return driver.open(key, "rb", block_size=0)
    return stream


class UploadWriter(io.RawIOBase):
    """Writes a remote file that appears when it is closed, or never, after `give_up`."""

    def __init__(self, stream: Any, url: str) -> None:  # noqa: ANN401 (fsspec has no types)
        self._stream = stream
        self._url = url

    def writable(self) -> bool:
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        view = memoryview(data).cast("B")
        if self._stream is not None:
            with naming(self._url):
                self._stream.write(view)
        return len(view)

    def close(self) -> None:
        stream, self._stream = self._stream, None
        super().close()
        if stream is not None:
            with naming(self._url):
                _complete(stream)

    def give_up(self) -> None:
        """Throw away what was written; what is written from now on counts for nothing."""
        stream, self._stream = self._stream, None
        if stream is not None:
            with naming(self._url):
                _abandon(stream)


def _complete(stream: Any) -> None:  # noqa: ANN401
    try:
        stream.close()
    except BaseException:
        _abandon(stream)
        raise


def _abandon(stream: Any) -> None:  # noqa: ANN401
    stream.closed = True  # so that no finalizer completes the upload
    stream.discard()
