"""`tfrec build`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from tfrec.cli import bad_images, build_words, exits, options
from tfrec.cli.build_options import dataset_options, read_settings
from tfrec.cli.command import command
from tfrec.cli.image_options import image_settings
from tfrec.cli.interrupts import Interrupted, raise_lost
from tfrec.cli.progress import progress_bar
from tfrec.cli.render import say, say_json, tell
from tfrec.cli.source_options import SourceOptions, source_options

if TYPE_CHECKING:
    from tfrec.dataset.build_config import BuildConfig
    from tfrec.images.settings import ImageSettings
    from tfrec.source.image_source import ImageSource
    from tfrec.storage import Storage


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
    "time it would take. Up to 64 of the images are tried. Exit with 1 if one of these would end "
    "the build, or there is no room.",
)
@options.workers
@options.engine
@options.ray_address
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
    ray_address: str | None,
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
    from tfrec.errors import BadImagesError
    from tfrec.operations.build import build as build_dataset
    from tfrec.operations.building.changes import note_target
    from tfrec.operations.quarantine import quarantine as copy_images
    from tfrec.source.advice import refuse_folder_inside
    from tfrec.storage import AnyStorage

    storage = AnyStorage()
    _refuse_without_build(check, dry_run, report_path, quarantine)
    options.set_ray_address(engine, ray_address)
    _refuse_report(report_path, out, storage)
    settings = read_settings(dataset, out)
    config = BuildConfig(image=image, on_error=on_error, **settings)
    source = source_options.scan(directory, storage, from_splits=config.split_from_dirs)
    if quarantine is not None:
        refuse_folder_inside(source, quarantine, what="the quarantine", storage=storage)
    for note in source.notes:
        tell(f"note: {note.sentence}")
    if check:
        ctx.exit(_check(source, out, config, workers, engine, as_json))
    # Before the build: as long as it works, the dataset that is there can be kept with Ctrl-C.
    target_notes = note_target(source, out, config, storage)
    for sentence in target_notes:
        tell(f"note: {sentence}")
    if dry_run:
        ctx.exit(_forecast(source, out, config, workers, as_json, target_notes))
    try:
        with (
            _telling_what_is_kept(out, storage),
            progress_bar(source.num_images, "images") as advance,
        ):
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
    except BadImagesError as error:
        raise_lost()  # which may be why an image didn't decode
        bad_images.tell_failure(error.images)
        if quarantine is not None:
            copy_images(error.images, directory, quarantine, storage=storage)
        ctx.exit(exits.FAILED)
    build_words.tell_notes(report, told=target_notes)
    bad_images.tell_images(report.skipped, "skipped")
    if as_json:
        say_json(build_words.as_document(report, source))
    else:
        build_words.say_summary(report, source)
    # After the words: where one of these can't be written, the dataset is there all the same.
    if quarantine is not None:
        copy_images(report.skipped, directory, quarantine, storage=storage)
    if report_path is not None:
        with storage.publish(report_path) as stream:
            stream.write(encode_json(describe_build(report, source)))
    left_out = report.skipped or any(note.is_left_out for note in source.notes)
    ctx.exit(exits.LEFT_OUT if left_out else exits.DONE)


@contextmanager
def _telling_what_is_kept(out: str, storage: "Storage") -> Iterator[None]:
    """Have an interrupt say where the same command goes on."""
    from tfrec.operations.building.directory import has_finished_files

    try:
        yield
    except Interrupted as interrupt:
        if has_finished_files(out, storage):
            interrupt.remark = "the same command goes on from the files that are finished"
        raise


def _refuse_without_build(
    check: bool, dry_run: bool, report_path: str | None, quarantine: str | None
) -> None:
    """Raise where one option says to write nothing, and another what to write."""
    quiet = [name for name, given in (("--check", check), ("--dry-run", dry_run)) if given]
    others = [
        name
        for name, path in (("--report", report_path), ("--quarantine", quarantine))
        if path is not None
    ]
    if quiet and len(quiet + others) > 1:
        names = " and ".join(f"`{name}`" for name in (quiet + others)[:2])
        raise click.UsageError(f"{names} contradict each other; leave one of them out")


def _refuse_report(path: str | None, out: str, storage: "Storage") -> None:
    """Raise where the report would take the place of the dataset."""
    from tfrec.dataset.naming import manifest_path

    if path is not None and any(
        storage.contains(path, taken) for taken in (out, manifest_path(out))
    ):
        raise click.UsageError(f"`--report {path}` would replace the dataset; name another file")


def _check(
    source: "ImageSource",
    out: str,
    config: "BuildConfig",
    workers: int | None,
    engine: str,
    as_json: bool,
) -> int:
    """Say why `out` is not what a build would write; return the exit code."""
    from tfrec.operations.outdated import find_outdated

    with progress_bar(source.num_images, "images") as advance:
        reasons = find_outdated(
            source, out, config, num_workers=workers, engine=engine, advance=advance
        )
    if as_json:
        say_json({"path": out, "is_up_to_date": not reasons, "reasons": list(reasons)})
    else:
        for reason in reasons or [f"{out}: up to date"]:
            say(reason)
    return exits.FAILED if reasons else exits.DONE


def _forecast(
    source: "ImageSource",
    out: str,
    config: "BuildConfig",
    workers: int | None,
    as_json: bool,
    target_notes: tuple[str, ...],
) -> int:
    """Say what a build would write; return the exit code."""
    from tfrec.cli import forecast_words
    from tfrec.operations.forecast import forecast

    found = forecast(source, out, config, num_workers=workers)
    if as_json:
        say_json(forecast_words.as_document(found, source, target_notes))
    else:
        forecast_words.say_forecast(found, out, source)
    return exits.DONE if found.fits and not found.would_fail else exits.FAILED
