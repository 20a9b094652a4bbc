"""Class names and their numbers.

Classes are numbered in the order of their bytes, so `10` comes before `2`, or as a label file says.
The numbers have no gap and start at `offset`. Three forms of label files are in use, told apart by
what they hold:

    one name a line          daisy               numbered from `offset`
    numbered lines           0:daisy             (TensorFlow-Slim, labels.txt)
    label map                item { id: 1 name: 'daisy' }    (TensorFlow Object Detection API)
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from tfrec.errors import ConfigError, SourceError
from tfrec.source.label_map_text import LabelEntry, is_label_map, parse_label_map
from tfrec.source.paths import display_path, escape_name, sort_key, unescape_name
from tfrec.storage.base import Storage

_END_OF_INT64 = 1 << 63
_LINE_END = re.compile(r"\r\n?|\n")
_NUMBERED = re.compile(r"(\d{1,18}):(.*)", re.ASCII | re.DOTALL)


@dataclass(frozen=True)
class LabelMap:
    """Class names in the order of their numbers; the first has the number `offset`."""

    names: tuple[str, ...]
    offset: int = 0

    def __post_init__(self) -> None:
        if self.offset < 0:
            raise ConfigError(f"the label offset is {self.offset}, and must be at least 0")
        if self.offset + len(self.names) > _END_OF_INT64:
            raise ConfigError(
                f"the label offset is {self.offset}, and labels are numbers of 64 bits"
            )
        if len(self._numbers) != len(self.names):
            name = next(name for name in self.names if self.names.count(name) > 1)
            raise ConfigError(f"the class `{escape_name(name)}` is named twice")

    @classmethod
    def from_classes(cls, classes: Iterable[str], *, offset: int = 0) -> "LabelMap":
        """Give the classes their numbers, in the order of their bytes."""
        return cls(tuple(sorted(set(classes), key=sort_key)), offset)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._numbers

    def number(self, name: str) -> int:
        """Return the number of a class, or raise KeyError."""
        return self._numbers[name]

    def name(self, number: int) -> str:
        """Return the name of a class, or raise KeyError."""
        if not 0 <= number - self.offset < len(self.names):
            raise KeyError(number)
        return self.names[number - self.offset]

    def to_text(self) -> str:
        """Return the names as a label file: one a line, as `escape_name` writes them."""
        names = map(escape_name, self.names)
        # Not to be taken for a numbered line.
        return "".join(_NUMBERED.sub(r"\1\\x3a\2", name) + "\n" for name in names)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names, self.offset)}


def read_labels(path: str, *, storage: Storage, offset: int | None = None) -> LabelMap:
    """Read a label file; `offset` is the first number where the file has no numbers (default 0).

    Raises:
        SourceError: a name or number is repeated or missing; says in which line.
        ConfigError: `offset` is not the file's own first number.
    """
    shown = display_path(path)
    with storage.open_read(path) as stream:
        text = _decode(stream.read(), shown)
    entries = parse_label_map(text, shown) if is_label_map(text) else _parse_lines(text, shown)
    if not entries:
        raise SourceError(f"{shown}: it has no label")
    _refuse_repetitions(entries, shown)
    if entries[0].number is None:
        return LabelMap(tuple(entry.name for entry in entries), offset or 0)
    labels = _order_by_number(entries, shown)
    if offset not in (None, labels.offset):
        raise ConfigError(
            f"{shown}: its labels start at {labels.offset}, which contradicts the offset {offset}"
        )
    return labels


def _decode(content: bytes, shown: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SourceError(
            f"{shown}: line {line}: it is no UTF-8; save the file as UTF-8"
        ) from error


def _parse_lines(text: str, shown: str) -> list[LabelEntry]:
    lines = [line.strip(" \t") for line in _LINE_END.split(text)]
    while lines and not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, 1):
        if not line:
            raise SourceError(f"{shown}: line {number}: it is blank, between two labels")
    numbered = [_NUMBERED.fullmatch(line) for line in lines]
    entries = []
    for number, (line, found) in enumerate(zip(lines, numbered, strict=True), 1):
        if found and all(numbered):
            entries.append(LabelEntry(number, int(found[1]), unescape_name(found[2].strip(" \t"))))
        else:
            entries.append(LabelEntry(number, None, unescape_name(line)))
    return entries


def _refuse_repetitions(entries: Iterable[LabelEntry], shown: str) -> None:
    lines: dict[str | int, int] = {}
    for entry in entries:
        for value in (entry.name, entry.number):
            if value is None:
                continue
            if value in lines:
                what = (
                    f"label `{escape_name(value)}`" if isinstance(value, str) else f"number {value}"
                )
                raise SourceError(
                    f"{shown}: line {entry.line}: the {what} stands in line {lines[value]} already"
                )
            lines[value] = entry.line


def _order_by_number(entries: Sequence[LabelEntry], shown: str) -> LabelMap:
    numbered = sorted((entry.number or 0, entry.line, entry.name) for entry in entries)
    first = numbered[0][0]
    for expected, (number, line, _) in enumerate(numbered, first):
        if number != expected:
            raise SourceError(
                f"{shown}: line {line}: the number {number} follows {expected - 1}; "
                f"{expected} is missing, and labels are numbered without a gap"
            )
    return LabelMap(tuple(name for _, _, name in numbered), first)
