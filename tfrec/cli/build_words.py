"""What `tfrec build` says of a build; and of classes and ignored files, as others do too."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from tfrec.cli import bad_images
from tfrec.cli.render import count, num_bytes, say, say_classes, say_table, tell

if TYPE_CHECKING:
    from tfrec.operations.build import BuildReport
    from tfrec.source.image_source import ImageSource

_MOST_DUPLICATES = 10


def tell_notes(report: "BuildReport", told: Collection[str]) -> None:
    """Say what a user may not expect of the dataset, and hasn't been told."""
    for note in report.notes:
        if note not in told:
            tell(f"note: {note}")
    for found in report.duplicates[:_MOST_DUPLICATES]:
        tell(
            f"note: {found.path} in the split {found.split} is the same file as "
            f"{found.other_path} in {found.other_split}"
        )
    num_more = len(report.duplicates) - _MOST_DUPLICATES
    if num_more > 0:
        tell(
            f"note: and so {'is' if num_more == 1 else 'are'} {count(num_more, 'more file')}; "
            "`--report FILE` names all"
        )


def say_summary(report: "BuildReport", source: "ImageSource") -> None:
    """Say what the dataset holds, and what was left out of it."""
    manifest = report.manifest
    size = num_bytes(manifest.num_bytes)
    say(f"{report.path}: {count(manifest.num_records, 'record')}, {size}")
    num_kept = len(manifest.shards) - len(report.written)
    if num_kept:
        say(f"  {count(len(report.written), 'file')} written, {num_kept:,} kept as they were")
    if len(manifest.splits) > 1:
        splits = manifest.splits.items()
        say_table([(name, count(split.num_records, "record")) for name, split in splits])
    classes = enumerate(report.images_per_class.items(), manifest.label_offset)
    say_classes(((label, name, num_images) for label, (name, num_images) in classes), "images")
    bad_images.say_reasons(report.skipped, "image", " skipped")
    say_ignored(source)


def say_ignored(source: "ImageSource") -> None:
    """Say how many files were ignored for which reasons."""
    if source.ignored:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in source.ignored.items())
        say(f"ignored: {reasons}")


def as_document(report: "BuildReport", source: "ImageSource") -> dict[str, Any]:
    """Return the summary as JSON values."""
    manifest = report.manifest
    return {
        "path": report.path,
        "num_records": manifest.num_records,
        "num_bytes": manifest.num_bytes,
        "labels": manifest.labels,
        "images_per_class": dict(report.images_per_class),
        "shards": [shard.name for shard in manifest.shards],
        "skipped": bad_images.as_document(report.skipped),
        "ignored": dict(source.ignored),
        "notes": [*(note.sentence for note in source.notes), *report.notes],
    }
