"""`tfrec build`."""

from typing import TYPE_CHECKING, Any

import click

from tfrec.cli import bad_images, exits, options
from tfrec.cli.command import command
from tfrec.cli.image_options import image_settings
from tfrec.cli.progress import progress_bar
from tfrec.cli.render import count, num_bytes, say, say_json, say_table, tell
from tfrec.cli.source_options import SourceOptions, source_options

if TYPE_CHECKING:
    from tfrec.errors import ImageError
    from tfrec.images.settings import ImageSettings
    from tfrec.operations.build import BuildReport
    from tfrec.source.image_source import ImageSource


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
@source_options
@image_settings
@click.option(
    "--num-shards",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many files a directory dataset has.  [default: about 250 MiB of raw pixels each]",
)
@options.on_error("bad image")
@options.quarantine
@click.option("--overwrite", is_flag=True, help="Replace OUT even where tfrec has not built it.")
@options.workers
@options.json_output
@click.pass_context
def build(
    ctx: click.Context,
    directory: str,
    out: str,
    source_options: SourceOptions,
    image: "ImageSettings",
    num_shards: int | None,
    on_error: Any,  # noqa: ANN401 (one of the choices above)
    quarantine: str | None,
    overwrite: bool,
    workers: int | None,
    as_json: bool,
) -> None:
    """Build the TFRecord dataset OUT from the labelled images in DIR.

    Each folder directly below DIR is a class; every image below it, at any depth, belongs to that
    class. Classes are sorted by the bytes of their names and numbered from 0. Each image is turned
    upright, made RGB, stretched to 256x256 and stored with its label as `img_raw` and `label`.
    Hidden and system files are ignored; all other files are tried, whatever their names.

    An OUT that ends in .tfrecord, .tfrecords, .tfrec or .record is one file, with its manifest
    beside it as OUT.json; any other OUT is a directory with several files.
    """
    from tfrec.dataset.plan import BuildConfig
    from tfrec.errors import BadImagesError
    from tfrec.operations.build import build as build_dataset
    from tfrec.operations.quarantine import quarantine as copy_images
    from tfrec.storage import LocalStorage

    storage = LocalStorage()
    source = source_options.scan(directory, storage)
    for note in source.notes:
        tell(f"note: {note.sentence}")
    config = BuildConfig(image=image, num_shards=num_shards, on_error=on_error)
    try:
        with progress_bar(source.num_images, "images") as advance:
            report = build_dataset(
                source,
                out,
                config,
                storage=storage,
                num_workers=workers,
                overwrite=overwrite,
                advance=advance,
            )
    except BadImagesError as error:
        if quarantine is not None:
            copy_images(error.images, directory, quarantine, storage=storage)
        raise
    skipped = _skipped_images(report)
    bad_images.tell_images(skipped, "skipped")
    if quarantine is not None:
        copy_images(skipped, directory, quarantine, storage=storage)
    if as_json:
        say_json(_as_document(report, source))
    else:
        _say_summary(report, source)
    left_out = report.manifest.skipped or any(note.is_left_out for note in source.notes)
    ctx.exit(exits.LEFT_OUT if left_out else exits.DONE)


def _say_summary(report: "BuildReport", source: "ImageSource") -> None:
    shards = report.manifest.shards
    size = num_bytes(sum(shard.num_bytes for shard in shards))
    say(f"{report.path}: {count(report.manifest.num_records, 'record')}, {size}")
    labels = source.labels
    rows = [
        (str(labels.number(name)), name, count(num_images, "image"))
        for name, num_images in report.images_per_class.items()
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
        "labels": {name: source.labels.number(name) for name in manifest.class_names},
        "images_per_class": dict(report.images_per_class),
        "shards": [shard.name for shard in manifest.shards],
        "skipped": bad_images.as_document(_skipped_images(report)),
        "ignored": dict(source.ignored),
        "notes": [note.sentence for note in source.notes],
    }
