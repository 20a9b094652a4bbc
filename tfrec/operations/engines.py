"""Engines by their names, and as operations use them whose tasks are whole files."""

from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext

from tfrec.dataset.opening import STANDARD_INPUT
from tfrec.engine import EXECUTORS, SerialExecutor, count_workers, default_num_workers
from tfrec.errors import check_choice
from tfrec.storage import AnyStorage, LocalStorage, Storage, scheme_of

# Processes take a third of a second to start, each on its core. So long a core checks 32 MiB of
# small records; to copy a gigabyte, from disk to disk, takes it two seconds.
WORTH_CHECKING = 32 << 20
WORTH_COPYING = 1 << 30


def require_engine(name: str) -> None:
    """Raise ConfigError where there is no engine of that name."""
    check_choice("engine", name, tuple(EXECUTORS))


def open_engine(
    engine: str | Executor,
    num_workers: int | None,
    *,
    inputs: Sequence[str],
    out: str | None = None,
    num_tasks: int,
    worth: int,
    storage: Storage,
) -> AbstractContextManager[Executor]:
    """Return an executor, which ends with the block unless it is the caller's.

    Processes are started where the files `inputs` have `worth` bytes, and where they see the same
    files as this one.

    Raises:
        ConfigError: there is no engine of that name.
    """
    if isinstance(engine, Executor):
        return nullcontext(engine)
    require_engine(engine)
    if engine == "processes":
        num_workers = min(num_workers or default_num_workers(), num_tasks)
        paths = [*inputs, *([] if out is None else [out])]
        if num_workers < 2 or not _is_shared(paths, storage) or _size(inputs, storage) < worth:
            return SerialExecutor()
    return EXECUTORS[engine](num_workers)


def choose_window(executor: Executor, num_workers: int | None) -> int:
    """Return how many files are in flight: enough that no worker waits for the caller."""
    return 2 * (num_workers or count_workers(executor)) + 1


def _is_shared(paths: Sequence[str], storage: Storage) -> bool:
    """Say whether another process of this machine has the same files."""
    return isinstance(storage, (AnyStorage, LocalStorage)) and not any(
        path == STANDARD_INPUT or scheme_of(path) == "memory" for path in paths
    )


def _size(paths: Sequence[str], storage: Storage) -> int:
    infos = map(storage.info, paths)
    return sum(info.size for info in infos if info is not None)
