"""The keys of features, in the words of messages."""

from collections.abc import Iterable


def list_keys(keys: Iterable[str], wanted: Iterable[str] = ()) -> str:
    """Return `'image', 'label'`; and which of them one that is missing may have been meant for.

    Args:
        keys: that are there.
        wanted: those that were asked for, and are not.
    """
    from difflib import get_close_matches  # where something is wrong already

    present = list(keys)
    listed = ", ".join(map(repr, present)) or "none"
    near = [match for key in wanted for match in get_close_matches(key, present, n=1)]
    return f"{listed}; did you mean {near[0]!r}?" if near else listed
