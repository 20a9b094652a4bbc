"""Cut the records that a selection finds in files into pieces that can be read apart.

    find_records    a file -> how many of its records are meant, and where some of them start
    divide_records  those of all files -> a slice for each file that is to be written
    SliceReader     a slice -> its records

All three can be pickled and take small arguments, so the first and the last can run anywhere.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from typing import NamedTuple, TypeAlias

from tfrec.dataset.description import RecordFile
from tfrec.dataset.opening import STANDARD_INPUT, open_record_file
from tfrec.dataset.record_file import find_places
from tfrec.engine import until_stopped
from tfrec.errors import ConfigError, DataLossError
from tfrec.operations.selection import Selection, Start, select_records
from tfrec.storage import Storage

_ALL_MARKS = 1 << 20  # of all files together, 100 bytes each
_MIN_MARKS = 256  # of a file at least, so that no more than this part of it is read in vain


class FoundRecords(NamedTuple):
    """What a file has of the records that are meant.

    Attributes:
        path: of the file.
        num_records: that are meant.
        step: between records that are marked.
        marks: where the first of them starts, and every `step`th from there on; of a compressed
            file, the first place in it alone.
    """

    path: str
    num_records: int
    step: int
    marks: tuple[Start, ...]

    def cut(self, begin: int, end: int) -> "Part":
        """Return the part from one record that is meant to before another."""
        mark = min(begin // self.step, len(self.marks) - 1)
        return Part(self.path, self.marks[mark], begin - mark * self.step, end - begin)


class Part(NamedTuple):
    """Records of one file: so many that are meant, after those that are skipped from `start` on."""

    path: str
    start: Start
    num_skipped: int
    num_records: int


Slice: TypeAlias = tuple[Part, ...]


def find_records(
    path: str, *, selection: Selection, storage: Storage, num_files: int
) -> FoundRecords:
    """Find the records of a file that are meant, by their lengths alone where that is enough.

    Args:
        path: of the file.
        selection: of its records.
        storage: where it is.
        num_files: of which it is one; the more, the fewer places are kept of each.

    Raises:
        ConfigError: the file is standard input, which can be read once only.
        DataLossError: a record is damaged.
    """
    if path == STANDARD_INPUT:
        raise ConfigError("standard input can't be divided into several files; write one")
    max_marks = max(_MIN_MARKS, _ALL_MARKS // num_files)
    with open_record_file(path, storage) as opened:
        is_plain = opened.compression == "none"
    starts = _find_starts(path, selection, storage, is_plain=is_plain)
    marks: list[Start] = []
    step, num_records = 1, 0
    for num_records, start in enumerate(until_stopped(starts), 1):
        if is_plain and (num_records - 1) % step == 0:
            marks.append(start)
            if len(marks) > max_marks:
                del marks[1::2]
                step *= 2
    return FoundRecords(path, num_records, step, tuple(marks) or (Start(0, 0),))


def _find_starts(
    path: str, selection: Selection, storage: Storage, *, is_plain: bool
) -> Iterator[Start]:
    if is_plain and selection.is_all:
        offsets = find_places(path, storage).offsets
        return map(Start, range(len(offsets) - 1), offsets)
    selected = select_records([RecordFile(path)], selection, storage)
    return (Start(record.index, record.offset) for record in selected)


def divide_records(found: Sequence[FoundRecords], num_slices: int) -> list[Slice]:
    """Return slices of all records that were found, in order; their sizes differ by one at most."""
    ends = list(accumulate(file.num_records for file in found))
    size, num_longer = divmod(ends[-1] if ends else 0, num_slices)
    borders = list(
        accumulate((size + (number < num_longer) for number in range(num_slices)), initial=0)
    )
    return [tuple(_cut(found, ends, start, stop)) for start, stop in pairwise(borders)]


def _cut(
    found: Sequence[FoundRecords], ends: Sequence[int], start: int, stop: int
) -> Iterator[Part]:
    for number in range(bisect_right(ends, start), len(found)):
        first = ends[number] - found[number].num_records
        if first >= stop:
            return
        if found[number].num_records:
            yield found[number].cut(max(start - first, 0), min(stop, ends[number]) - first)


@dataclass(frozen=True, slots=True)
class SliceReader:
    """Reads slices of the records that are meant."""

    selection: Selection
    storage: Storage

    def read(self, parts: Slice) -> Iterator[bytes]:
        """Yield the records of a slice.

        Raises:
            DataLossError: a record is damaged, or a file isn't any more what it was.
        """
        for part in parts:
            selected = select_records(
                [RecordFile(part.path)], self.selection, self.storage, start=part.start
            )
            records = islice(selected, part.num_skipped, part.num_skipped + part.num_records)
            num_left = part.num_records
            for record in records:
                yield record.data
                num_left -= 1
            if num_left:
                raise DataLossError(
                    part.path, *part.start, "the file has changed while it was read"
                )
