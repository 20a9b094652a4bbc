"""A stream whose next bytes can be looked at before they are taken."""

from typing import BinaryIO


class AheadStream:
    """Reads `stream` from where it stands; `size` is how many bytes follow, where that is known.

    Bytes are read ahead only where the stream can seek: a pipe is not kept waiting for a block, and
    if the disk fails inside one, the stream goes back to its beginning, so that what lies before
    the failure can still be read.
    """

    def __init__(self, stream: BinaryIO, size: int | None) -> None:
        self._stream = stream
        self._left = size if size is not None and stream.seekable() else 0  # may be read ahead
        self._ahead = b""
        self._position = 0  # of the next byte in `_ahead`

    def read(self, size: int, /) -> bytes:
        """Return `size` bytes, or fewer at the end."""
        if self._position == len(self._ahead):
            data = self._stream.read(size)
            self._left -= len(data)
            return data
        data = self._ahead[self._position : self._position + size]
        self._position += len(data)
        return data if len(data) == size else data + self.read(size - len(data))

    def read_ahead(self, size: int) -> bytes:
        """Return about `size` of the next bytes without taking them; none where that can't be."""
        rest = self._ahead[self._position :]
        wanted = min(size - len(rest), self._left)
        if wanted > 0:
            rest += self._read_or_go_back(wanted)
        self._ahead, self._position = rest, 0
        return rest

    def skip(self, size: int) -> None:
        """Take `size` bytes of those that were read ahead."""
        self._position += size

    def _read_or_go_back(self, size: int) -> bytes:
        start = self._stream.tell()
        try:
            data = self._stream.read(size)
        except OSError:
            self._stream.seek(start)
            self._left = 0
            return b""
        self._left -= len(data)
        return data
