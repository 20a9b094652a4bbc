"""The splits that the files to be read belong to, known by their description or their names."""

from collections.abc import Sequence

from tfrec.dataset.description import RecordFile
from tfrec.errors import ConfigError

_DEFAULT_SPLIT = "train"


def choose_split(files: list[RecordFile], split: str | None) -> list[RecordFile]:
    """Return the files of a split, or all where none is named."""
    if split is None:
        return files
    chosen = [file for file in files if file.find_split() == split]
    if not chosen:
        found = ", ".join(map(repr, _list_splits(files))) or "none"
        raise ConfigError(f"no file belongs to the split {split!r}; the splits are {found}")
    return chosen


def name_split(files: Sequence[RecordFile]) -> str:
    """Return what a split of all these files is called."""
    splits = {file.find_split() for file in files}
    only = splits.pop() if len(splits) == 1 else None
    return only or _DEFAULT_SPLIT


def note_merged_splits(files: Sequence[RecordFile]) -> tuple[str, ...]:
    """Say that files of several splits become one, where they do."""
    names = _list_splits(files)
    if len(names) < 2:
        return ()
    return (f"the splits {', '.join(names)} are merged into one; `--split NAME` takes one",)


def _list_splits(files: Sequence[RecordFile]) -> list[str]:
    return sorted({name for file in files if (name := file.find_split())})
