"""Class names and their numbers.

Classes are numbered in the order of their bytes, so `10` comes before `2`, or in the order of a
label file. The numbers have no gap and start at `offset`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from tfrec.errors import ConfigError
from tfrec.source.paths import escape_name, sort_key


@dataclass(frozen=True)
class LabelMap:
    """Class names in the order of their numbers; the first has the number `offset`."""

    names: tuple[str, ...]
    offset: int = 0

    def __post_init__(self) -> None:
        if self.offset < 0:
            raise ConfigError(f"the label offset is {self.offset}, and must be at least 0")
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
        return "".join(f"{escape_name(name)}\n" for name in self.names)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names, self.offset)}
