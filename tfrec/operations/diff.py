"""What differs between two datasets, image by image.

Records are the same image if they store the same image bytes; those that are left are then matched
by the file name that they store, where the schema stores one. Files that both manifests describe
with the same SHA-256, split and class names are not read. About 300 bytes are held for each record
of the others.
"""

import hashlib
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from tfrec.dataset.description import RecordFile
from tfrec.dataset.inputs import resolve_inputs
from tfrec.dataset.manifest import compare_settings, say_value
from tfrec.dataset.opening import open_record_file
from tfrec.errors import ExampleError
from tfrec.example import FeatureValue, decode_example, encode_example
from tfrec.example.keys import list_keys
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.schema.detect import find_filename, find_image_keys
from tfrec.schema.features import read_bytes, read_label
from tfrec.storage import AnyStorage, Storage

DifferenceKind = Literal["only in A", "only in B", "image", "class", "split", "features"]

_FileKey: TypeAlias = tuple[str, str, tuple[str, ...], int]
"""SHA-256, split, class names and the first label: what makes the records of two files equal."""

_DIGEST_SIZE = 16


class DiffRecord(NamedTuple):
    """A record of one of the datasets.

    Attributes:
        path, record_index: where it is.
        filename: that it stores; empty where it stores none.
        split: of its file; empty where nothing says it.
        class_name: by the manifest; the label's number where there is no name; empty without label.
        image: digest of the stored image.
        features: digest of all other features, without the label.
    """

    path: str
    record_index: int
    filename: str
    split: str
    class_name: str
    image: bytes
    features: bytes

    @property
    def place(self) -> str:
        """The stored file name, or else the file and the number of the record."""
        return self.filename or f"{self.path} record {self.record_index}"


@dataclass(frozen=True, slots=True)
class Difference:
    """One image that differs: `a` is its record in A, `b` that in B; one is None if it is missing.

    `kind` is "class", "split" or "features" for the same image bytes, and "image" for other bytes
    under the same file name.
    """

    kind: DifferenceKind
    a: DiffRecord | None
    b: DiffRecord | None


@dataclass(frozen=True, slots=True)
class DiffReport:
    """How two datasets differ.

    Attributes:
        settings: sentences on manifests, where both have one.
        num_same: records that are the same in all.
        differences: of the others.
    """

    settings: tuple[str, ...]
    num_same: int
    differences: tuple[Difference, ...]

    @property
    def counts(self) -> Mapping[DifferenceKind, int]:
        """How many differences there are of each kind."""
        return Counter(difference.kind for difference in self.differences)


def diff(
    path_a: str, path_b: str, *, storage: Storage | None = None, advance: Advance = ignore_progress
) -> DiffReport:
    """Compare the datasets or record files at two paths.

    Raises:
        ConfigError: a directory has no record files.
        DataLossError: a record is damaged.
        ExampleError: a record is no Example, or holds no image.
        OSError: a file can't be read.
    """
    storage = storage or AnyStorage()
    files_a, files_b = (resolve_inputs([path], storage) for path in (path_a, path_b))
    same = _find_same_files(files_a, files_b)
    num_same = sum(file.shard.num_records for file in files_a if file.shard and _key(file) in same)
    rest_a, rest_b = (
        [
            record
            for file in files
            if _key(file) not in same
            for record in _read_records(file, storage, advance)
        ]
        for files in (files_a, files_b)
    )
    num_equal = _remove_equal(rest_a, rest_b)
    differences = tuple(_match(rest_a, rest_b))
    settings = tuple(_compare_manifests(files_a, files_b))
    return DiffReport(settings, num_same + num_equal, differences)


def _key(file: RecordFile) -> _FileKey | None:
    if file.shard is None or file.manifest is None:
        return None
    manifest = file.manifest
    return (file.shard.sha256, file.find_split() or "", manifest.class_names, manifest.label_offset)


def _find_same_files(
    files_a: Iterable[RecordFile], files_b: Iterable[RecordFile]
) -> set[_FileKey | None]:
    return ({_key(file) for file in files_a} & {_key(file) for file in files_b}) - {None}


