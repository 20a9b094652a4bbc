"""What is checked of an intact record: its message, its features, its label and its image.

A file's records are held to one another: the first ones decide which message all are, and
the first Example which kind each feature has. A file of messages that are no Examples, nor any
other known ones, is checked as records alone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tfrec.dataset.description import RecordFile
from tfrec.dataset.stored_images import decode_stored_image
from tfrec.errors import ExampleError, ImageError
from tfrec.example import FeatureValue, decode_example
from tfrec.example.kinds import MessageKind, detect_kind
from tfrec.example.scanner import parse_feature
from tfrec.example.skeleton import Skeleton, find_skeleton
from tfrec.example.values import KIND_NAMES, ListType
from tfrec.schema.detect import ImageKeys, find_filename, find_image_keys
from tfrec.schema.features import read_buffer

_NUM_VOTERS = 16
_MAX_SKELETONS = 16  # of records that have so many different lengths, few are alike


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at one place of a file.

    Attributes:
        index: of the record, from 0; None where the fault is the whole file's.
        offset: in bytes of the uncompressed stream; None where the fault is the whole file's.
        reason: what is wrong.
        start, end: the offsets between which bytes are lost, where any are.
        source: the name of the image that the record was made of, where it is known.
    """

    index: int | None
    offset: int | None
    reason: str
    start: int | None = None
    end: int | None = None
    source: str | None = None


@dataclass(slots=True)
class RecordChecker:
    """Checks the records of one file, in their order.

    Attributes:
        file: to which they belong.
        check_images: decode the images too.
        kind: of the messages, once it is known.
    """

    file: RecordFile
    check_images: bool = False
    kind: MessageKind | None = None
    _undecided: list[tuple[int, int, MessageKind, str]] = field(default_factory=list)
    _first_kinds: dict[str, ListType] = field(default_factory=dict)
    _has_empty: bool = False
    _keys: ImageKeys = field(default_factory=lambda: ImageKeys(None, None))
    _skeletons: dict[int, Skeleton | None] = field(default_factory=dict)  # by size

    def check(self, index: int, offset: int, data: bytes) -> Iterator[Fault]:
        """Yield the faults of a record, and those of earlier ones that show only now."""
        if self._is_like_a_good_one(data):
            return
        kind, reason, features = _parse(data)
        if features is not None and not features:
            self._has_empty = True  # which any message may be, so it has no vote
            return
        if kind == "Example" and reason:
            yield Fault(index, offset, reason)
        if features is not None:
            faults = list(self._check_example(features))
            for fault in faults:
                yield Fault(index, offset, fault, source=find_filename(features))
            if not faults:
                self._remember(data)
        if self.kind is None:
            self._undecided.append((index, offset, kind, reason))
            if len(self._undecided) == _NUM_VOTERS:
                yield from self.decide()
        else:
            yield from self._check_kind(index, offset, kind, reason)

    def decide(self) -> Iterator[Fault]:
        """Yield the faults that show at the end of the records."""
        if self.kind is None and self._undecided:
            votes = Counter(kind for _, _, kind, _ in self._undecided)
            self.kind = "Example" if votes["Example"] else votes.most_common(1)[0][0]
        elif self.kind is None and self._has_empty:
            self.kind = "Example"
        for index, offset, kind, reason in self._undecided:
            yield from self._check_kind(index, offset, kind, reason)
        self._undecided.clear()

    def _remember(self, data: bytes) -> None:
        """Keep what a record without faults has in common with others of its length."""
        if len(data) not in self._skeletons and len(self._skeletons) < _MAX_SKELETONS:
            self._skeletons[len(data)] = find_skeleton(data)

    def _is_like_a_good_one(self, data: bytes) -> bool:
        """Say whether a record can have no faults, because an earlier one like it has none."""
        skeleton = self._skeletons.get(len(data))
        if self.kind != "Example" or self.check_images or not skeleton or not skeleton.fits(data):
            return False
        key = self._keys.label
        if not self.file.class_names or key is None or key not in skeleton.features:
            return True
        start, end = skeleton.features[key]
        label = _single(parse_feature(key, (data[start:end],)))
        return not any(self._check_label(label))

    def _check_kind(
        self, index: int, offset: int, kind: MessageKind, reason: str
    ) -> Iterator[Fault]:
        if kind == self.kind or self.kind in ("proto", "bytes", None):
            return
        if self.kind == "Example":
            yield Fault(index, offset, reason)
        else:
            yield Fault(index, offset, f"no {self.kind}, as others of the file are")

    def _check_example(self, features: Mapping[str, FeatureValue]) -> Iterator[str]:
        """Yield what is wrong with a decoded Example."""
        kinds = {key: type(value) for key, value in features.items()}
        if not self._first_kinds:
            self._first_kinds = kinds
            self._keys = find_image_keys(features)
        if kinds != self._first_kinds:
            yield from self._compare_kinds(kinds)
        label = _single(features.get(self._keys.label or ""))
        yield from self._check_label(label)
        if self.check_images:
            image_key = find_image_keys(features).image
            if image_key is not None:
                yield from self._check_image(features, image_key)

    def _compare_kinds(self, kinds: Mapping[str, ListType]) -> Iterator[str]:
        """Yield how the features differ from those of the first record."""
        for key, expected in self._first_kinds.items():
            found = kinds.get(key)
            if found is None and key in self._keys:
                yield f"feature {key!r} is missing, and the first record has it"
            elif found not in (None, expected):
                yield (
                    f"feature {key!r} is {KIND_NAMES[found]}, and {KIND_NAMES[expected]} in the "
                    "first record"
                )

    def _check_label(self, label: object) -> Iterator[str]:
        names = self.file.class_names
        if names and isinstance(label, int) and label not in names:
            yield (
                f"label {label} has no class; {self.file.described_by} names the classes "
                f"{min(names)} to {max(names)}"
            )

    def _check_image(self, features: Mapping[str, FeatureValue], key: str) -> Iterator[str]:
        """Yield why the image doesn't decode."""
        try:
            decode_stored_image(read_buffer(features, key), features, self.file)
        except ImageError as error:
            yield f"feature {key!r}: the image {error.reason}"


def _single(value: FeatureValue | None) -> object:
    return value.values[0] if value is not None and len(value.values) == 1 else None


def _parse(data: bytes) -> tuple[MessageKind, str, Mapping[str, FeatureValue] | None]:
    """Return which message a record is, why it is no Example, and its features if it is one."""
    if not data:
        return "Example", "", {}
    try:
        features = decode_example(data, copy=False)
    except ExampleError as error:
        # Where a key is known, all but the value of that feature is an Example.
        return detect_kind(data) if error.key is None else "Example", str(error), None
    kind = "Example" if features else detect_kind(data)
    if kind != "Example":
        return kind, "not a tf.train.Example: it has no features", None
    return kind, "", features
