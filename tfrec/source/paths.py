r"""Names of files and classes: their order, and how they are written as text.

A name is kept as the file system gave it; bytes that are no UTF-8 are surrogate escapes in it
(U+DC80 to U+DCFF). Such a name is no text: whoever prints or stores one writes it by the functions
here. Its escapes are `\xNN` for a byte (an ASCII control character, or what is no UTF-8), and
`\uNNNN` for a character.
"""

import os
import re

# Controls could drive a terminal or break a line, and bidirectional overrides show a name as
# another one. Joiners (U+200C, U+200D) stay: Persian words and emoji are written with them.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)
_EDGE_SPACE = re.compile(r"\A +| +\Z")
_ESCAPE = re.compile(r"\\(?:(\\)|x([0-9a-f]{2})|u([0-9a-f]{4}))")


def sort_key(name: str) -> bytes:
    """Return the bytes of `name`, the only order that is the same on every machine."""
    return os.fsencode(name)


def display_path(path: str) -> str:
    """Write a path for people, on one line, with nothing in it that a terminal obeys."""
    return _UNSAFE.sub(_escape, path)


def escape_name(name: str) -> str:
    r"""Write a name as text that UTF-8 and JSON can hold and `unescape_name` reads.

    A backslash is doubled, and a space at either end is `\x20`; most names stay as they are.
    """
    doubled = _UNSAFE.sub(_escape, name.replace("\\", "\\\\"))
    return _EDGE_SPACE.sub(lambda spaces: r"\x20" * len(spaces[0]), doubled)


def unescape_name(text: str) -> str:
    """Return the name that `escape_name` wrote; a backslash that starts no escape stays."""
    return _ESCAPE.sub(_unescape, text)


def _escape(character: re.Match[str]) -> str:
    code = ord(character[0])
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"


def _unescape(escape: re.Match[str]) -> str:
    backslash, byte, character = escape.groups()
    if backslash:
        return "\\"
    if character:
        return chr(int(character, 16))
    code = int(byte, 16)
    return chr(code if code < 0x80 else 0xDC00 + code)