def _read_records(file: RecordFile, storage: Storage, advance: Advance) -> Iterator[DiffRecord]:
    split = file.find_split() or ""
    with open_record_file(file.path, storage) as opened:
        for index, record in enumerate(opened.read_records()):
            try:
                features = decode_example(record.data)
                yield _describe_record(features, file, index, split)
            except ExampleError as error:
                raise error.at(file.path, index) from error
            advance(1)


def _describe_record(
    features: Mapping[str, FeatureValue], file: RecordFile, index: int, split: str
) -> DiffRecord:
    keys = find_image_keys(features)
    if keys.image is None:
        raise ExampleError(f"no feature looks like an image (it has {list_keys(features)})")
    image = read_bytes(features, keys.image)
    class_name = "" if keys.label is None else _class_name(features, keys.label, file)
    filename = find_filename(features) or ""
    others = {key: value for key, value in features.items() if key not in keys}
    return DiffRecord(
        path=file.path,
        record_index=index,
        filename=filename,
        split=split,
        class_name=class_name,
        image=_digest(image),
        features=_digest(encode_example(others)),
    )


def _class_name(features: Mapping[str, FeatureValue], key: str, file: RecordFile) -> str:
    label = read_label(features, key)
    name = file.class_name(label)
    return str(label) if name is None else name


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST_SIZE).digest()


def _remove_equal(rest_a: list[DiffRecord], rest_b: list[DiffRecord]) -> int:
    """Remove the records that both have, as often as both have them; return their number."""

    def facts(record: DiffRecord) -> Hashable:
        return record.split, record.class_name, record.image, record.features

    return len(_pair(rest_a, rest_b, facts))


def _match(rest_a: list[DiffRecord], rest_b: list[DiffRecord]) -> Iterator[Difference]:
    """Pair what is left by image, then by file name; yield how pairs and single ones differ."""
    keys: tuple[Callable[[DiffRecord], Hashable], ...] = (
        lambda record: (record.image, record.filename),
        lambda record: record.image,
        lambda record: record.filename or None,
    )
    for key in keys:
        for record, other in _pair(rest_a, rest_b, key):
            yield Difference(_kind_of(record, other), record, other)
    for record in rest_a:
        yield Difference("only in A", record, None)
    for record in rest_b:
        yield Difference("only in B", None, record)


def _pair(
    rest_a: list[DiffRecord], rest_b: list[DiffRecord], key: Callable[[DiffRecord], Hashable]
) -> list[tuple[DiffRecord, DiffRecord]]:
    """Take the records of equal key out of both lists, in pairs; a key of None is equal to none."""
    waiting: dict[Hashable, deque[DiffRecord]] = {}
    for record in rest_b:
        waiting.setdefault(key(record), deque()).append(record)
    waiting.pop(None, None)
    pairs = []
    single = []
    for record in rest_a:
        others = waiting.get(key(record))
        if others:
            pairs.append((record, others.popleft()))
        else:
            single.append(record)
    taken = {id(other) for _, other in pairs}
    rest_a[:] = single
    rest_b[:] = [record for record in rest_b if id(record) not in taken]
    return pairs


def _kind_of(record: DiffRecord, other: DiffRecord) -> DifferenceKind:
    if record.image != other.image:
        return "image"
    if record.class_name != other.class_name:
        return "class"
    return "split" if record.split != other.split else "features"


def _compare_manifests(
    files_a: Iterable[RecordFile], files_b: Iterable[RecordFile]
) -> Iterator[str]:
    manifest_a, manifest_b = (
        next((file.manifest for file in files if file.manifest is not None), None)
        for files in (files_a, files_b)
    )
    if manifest_a is None or manifest_b is None:
        return
    labels_a, labels_b = manifest_a.labels, manifest_b.labels
    for name in sorted({*labels_a, *labels_b}):
        if labels_a.get(name) != labels_b.get(name):
            yield _contrast(f"class `{name}`", labels_a.get(name), labels_b.get(name))
    for what, value_a, value_b in compare_settings(manifest_a, manifest_b):
        yield _contrast(what, value_a, value_b)


def _contrast(what: str, value_a: object, value_b: object) -> str:
    return f"{what}: {say_value(value_a)} in A, {say_value(value_b)} in B"
