"""`tfrec inspect`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tfrec.cli import exits, options
from tfrec.cli.command import command
from tfrec.cli.progress import progress_bar
from tfrec.cli.render import count, num_bytes, say, say_json, say_table

if TYPE_CHECKING:
    from tfrec.operations.inspect import FileSummary
    from tfrec.operations.statistics import ExampleStatistics, Range

_MAX_ROWS = 20


@command(
    examples=["tfrec inspect out.tfrecords", "tfrec inspect dataset/ --json"],
    codes=(exits.FAILED,),
)
@options.dataset_paths
@options.json_output
def inspect(paths: tuple[str, ...], as_json: bool) -> None:
    """Say what the record files and directories PATH hold.

    Shows records, bytes and compression; each feature with its kind, the lengths of its lists and
    the range of its values (for bytes: their number); the records of each class, by the names in
    the manifest where there is one; formats and sizes of the images.
    """
    from tfrec.operations.inspect import inspect as inspect_files
    from tfrec.operations.statistics import ExampleStatistics

    with progress_bar(None, "records") as advance:
        summaries = list(inspect_files(paths, advance=advance))
    total = ExampleStatistics()
    for summary in summaries:
        total.merge(summary.statistics)
    if as_json:
        say_json(_as_document(summaries, total))
        return
    for summary in summaries:
        compression = "" if summary.compression == "none" else f", {summary.compression}"
        size = num_bytes(summary.num_bytes)
        say(f"{summary.path}: {count(summary.num_records, 'record')}, {size}{compression}")
    if len(summaries) > 1:
        size = num_bytes(sum(summary.num_bytes for summary in summaries))
        num_records = sum(summary.num_records for summary in summaries)
        say(f"in all: {count(len(summaries), 'file')}, {count(num_records, 'record')}, {size}")
    _say_features(total)
    _say_labels(total, summaries)
    _say_images(total)


def _say_features(statistics: "ExampleStatistics") -> None:
    if not statistics.features:
        return
    rows = [("feature", "kind", "length", "values", "in")]
    for key, feature in sorted(statistics.features.items()):
        kinds = " or ".join(feature.kinds)
        values = _show_range(feature.values)
        if kinds == "bytes" and values:
            values += " bytes"
        share = 100 * feature.num_records / statistics.num_examples
        rows.append((key, kinds, _show_range(feature.lengths), values, f"{share:.4g}%"))
    say_table(rows)


def _say_labels(statistics: "ExampleStatistics", summaries: "list[FileSummary]") -> None:
    if not statistics.labels:
        return
    rows = [("label", "class", "records")]
    by_label = sorted(statistics.labels.items(), key=lambda item: (str(type(item[0])), item[0]))
    for label, num_records in by_label[:_MAX_ROWS]:
        name = _class_name(label, summaries)
        rows.append((str(label), name or "", f"{num_records:,}"))
    say_table(rows, numeric=frozenset({2}))
    if len(by_label) > _MAX_ROWS:
        say(f"  and {count(len(by_label) - _MAX_ROWS, 'label')} more")


def _say_images(statistics: "ExampleStatistics") -> None:
    if not statistics.image_formats:
        return
    (key, _), *_ = statistics.image_keys.most_common(1)
    formats = ", ".join(f"{num:,} {name}" for name, num in statistics.image_formats.most_common())
    say(f"images in `{key}`: {formats}")
    sizes = statistics.image_sizes.most_common()
    shown = ", ".join(f"{width}x{height} ({num:,})" for (width, height), num in sizes[:5])
    more = f" and {len(sizes) - 5:,} more sizes" if len(sizes) > 5 else ""
    say(f"image sizes: {shown or 'unknown'}{more}")


def _show_range(values: "Range") -> str:
    if values.low is None or values.high is None:
        return ""
    if values.low == values.high:
        return _show_number(values.low)
    return f"{_show_number(values.low)} to {_show_number(values.high)}"


def _show_number(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.6g}"


def _class_name(label: int | str, summaries: "list[FileSummary]") -> str | None:
    names = (summary.class_name(label) for summary in summaries)
    return next((name for name in names if name is not None), None)


def _as_document(summaries: "list[FileSummary]", total: "ExampleStatistics") -> dict[str, Any]:
    return {
        "num_records": sum(summary.num_records for summary in summaries),
        "num_bytes": sum(summary.num_bytes for summary in summaries),
        "files": [
            {
                "path": summary.path,
                "num_records": summary.num_records,
                "num_bytes": summary.num_bytes,
                "compression": summary.compression,
            }
            for summary in summaries
        ],
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
        "image_sizes": _as_sizes(total.image_sizes),
    }


def _as_sizes(sizes: Mapping[tuple[int, int], int]) -> list[dict[str, int]]:
    return [
        {"width": width, "height": height, "num_images": num_images}
        for (width, height), num_images in sizes.items()
    ]
