"""The small files beside the shards of a directory dataset, for people and for other readers."""

from tfrec.dataset.label_files import describe_labels
from tfrec.dataset.manifest import Manifest
from tfrec.dataset.naming import INDEX_SUFFIX, LABEL_MAP_NAME, LABELS_NAME, MANIFEST_NAME
from tfrec.dataset.plan import BuildPlan
from tfrec.dataset.tfds import FEATURES_NAME, INFO_NAME, describe_for_tfds, label_file_name
from tfrec.errors import ConfigError
from tfrec.schema.choice import load_schema


def describe_dataset(manifest: Manifest, plan: BuildPlan) -> dict[str, bytes]:
    """Return the content of each file by its name, without the manifest and the indexes."""
    schema = load_schema(plan.config.schema)
    return {
        **describe_labels(plan.labels, schema),
        **describe_for_tfds(manifest, plan.config, plan.features),
    }


def find_own_names(manifest: Manifest) -> set[str]:
    """Return the names of all files that a directory dataset may have according to its manifest."""
    shards = [shard.name for shard in manifest.shards]
    names = {MANIFEST_NAME, LABELS_NAME, LABEL_MAP_NAME, INFO_NAME, FEATURES_NAME, *shards}
    if manifest.config.get("index"):
        names.update(f"{shard}{INDEX_SUFFIX}" for shard in shards)
    try:
        label_file = label_file_name(load_schema(str(manifest.config.get("schema"))))
    except ConfigError:  # a user's own, which isn't there any more
        label_file = None
    return names | ({label_file} if label_file else set())
