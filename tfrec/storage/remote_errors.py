"""What drivers of file systems raise -> `OSError` that names the URL."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

_NUMBERS: tuple[tuple[type[OSError], int], ...] = (
    (FileNotFoundError, errno.ENOENT),
    (FileExistsError, errno.EEXIST),
    (IsADirectoryError, errno.EISDIR),
    (NotADirectoryError, errno.ENOTDIR),
    (PermissionError, errno.EACCES),
    (TimeoutError, errno.ETIMEDOUT),
)
_SELF_EXPLAINING = (errno.ENOENT, errno.EEXIST, errno.EISDIR, errno.ENOTDIR)


@contextmanager
def naming(url: str) -> Iterator[None]:
    """Turn what a driver raises in the block into an `OSError` about `url`.

    Nothing but calls of the driver belongs into the block.
    """
    try:
        yield
    except OSError as error:
        raise _about(url, error) from error
    except NotImplementedError as error:
        raise OSError(errno.EROFS, "files at such a URL can only be read", url) from error
    except Exception as error:
        # Drivers have no base class in common: botocore, aiohttp, Google's and Azure's have each
        # their own.
        raise OSError(errno.EIO, _describe(error), url) from error


def url_error(number: int, url: str) -> OSError:
    """Return the error of this number, about `url`."""
    return OSError(number, os.strerror(number), url)


def _about(url: str, error: OSError) -> OSError:
    for kind, number in _NUMBERS:
        if isinstance(error, kind):
            if number in _SELF_EXPLAINING:
                return url_error(number, url)
            return OSError(number, _describe(error), url)
    return OSError(error.errno or errno.EIO, _describe(error), url)


def _describe(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split()) or type(error).__name__
