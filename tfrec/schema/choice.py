"""Find a schema by its name, or a user's own by `module:attribute`."""

import hashlib
import importlib
import inspect
from typing import cast

from tfrec.errors import ConfigError
from tfrec.schema import SCHEMAS
from tfrec.schema.base import Schema

_NEEDED = ("name", "encodings", "features", "first_label", "encode", "decode")


def load_schema(name: str) -> Schema:
    """Return the schema `name`; `module:attribute` imports one.

    Raises:
        ConfigError: there is none of that name, or what is imported is no schema.
    """
    if name in SCHEMAS:
        return SCHEMAS[name]
    module_name, colon, attribute = name.partition(":")
    if not colon:
        names = ", ".join(map(repr, SCHEMAS))
        raise ConfigError(f"schema {name!r}: must be one of {names}, or `module:attribute`")
    try:
        found = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"schema {name!r}: {error}") from error
    schema = cast("Schema", found() if inspect.isclass(found) else found)
    missing = [needed for needed in _NEEDED if not hasattr(schema, needed)]
    if missing:
        raise ConfigError(
            f"schema {name!r}: it has no `{missing[0]}`; give an object whose class has "
            "`tfrec.schema.Schema` as its base"
        )
    return schema


def digest_schema(name: str) -> str | None:
    """Return the SHA-256 of the source of a user's own schema; None for one of tfrec's.

    The version of tfrec stands for its own schemas; a user's may change at any time.
    """
    if name in SCHEMAS:
        return None
    try:
        source = inspect.getsource(importlib.import_module(name.partition(":")[0]))
    except (OSError, TypeError):  # a module without source
        return None
    return hashlib.sha256(source.encode()).hexdigest()
