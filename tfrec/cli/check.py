"""`tfrec check`."""

from typing import TYPE_CHECKING

import click

from tfrec.cli import bad_images, exits, options
from tfrec.cli.build_words import say_ignored
from tfrec.cli.command import command
from tfrec.cli.image_options import image_settings
from tfrec.cli.progress import progress_bar
from tfrec.cli.render import count, say, say_classes, say_json, tell
from tfrec.cli.source_options import SourceOptions, source_options

if TYPE_CHECKING:
    from tfrec.images.settings import ImageSettings


@command(
    examples=[
        "tfrec check photos/",
        "tfrec check photos/ --quarantine bad/",
        "tfrec check photos/ --json",
    ],
    codes=(exits.FAILED, exits.LEFT_OUT),
)
@click.argument("directory", metavar="DIR", type=options.PATH)
@source_options
@image_settings
@options.quarantine
@options.workers
@options.json_output
@click.pass_context
def check(
    ctx: click.Context,
    directory: str,
    source_options: SourceOptions,
    image: "ImageSettings",
    quarantine: str | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Decode every image in DIR as `tfrec build` would, name the bad ones, and write nothing."""
    from tfrec.dataset.build_config import BuildConfig
    from tfrec.operations.check import check as check_images
    from tfrec.operations.quarantine import quarantine as copy_images
    from tfrec.source.advice import refuse_folder_inside
    from tfrec.storage import AnyStorage

    storage = AnyStorage()
    source = source_options.scan(directory, storage)
    if quarantine is not None:
        refuse_folder_inside(source, quarantine, what="the quarantine", storage=storage)
    for note in source.notes:
        tell(f"note: {note.sentence}")
    config = BuildConfig(image=image)
    with progress_bar(source.num_images, "images") as advance:
        report = check_images(source, config, storage=storage, num_workers=workers, advance=advance)
    bad_images.tell_images(report.bad_images, "bad")
    if as_json:
        say_json(
            {
                "num_images": report.num_images,
                "images_per_class": dict(report.images_per_class),
                "bad": bad_images.as_document(report.bad_images),
                "ignored": dict(source.ignored),
                "notes": [note.sentence for note in source.notes],
            }
        )
    else:
        say(f"{directory}: {count(report.num_images, 'good image')}")
        labels = source.labels
        classes = report.images_per_class.items()
        say_classes(((labels.number(name), name, number) for name, number in classes), "images")
        bad_images.say_reasons(report.bad_images, "bad image")
        say_ignored(source)
    if quarantine is not None:
        copy_images(report.bad_images, directory, quarantine, storage=storage)
    if report.bad_images:
        ctx.exit(exits.FAILED)
    left_out = any(note.is_left_out for note in source.notes)
    ctx.exit(exits.LEFT_OUT if left_out else exits.DONE)
