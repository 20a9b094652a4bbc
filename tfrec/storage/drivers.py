"""Which driver has the files of a URL; they are fsspec's, and loaded when first needed."""

import logging
from typing import Any

from tfrec.errors import ConfigError
from tfrec.storage.urls import scheme_of

_EXTRAS = {
    "s3": "s3",
    "s3a": "s3",
    "gs": "gcs",
    "gcs": "gcs",
    "az": "azure",
    "abfs": "azure",
    "abfss": "azure",
    "adl": "azure",
}

# Their errors come to the caller; where nobody configures logging, Python would print them too.
for _name in ("fsspec", "s3fs", "gcsfs", "adlfs"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


def open_driver(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and what it calls the file.

    fsspec keeps one file system for each kind and account, and lists anew each time it is asked: a
    cached listing of a million objects would fill the memory, and be wrong after the next write.

    Raises:
        ConfigError: a package is missing, or there is none for such URLs.
    """
    scheme = scheme_of(url) or ""
    extra = _EXTRAS.get(scheme, "remote")
    try:
        from fsspec import get_filesystem_class

        kind = get_filesystem_class(scheme)
    except ImportError as error:
        raise ConfigError(
            f'{url}: reading {scheme}:// needs `pip install "tfrec-builder[{extra}]"` ({error})'
        ) from error
    except ValueError as error:
        raise ConfigError(f"{url}: there is no driver for {scheme}:// files") from error
    options = kind._get_kwargs_from_urls(url)  # noqa: SLF001 (fsspec's own way to get them)
    return kind(use_listings_cache=False, **options), kind._strip_protocol(url)  # noqa: SLF001
