"""Say what is odd about the classes of a directory: sentences of notes and of refusals."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tfrec.errors import ConfigError, SourceError
from tfrec.source.ignore import IgnoreReason
from tfrec.source.image_source import ImageSource, Note
from tfrec.source.labels import LabelMap
from tfrec.source.paths import display_path, sort_key
from tfrec.storage.base import Storage

# What people call the splits of a dataset; compared in lower case.
SPLIT_NAMES = frozenset({
    "train", "training", "val", "valid", "validation", "dev", "eval", "test", "testing", "holdout",
})  # fmt: skip
_MOST_NAMES = 5


def refuse_folder_inside(source: ImageSource, path: str, *, what: str, storage: Storage) -> None:
    """Raise where the folder `path` would be a class of the next build, or a part of one."""
    if source.has_class_folders and storage.contains(source.directory, path):
        raise ConfigError(
            f"{what} {display_path(path)} is inside of {display_path(source.directory)}, and would "
            "be a class the next time; name another place"
        )


def find_nested_folders(files: Mapping[str, Sequence[str]]) -> Iterator[Note]:
    """Note class folders that look like splits, or like one more level above the classes.

    `files` are the images of each folder, by its path.
    """
    below: dict[str, set[str]] = {}
    filled = set()
    for folder, images in files.items():
        top, _, rest = folder.partition("/")
        if not folder or not (images or rest):
            continue
        if rest:
            below.setdefault(top, set()).add(rest.partition("/")[0])
        else:
            filled.add(top)
    nested = {top: names for top, names in below.items() if top not in filled}
    alike = _names_of_several(nested.values())
    are_all = len(nested) == len(below.keys() | filled)
    are_splits = all(top.lower() in SPLIT_NAMES for top in nested)
    if nested and (are_splits or (are_all and (len(nested) == 1 or alike))):
        tops = sorted(nested, key=sort_key)
        inner = sorted(alike or set().union(*nested.values()), key=sort_key)
        yield Note(
            "nested folders",
            tops[0],
            f"the class folders {list_names(tops)} hold only folders ({list_names(inner)}); if "
            "these are the classes, label by the leaf folder, take the top folders as splits, or "
            "give a directory one level down",
        )


def find_empty_splits(files: Mapping[str, Sequence[str]]) -> Iterator[Note]:
    """Note each top folder, taken as a split, below which is no image."""
    tops = {folder.partition("/")[0] for folder in files if folder}
    filled = {folder.partition("/")[0] for folder, images in files.items() if images}
    for top in tops - filled:
        yield Note("empty split", top, f"the folder `{display_path(top)}` has no image in a class")


def find_empty_classes(classes: Mapping[str, Sequence[str]]) -> Iterator[Note]:
    """Note each class without an image."""
    for name, paths in classes.items():
        if not paths:
            yield Note("empty class", name, f"the class `{display_path(name)}` has no image")


def find_numeric_order(labels: LabelMap) -> Iterator[Note]:
    """Note where classes are named by numbers and numbered otherwise."""
    if not all(name.isascii() and name.isdecimal() for name in labels.names):
        return
    values = list(map(int, labels.names))
    if values != sorted(values):
        name = next(
            name
            for name, value in zip(labels.names, sorted(values), strict=True)
            if int(name) != value
        )
        yield Note(
            "numeric order",
            name,
            f"the class `{name}` has the number {labels.number(name)}: classes are numbered in the "
            "order of their bytes; a label file can give another order",
        )


def find_similar_classes(labels: LabelMap) -> Iterator[Note]:
    """Note classes whose names differ only in case, or in how Unicode writes an accent."""
    alike: dict[str, list[str]] = {}
    for name in labels.names:
        alike.setdefault(_fold(name), []).append(name)
    for names in alike.values():
        if len(names) > 1:
            sentence = f"the classes {list_names(names)} differ only in case or in Unicode form"
            yield Note("similar classes", names[0], sentence)


def refuse_unknown_classes(classes: Mapping[str, Sequence[str]], labels: LabelMap) -> None:
    """Raise SourceError for a class with an image that is not among fixed labels."""
    for name in sorted(classes, key=sort_key):
        if classes[name] and name not in labels:
            first = min(classes[name], key=sort_key)
            alike = [label for label in labels.names if _fold(label) == _fold(name)]
            shown = list_names(alike or labels.names)
            raise SourceError(
                f"the class `{display_path(name)}` of `{display_path(first)}` is not among the "
                f"{len(labels)} labels given; {'similar' if alike else 'they'} are: {shown}"
            )


def note_outside_image(name: str) -> Note:
    return Note(
        "image outside the class folders",
        name,
        f"`{display_path(name)}` is in no class folder and is left out",
    )


def say_no_folders(directory: str, num_images: int) -> str:
    held = "1 image" if num_images == 1 else f"{num_images:,} images"
    return (
        f"{display_path(directory)}: it holds {held} but no class folder; put the images of each "
        "class into a folder of its own, or take the classes from the files' names by a pattern "
        "(`--label-from`) or from a table (`--csv`)"
    )


def say_nothing_found(
    directory: str,
    classes: Mapping[str, Sequence[str]],
    ignored: Mapping[IgnoreReason, int],
    notes: Sequence[Note],
) -> str:
    place = (
        f"in the class folders {list_names(sorted(classes, key=sort_key))}" if classes else "in it"
    )
    message = f"{display_path(directory)}: there is no image {place}"
    if ignored:
        counts = ", ".join(f"{number} {reason}" for reason, number in sorted(ignored.items()))
        message += f" (ignored: {counts})"
    return "; ".join([message, *(note.sentence for note in notes[:_MOST_NAMES])])


def list_names(names: Sequence[str]) -> str:
    """Write the first few of `names`, and how many more there are."""
    shown = ", ".join(f"`{display_path(name)}`" for name in names[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _names_of_several(sets: Iterable[set[str]]) -> set[str]:
    seen: set[str] = set()
    repeated: set[str] = set()
    for names in sets:
        repeated |= seen & names
        seen |= names
    return repeated
