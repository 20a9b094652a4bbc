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
_MEMBER_START = _GZIP_MAGIC + b"\x08"  # the only method there is
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
    prefix, stream = peek(stream, HEADER_SIZE)
    return detect_compression(prefix), stream


def peek(stream: BinaryIO, size: int) -> tuple[bytes, BinaryIO]:
    """Return the next `size` bytes, fewer at the end, and the stream at the first of them again."""
    prefix = stream.read(size)
    if stream.seekable():
        stream.seek(-len(prefix), io.SEEK_CUR)
        return prefix, stream
    return prefix, cast("BinaryIO", io.BufferedReader(_Joined(prefix, stream), _BUFFER_SIZE))


def decompress(stream: BinaryIO, compression: Compression) -> BinaryIO:
    """Return a stream of the uncompressed bytes of `stream`, read in bounded steps.

    Damage of the compressed bytes is EOFError or zlib.error.
    """
    if compression == "none":
        return stream
    raw = Inflating(stream, compression)
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


class Inflating(io.RawIOBase):
    """Inflates a stream piece by piece: a bomb costs time, not memory.

    With `patient`, damage looks like the end at first, so that a buffered reader hands on all that
    came before it; the read after that raises. `skip_member` then goes on behind the damage.
    """

    def __init__(
        self, stream: BinaryIO, compression: Literal["gzip", "zlib"], *, patient: bool = False
    ) -> None:
        self._stream = stream
        self._compression = compression
        self._patient = patient
        self._inflater: zlib._Decompress | None = None  # None between members
        self._num_members = 0
        self._waiting = b""
        self._fault: EOFError | zlib.error | None = None
        self._has_paused = False  # the damage has looked like the end once

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        if self._fault is not None and self._has_paused:
            raise self._fault
        view = memoryview(buffer).cast("B")
        try:
            piece = b"" if self._fault is not None else self._read_piece(len(view))
        except (EOFError, zlib.error) as fault:
            if not self._patient:
                raise
            self._fault = fault
            piece = b""
        self._has_paused = self._fault is not None and not piece
        view[: len(piece)] = piece
        return len(piece)

    def skip_member(self) -> bool:
        """Go on behind damage, at the next gzip member; return False where there is none."""
        self._inflater = None
        if self._compression == "zlib":
            return False
        # Damage shows late: what was inflated last may have run into the next member already.
        self._waiting = self._waiting[1:]
        while (start := self._waiting.find(_MEMBER_START)) < 0:
            piece = self._stream.read(_PIECE_SIZE)
            if not piece:
                return False
            self._waiting = self._waiting[1 - len(_MEMBER_START) :] + piece
        self._waiting = self._waiting[start:]
        self._fault = None
        self._has_paused = False
        return True

    def _read_piece(self, max_length: int) -> bytes:
        """Return up to `max_length` bytes, none at the end."""
        while True:
            if not self._waiting:
                self._waiting = self._stream.read(_PIECE_SIZE)
            if self._inflater is None:
                if not self._waiting:
                    return b""
                self._inflater = self._start_member()
            piece = self._inflate(self._inflater, max_length)
            if piece or self._fault is not None:
                return piece

    def _inflate(self, inflater: "zlib._Decompress", max_length: int) -> bytes:
        ended = not self._waiting
        saved = inflater.copy() if self._patient else None
        try:
            piece = inflater.decompress(self._waiting, max_length)
        except zlib.error as error:
            fault = zlib.error(f"the {self._compression} stream is damaged: {error}")
            if saved is None:
                raise fault from error
            self._fault = fault
            return _inflate_bytewise(saved, self._waiting, max_length)
        self._waiting = inflater.unconsumed_tail
        if inflater.eof:
            self._waiting = inflater.unused_data
            self._inflater = None
        elif ended and not piece:
            raise EOFError(f"the {self._compression} stream ends early")
        return piece

    def _start_member(self) -> "zlib._Decompress":
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
        return zlib.decompressobj(_WINDOW_BITS[self._compression])


def _inflate_bytewise(inflater: "zlib._Decompress", data: bytes, max_length: int) -> bytes:
    """Return what comes before damage in `data`: zlib drops what a failing call has inflated."""
    inflated = bytearray()
    try:
        for position in range(len(data)):
            inflated += inflater.decompress(data[position : position + 1], max_length)
    except zlib.error:
        pass
    return bytes(inflated[:max_length])
