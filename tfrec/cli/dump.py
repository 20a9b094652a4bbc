"""`tfrec dump`."""

from typing import TYPE_CHECKING, Any

import click

from tfrec.cli import exits, options
from tfrec.cli.command import command
from tfrec.cli.progress import records_bar
from tfrec.cli.render import count, say, say_json, say_table, tell

if TYPE_CHECKING:
    from tfrec.operations.dump import DumpReport


@command(
    examples=[
        "tfrec dump out.tfrecords show/",
        "tfrec dump dataset/ show/ --format png --where 'label == 3'",
        "tfrec dump theirs.tfrecord show/ --image-key picture --label-key kind",
    ],
    codes=(exits.FAILED, exits.LEFT_OUT),
)
@options.dataset_paths_and_out
@options.selection
@click.option(
    "--format",
    "image_format",
    type=click.Choice(["jpeg", "png"]),
    default="jpeg",
    show_default=True,
    help="What raw pixels become; JPEG has quality 95. Encoded images are kept byte for byte.",
)
@click.option(
    "--image-key", metavar="KEY", help="The feature that is the image.  [default: looked for]"
)
@click.option(
    "--label-key", metavar="KEY", help="The feature that is the label.  [default: looked for]"
)
@click.option(
    "--size",
    metavar="WxH",
    callback=options.parse_size,
    default="256x256",
    show_default=True,
    help="Of raw pixels where neither record nor manifest says it.",
)
@options.on_error("record that is no image")
@click.option("--overwrite", is_flag=True, help="Replace OUT if it is an unchanged dump.")
@options.workers
@options.json_output
@click.pass_context
def dump(
    ctx: click.Context,
    paths: tuple[str, ...],
    out: str,
    ranges: tuple[str, ...],
    tests: tuple[str, ...],
    image_format: Any,  # noqa: ANN401 (one of the choices above)
    image_key: str | None,
    label_key: str | None,
    size: tuple[int, int],
    on_error: Any,  # noqa: ANN401 (one of the choices above)
    overwrite: bool,
    workers: int | None,
    as_json: bool,
) -> None:
    """Write the image of each record in PATH to the directory OUT.

    Each image becomes OUT/CLASS/NUMBER.jpg: the class's name from the manifest, else its number,
    and the record's number in its file. The image file's own name follows where the record has it.
    OUT appears when all images are written, or not at all.
    """
    from tfrec.operations.dump import dump as dump_records
    from tfrec.operations.selection import Selection

    selection = Selection.parse(ranges, tests)
    with records_bar(paths if selection.is_all else (), "images") as advance:
        report = dump_records(
            paths,
            out,
            selection=selection,
            image_format=image_format,
            image_key=image_key,
            label_key=label_key,
            size=size,
            on_error=on_error,
            num_workers=workers,
            overwrite=overwrite,
            advance=advance,
        )
    if not selection.is_all and not report.num_images and not report.skipped:
        options.tell_none_chosen(paths, selection)
    for error in report.skipped:
        tell(f"skipped: {error}")
    if as_json:
        say_json(_as_document(report))
    else:
        _say_summary(report)
    ctx.exit(exits.LEFT_OUT if report.skipped else exits.DONE)


def _say_summary(report: "DumpReport") -> None:
    say(f"{report.path}: {count(report.num_images, 'image')}")
    rows = [
        (f"{folder}/", count(number, "image"))
        for folder, number in report.images_per_folder.items()
    ]
    say_table(rows)
    if report.skipped:
        say(f"{count(len(report.skipped), 'record')} skipped")


def _as_document(report: "DumpReport") -> dict[str, Any]:
    return {
        "path": report.path,
        "num_images": report.num_images,
        "images_per_folder": dict(report.images_per_folder),
        "skipped": [
            {"path": error.path, "record": error.index, "reason": error.reason}
            for error in report.skipped
        ],
    }
