"""Which files below an image directory are no images.

Two kinds: what systems and tools leave behind, told by the name alone, as files or folders at any
level; and files that are something else by both name and content, so that `cat.txt` that holds a
JPEG is still an image. All else is tried, and reported where it can't be decoded. A suffix belongs
in `OTHER_SUFFIXES` only if no such file is a picture that somebody hopes to find in the dataset: so
there is no `pdf`, `svg` or `psd` among them.
"""

import fnmatch
import re
from collections.abc import Iterable
from typing import Literal

from tfrec.images.sniff import SNIFF_BYTES, has_image_signature
from tfrec.storage.base import Storage

IgnoreReason = Literal[
    "hidden",
    "AppleDouble",
    "system file",
    "not an image",
    "special file",
    "excluded",
    "link",
    "outside the class folders",
]

# Of Windows, macOS, Linux, Synology, QNAP, Picasa, Python; compared in lower case.
SYSTEM_NAMES = frozenset({
    "thumbs.db", "thumbs.db:encryptable", "ehthumbs.db", "ehthumbs_vista.db", "desktop.ini",
    "$recycle.bin", "system volume information", "zbthumbnail.info", "picasa.ini",
    "__macosx", "icon\r", "network trash folder", "temporary items", "thevolumesettingsfolder",
    "lost+found", "@eadir", "#recycle", "#snapshot", "@recycle", "@recently-snapshot",
    "@__thumb", "__pycache__",
})  # fmt: skip

# Alternate streams that a copy from NTFS or a Synology turns into files beside the image.
SYSTEM_SUFFIXES = (":zone.identifier", "@synoeastream", "@synoresource")

OTHER_SUFFIXES = frozenset({
    # Text and code.
    "txt", "md", "rst", "rtf", "doc", "docx", "odt", "log", "ini", "cfg", "conf", "toml", "yaml",
    "yml", "html", "htm", "css", "js", "py", "ipynb", "sh", "bat", "names", "pbtxt", "prototxt",
    "srt", "vtt", "md5", "sha1", "sha256", "url",
    # Tables and arrays.
    "csv", "tsv", "xls", "xlsx", "ods", "parquet", "feather", "arrow", "npy", "npz", "mat", "h5",
    "hdf5", "pkl", "pickle", "db", "sqlite",
    # JSON and XML.
    "json", "jsonl", "ndjson", "geojson", "xml", "xmp", "aae",
    # Archives and record files.
    "zip", "tar", "gz", "tgz", "bz2", "tbz2", "xz", "txz", "zst", "7z", "rar", "lz4", "tfrecord",
    "tfrecords", "tfrec", "tfr", "record", "idx", "zz",
    # Video and sound.
    "mp4", "m4v", "mov", "avi", "mkv", "webm", "mpg", "mpeg", "wmv", "flv", "3gp", "mts", "m2ts",
    "ogv", "lrv", "wav", "mp3", "m4a", "aac", "flac", "ogg", "opus", "wma",
})  # fmt: skip

IMAGE_SUFFIXES = frozenset({
    "jpg", "jpeg", "jpe", "jfif", "png", "apng", "gif", "bmp", "dib", "tif", "tiff", "webp",
    "avif", "heic", "heif", "jp2", "j2k", "jxl", "ico", "ppm", "pgm", "pbm", "pnm", "tga", "svg",
    "psd",
})  # fmt: skip


class Patterns:
    """Shell patterns for paths: one with a `/` is for the path below DIR, others for the name.

    Letters match in their own case only, and `*` matches a `/` too.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        patterns = list(patterns)
        self._name = _compile(pattern for pattern in patterns if "/" not in pattern)
        self._path = _compile(pattern.strip("/") for pattern in patterns if "/" in pattern)

    def __bool__(self) -> bool:
        return self._name is not None or self._path is not None

    def match(self, path: str, name: str) -> bool:
        """Say whether a pattern fits `name`, or `path`, its place below DIR."""
        return bool(
            (self._name is not None and self._name.match(name))
            or (self._path is not None and self._path.match(path))
        )


def find_junk(name: str) -> IgnoreReason | None:
    """Say what of a system or tool a file or folder of this name is; None for any other."""
    if name.startswith("."):
        return "AppleDouble" if name.startswith("._") else "hidden"
    lowered = name.lower()
    if lowered in SYSTEM_NAMES or lowered.endswith(SYSTEM_SUFFIXES):
        return "system file"
    return None


def has_suffix(name: str, suffixes: frozenset[str]) -> bool:
    """Say whether a name ends in one of `suffixes`, in any case."""
    _, dot, suffix = name.rpartition(".")
    return bool(dot) and suffix.lower() in suffixes


def is_image_by_content(path: str, *, storage: Storage) -> bool:
    """Say whether a file starts as images do; also where it can't be read, so that it is tried."""
    try:
        with storage.open_read(path) as stream:
            return has_image_signature(stream.read(SNIFF_BYTES))
    except OSError:
        return True


def _compile(patterns: Iterable[str]) -> re.Pattern[str] | None:
    translated = [fnmatch.translate(pattern) for pattern in patterns]
    return re.compile("|".join(translated)) if translated else None
