"""What `tfrec build --dry-run` says."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from tfrec.cli import bad_images
from tfrec.cli.build_words import say_ignored
from tfrec.cli.render import count, num_bytes, say, say_classes, say_table, tell

if TYPE_CHECKING:
    from tfrec.operations.forecast import Forecast
    from tfrec.source.image_source import ImageSource

_MAX_FILES = 10


def say_forecast(found: "Forecast", out: str, source: "ImageSource") -> None:
    """Say what a build would write, its size and its time."""
    plan = found.plan
    for note in plan.notes:
        tell(f"note: {note}")
    size, files = num_bytes(found.num_bytes), count(len(plan.shards), "file")
    say(f"{out}: would have {count(plan.num_images, 'record')} in {files}, about {size}")
    say(f"time: about {_duration(found.seconds)}, from {count(found.num_tried, 'image')} tried")
    if found.free_bytes is not None:
        verdict = "" if found.fits else ", which is not enough"
        say(f"free space: {num_bytes(found.free_bytes)}{verdict}")
    classes = enumerate(found.images_per_class.items(), plan.labels.offset)
    say_classes(((label, name, number) for label, (name, number) in classes), "images")
    if len(plan.shards) > 1:
        shown = plan.shards[:_MAX_FILES]
        say_table([(shard.name, count(len(shard.images), "record")) for shard in shown])
        if len(plan.shards) > _MAX_FILES:
            say(f"  and {count(len(plan.shards) - _MAX_FILES, 'more file')}")
    bad_images.tell_images(found.bad_images, "bad")
    bad_images.say_reasons(found.bad_images, "bad image", " of those tried")
    say_ignored(source)
    if found.would_fail:
        tell("a build would fail; `--on-error skip` leaves such images out")
    if found.num_untried:
        verb = "was" if found.num_untried == 1 else "were"
        tell(
            f"note: {count(found.num_untried, 'image')} {verb} not opened; `tfrec check` tries all"
        )


def as_document(
    found: "Forecast", source: "ImageSource", target_notes: tuple[str, ...]
) -> dict[str, Any]:
    """Return the forecast as JSON values."""
    plan = found.plan
    splits = Counter[str]()
    for shard in plan.shards:
        splits[shard.split] += len(shard.images)
    return {
        "num_records": plan.num_images,
        "num_bytes": found.num_bytes,
        "seconds": round(found.seconds, 1),
        "free_bytes": found.free_bytes,
        "fits": found.fits,
        "images_per_class": dict(found.images_per_class),
        "splits": dict(splits),
        "files": [{"name": shard.name, "num_records": len(shard.images)} for shard in plan.shards],
        "num_tried": found.num_tried,
        "would_fail": found.would_fail,
        "bad": bad_images.as_document(found.bad_images),
        "ignored": dict(source.ignored),
        "notes": [*(note.sentence for note in source.notes), *target_notes, *plan.notes],
    }


def _duration(seconds: float) -> str:
    if seconds < 60:
        return count(max(1, round(seconds)), "second")
    if seconds < 3600:
        return count(round(seconds / 60), "minute")
    return f"{seconds / 3600:,.1f} hours"
