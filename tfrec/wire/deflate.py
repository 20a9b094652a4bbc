"""Write compressed record streams: the counterpart of compression.py.

Bytes depend on the data, the level and the installed zlib alone. A gzip member is framed here
(RFC 1952) and not by zlib, which writes the number of its operating system into the header; ours
is TensorFlow's own header, with no name and no time. Members may be joined: whoever compresses
blocks in parallel writes one `gzip_member` after the other.
"""

import struct
import zlib
from typing import Literal, Protocol, Self, get_args

from tfrec.errors import ConfigError, check_choice
from tfrec.wire.compression import Compression
from tfrec.wire.writer import Output

DEFAULT_LEVEL = 6
"""TensorFlow's, and zlib's own."""

# Method 8 (deflate), no flags, no time, no hint of the level, operating system 3 (Unix).
_GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"
_GZIP_TRAILER = struct.Struct("<II")  # CRC-32 and length of the uncompressed bytes
_RAW_DEFLATE = -15
_ZLIB = 15
_UINT32 = 0xFFFFFFFF


class CompressedOutput(Protocol):
    """A stream of uncompressed bytes; `close` ends the compressed stream, not what is below it."""

    def write(self, data: bytes, /) -> int: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...


def compress(
    stream: Output, compression: Compression, *, level: int = DEFAULT_LEVEL
) -> CompressedOutput:
    """Return a stream whose bytes are compressed and written to `stream`.

    `stream` belongs to the caller, who closes it after the returned stream. `flush` makes all bytes
    so far readable (a sync flush). Closing twice is harmless.

    Args:
        stream: where the compressed bytes go.
        compression: "none" passes the bytes on.
        level: from 0 (stored) to 9 (smallest).

    Raises:
        ConfigError: there is no such compression or level.
    """
    check_choice("compression", compression, get_args(Compression))
    check_level(level)
    if compression == "none":
        return _PlainOutput(stream)
    return _DeflatedOutput(stream, compression, level)


def gzip_member(data: bytes, *, level: int = DEFAULT_LEVEL) -> bytes:
    """Return `data` as one whole gzip member; members may be joined to one file.

    Safe to call from several threads; zlib releases the GIL.
    """
    check_level(level)
    body = zlib.compress(data, level, wbits=_RAW_DEFLATE)
    trailer = _GZIP_TRAILER.pack(zlib.crc32(data), len(data) & _UINT32)
    return b"".join((_GZIP_HEADER, body, trailer))


def check_level(level: int) -> None:
    """Raise ConfigError unless zlib has such a level."""
    if not 0 <= level <= 9:
        raise ConfigError(f"compression level {level}: must be from 0 to 9")


class _PlainOutput:
    """Passes bytes on."""

    def __init__(self, stream: Output) -> None:
        self._stream = stream

    def write(self, data: bytes, /) -> int:
        self._stream.write(data)
        return len(data)

    def flush(self) -> None:
        self._stream.flush()

    def close(self) -> None:
        self._stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _DeflatedOutput(_PlainOutput):
    """One gzip member or one zlib stream."""

    def __init__(self, stream: Output, compression: Literal["gzip", "zlib"], level: int) -> None:
        super().__init__(stream)
        self._is_gzip = compression == "gzip"
        window_bits = _RAW_DEFLATE if self._is_gzip else _ZLIB
        self._deflater: zlib._Compress | None = zlib.compressobj(level, wbits=window_bits)
        self._pending = _GZIP_HEADER if self._is_gzip else b""
        self._crc = 0
        self._num_bytes = 0
        self._has_news = True  # a flush without any would add empty blocks

    def write(self, data: bytes, /) -> int:
        if self._deflater is None:
            raise ValueError("the compressed stream is closed")
        self._has_news = True
        if self._is_gzip:
            self._crc = zlib.crc32(data, self._crc)
            self._num_bytes += len(data)
        self._pass_on(self._deflater.compress(data))
        return len(data)

    def flush(self) -> None:
        if self._deflater is not None and self._has_news:
            self._pass_on(self._deflater.flush(zlib.Z_SYNC_FLUSH))
            self._has_news = False
        self._stream.flush()

    def close(self) -> None:
        if self._deflater is None:
            return
        deflater, self._deflater = self._deflater, None
        self._pass_on(deflater.flush())
        if self._is_gzip:
            self._pass_on(_GZIP_TRAILER.pack(self._crc, self._num_bytes & _UINT32))
        self._stream.flush()

    def _pass_on(self, compressed: bytes) -> None:
        if self._pending:
            compressed, self._pending = self._pending + compressed, b""
        if compressed:
            self._stream.write(compressed)
