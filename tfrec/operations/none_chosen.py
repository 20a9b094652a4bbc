"""Say why a selection may have left no record."""

from collections.abc import Iterable
from itertools import islice

from tfrec.dataset.inputs import resolve_inputs
from tfrec.dataset.opening import STANDARD_INPUT
from tfrec.example import decode_example
from tfrec.example.keys import list_keys
from tfrec.operations.selection import Selection, select_records
from tfrec.storage import AnyStorage, Storage

_MAX_READ = 100  # records: whoever misspells a feature waits for no second pass over a dataset


def explain_missing_feature(
    paths: Iterable[str], selection: Selection, *, storage: Storage | None = None
) -> str | None:
    """Say of a tested feature that no record has it; None where each is in one.

    The records are those that the selection has by their numbers, and the first of them alone where
    they are many. Standard input and pipes can't be read again, so nothing is said of them.

    Raises:
        ConfigError, DataLossError, ExampleError, OSError: as `select_records`.
    """
    storage = storage or AnyStorage()
    paths = list(paths)
    if not selection.tests or not all(_can_be_read_again(path, storage) for path in paths):
        return None
    files = resolve_inputs(paths, storage)
    records = select_records(files, Selection(selection.ranges), storage)
    present: dict[str, None] = {}
    num_read = 0
    for record in islice(records, _MAX_READ):
        present |= dict.fromkeys(sorted(decode_example(record.data)))
        num_read += 1
    missing = [test.key for test in selection.tests if test.key not in present]
    if not num_read or not missing:
        return None
    who = "none" if next(records, None) is None else f"none of the first {num_read:,}"
    return f"{who} has a feature {missing[0]!r}; there are {list_keys(present, missing[:1])}"


def _can_be_read_again(path: str, storage: Storage) -> bool:
    """Say whether a path is no pipe: one that was read to its end keeps a second reader waiting."""
    if path == STANDARD_INPUT:
        return False
    info = storage.info(path)
    return info is None or info.kind != "other"  # a pattern is the name of nothing
