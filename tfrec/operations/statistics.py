"""What many records have in common: counts, lengths and ranges of their features and images.

A statistic grows by records and merges with others, and holds no record: memory depends on the
number of distinct keys, labels and sizes alone.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from tfrec.dataset.description import RecordFile
from tfrec.dataset.stored_images import find_raw_pixels
from tfrec.errors import ImageError
from tfrec.example import BytesList, FeatureValue, decode_example
from tfrec.example.kinds import MessageKind, count_summary_values, detect_kind
from tfrec.example.sequence import SequenceFeatures, decode_sequence_example
from tfrec.example.values import KIND_NAMES
from tfrec.schema.detect import detect_schema, find_image_keys
from tfrec.schema.features import read_buffer, read_label


@dataclass(slots=True)
class Range:
    """The smallest and the largest of the values seen; both None before the first."""

    low: float | None = None
    high: float | None = None

    def add(self, low: float, high: float) -> None:
        """Widen the range to hold `low` and `high`."""
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)

    def merge(self, other: "Range") -> None:
        """Widen the range to hold another."""
        if other.low is not None and other.high is not None:
            self.add(other.low, other.high)


@dataclass(slots=True)
class FeatureStatistics:
    """One feature over many records.

    Attributes:
        num_records: that have it.
        kinds: how many records have it as bytes, int64 or float.
        lengths: of the lists.
        values: of the numbers; for bytes, the number of bytes of each.
    """

    num_records: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    lengths: Range = field(default_factory=Range)
    values: Range = field(default_factory=Range)

    def add(self, value: FeatureValue) -> None:
        """Take one record's value into account."""
        self.num_records += 1
        self.kinds[KIND_NAMES[type(value)]] += 1
        self.lengths.add(len(value.values), len(value.values))
        if not value.values:
            return
        numbers = list(map(len, value.values)) if isinstance(value, BytesList) else value.values
        self.values.add(min(numbers), max(numbers))

    def merge(self, other: "FeatureStatistics") -> None:
        """Take the records of another statistic into account."""
        self.num_records += other.num_records
        self.kinds.update(other.kinds)
        self.lengths.merge(other.lengths)
        self.values.merge(other.values)


@dataclass(slots=True)
class RecordStatistics:
    """Many records.

    Attributes:
        num_records: seen.
        kinds: how many are which message.
        features: by key; those of SequenceExamples by `context/KEY` and `list/KEY`.
        image_keys: how many records have their image in which feature.
        label_keys: how many records have their label in which feature.
        labels: how many records have which label, a number or a text.
        image_formats: how many images are of which format; `raw` for pixels, `unknown`, `damaged`.
        image_sizes: how many images have which (width, height).
        summary_values: how many values of which kind Events have in their summaries.
    """

    num_records: int = 0
    kinds: Counter[MessageKind] = field(default_factory=Counter)
    features: dict[str, FeatureStatistics] = field(default_factory=dict)
    image_keys: Counter[str] = field(default_factory=Counter)
    label_keys: Counter[str] = field(default_factory=Counter)
    labels: Counter[int | str] = field(default_factory=Counter)
    image_formats: Counter[str] = field(default_factory=Counter)
    image_sizes: Counter[tuple[int, int]] = field(default_factory=Counter)
    summary_values: Counter[str] = field(default_factory=Counter)

    @property
    def schema(self) -> str | None:
        """The name of the schema that the features are of; None where it is no known one."""
        return detect_schema(self.features)

    def add(self, record: bytes, file: RecordFile) -> None:
        """Take one record of `file` into account."""
        self.num_records += 1
        kind = detect_kind(record)
        self.kinds[kind] += 1
        if kind == "Example":
            self._add_example(decode_example(record, copy=False), file)
        elif kind == "SequenceExample":
            self._add_sequence(decode_sequence_example(record))
        elif kind == "Event":
            self.summary_values.update(count_summary_values(record))

    def merge(self, other: "RecordStatistics") -> None:
        """Take the records of another statistic into account."""
        self.num_records += other.num_records
        for key, statistics in other.features.items():
            self.features.setdefault(key, FeatureStatistics()).merge(statistics)
        self.kinds.update(other.kinds)
        self.image_keys.update(other.image_keys)
        self.label_keys.update(other.label_keys)
        self.labels.update(other.labels)
        self.image_formats.update(other.image_formats)
        self.image_sizes.update(other.image_sizes)
        self.summary_values.update(other.summary_values)

    def _add_example(self, features: Mapping[str, FeatureValue], file: RecordFile) -> None:
        for key, value in features.items():
            self.features.setdefault(key, FeatureStatistics()).add(value)
        image_key, label_key = find_image_keys(features)
        if label_key is not None:
            self.label_keys[label_key] += 1
            self.labels[read_label(features, label_key)] += 1
        if image_key is not None:
            self.image_keys[image_key] += 1
            self._add_image(features, image_key, file)

    def _add_sequence(self, features: SequenceFeatures) -> None:
        for key, value in features.context.items():
            self.features.setdefault(f"context/{key}", FeatureStatistics()).add(value)
        for key, steps in features.lists.items():
            statistics = self.features.setdefault(f"list/{key}", FeatureStatistics())
            num_records = statistics.num_records + 1
            for step in steps:
                statistics.add(step)
            statistics.num_records = num_records

    def _add_image(self, features: Mapping[str, FeatureValue], key: str, file: RecordFile) -> None:
        data = read_buffer(features, key)
        try:
            pixels = find_raw_pixels(data, features, file)
        except ImageError:
            self.image_formats["unknown"] += 1
            return
        if pixels is not None:
            height, width, _ = pixels.shape
            self.image_formats["raw"] += 1
            self.image_sizes[width, height] += 1
            return
        from tfrec.images import read_image_header  # Pillow is loaded where an image is met

        try:
            header = read_image_header(bytes(data), path=file.path)
        except ImageError:
            self.image_formats["damaged"] += 1
            return
        self.image_formats[header.format] += 1
        self.image_sizes[header.width, header.height] += 1
