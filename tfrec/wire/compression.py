"""Whole-file compression of record streams: none, gzip (RFC 1952), zlib (RFC 1950).

The compressed stream surrounds the frames, and says nothing of them. A gzip file may have several
members, cut anywhere, empty ones too; a zlib file is one stream. Nothing may follow: padding and
junk are damage, since a reader that ignores them takes a broken copy for a whole one.

The stream that `decompress` returns raises EOFError where the compressed bytes end early and
zlib.error where they are damaged; RecordReader adds the place and raises its own errors.
"""

import io
import zlib
from typing import TYPE_CHECKING, BinaryIO, Literal, cast

from tfrec.errors import ChecksumError
from tfrec.wire.framing import HEADER_SIZE, Place, check_header

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Compression = Literal["none", "gzip", "zlib"]

_GZIP_MAGIC = b"\x1f\x8b"
_WINDOW_BITS = {"gzip": 31, "zlib": 15}
_PIECE_SIZE = 64 * 1024
_BUFFER_SIZE = 256 * 1024


def detect_compression(prefix: bytes) -> Compression:
    """Say how a record stream is compressed, from its first 12 bytes.

    A length whose CRC is right decides for "none" (by chance: 1 in 2^32); what has no known
    signature is "none" too.
    """
    if len(prefix) >= HEADER_SIZE:
        try:
            check_header(prefix[:HEADER_SIZE], Place("", 0, 0))
        except ChecksumError:
            pass
        else:
            return "none"
    if prefix.startswith(_GZIP_MAGIC):
        return "gzip"
    # RFC 1950: method 8, window up to 32 KiB, and a header that is a multiple of 31.
    is_zlib = len(prefix) >= 2 and prefix[0] == 0x78 and int.from_bytes(prefix[:2]) % 31 == 0
    return "zlib" if is_zlib else "none"


def peek_compression(stream: BinaryIO) -> tuple[Compression, BinaryIO]:
    """Detect how `stream` is compressed; return that, and the stream at its first byte again."""
    prefix = stream.read(HEADER_SIZE)
    if stream.seekable():
        stream.seek(-len(prefix), io.SEEK_CUR)
    else:
        joined = io.BufferedReader(_Joined(prefix, stream), _BUFFER_SIZE)
        stream = cast("BinaryIO", joined)
    return detect_compression(prefix), stream


def decompress(stream: BinaryIO, compression: Compression) -> BinaryIO:
    """Return a stream of the uncompressed bytes of `stream`, read in bounded steps."""
    if compression == "none":
        return stream
    raw = _Inflating(stream, compression)
    return cast("BinaryIO", io.BufferedReader(raw, _BUFFER_SIZE))


class _Joined(io.RawIOBase):
    """Bytes already read, then the rest of the stream they came from."""

    def __init__(self, prefix: bytes, rest: BinaryIO) -> None:
        self._prefix = prefix
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        view = memoryview(buffer).cast("B")
        piece, self._prefix = self._prefix[: len(view)], self._prefix[len(view) :]
        if not piece:
            piece = self._rest.read(len(view))
        view[: len(piece)] = piece
        return len(piece)


class _Inflating(io.RawIOBase):
    """Inflates a stream piece by piece: a bomb costs time, not memory."""

    def __init__(self, stream: BinaryIO, compression: Literal["gzip", "zlib"]) -> None:
        self._stream = stream
        self._compression = compression
        self._inflater: zlib._Decompress | None = None  # None between members
        self._num_members = 0
        self._waiting = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        view = memoryview(buffer).cast("B")
        while True:
            if not self._waiting:
                self._waiting = self._stream.read(_PIECE_SIZE)
            if self._inflater is None:
                if not self._waiting:
                    return 0
                self._start_member()
            piece = self._inflate(len(view))
            if piece:
                view[: len(piece)] = piece
                return len(piece)

    def _inflate(self, max_length: int) -> bytes:
        inflater = self._inflater
        if inflater is None:
            return b""
        ended = not self._waiting
        try:
            piece = inflater.decompress(self._waiting, max_length)
        except zlib.error as error:
            raise zlib.error(f"the {self._compression} stream is damaged: {error}") from error
        self._waiting = inflater.unconsumed_tail
        if inflater.eof:
            self._waiting = inflater.unused_data
            self._inflater = None
        elif ended and not piece:
            raise EOFError(f"the {self._compression} stream ends early")
        return piece

    def _start_member(self) -> None:
        is_first = self._num_members == 0
        self._num_members += 1
        if self._compression == "zlib" and not is_first:
            raise zlib.error("bytes follow the end of the zlib stream")
        if self._compression == "gzip":
            if len(self._waiting) < len(_GZIP_MAGIC):
                self._waiting += self._stream.read(_PIECE_SIZE)
            if not _GZIP_MAGIC.startswith(self._waiting[: len(_GZIP_MAGIC)]):
                raise zlib.error(
                    "this is no gzip stream"
                    if is_first
                    else "bytes that are no gzip member follow the end of the gzip stream"
                )
        self._inflater = zlib.decompressobj(_WINDOW_BITS[self._compression])
