"""`tfrec build`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from tfrec.cli import bad_images, build_words, exits, options
from tfrec.cli.build_options import dataset_options, read_settings
from tfrec.cli.command import command
from tfrec.cli.image_options import image_settings
from tfrec.cli.progress import progress_bar
from tfrec.cli.render import say, say_json, tell
from tfrec.cli.source_options import SourceOptions, source_options

if TYPE_CHECKING:
    from tfrec.dataset.build_config import BuildConfig
    from tfrec.images.settings import ImageSettings
    from tfrec.source.image_source import ImageSource


@command(
    examples=[
        "tfrec build photos/ out.tfrecords",
        "tfrec build photos/ out.tfrecords --on-error skip",
        "tfrec build photos/ dataset/ --schema tfds --split train=0.9,test=0.1 --shuffle",
    ],
    codes=(exits.FAILED, exits.LEFT_OUT),
)
@click.argument("directory", metavar="DIR", type=options.PATH)
@click.argument("out", metavar="OUT", type=options.PATH)
@source_options
@image_settings
@dataset_options
@options.on_error("bad image")
@options.quarantine
@click.option("--overwrite", is_flag=True, help="Replace OUT even where tfrec has not built it.")
@click.option(
    "--check",
    is_flag=True,
    help="Write nothing; say whether OUT is what a build would write, and exit with 1 if not.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Write nothing; show the classes and files that a build would write, their size and the "
    "time it would take. Exit with 1 if there is no room for them.",
)
@options.workers
@options.engine
@click.option(
    "--report",
    "report_path",
    metavar="FILE",
    type=options.PATH,
    help="Write a JSON report of the build to FILE.",
)
@options.json_output
@click.pass_context
def build(
    ctx: click.Context,
    directory: str,
    out: str,
    source_options: SourceOptions,
    image: "ImageSettings",
    dataset: dict[str, Any],
    on_error: Any,  # noqa: ANN401 (one of the choices above)
    quarantine: str | None,
    overwrite: bool,
    check: bool,
    dry_run: bool,
    workers: int | None,
    engine: str,
    report_path: str | None,
    as_json: bool,
) -> None:
    """Build the TFRecord dataset OUT from the labelled images in DIR.

    Each folder directly below DIR is a class; every image below it, at any depth, belongs to that
    class. Classes are sorted by the bytes of their names and numbered from 0. Each image is turned
    upright, made RGB, stretched to 256x256 and stored with its label as `img_raw` and `label`.
    Hidden and system files are ignored, and so are texts, tables, archives and videos that are so
    by name and content; all other files are tried, whatever their names.

    An OUT that ends in .tfrecord, .tfrecords, .tfrec or .record is one file, with its manifest
    beside it as OUT.json; any other OUT is a directory with several files.
    """
    from tfrec.cli.build_report import describe_build
    from tfrec.dataset.build_config import BuildConfig
    from tfrec.dataset.manifest import encode_json
    from tfrec.operations.build import build as build_dataset
    from tfrec.storage import LocalStorage

    storage = LocalStorage()
    settings = read_settings(dataset, out)
    config = BuildConfig(image=image, on_error=on_error, **settings)
    source = source_options.scan(directory, storage, from_splits=config.split_from_dirs)
    for note in source.notes:
        tell(f"note: {note.sentence}")
    if check:
        ctx.exit(_check(source, out, config, workers, engine))
    if dry_run:
        ctx.exit(_forecast(source, out, config, workers, as_json))
    with _quarantine_of(directory, quarantine) as copy_images:
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
        copy_images(report.skipped)
    build_words.tell_notes(report)
    bad_images.tell_images(report.skipped, "skipped")
    if report_path is not None:
        with storage.publish(report_path) as stream:
            stream.write(encode_json(describe_build(report, source)))
    if as_json:
        say_json(build_words.as_document(report, source))
    else:
        build_words.say_summary(report, source)
    left_out = report.skipped or any(note.is_left_out for note in source.notes)
    ctx.exit(exits.LEFT_OUT if left_out else exits.DONE)


def _check(
    source: "ImageSource", out: str, config: "BuildConfig", workers: int | None, engine: str
) -> int:
    """Say why `out` is not what a build would write; return the exit code."""
    from tfrec.operations.outdated import find_outdated

    with progress_bar(source.num_images, "images") as advance:
        reasons = find_outdated(
            source, out, config, num_workers=workers, engine=engine, advance=advance
        )
    for reason in reasons or [f"{out}: up to date"]:
        say(reason)
    return exits.FAILED if reasons else exits.DONE


def _forecast(
    source: "ImageSource", out: str, config: "BuildConfig", workers: int | None, as_json: bool
) -> int:
    """Say what a build would write; return the exit code."""
    from tfrec.cli import forecast_words
    from tfrec.operations.forecast import forecast

    found = forecast(source, out, config, num_workers=workers)
    if as_json:
        say_json(forecast_words.as_document(found, source))
    else:
        forecast_words.say_forecast(found, out, source)
    return exits.DONE if found.fits else exits.FAILED


@contextmanager
def _quarantine_of(directory: str, out: str | None) -> Iterator[bad_images.CopyImages]:
    """Yield what copies bad images to `out`; those that end the build are copied too."""
    from tfrec.errors import BadImagesError
    from tfrec.operations.quarantine import quarantine

    if out is None:
        yield bad_images.copy_nothing
        return
    try:
        yield lambda images: quarantine(images, directory, out)
    except BadImagesError as error:
        quarantine(error.images, directory, out)
        raise
