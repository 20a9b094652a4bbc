"""What a schema is: the features in which a dataset stores its samples."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from tfrec.example import FeatureInput, FeatureValue

FeatureKind = Literal["image", "label", "text", "int64", "float"]
"""What one feature holds: `label` is a class's number, `image` raw pixels or an encoded image."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A decoded image and its label.

    Attributes:
        image: the image's bytes, in the encoding that `encoding` names.
        encoding: "raw" (height x width x channels bytes, row by row) or a codec's name.
        width, height: in pixels.
        channels: 3 (RGB) or 1 (grey).
        label: the number of the class.
        class_name: its name.
        path: of the image file, below the image directory.
        features: what else the record holds, by key.
    """

    image: bytes
    encoding: str
    width: int
    height: int
    channels: int
    label: int
    class_name: str
    path: str
    features: Mapping[str, FeatureInput] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredSample:
    """What a record says of its image; None where it doesn't say it.

    Attributes:
        image: raw pixels or an encoded image; readers look at the bytes.
        size: (width, height) in pixels.
    """

    image: bytes
    label: int | None = None
    class_name: str | None = None
    filename: str | None = None
    size: tuple[int, int] | None = None


class Schema(Protocol):
    """Which features hold a sample. A class that names this one as its base gets the defaults."""

    @property
    def name(self) -> str:
        """What `--schema` calls it."""
        ...

    @property
    def encodings(self) -> tuple[str, ...]:
        """How it can hold images: "raw" or names of codecs; the first is its default."""
        ...

    @property
    def features(self) -> Mapping[str, FeatureKind]:
        """What `encode` gives, by key, without the sample's own further features."""
        ...

    @property
    def first_label(self) -> int:
        """The smallest number that a class may have."""
        return 0

    @property
    def has_numbered_labels(self) -> bool:
        """Whether lines of `labels.txt` are `0:daisy` instead of `daisy`."""
        return False

    @property
    def has_label_map(self) -> bool:
        """Whether a dataset has a `label_map.pbtxt` too."""
        return False

    def encode(self, sample: Sample) -> Mapping[str, FeatureInput]:
        """Return the features that hold a sample."""
        ...

    def decode(self, features: Mapping[str, FeatureValue]) -> StoredSample:
        """Return what the features hold.

        Raises:
            ExampleError: a feature is missing or of another kind.
        """
        ...


def key_of(schema: Schema, kind: FeatureKind) -> str | None:
    """Return the first key of a schema that holds a `kind`; None where none does."""
    return next((key for key, found in schema.features.items() if found == kind), None)
