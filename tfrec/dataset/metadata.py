"""The small files beside the shards of a directory dataset, for people and for other readers."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from tfrec.dataset.label_files import describe_labels
from tfrec.dataset.manifest import Manifest
from tfrec.dataset.naming import (
    INDEX_SUFFIX,
    LABEL_MAP_NAME,
    LABELS_NAME,
    MANIFEST_NAME,
    TFDS_INFO_NAME,
)
from tfrec.dataset.plan import BuildPlan
from tfrec.dataset.tfds import FEATURES_NAME, describe_for_tfds, label_file_name
from tfrec.errors import ConfigError
from tfrec.schema.choice import load_schema


def describe_dataset(manifest: Manifest, plan: BuildPlan) -> dict[str, bytes]:
    """Return the content of each file by its name, without the manifest and the indexes."""
    schema = load_schema(plan.config.schema)
    return {
        **describe_labels(plan.labels, schema),
        **describe_for_tfds(manifest, plan.config, plan.features),
    }


def list_own_names(shards: Iterable[str], config: Mapping[str, Any]) -> set[str]:
    """Return the names of all files that a directory dataset has.

    `shards` are the names of its shards, and `config` its settings as a manifest has them.
    """
    shards = list(shards)
    names = {MANIFEST_NAME, LABELS_NAME, *shards}
    if config.get("index"):
        names.update(f"{shard}{INDEX_SUFFIX}" for shard in shards)
    has_tfds = config.get("compression", "none") == "none"
    if has_tfds:
        names |= {TFDS_INFO_NAME, FEATURES_NAME}
    with suppress(ConfigError):  # a user's own schema, which isn't there any more
        schema = load_schema(str(config.get("schema")))
        label_file = label_file_name(schema)
        if has_tfds and label_file is not None:
            names.add(label_file)
        if schema.has_label_map:
            names.add(LABEL_MAP_NAME)
    return names
