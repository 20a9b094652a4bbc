"""Scan a directory of labelled images.

The class of an image is its first folder below the directory, unless asked otherwise. Every folder
at that level is a class, an empty one too: it keeps its number and is named in a note, so that a
folder that loses its last image does not renumber all others.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from tfrec.errors import ConfigError, SourceError
from tfrec.source import advice
from tfrec.source.ignore import (
    IMAGE_SUFFIXES,
    IgnoreReason,
    Patterns,
    has_suffix,
    is_image_by_content,
)
from tfrec.source.image_source import ImageSource, Note
from tfrec.source.labels import LabelMap
from tfrec.source.paths import display_path, sort_key
from tfrec.source.tree import Selection, Tree, walk_tree
from tfrec.storage import AnyStorage, Storage

LabelRule = Literal["top", "second", "leaf"] | re.Pattern[str]
"""Where a path has its class name: its first, second (below a split's) or last folder, or what
group 1 of a pattern finds in it."""

_DEPTHS = {"top": 1, "leaf": 1, "second": 2}


def scan_images(
    directory: str,
    *,
    storage: Storage | None = None,
    label_rule: LabelRule = "top",
    labels: LabelMap | None = None,
    offset: int = 0,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    follow_links: bool = True,
) -> ImageSource:
    """Find the images of `directory` and their classes.

    `labels` fixes the classes and their numbers; else they are those found, numbered from `offset`.
    Files are this machine's, or those of a URL, unless `storage` is another.

    Raises:
        SourceError: there is nothing to make a dataset of, or a class that `labels` has not.
        OSError: a folder can't be listed.
    """
    storage = storage or AnyStorage()
    require_directory(directory, storage=storage)
    selection = Selection(Patterns(include), Patterns(exclude), follow_links)
    tree = walk_tree(directory, storage=storage, selection=selection)
    if isinstance(label_rule, re.Pattern):
        classes = _group_by_pattern(tree, label_rule)
    else:
        _set_outside_files_apart(tree, directory, depth=_DEPTHS[label_rule], storage=storage)
        classes = _group_by_folder(tree, label_rule)
        if label_rule == "top":
            tree.notes.extend(advice.find_nested_folders(tree.files))
        if label_rule == "second":
            tree.notes.extend(advice.find_empty_splits(tree.files))
    if not any(classes.values()):
        raise SourceError(advice.say_nothing_found(directory, classes, tree.ignored, tree.notes))
    source = make_source(
        directory, classes, labels=labels, offset=offset, ignored=tree.ignored, notes=tree.notes
    )
    return replace(source, has_class_folders=not isinstance(label_rule, re.Pattern))


def require_directory(directory: str, *, storage: Storage) -> None:
    """Raise SourceError where there is no directory of that name."""
    info = storage.info(directory)
    if info is None:
        raise SourceError(f"{display_path(directory)}: there is no such directory")
    if info.kind != "directory":
        raise SourceError(
            f"{display_path(directory)}: it is no directory; give one that holds a folder of "
            "images for each class"
        )


def make_source(
    directory: str,
    classes: Mapping[str, Sequence[str]],
    *,
    labels: LabelMap | None,
    offset: int,
    ignored: Mapping[IgnoreReason, int],
    notes: Sequence[Note],
) -> ImageSource:
    """Give the classes numbers, sort everything, and add the notes that concern whole classes."""
    notes = [*notes, *advice.find_empty_classes(classes)]
    if labels is None:
        labels = LabelMap.from_classes(classes, offset=offset)
        notes += advice.find_numeric_order(labels)
        notes += advice.find_similar_classes(labels)
    else:
        advice.refuse_unknown_classes(classes, labels)
    return ImageSource(
        directory,
        labels,
        tuple(tuple(sorted(classes.get(name, ()), key=sort_key)) for name in labels.names),
        dict(sorted(ignored.items())),
        tuple(sorted(notes, key=lambda note: (sort_key(note.path), note.kind))),
    )


def _group_by_folder(tree: Tree, rule: Literal["top", "second", "leaf"]) -> dict[str, list[str]]:
    """Group by one of the folders above an image; a folder without images is a class as well.

    With `leaf`, that is so only for one without folders.
    """
    depth = _DEPTHS[rule]
    parents = {folder.rpartition("/")[0] for folder in tree.files}
    classes: dict[str, list[str]] = {}
    for folder, files in tree.files.items():
        names = folder.split("/") if folder else []
        if len(names) < depth:
            continue
        if rule != "leaf":
            classes.setdefault(names[depth - 1], []).extend(files)
        elif files or folder not in parents:
            classes.setdefault(names[-1], []).extend(files)
    return classes


def _group_by_pattern(tree: Tree, pattern: re.Pattern[str]) -> dict[str, list[str]]:
    if not pattern.groups:
        raise ConfigError(f"the pattern {pattern.pattern!r} needs a group, (…), for the class name")
    classes: dict[str, list[str]] = {}
    for files in tree.files.values():
        for path in files:
            found = pattern.search(path)
            if found and found[1]:
                classes.setdefault(found[1], []).append(path)
            else:
                shown = display_path(path)
                sentence = f"`{shown}` does not match the pattern of the classes and is left out"
                tree.notes.append(Note("no label", path, sentence))
    return classes


def _set_outside_files_apart(tree: Tree, directory: str, *, depth: int, storage: Storage) -> None:
    """Take the files above the class folders out: note the images, ignore all others."""
    above = [folder for folder in tree.files if not folder or folder.count("/") < depth - 1]
    outside = [path for folder in above for path in tree.files[folder]]
    images = [
        path
        for path in outside
        if has_suffix(path, IMAGE_SUFFIXES)
        or is_image_by_content(storage.join(directory, *path.split("/")), storage=storage)
    ]
    if images and len(above) == len(tree.files):
        raise SourceError(advice.say_no_folders(directory, len(images)))
    if len(images) < len(outside):
        tree.ignored["outside the class folders"] += len(outside) - len(images)
    tree.notes.extend(map(advice.note_outside_image, images))
    for folder in above:
        tree.files[folder].clear()
