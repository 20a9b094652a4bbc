"""Copy bad images to a directory of their own, with the reasons."""

import shutil
from collections.abc import Iterable

from tfrec.errors import ImageError
from tfrec.source.paths import display_path
from tfrec.storage import AnyStorage, Storage, is_shortage

REASONS_NAME = "reasons.tsv"


def quarantine(
    images: Iterable[ImageError], directory: str, out: str, *, storage: Storage | None = None
) -> None:
    """Copy each bad image of `directory` to the same path below `out`.

    `out/reasons.tsv` has a line for each: its path and the reason. A file that can't be read has
    its line, and no copy. What another run left in `out` stays, but for the list of reasons.

    Raises:
        OSError: a copy can't be written; it names the file.
    """
    storage = storage or AnyStorage()
    lines = []
    for image in images:
        lines.append(f"{display_path(image.path)}\t{display_path(image.reason)}\n")
        try:
            source = storage.open_read(storage.join(directory, image.path))
        except OSError as error:
            if is_shortage(error):
                raise
            continue
        with source, storage.publish(storage.join(out, image.path)) as target:
            shutil.copyfileobj(source, target)
    with storage.publish(storage.join(out, REASONS_NAME)) as target:
        target.write("".join(lines).encode())
