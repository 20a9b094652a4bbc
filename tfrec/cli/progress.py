"""Progress bars: rate and remaining time on a terminal, silence elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tfrec.operations.progress import Advance, ignore_progress


@contextmanager
def progress_bar(total: int | None, unit: str) -> Iterator[Advance]:
    """Show how many of `total` are done, on stderr; yield what to call with each number done."""
    if not sys.stderr.isatty():
        yield ignore_progress
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=f" {unit}", leave=False, dynamic_ncols=True) as bar:

        def advance(num_done: int) -> None:
            bar.update(num_done)

        yield advance
