"""A stream that can be read again from a mark, whatever it comes from: a file, a pipe, deflate."""

import io
import zlib
from typing import BinaryIO, cast

from tfrec.wire.compression import Compression, Inflating

_BUFFER_SIZE = 256 * 1024


class RewindableStream:
    """Reads the uncompressed bytes of `stream`; remembers what was read since the last mark.

    Bytes before damaged deflate data are delivered first. The damage is raised by the `read` that
    needs bytes behind it, and by every later one, until `skip_damage`.
    """

    def __init__(self, stream: BinaryIO, compression: Compression) -> None:
        self._inflating: Inflating | None = None
        self._source = stream
        if compression != "none":
            self._inflating = Inflating(stream, compression, patient=True)
            self._source = cast("BinaryIO", io.BufferedReader(self._inflating, _BUFFER_SIZE))
        self._ahead = b""
        self._position = 0  # in the bytes ahead, which are too many to cut at each read
        self._kept: list[bytes] = []

    def read(self, size: int, /) -> bytes:
        """Return `size` bytes, or fewer at the end.

        Raises:
            EOFError: the compressed stream ends before them.
            zlib.error: the compressed stream is damaged before them.
        """
        data = self.read_available(size)
        if len(data) < size and self._inflating is not None:
            self._source.read(1)  # tells damage from the end, by raising it
        return data

    def read_available(self, size: int) -> bytes:
        """Return `size` bytes, or fewer before damage or the end."""
        piece = self._ahead[self._position : self._position + size]
        self._position += len(piece)
        if piece:
            self._kept.append(piece)
            if len(piece) == size:
                return piece
        try:
            more = self._source.read(size - len(piece))
        except (EOFError, zlib.error):
            return piece
        self._kept.append(more)
        return piece + more if piece else more

    def mark(self) -> None:
        """Take this place for that to which `rewind` goes back."""
        self._kept.clear()

    def rewind(self, distance: int = 0) -> None:
        """Go to `distance` bytes behind the mark, and move the mark there."""
        data = b"".join(self._kept)
        self._kept.clear()
        self.push_back(data[distance:])

    def push_back(self, data: bytes) -> None:
        """Put bytes before those that are read next."""
        self._ahead = data + self._ahead[self._position :]
        self._position = 0

    def skip_damage(self) -> bool:
        """Go on behind damaged deflate data, at the next gzip member; False where none is."""
        return self._inflating is not None and self._inflating.skip_member()
