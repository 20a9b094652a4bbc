"""Progress bars: rate and remaining time on a terminal, silence elsewhere."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from tfrec.cli.interrupts import raise_lost
from tfrec.operations.progress import Advance


@contextmanager
def progress_bar(total: int | None, unit: str) -> Iterator[Advance]:
    """Show how many of `total` are done, on stderr; yield what to call with each number done."""
    if not sys.stderr.isatty():
        yield _raise_lost_interrupt
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=f" {unit}", leave=False, dynamic_ncols=True) as bar:

        def advance(num_done: int) -> None:
            raise_lost()
            bar.update(num_done)

        yield advance


def _raise_lost_interrupt(_num_done: int) -> None:
    raise_lost()


def records_bar(paths: Sequence[str], unit: str) -> AbstractContextManager[Advance]:
    """Show how many records of files are done, of how many where their manifests say it."""
    total = _count_records(paths) if sys.stderr.isatty() else None
    return progress_bar(total, unit)


def _count_records(paths: Sequence[str]) -> int | None:
    from tfrec.dataset.inputs import resolve_inputs
    from tfrec.dataset.opening import STANDARD_INPUT
    from tfrec.storage import AnyStorage

    if not paths or STANDARD_INPUT in paths:
        return None
    numbers = [file.num_records for file in resolve_inputs(paths, AnyStorage())]
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None
