"""What people read of images that cannot be used: build, check."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tfrec.cli.render import count, say, say_table, tell

if TYPE_CHECKING:
    from tfrec.errors import ImageError


def tell_images(images: "Sequence[ImageError]", verdict: str) -> None:
    """Name each bad image and its reason."""
    for image in images:
        tell(f"{verdict}: {image}")


def tell_failure(images: "Sequence[ImageError]") -> None:
    """Name each image that has ended the build, and what can be done about them."""
    tell_images(images, "error")
    tell(
        "the dataset was not written; `--on-error skip` leaves such images out, and `tfrec check` "
        "names all of them"
    )


def say_reasons(images: "Sequence[ImageError]", noun: str, verdict: str = "") -> None:
    """Say how many images can't be used, and for which reasons."""
    if not images:
        return
    say(f"{count(len(images), noun)}{verdict}")
    reasons = Counter(image.kind for image in images)
    say_table(
        [(f"{number:,}", reason) for reason, number in reasons.most_common()],
        numeric=frozenset({0}),
    )


def as_document(images: "Sequence[ImageError]") -> list[dict[str, Any]]:
    """Return the images as JSON values."""
    return [{"path": image.path, "reason": image.reason} for image in images]
