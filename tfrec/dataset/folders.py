"""Names of the folders and files of a dump, from whatever a record or a manifest says.

A label or class name can never lead outside the target, nor be refused by a file system: each
character that any of them refuses becomes `%` and the hexadecimal digits of its UTF-8 bytes, and
so does `%`; so the name can be had back by percent-decoding.
"""

import hashlib
import os
import re

_MAX_BYTES = 200  # of a name; file systems allow 255, and suffixes come on top
# What Windows refuses, what ends a path's part on any system, and what is no text.
_REFUSED = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*%\ud800-\udfff]|^[. ]|[. ]$')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def folder_name(name: str) -> str:
    """Return the name of a class's folder."""
    if not name:
        return "%"
    escaped = _REFUSED.sub(_escape, name)
    if _RESERVED.fullmatch(escaped):
        escaped = _escape_character(escaped[0]) + escaped[1:]
    encoded = escaped.encode()
    if len(encoded) <= _MAX_BYTES:
        return escaped
    # Two long names may begin alike: a digest keeps them apart.
    digest = hashlib.sha256(encoded).hexdigest()[:16]
    return encoded[: _MAX_BYTES - 17].decode(errors="ignore") + "~" + digest


def _escape(character: re.Match[str]) -> str:
    return _escape_character(character[0])


def _escape_character(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in os.fsencode(character))
