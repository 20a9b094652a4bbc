"""What a schema is: the features in which a dataset stores its samples."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from tfrec.example import FeatureInput, FeatureValue


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
    """Which features hold a sample."""

    @property
    def name(self) -> str:
        """What `--schema` calls it."""
        ...

    def encode(self, sample: Sample) -> Mapping[str, FeatureInput]:
        """Return the features that hold a sample."""
        ...

    def decode(self, features: Mapping[str, FeatureValue]) -> StoredSample:
        """Return what the features hold.

        Raises:
            ExampleError: a feature is missing or of another kind.
        """
        ...
