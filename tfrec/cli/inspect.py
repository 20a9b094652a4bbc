"""`tfrec inspect`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from tfrec.cli import exits, options
from tfrec.cli.command import command
from tfrec.cli.progress import progress_bar
from tfrec.cli.render import count, num_bytes, say, say_classes, say_json, say_table

if TYPE_CHECKING:
    from tfrec.operations.inspect import FileSummary
    from tfrec.operations.statistics import Range, RecordStatistics

_MAX_ROWS = 20
_MAX_WIDTH = 40  # of a name
_KINDS = {
    "Example": "Example",
    "SequenceExample": "SequenceExample",
    "Event": "Event",
    "proto": "of another type",
    "bytes": "no messages but bytes",
}


@command(
    examples=[
        "tfrec inspect out.tfrecords",
        "tfrec inspect dataset/ --json",
        "tfrec inspect 'old/*'",
    ],
    codes=(exits.FAILED,),
)
@options.dataset_paths
@click.option("--all", "read_all", is_flag=True, help="Look at every record of large files too.")
@options.json_output
def inspect(paths: tuple[str, ...], read_all: bool, as_json: bool) -> None:
    """Say what PATH holds: files, directories, patterns, or `-` for standard input.

    Shows records, bytes and compression of each file; which messages they are; each feature with
    its kind, the lengths of its lists and the range of its values (for bytes: their number); the
    schema, where it is a known one; the records of each class, with the names that the dataset
    gives; formats and sizes of the images.

    Of a file of 256 MiB or more, or of more than 10,000 records, a sample of the records is looked
    at, which is said.
    """
    from tfrec.operations.inspect import inspect as inspect_files
    from tfrec.operations.statistics import RecordStatistics

    with progress_bar(None, "records") as advance:
        summaries = list(inspect_files(paths, read_all=read_all, advance=advance))
    total = RecordStatistics()
    for summary in summaries:
        total.merge(summary.statistics)
    if as_json:
        say_json(_as_document(summaries, total))
        return
    _say_files(summaries)
    _say_messages(summaries, total)
    _say_features(total)
    _say_labels(total, summaries)
    _say_images(total)


def _say_files(summaries: "list[FileSummary]") -> None:
    for summary in summaries:
        compression = "" if summary.compression == "none" else f", {summary.compression}"
        empty = " (an empty file)" if summary.num_bytes == 0 else ""
        size = num_bytes(summary.num_bytes)
        records = count(summary.num_records, "record")
        say(f"{summary.file.path}: {records}, {size}{compression}{empty}")
    if len(summaries) > 1:
        size = num_bytes(sum(summary.num_bytes for summary in summaries))
        num_records = sum(summary.num_records for summary in summaries)
        say(f"in all: {count(len(summaries), 'file')}, {count(num_records, 'record')}, {size}")


def _say_messages(summaries: "list[FileSummary]", statistics: "RecordStatistics") -> None:
    num_records = sum(summary.num_records for summary in summaries)
    if statistics.num_records < num_records:
        say(
            f"a sample of {statistics.num_records:,} of {count(num_records, 'record')} was looked "
            "at; `--all` looks at all"
        )
    if set(statistics.kinds) - {"Example"}:
        kinds = ", ".join(f"{num:,} {_KINDS[kind]}" for kind, num in statistics.kinds.most_common())
        say(f"messages: {kinds}")
    if statistics.summary_values:
        values = statistics.summary_values.most_common()
        say(f"summary values: {', '.join(f'{num:,} {kind}' for kind, num in values)}")
    if statistics.schema is not None:
        say(f"schema: {statistics.schema}")


def _say_features(statistics: "RecordStatistics") -> None:
    if not statistics.features:
        return
    rows = [("feature", "kind", "length", "values", "in")]
    num_messages = statistics.kinds["Example"] + statistics.kinds["SequenceExample"]
    for key, feature in sorted(statistics.features.items()):
        kinds = " or ".join(feature.kinds)
        values = _show_range(feature.values)
        if kinds == "bytes" and values:
            values += " bytes"
        share = 100 * feature.num_records / num_messages
        rows.append((_shorten(key), kinds, _show_range(feature.lengths), values, f"{share:.4g}%"))
    say_table(rows)


def _say_labels(statistics: "RecordStatistics", summaries: "list[FileSummary]") -> None:
    if not statistics.labels:
        return
    rows: list[tuple[int | str, str, int]] = []
    by_label = sorted(statistics.labels.items(), key=lambda item: (str(type(item[0])), item[0]))
    for label, num_records in by_label[:_MAX_ROWS]:
        name = _class_name(label, summaries)
        shown = label if isinstance(label, int) else _shorten(label)
        rows.append((shown, _shorten(name or ""), num_records))
    say_classes(rows, "records")
    if len(by_label) > _MAX_ROWS:
        say(f"  and {count(len(by_label) - _MAX_ROWS, 'label')} more")


def _say_images(statistics: "RecordStatistics") -> None:
    if not statistics.image_formats:
        return
    (key, _), *_ = statistics.image_keys.most_common(1)
    formats = ", ".join(f"{num:,} {name}" for name, num in statistics.image_formats.most_common())
    say(f"images in `{key}`: {formats}")
    sizes = statistics.image_sizes.most_common()
    shown = ", ".join(f"{width}x{height} ({num:,})" for (width, height), num in sizes[:5])
    more = f" and {len(sizes) - 5:,} more sizes" if len(sizes) > 5 else ""
    say(f"image sizes: {shown or 'unknown'}{more}")


def _shorten(name: str) -> str:
    return name if len(name) <= _MAX_WIDTH else f"{name[: _MAX_WIDTH - 1]}…"


def _show_range(values: "Range") -> str:
    if values.low is None or values.high is None:
        return ""
    if values.low == values.high:
        return _show_number(values.low)
    return f"{_show_number(values.low)} to {_show_number(values.high)}"


def _show_number(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.6g}"


def _class_name(label: int | str, summaries: "list[FileSummary]") -> str | None:
    names = (summary.file.class_name(label) for summary in summaries)
    return next((name for name in names if name is not None), None)


def _as_document(summaries: "list[FileSummary]", total: "RecordStatistics") -> dict[str, Any]:
    return {
        "num_records": sum(summary.num_records for summary in summaries),
        "num_bytes": sum(summary.num_bytes for summary in summaries),
        "files": [
            {
                "path": summary.file.path,
                "num_records": summary.num_records,
                "num_bytes": summary.num_bytes,
                "compression": summary.compression,
            }
            for summary in summaries
        ],
        "num_looked_at": total.num_records,
        "kinds": dict(total.kinds),
        "schema": total.schema,
        "features": {
            key: {
                "kinds": dict(feature.kinds),
                "num_records": feature.num_records,
                "lengths": [feature.lengths.low, feature.lengths.high],
                "values": [feature.values.low, feature.values.high],
            }
            for key, feature in sorted(total.features.items())
        },
        "labels": [
            {"label": label, "class": _class_name(label, summaries), "num_records": num_records}
            for label, num_records in total.labels.items()
        ],
        "image_formats": dict(total.image_formats),
        "summary_values": dict(total.summary_values),
        "image_sizes": _as_sizes(total.image_sizes),
    }


def _as_sizes(sizes: Mapping[tuple[int, int], int]) -> list[dict[str, int]]:
    return [
        {"width": width, "height": height, "num_images": num_images}
        for (width, height), num_images in sizes.items()
    ]
