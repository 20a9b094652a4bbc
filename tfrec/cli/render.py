"""What people and programs read: text, numbers with units, JSON.

Results go to stdout, everything else to stderr. Names come from files, and a file may be named
anything: every line is made harmless before it is shown.
"""

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any
from unicodedata import combining, east_asian_width

import click

from tfrec.cli import exits
from tfrec.source.paths import display_path


def say(text: str) -> None:
    """Write a line of a result."""
    _write(display_path(text))


def tell(text: str) -> None:
    """Write a line about the work; where nobody can read it, the work goes on all the same."""
    with contextlib.suppress(OSError):
        click.echo(display_path(text), err=True)


def say_json(document: Any) -> None:  # noqa: ANN401 (any JSON value)
    """Write a result as one JSON document."""
    _write(json.dumps(document, indent=1))


def say_json_line(document: Any) -> None:  # noqa: ANN401 (any JSON value)
    """Write one of many results as one line of JSON."""
    _write(json.dumps(document))


def say_table(rows: Iterable[Sequence[str]], *, numeric: frozenset[int] = frozenset()) -> None:
    """Write rows in columns; those in `numeric` are set to the right."""
    cells = [[display_path(cell) for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (
            _pad(cell, width, is_number=position in numeric)
            for position, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        _write(f"  {'  '.join(padded)}".rstrip())


def _pad(cell: str, width: int, *, is_number: bool) -> str:
    space = " " * (width - _width(cell))
    return space + cell if is_number else cell + space


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text
    )


def say_classes(rows: Iterable[tuple[int | str, str, int]], noun: str) -> None:
    """Write the label, the name and the number of images or records of each class."""
    cells = [(str(label), name, f"{number:,}") for label, name, number in rows]
    say_table([("label", "class", noun), *cells], numeric=frozenset({0, 2}))


def count(number: int, noun: str) -> str:
    """Return `1 image`, `1,024 images`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {'classes' if noun == 'class' else noun + 's'}"


def num_bytes(number: int) -> str:
    """Return a size in bytes with a unit: `196 KiB`."""
    if number < 1024:
        return f"{number:,} bytes"
    size = float(number)
    for unit in ("KiB", "MiB", "GiB"):
        size /= 1024
        if size < 1024:
            return f"{size:.1f} {unit}"
    return f"{size / 1024:,.1f} TiB"


def _write(text: str) -> None:
    try:
        click.echo(text)
    except BrokenPipeError:
        # Whoever reads has seen enough. What is still buffered must not fail at exit.
        _drop_output()
        raise click.exceptions.Exit(exits.DONE) from None
    except OSError as error:
        _drop_output()
        raise OSError(error.errno, error.strerror, "standard output") from None


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
