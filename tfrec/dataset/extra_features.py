"""Further features of each record, that the user asks for: a fixed value, or a column of the table.

    KEY[:KIND]=VALUE      the same value in every record
    KEY[:KIND]=@COLUMN    the image's value in a column of the table

KIND is bytes, int64 or float. Where it isn't said, all values together decide: whole numbers are
int64, other numbers float, and everything else bytes. An empty cell is an empty list.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from tfrec.errors import ConfigError, SourceError
from tfrec.example import BytesList, FeatureInput, FloatList, Int64List
from tfrec.source.image_source import ImageSource
from tfrec.source.paths import display_path

ExtraKind = Literal["bytes", "int64", "float"]

_FORM = re.compile(r"(?P<key>[^=]+?)(?::(?P<kind>bytes|int64|float))?=(?P<value>.*)", re.DOTALL)
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ExtraFeature:
    """A further feature: `value` in every record, or the value at `position` of the image's own."""

    key: str
    kind: ExtraKind
    value: str = ""
    position: int | None = None

    def read(self, values: Sequence[str]) -> FeatureInput:
        """Return the feature of an image with these values."""
        text = self.value if self.position is None else values[self.position]
        if self.kind == "int64":
            return Int64List((int(text),) if text else ())
        if self.kind == "float":
            return FloatList((float(text),) if text else ())
        return BytesList((text.encode("utf-8", "surrogateescape"),) if text else ())


def resolve_extra_features(
    texts: Iterable[str], source: ImageSource, taken: Iterable[str]
) -> tuple[ExtraFeature, ...]:
    """Read what the user asks for; `taken` are the keys that the schema has already.

    Raises:
        ConfigError: a text has another form, a key is there twice, or there is no such column.
        SourceError: a value is not of the kind asked for.
    """
    found: dict[str, ExtraFeature] = {}
    taken = frozenset(taken)
    for text in texts:
        feature = _resolve(text, source)
        if feature.key in found or feature.key in taken:
            raise ConfigError(f"feature `{text}`: the record has a feature `{feature.key}` already")
        found[feature.key] = feature
    return tuple(found.values())


def _resolve(text: str, source: ImageSource) -> ExtraFeature:
    form = _FORM.fullmatch(text)
    if form is None:
        raise ConfigError(f"feature `{text}`: give KEY=VALUE or KEY=@COLUMN")
    kind = cast("ExtraKind | None", form["kind"])
    key, value = form["key"], form["value"]
    if not key.isascii() and key.encode("utf-8", "ignore").decode() != key:
        raise ConfigError(f"feature `{text}`: a key is text, and this one is no UTF-8")
    if not value.startswith("@"):
        _refuse_other_kind(text, kind, {text: value})
        return ExtraFeature(key, kind or _guess_kind([value]), value)
    if value[1:] not in source.columns:
        columns = ", ".join(f"`{column}`" for column in source.columns)
        remedy = f"it has {columns}" if columns else "only the table of `--csv` has columns"
        raise ConfigError(f"feature `{text}`: there is no column `{value[1:]}`; {remedy}")
    position = source.columns.index(value[1:])
    cells = {path: values[position] for path, values in source.values.items()}
    _refuse_other_kind(text, kind, cells)
    return ExtraFeature(key, kind or _guess_kind(cells.values()), position=position)


def _guess_kind(values: Iterable[str]) -> ExtraKind:
    given = [value for value in values if value]
    if given and all(map(_WHOLE.fullmatch, given)):
        return "int64"
    return "float" if given and all(map(_NUMBER.fullmatch, given)) else "bytes"


def _refuse_other_kind(text: str, kind: ExtraKind | None, values: Mapping[str, str]) -> None:
    form = {"int64": _WHOLE, "float": _NUMBER}.get(kind or "")
    if form is None:
        return
    for place, value in values.items():
        if value and not form.fullmatch(value):
            raise SourceError(
                f"feature `{text}`: the value `{value}` of `{display_path(place)}` is no {kind}"
            )
