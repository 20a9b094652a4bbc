"""Write one record file, which appears whole or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

from tfrec.dataset.naming import COMPRESSED_SUFFIXES
from tfrec.errors import ConfigError
from tfrec.storage import Storage
from tfrec.wire import RecordWriter
from tfrec.wire.compression import Compression
from tfrec.wire.deflate import DEFAULT_LEVEL, compress

CompressionChoice: TypeAlias = Compression | Literal["auto"]
"""`auto` goes by the end of the file's name."""


def choose_compression(path: str, compression: CompressionChoice) -> Compression:
    """Return how the file `path` is to be compressed."""
    if compression != "auto":
        return compression
    if path.lower().endswith(COMPRESSED_SUFFIXES["gzip"]):
        return "gzip"
    return "zlib" if path.lower().endswith(COMPRESSED_SUFFIXES["zlib"]) else "none"


@contextmanager
def publish_records(
    path: str, storage: Storage, compression: Compression, *, level: int = DEFAULT_LEVEL
) -> Iterator[RecordWriter]:
    """Write a record file that appears at `path` when the block ends, or never."""
    with (
        storage.publish(path) as stream,
        compress(stream, compression, level=level) as output,
        RecordWriter(output) as writer,
    ):
        yield writer


def refuse_output(out: str, inputs: list[str], storage: Storage, *, overwrite: bool) -> None:
    """Raise where a file `out` is there, unless it may be replaced and is no input."""
    found = storage.info(out)
    if found is None:
        return
    if found.kind == "directory":
        raise ConfigError(f"{out} is a directory; name a file")
    for path in inputs:
        info = storage.info(path)
        if info is not None and info.identity == found.identity:
            raise ConfigError(f"{out} is read and can't be written; name another file")
    if not overwrite:
        raise ConfigError(f"{out} exists; `--overwrite` replaces it")
