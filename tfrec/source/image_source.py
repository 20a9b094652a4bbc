"""The labelled images of a directory, as a value.

An image takes about 60 bytes more than its path is long: one string, and one pointer to it. Every
order in it is that of bytes, so that the same files give the same value on every machine.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from tfrec.source.ignore import IgnoreReason
from tfrec.source.labels import LabelMap

NoteKind = Literal[
    "broken link",
    "image outside the class folders",
    "no label",
    "missing file",
    "repeated row",
    "repeated folder",
    "empty class",
    "empty split",
    "absent class",
    "nested folders",
    "numeric order",
    "similar classes",
]

_LEFT_OUT: frozenset[NoteKind] = frozenset(
    {"broken link", "image outside the class folders", "no label", "missing file"}
)


class Note(NamedTuple):
    """Something to tell the user: `path` is what it concerns, `sentence` is fit to be shown."""

    kind: NoteKind
    path: str
    sentence: str

    @property
    def is_left_out(self) -> bool:
        """Say whether something that may be an image is not in the source."""
        return self.kind in _LEFT_OUT


class LabelledImage(NamedTuple):
    """`path` relative to the source's directory, with `/`; `label` the number of its class.

    `values` are further ones from a table, in the order of the source's `columns`.
    """

    path: str
    label: int
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class ImageSource:
    """The images of a directory by class.

    Attributes:
        directory: where they are; every path is relative to it.
        labels: the classes.
        paths: those of each class, in the order of `labels.names`; sorted by their bytes.
        ignored: how many files and folders were ignored for which reason.
        notes: what to tell the user; sorted by path.
        columns: the names of further values that each image has, from a table.
        values: by path, the further values in the order of `columns`.
        has_class_folders: whether each folder in the directory is a class, a new one too.
    """

    directory: str
    labels: LabelMap
    paths: tuple[tuple[str, ...], ...]
    ignored: Mapping[IgnoreReason, int] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    columns: tuple[str, ...] = ()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    has_class_folders: bool = False

    @property
    def num_images(self) -> int:
        return sum(map(len, self.paths))

    def __iter__(self) -> Iterator[LabelledImage]:
        """Yield all images, class by class."""
        for label, paths in enumerate(self.paths, self.labels.offset):
            for path in paths:
                yield LabelledImage(path, label, self.values.get(path, ()))
