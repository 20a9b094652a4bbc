"""`tfrec diff`."""

from typing import TYPE_CHECKING, Any

import click

from tfrec.cli import exits, options
from tfrec.cli.command import command
from tfrec.cli.progress import progress_bar
from tfrec.cli.render import count, say, say_json, tell

if TYPE_CHECKING:
    from tfrec.operations.diff import Difference, DiffRecord, DiffReport


@command(
    examples=["tfrec diff old/ new/", "tfrec diff old.tfrecords new.tfrecords --json"],
    codes=(exits.FAILED,),
)
@click.argument("path_a", metavar="A", type=options.PATH)
@click.argument("path_b", metavar="B", type=options.PATH)
@options.json_output
@click.pass_context
def diff(ctx: click.Context, path_a: str, path_b: str, as_json: bool) -> None:
    """Say what differs between the datasets A and B, by image.

    Records are of the same image if they store the same bytes of it, or else the same file name.
    The order of records, and how they are divided into files, make no difference. A record that
    stores no file name, as those of the schema raw, is named by its place.
    """
    from tfrec.operations.diff import diff as diff_datasets

    with progress_bar(None, "records") as advance:
        report = diff_datasets(path_a, path_b, advance=advance)
    if as_json:
        say_json(_as_document(report))
    else:
        _say_report(report)
    ctx.exit(exits.FAILED if report.differences or report.settings else exits.DONE)


def _say_report(report: "DiffReport") -> None:
    for sentence in report.settings:
        say(sentence)
    for difference in report.differences:
        say(_sentence(difference))
    _tell_nameless(report)
    counts = [f"{number:,} {kind}" for kind, number in report.counts.items()]
    same = count(report.num_same, "record")
    say(f"{same} the same" + (f"; differences: {', '.join(counts)}" if counts else ""))


def _tell_nameless(report: "DiffReport") -> None:
    """Say how the image of a record that has no file name is seen, if one differs."""
    records = (record for found in report.differences for record in (found.a, found.b) if record)
    nameless = next((record for record in records if not record.filename), None)
    if nameless is not None:
        tell(
            "note: where records store no file name, their place is told; "
            f"`tfrec dump {nameless.path} OUT --index {nameless.record_index}` shows the first"
        )


def _sentence(difference: "Difference") -> str:
    a, b, kind = difference.a, difference.b, difference.kind
    if a is None or b is None:
        record = a or b
        return f"{kind}: {_describe(record)}" if record is not None else kind
    if kind == "class":
        return f"class: {a.place}: {a.class_name} in A, {b.class_name} in B"
    if kind == "split":
        return f"split: {a.place}: {a.split or '?'} in A, {b.split or '?'} in B"
    return f"{kind}: {a.place} in A, {b.place} in B"


def _describe(record: "DiffRecord") -> str:
    facts = ", ".join(filter(None, (record.split, record.class_name)))
    return f"{record.place} ({facts})" if facts else record.place


def _as_document(report: "DiffReport") -> dict[str, Any]:
    return {
        "settings": list(report.settings),
        "num_same": report.num_same,
        "differences": [
            {
                "kind": difference.kind,
                "a": _record_document(difference.a),
                "b": _record_document(difference.b),
            }
            for difference in report.differences
        ],
    }


def _record_document(record: "DiffRecord | None") -> dict[str, Any] | None:
    if record is None:
        return None
    return {
        "path": record.path,
        "record": record.record_index,
        "filename": record.filename or None,
        "split": record.split or None,
        "class": record.class_name or None,
    }
