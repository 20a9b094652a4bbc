r"""The label maps of TensorFlow's Object Detection API, in protobuf's text format.

    map    = { "item" message }
    message = [ ":" ] "{" { field } "}"          "<" and ">" may stand for the braces
    field  = name ( ":" value | message ) [ "," | ";" ]
    value  = { string } | word | "[" values "]"      strings that follow each other are one

Comments start with `#`. In a string `\303` and `\xc3` stand for bytes, `\u00e9` for a character.
Fields other than `id`, `name` and `display_name` are read over.
"""

import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

from tfrec.errors import SourceError

_START = re.compile(r"(?:\s|#[^\n]*\n)*item\s*:?\s*[{<]")
_TOKEN = re.compile(
    r"""(?P<space>\s+|\#[^\n]*)
      | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<word>[-+.\w]+)
      | (?P<mark>[{}<>:,;\[\]])
      | (?P<other>.)""",
    re.VERBOSE | re.ASCII,
)
_ESCAPE = re.compile(
    rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))"
)
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_LETTERS = dict(zip(b"abfnrtv", b"\a\b\f\n\r\t\v", strict=True))


class LabelEntry(NamedTuple):
    """A label and the line it stands in; without a number where only the order says it."""

    line: int
    number: int | None
    name: str


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


class _Item(NamedTuple):
    line: int
    fields: dict[str, str]


def is_label_map(text: str) -> bool:
    """Say whether a label file is one of these."""
    return _START.match(text) is not None


def parse_label_map(text: str, shown: str) -> list[LabelEntry]:
    """Return the entries in the order of the text; errors name the file as `shown`."""
    entries = []
    for item in _Parser(text, shown).read_items():
        name = item.fields.get("name") or item.fields.get("display_name")
        number = item.fields.get("id", "")
        if not name:
            raise SourceError(f"{shown}: line {item.line}: the item has no name")
        if not _NUMBER.fullmatch(number):
            raise SourceError(f"{shown}: line {item.line}: the item `{name}` has no `id` from 0 on")
        entries.append(LabelEntry(item.line, int(number), name))
    return entries


class _Parser:
    """Recursive descent over the grammar above; `_next` is the token looked at."""

    def __init__(self, text: str, shown: str) -> None:
        self._shown = shown
        self._tokens = _split_tokens(text)
        self._next = next(self._tokens)

    def read_items(self) -> Iterator[_Item]:
        while self._next.kind != "end":
            item = self._take("item")
            yield _Item(item.line, self._read_message())

    def _read_message(self) -> dict[str, str]:
        if self._next.text == ":":
            self._take(":")
        closing = ">" if self._next.text == "<" else "}"
        self._take("<" if closing == ">" else "{")
        fields: dict[str, str] = {}
        while self._next.text != closing:
            name = self._take(kind="word").text
            if self._next.text == ":":
                self._take(":")
                is_message = self._next.text in ("{", "<")
            else:
                is_message = True
            if is_message:
                self._read_message()
            else:
                fields[name] = self._read_value()
            if self._next.text in (",", ";"):
                self._take()
        self._take(closing)
        return fields

    def _read_value(self) -> str:
        if self._next.text == "[":
            self._skip_list()
            return ""
        if self._next.kind == "word":
            return self._take().text
        content = _unquote(self._take(kind="string").text)
        while self._next.kind == "string":
            content += _unquote(self._take().text)
        return content.decode("utf-8", "surrogateescape")

    def _skip_list(self) -> None:
        self._take("[")
        while self._next.text != "]":
            if self._next.text in ("{", "<"):
                self._read_message()
            else:
                self._read_value()
            if self._next.text == ",":
                self._take()
        self._take("]")

    def _take(self, text: str | None = None, *, kind: str | None = None) -> _Token:
        """Return the next token and go on, or raise where it is not the one expected."""
        token = self._next
        if token.kind == "end" or text not in (None, token.text) or kind not in (None, token.kind):
            found = "the end" if token.kind == "end" else f"`{token.text}`"
            expected = f"`{text}`" if text is not None else f"a {kind or 'value'}"
            raise SourceError(
                f"{self._shown}: line {token.line}: expected {expected}, found {found}"
            )
        self._next = next(self._tokens)
        return token


def _split_tokens(text: str) -> Iterator[_Token]:
    line = 1
    for found in _TOKEN.finditer(text):
        if found.lastgroup != "space":
            yield _Token(found.lastgroup or "", found[0], line)
        line += found[0].count("\n")
    while True:
        yield _Token("end", "", line)


def _unquote(literal: str) -> bytes:
    return _ESCAPE.sub(_unescape, literal[1:-1].encode())


def _unescape(escape: re.Match[bytes]) -> bytes:
    octal, byte, short, long, letter = escape.groups()
    if octal or byte:
        return bytes([(int(octal, 8) if octal else int(byte, 16)) & 0xFF])
    if short or long:
        code = int(short or long, 16)
        return chr(code).encode("utf-8", "surrogatepass") if code <= sys.maxunicode else escape[0]
    return bytes([_LETTERS.get(letter[0], letter[0])])
