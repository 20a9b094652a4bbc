"""`tfrec build`."""

from typing import TYPE_CHECKING, Any

import click

from tfrec.cli import exits, options
from tfrec.cli.build_options import dataset_options, read_settings
from tfrec.cli.command import command
from tfrec.cli.image_options import image_settings
from tfrec.cli.progress import progress_bar
from tfrec.cli.render import count, num_bytes, say, say_json, say_table, tell
from tfrec.cli.source_options import SourceOptions, source_options

if TYPE_CHECKING:
    from tfrec.dataset.plan import BuildConfig
    from tfrec.operations.build import BuildReport
    from tfrec.source.image_source import ImageSource
    from tfrec.source.walk import LabelRule


@command(
    examples=[
        "tfrec build photos/ out.tfrecords",
        "tfrec build photos/ out.tfrecords --on-error skip",
        "tfrec build photos/ dataset/ --num-shards 8",
    ],
    codes=(exits.FAILED, exits.LEFT_OUT),
)
@click.argument("directory", metavar="DIR")
@click.argument("out", metavar="OUT")
@dataset_options
@click.option(
    "--on-error",
    type=click.Choice(["fail", "skip"]),
    default="fail",
    show_default=True,
    help="What a bad image does: end the build, or be left out and named.",
)
@click.option("--overwrite", is_flag=True, help="Replace OUT even where tfrec has not built it.")
@options.workers
@options.engine
@click.option(
    "--check",
    is_flag=True,
    help="Write nothing; say whether OUT is what a build would write, and exit with 1 if not.",
)
@click.option(
    "--report", "report_path", metavar="FILE", help="Write a JSON report of the build to FILE."
)
@options.json_output
@click.pass_context
def build(
    ctx: click.Context,
    /,
    directory: str,
    out: str,
    on_error: Any,  # noqa: ANN401 (one of the choices above)
    quarantine: str | None,
    overwrite: bool,
    workers: int | None,
    as_json: bool,
    engine: str,
    check: bool,
    report_path: str | None,
    **dataset: Any,  # noqa: ANN401 (the options of build_options)
) -> None:
    """Build the TFRecord dataset OUT from the labelled images in DIR.

    Each folder directly below DIR is a class; every image below it, at any depth, belongs to that
    class. Classes are sorted by the bytes of their names and numbered from 0. Each image is turned
    upright, made RGB, stretched to 256x256 and stored with its label as `img_raw` and `label`.
    Hidden and system files are ignored; all other files are tried, whatever their names.

    An OUT that ends in .tfrecord, .tfrecords, .tfrec or .record is one file, with its manifest
    beside it as OUT.json; any other OUT is a directory with several files.
    """
    from tfrec.dataset.manifest import encode_json
    from tfrec.dataset.plan import BuildConfig
    from tfrec.errors import BadImagesError
    from tfrec.operations.build import build as build_dataset
    from tfrec.operations.build_report import describe_build
    from tfrec.source.walk import scan_images
    from tfrec.storage import LocalStorage

    storage = LocalStorage()
    settings = read_settings(dataset, out)
    label_rule: LabelRule = "second" if settings["split_from_dirs"] else "top"
    source = scan_images(directory, storage=storage, label_rule=label_rule)
    for note in source.notes:
        tell(f"note: {note.sentence}")
    config = BuildConfig(on_error=on_error, **settings)
    if check:
        _check(ctx, source, out, config, workers, engine)
    with progress_bar(source.num_images, "images") as advance:
        report = build_dataset(
            source,
            out,
            config,
            storage=storage,
            engine=engine,
            num_workers=workers,
            overwrite=overwrite,
            advance=advance,
        )
    _tell_notes(report)
    if report_path is not None:
        with storage.publish(report_path) as stream:
            stream.write(encode_json(describe_build(report, source)))
    for image in report.manifest.skipped:
        tell(f"skipped: {image.path}: {image.reason}")
    if as_json:
        say_json(_as_document(report, source))
    else:
        _say_summary(report, source)
    left_out = report.manifest.skipped or any(note.is_left_out for note in source.notes)
    ctx.exit(exits.LEFT_OUT if left_out else exits.DONE)


def _check(
    ctx: click.Context,
    source: "ImageSource",
    out: str,
    config: "BuildConfig",
    workers: int | None,
    engine: str,
) -> None:
    from tfrec.operations.outdated import find_outdated

    with progress_bar(source.num_images, "images") as advance:
        reasons = find_outdated(
            source, out, config, num_workers=workers, engine=engine, advance=advance
        )
    for reason in reasons:
        say(reason)
    if not reasons:
        say(f"{out}: up to date")
    ctx.exit(exits.FAILED if reasons else exits.DONE)


def _tell_notes(report: "BuildReport") -> None:
    for note in report.notes:
        tell(f"note: {note}")
    for found in report.duplicates:
        tell(
            f"note: {found.path} in the split {found.split} is the same file as "
            f"{found.other_path} in {found.other_split}"
        )


def _say_summary(report: "BuildReport", source: "ImageSource") -> None:
    shards = report.manifest.shards
    size = num_bytes(sum(shard.num_bytes for shard in shards))
    say(f"{report.path}: {count(report.manifest.num_records, 'record')}, {size}")
    if len(report.manifest.splits) > 1:
        splits = report.manifest.splits.items()
        say_table([(name, count(split.num_records, "record")) for name, split in splits])
    rows = [
        (str(label), name, count(num_images, "image"))
        for label, (name, num_images) in enumerate(
            report.images_per_class.items(), report.manifest.label_offset
        )
    ]
    say_table([("label", "class", "images"), *rows], numeric=frozenset({0}))
    bad_images.say_reasons(_skipped_images(report), "skipped")
    if source.ignored:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in source.ignored.items())
        say(f"ignored: {reasons}")


def _skipped_images(report: "BuildReport") -> "list[ImageError]":
    from tfrec.errors import ImageError

    return [ImageError(image.path, image.reason) for image in report.manifest.skipped]


def _as_document(report: "BuildReport", source: "ImageSource") -> dict[str, Any]:
    manifest = report.manifest
    return {
        "path": report.path,
        "num_records": manifest.num_records,
        "num_bytes": sum(shard.num_bytes for shard in manifest.shards),
        "labels": manifest.labels,
        "images_per_class": dict(report.images_per_class),
        "shards": [shard.name for shard in manifest.shards],
        "skipped": bad_images.as_document(_skipped_images(report)),
        "ignored": dict(source.ignored),
        "notes": [note.sentence for note in source.notes],
    }
