"""What is in a folder of a store, page by page where the driver can do that.

fsspec lists a folder whole, which takes a kilobyte of memory a name. s3fs has an iterator beneath;
its name is private, so where it is missing the folder is listed whole.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any

_PAGE_SIZE = 1000  # of S3's answers


def list_folder(driver: Any, key: str) -> Iterator[dict[str, Any]]:  # noqa: ANN401 (fsspec's)
    """Yield what the driver says of each name in the folder `key`, in no particular order.

    Raises:
        FileNotFoundError: there is no such folder.
    """
    is_empty = True
    if hasattr(driver, "_iterdir") and key.strip("/"):
        for entry in _iterate(driver, key):
            is_empty = False
            yield entry
    if is_empty:  # perhaps it is a file, or missing: the driver knows how that is said
        yield from driver.ls(key, detail=True)


def _iterate(driver: Any, key: str) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    from fsspec.asyn import sync

    bucket, folder, _ = driver.split_path(key)
    prefix = f"{folder.strip('/')}/" if folder else ""
    entries = driver._iterdir(bucket, prefix=prefix)  # noqa: SLF001 (there is no public one)
    try:
        while page := sync(driver.loop, _take_page, entries):
            yield from page
    finally:
        sync(driver.loop, entries.aclose)


async def _take_page(entries: AsyncIterator[dict[str, Any]]) -> list[dict[str, Any]]:
    page = []
    async for entry in entries:
        page.append(entry)
        if len(page) == _PAGE_SIZE:
            break
    return page
