"""The listings of folders, made ahead of the walk where each is a request or a thousand.

An object store lists a thousand names a request, one request after another within a folder, so the
folders are listed beside one another. A disk is listed in the walk itself.
"""

from collections.abc import Hashable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import NamedTuple

from tfrec.engine import EXECUTORS
from tfrec.storage import Entry, Storage, scheme_of

_NUM_THREADS = 16


class Listing(NamedTuple):
    """What is in a folder; `identity` is equal for two paths that lead to the same one."""

    identity: Hashable
    entries: Iterable[Entry]


class Listings:
    """Lists folders when they are asked for, or ahead in an executor."""

    def __init__(self, storage: Storage, executor: Executor | None) -> None:
        self._storage = storage
        self._executor = executor
        self._begun: dict[str, Future[Listing]] = {}

    def expect(self, paths: Iterable[str]) -> None:
        """Begin to list folders that will be asked for."""
        if self._executor is not None:
            for path in paths:
                self._begun[path] = self._executor.submit(self._list_whole, path)

    def take(self, path: str) -> Listing:
        """Return the listing of a folder."""
        begun = self._begun.pop(path, None)
        return self._list(path) if begun is None else begun.result()

    def cancel(self) -> None:
        """List nothing any more."""
        for begun in self._begun.values():
            begun.cancel()

    def _list(self, path: str) -> Listing:
        info = self._storage.info(path)
        return Listing(path if info is None else info.identity, self._storage.scan(path))

    def _list_whole(self, path: str) -> Listing:
        listing = self._list(path)
        return Listing(listing.identity, list(listing.entries))


@contextmanager
def open_listings(directory: str, storage: Storage) -> Iterator[Listings]:
    """Yield what lists the folders of `directory`."""
    if scheme_of(directory) is None:
        yield Listings(storage, None)
        return
    with EXECUTORS["threads"](_NUM_THREADS) as executor:
        listings = Listings(storage, executor)
        try:
            yield listings
        finally:
            listings.cancel()
