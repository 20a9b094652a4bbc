"""Say what a file is that is no TFRecord, by its first bytes.

TFRecord has no signature of its own. So the first length decides, by its CRC, and only a file that
fails there is looked at here.
"""

import re

from tfrec.images import describe_content

_KINDS: tuple[tuple[str, re.Pattern[bytes]], ...] = tuple(
    (words, re.compile(pattern, re.DOTALL))
    for words, pattern in {
        # The hash of the first block header of a Riegeli file, which an ArrayRecord is.
        "an ArrayRecord or Riegeli file": rb"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f",
        "an index of a record file": rb"(?:\d+ \d+\r?\n)+(?:\d* ?\d*\Z|# )",
        "an index of a WebDataset": rb"v1\.[12] \d+\n",
        "a Parquet file": rb"PAR1",
        "an MXNet RecordIO file": rb"\x0a\x23\xd7\xce",
        "an Avro file": rb"Obj\x01",
        "an Arrow file": rb"ARROW1",
        "a Python pickle": rb"\x80[\x02-\x05](?:\x95|[\]\}c(])",
    }.items()
)


def describe_foreign(prefix: bytes) -> str | None:
    """Say in words what the first `SNIFF_BYTES` bytes begin, or None if it is nothing known."""
    known = next((words for words, pattern in _KINDS if pattern.match(prefix)), None)
    return known or describe_content(prefix)
