"""Labelled images from a table: a CSV or TSV file with a path and a class in each row.

Paths are relative to the image directory. The first row is a header if it has a cell that names a
column of paths (`path`, `filename`, …) and no such file exists; without one, the first column is
the path and the second the class. Quoted cells may hold line ends, so a row is known by its last
line.
"""

import codecs
import csv
import io
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tfrec.errors import ConfigError, SourceError
from tfrec.source.image_source import ImageSource, Note
from tfrec.source.labels import LabelMap
from tfrec.source.paths import display_path
from tfrec.source.walk import make_source, require_directory
from tfrec.storage.base import Storage

# Compared in lower case; the first one present is taken.
PATH_COLUMNS = (
    "path", "filepath", "file_path", "image_path", "filename", "file_name", "file", "image_file",
    "image", "image_name", "image_id", "img", "name", "id",
)  # fmt: skip
LABEL_COLUMNS = ("label", "class", "class_name", "label_name", "category", "target", "y")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class _Row(NamedTuple):
    line: int
    path: str
    label: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class _Columns:
    """Which cell of a row is what; `others` are the names of all further ones, in order."""

    path: int
    label: int
    others: tuple[str, ...]
    has_header: bool

    @property
    def num_columns(self) -> int:
        return len(self.others) + 2


def scan_table(
    table: str,
    directory: str,
    *,
    storage: Storage,
    labels: LabelMap | None = None,
    offset: int = 0,
    delimiter: str | None = None,
    has_header: bool | None = None,
) -> ImageSource:
    """Take the images that `table` names below `directory`, and their classes.

    Cells are parted by `delimiter`; None is the first of tab, comma and semicolon that the first
    line has.
    Further columns become `columns` and `values` of the source. A row whose file is missing is left
    out with a note.

    Raises:
        SourceError: the table can't be read, or gives an image two classes; says in which line.
        OSError: the table can't be opened.
    """
    if delimiter is not None and len(delimiter) != 1:
        raise ConfigError(f"the delimiter is {delimiter!r}, and must be one character")
    require_directory(directory, storage=storage)
    shown = display_path(table)
    text = _read_text(table, storage=storage)
    lines = _read_lines(text, delimiter or _find_delimiter(text), shown)
    if not lines:
        raise SourceError(f"{shown}: it has no row")
    columns = _find_columns(lines[0][1], directory, storage=storage, has_header=has_header)
    rows = list(_read_rows(lines, columns, shown))
    notes: list[Note] = []
    found = list(_choose_rows(rows, directory, shown, notes, storage=storage))
    if not found:
        more = f"; {notes[0].sentence}" if notes else ""
        raise SourceError(f"{shown}: it names no image of {display_path(directory)}{more}")
    classes: dict[str, list[str]] = {}
    for row in found:
        classes.setdefault(row.label, []).append(row.path)
    source = make_source(directory, classes, labels=labels, offset=offset, ignored={}, notes=notes)
    values = {row.path: row.values for row in found} if columns.others else {}
    return replace(source, columns=columns.others, values=values)


def _read_text(table: str, *, storage: Storage) -> str:
    with storage.open_read(table) as stream:
        content = stream.read()
    if content.startswith(_UTF16):
        raise SourceError(f"{display_path(table)}: it is UTF-16; save the table as UTF-8")
    return content.decode("utf-8-sig", "surrogateescape")


def _find_delimiter(text: str) -> str:
    first_line = text.partition("\n")[0]
    return next((one for one in "\t,;" if one in first_line), ",")


def _read_lines(text: str, delimiter: str, shown: str) -> list[tuple[int, list[str]]]:
    """Return the rows that aren't blank, each with the line it ends in."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        return [(reader.line_num, cells) for cells in reader if any(cells)]
    except csv.Error as error:
        raise SourceError(f"{shown}: line {reader.line_num}: {error}") from error


def _find_columns(
    first: Sequence[str], directory: str, *, storage: Storage, has_header: bool | None
) -> _Columns:
    names = [cell.strip().lower() for cell in first]
    path = next((names.index(name) for name in PATH_COLUMNS if name in names), 0)
    if has_header is None:
        is_file = storage.info(_join(storage, directory, first[path])) is not None
        has_header = names[path] in PATH_COLUMNS and not is_file
    if not has_header:
        return _Columns(
            0, 1, tuple(f"column_{number}" for number in range(3, len(first) + 1)), False
        )
    rest = [index for index in range(len(names)) if index != path]
    label = next(
        (names.index(name) for name in LABEL_COLUMNS if name in names), rest[0] if rest else 1
    )
    others = tuple(first[index].strip() for index in rest if index != label)
    return _Columns(path, label, others, True)


def _read_rows(
    lines: Sequence[tuple[int, list[str]]], columns: _Columns, shown: str
) -> Iterator[_Row]:
    for line, cells in lines[columns.has_header :]:
        if len(cells) != columns.num_columns:
            num_cells = f"{len(cells)} cell{'' if len(cells) == 1 else 's'}"
            raise SourceError(
                f"{shown}: line {line}: it has {num_cells}, and the first row has "
                f"{columns.num_columns}"
            )
        path, label = cells[columns.path].strip(), cells[columns.label].strip()
        if not path or not label:
            what = "label" if path else "path"
            raise SourceError(f"{shown}: line {line}: the {what} is empty")
        others = [i for i in range(len(cells)) if i not in (columns.path, columns.label)]
        yield _Row(line, _normalise(path, line, shown), label, tuple(cells[i] for i in others))


def _normalise(path: str, line: int, shown: str) -> str:
    normal = posixpath.normpath(path)
    if normal.startswith(("/", "../")) or normal in (".", "..") or "\0" in normal:
        raise SourceError(
            f"{shown}: line {line}: the path `{display_path(path)}` is not below the image "
            "directory; give paths relative to it"
        )
    return normal


def _choose_rows(
    rows: Sequence[_Row], directory: str, shown: str, notes: list[Note], *, storage: Storage
) -> Iterator[_Row]:
    """Yield each image's first row; note what is missing or repeated."""
    first: dict[str, _Row] = {}
    for row in rows:
        path = display_path(row.path)
        known = first.setdefault(row.path, row)
        if known.label != row.label:
            raise SourceError(
                f"{shown}: line {row.line}: `{path}` is of the class `{display_path(row.label)}`, "
                f"and of `{display_path(known.label)}` in line {known.line}"
            )
        if known is not row:
            sentence = f"{shown}: line {row.line} names `{path}`, as line {known.line} does"
            notes.append(Note("repeated row", row.path, sentence))
            continue
        info = storage.info(_join(storage, directory, row.path))
        if info is None or info.kind != "file":
            sentence = f"{shown}: line {row.line} names `{path}`, and there is no such file"
            if "\\" in path:
                sentence += "; write `/` between folders"
            notes.append(Note("missing file", row.path, sentence))
        else:
            yield row


def _join(storage: Storage, directory: str, path: str) -> str:
    return storage.join(directory, *path.split("/"))
