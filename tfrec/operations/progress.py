"""How an operation tells its caller that it goes on."""

from collections.abc import Callable
from typing import TypeAlias

Advance: TypeAlias = Callable[[int], None]
"""Called in the caller's thread with how many more images or records are done."""


def ignore_progress(num_done: int) -> None:
    """Do nothing."""
