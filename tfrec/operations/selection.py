"""Which records are meant: by their numbers in the file, and by tests of their features.

3  -1  2:10  :5  -3:          numbers, as Python counts them; one or several
label == 3                    one of the feature's values is so: == != < <= > >=
image/class/text == 'tabby'   bytes are compared as text
label                         the record has the feature
"""

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from tfrec.dataset.description import RecordFile
from tfrec.dataset.opening import STANDARD_INPUT, open_record_file
from tfrec.dataset.record_file import TFRecordFile, find_places
from tfrec.errors import ConfigError, ExampleError
from tfrec.example import BytesList, FeatureValue, decode_example
from tfrec.storage import Storage
from tfrec.wire import RecordReader

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_TEST = re.compile(r"\s*(?P<key>[^\s=!<>].*?)\s*(?:(?P<sign>==|!=|<=|>=|<|>)\s*(?P<value>.+?)\s*)?")
_RANGE = re.compile(r"(?P<start>-?\d+)?(?P<colon>:)?(?P<stop>-?\d+)?")


@dataclass(frozen=True, slots=True)
class FeatureTest:
    """A test of one feature: one of its values is in the relation `sign` to `value`.

    Without a sign, the record only has to have the feature.
    """

    key: str
    sign: str | None = None
    value: int | float | str = ""

    @classmethod
    def parse(cls, text: str) -> "FeatureTest":
        """Read `label == 3` and its like.

        Raises:
            ConfigError: the text is no such test.
        """
        found = _TEST.fullmatch(text)
        key = _unquote(found["key"]) if found is not None else ""
        is_quoted = found is not None and key != found["key"]
        # A sign in a bare key is one that is wrong, such as `label = 3`.
        if found is None or not key or (not is_quoted and re.search("[=!<>]", key)):
            raise ConfigError(f"{text!r} is no test of a feature; write it like 'label == 3'")
        if found["sign"] is None:
            return cls(key)
        return cls(key, found["sign"], _parse_value(found["value"]))

    def __call__(self, features: Mapping[str, FeatureValue]) -> bool:
        """Say whether the features pass."""
        feature = features.get(self.key)
        if feature is None or self.sign is None:
            return feature is not None
        compare = _OPERATORS[self.sign]
        if isinstance(feature, BytesList):
            text = str(self.value).encode(errors="surrogateescape")
            return any(compare(bytes(value), text) for value in feature.values)
        if isinstance(self.value, str):
            raise ConfigError(f"feature {self.key!r} has numbers, and {self.value!r} is none")
        return any(compare(value, self.value) for value in feature.values)


@dataclass(frozen=True, slots=True)
class Selection:
    """Records by their numbers in each file (all, if there are none) that pass all tests."""

    ranges: tuple[slice, ...] = ()
    tests: tuple[FeatureTest, ...] = ()

    @classmethod
    def parse(cls, ranges: Iterable[str], tests: Iterable[str]) -> "Selection":
        """Read numbers like `3` and `2:10`, and tests like `label == 3`.

        Raises:
            ConfigError: a text is none.
        """
        return cls(tuple(map(_parse_range, ranges)), tuple(map(FeatureTest.parse, tests)))

    @property
    def is_all(self) -> bool:
        """Whether every record is meant."""
        return not self.ranges and not self.tests


@dataclass(frozen=True, slots=True)
class SelectedRecord:
    """A record, and where it is."""

    file: RecordFile
    index: int
    offset: int
    data: bytes


class Start(NamedTuple):
    """Where reading a file begins: number and offset of a record of the uncompressed file."""

    record_index: int
    offset: int


_FIRST = Start(0, 0)


def select_records(
    files: Iterable[RecordFile], selection: Selection, storage: Storage, *, start: Start = _FIRST
) -> Iterator[SelectedRecord]:
    """Yield the records that are meant, in the order of the files and in theirs.

    Those of each file are looked for from `start` on.

    Raises:
        ConfigError: a number counts from the end of a compressed file.
        DataLossError: a record before the last one that is meant is damaged.
        ExampleError: a record that is tested is no Example.
    """
    for file in files:
        for record in _read_ranges(file, selection.ranges, storage, start):
            if selection.tests:
                try:
                    features = decode_example(record.data)
                except ExampleError as error:
                    raise error.at(file.path, record.index) from error
                if not all(test(features) for test in selection.tests):
                    continue
            yield record


def count_records(files: Iterable[RecordFile], selection: Selection, storage: Storage) -> int:
    """Return how many records are meant, by the lengths alone where that is enough.

    Raises:
        ConfigError: a file is standard input, which can be read once only.
    """
    total = 0
    for file in files:
        if file.path == STANDARD_INPUT:
            raise ConfigError("standard input can't be divided into several files; write one")
        with open_record_file(file.path, storage) as opened:
            is_plain = selection.is_all and opened.compression == "none"
        if is_plain:
            total += len(find_places(file.path, storage))
        else:
            total += sum(1 for _ in select_records([file], selection, storage))
    return total


def _read_ranges(
    file: RecordFile, ranges: Sequence[slice], storage: Storage, start: Start
) -> Iterator[SelectedRecord]:
    counts_back = any((part.start or 0) < 0 or (part.stop or 0) < 0 for part in ranges)
    if counts_back:
        with TFRecordFile(file.path, storage=storage) as records:
            numbers = {number for part in ranges for number in range(*part.indices(len(records)))}
            for number in sorted(number for number in numbers if number >= start.record_index):
                offset = records.places.offsets[number]
                yield SelectedRecord(file, number, offset, records[number])
        return
    stops = [part.stop for part in ranges]
    last = None if not ranges or None in stops else max(stops)
    with _open_records(file.path, storage, start) as records:
        if last == 0:
            return
        for index, record in enumerate(records, start.record_index):
            if not ranges or any(_holds(part, index) for part in ranges):
                yield SelectedRecord(file, index, record.offset, record.data)
            if last is not None and index + 1 >= last:
                return


@contextmanager
def _open_records(path: str, storage: Storage, start: Start) -> Iterator[RecordReader]:
    if start == _FIRST:
        with open_record_file(path, storage) as opened:
            yield opened.read_records()
    else:
        with storage.open_read(path) as stream:
            stream.seek(start.offset)
            yield RecordReader(stream, path=path, start=start)


def _holds(part: slice, index: int) -> bool:
    return (part.start or 0) <= index and (part.stop is None or index < part.stop)


def _parse_range(text: str) -> slice:
    found = _RANGE.fullmatch(text.strip())
    if found is None or (found["start"] is None and found["colon"] is None):
        raise ConfigError(f"{text!r} is no number of records; write `3`, `-1`, `2:10` or `5:`")
    start = None if found["start"] is None else int(found["start"])
    if found["colon"] is None and start is not None:
        return slice(start, start + 1 if start != -1 else None)
    return slice(start, None if found["stop"] is None else int(found["stop"]))


def _parse_value(text: str) -> int | float | str:
    for number_type in (int, float):
        try:
            return number_type(text)
        except ValueError:
            continue
    return _unquote(text)


def _unquote(text: str) -> str:
    is_quoted = len(text) >= 2 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if is_quoted else text
