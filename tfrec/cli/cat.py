"""`tfrec cat`."""

from typing import TYPE_CHECKING, Any

import click

from tfrec.cli import exits, options
from tfrec.cli.command import command
from tfrec.cli.render import say, say_json_line, say_table, tell

if TYPE_CHECKING:
    from tfrec.operations.cat import JsonValue, ShownRecord

_MAX_VALUES = 8


@command(
    examples=[
        "tfrec cat out.tfrecords --index 0",
        "tfrec cat out.tfrecords --index -3: --features label",
        "tfrec cat dataset/ --where 'label == 3' --json",
    ],
    codes=(exits.FAILED,),
)
@options.dataset_paths
@options.selection
@click.option("--features", "keys", metavar="KEY,...", help="The features to show.  [default: all]")
@click.option(
    "--bytes",
    "bytes_form",
    type=click.Choice(["short", "base64"]),
    default="short",
    show_default=True,
    help="How bytes that are no text are shown: their number and their first, or all.",
)
@options.json_output
def cat(
    paths: tuple[str, ...],
    ranges: tuple[str, ...],
    tests: tuple[str, ...],
    keys: str | None,
    bytes_form: Any,  # noqa: ANN401 (one of the choices above)
    as_json: bool,
) -> None:
    """Show the records of PATH: files, directories, patterns, or `-` for standard input.

    With --json, each record is a line of JSON. Bytes that are text are shown as text.
    """
    from tfrec.operations.cat import cat as show_records
    from tfrec.operations.selection import Selection

    selection = Selection.parse(ranges, tests)
    records = show_records(
        paths,
        selection=selection,
        keys=[key for key in (keys or "").split(",") if key],
        bytes_form=bytes_form,
    )
    is_empty = True
    for record in records:
        is_empty = False
        if as_json:
            say_json_line(_as_document(record))
        else:
            _say_record(record)
    if is_empty and selection.is_all:
        tell("note: there is no record")
    elif is_empty:
        options.tell_none_chosen(paths, selection)


def _say_record(record: "ShownRecord") -> None:
    kind = "" if record.kind == "Example" else f", {record.kind}"
    say(f"{record.path}: record {record.index} at offset {record.offset}{kind}")
    rows = [
        (feature.key, feature.kind, _show_values(list(feature.values)))
        for feature in record.features
    ]
    if rows:
        say_table(rows)


def _show_values(values: "list[JsonValue]") -> str:
    shown = [_show_value(value) for value in values[:_MAX_VALUES]]
    more = f" and {len(values) - _MAX_VALUES:,} more" if len(values) > _MAX_VALUES else ""
    return (", ".join(shown) or "(empty)") + more


def _show_value(value: "JsonValue") -> str:
    if isinstance(value, dict):
        if "base64" in value:
            return f"base64 {value['base64']}"
        return f"{value['num_bytes']:,} bytes: {value['start']}…"
    if isinstance(value, float):
        return f"{value:.7g}"
    return repr(value) if isinstance(value, str) else str(value)


def _as_document(record: "ShownRecord") -> dict[str, Any]:
    return {
        "path": record.path,
        "record": record.index,
        "offset": record.offset,
        "num_bytes": record.num_bytes,
        "kind": record.kind,
        "features": {feature.key: list(feature.values) for feature in record.features},
    }
