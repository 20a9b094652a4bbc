"""How a dataset that is there was built otherwise than it would be now, apart from its images.

It is told before a build, which can be stopped: until it ends, what is there stays as it is.
"""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from tfrec.dataset.build_config import BuildConfig
from tfrec.dataset.manifest import Manifest, compare_settings, load_manifest, say_value
from tfrec.dataset.naming import manifest_path
from tfrec.dataset.plan import choose_labels
from tfrec.errors import ManifestError
from tfrec.operations.building.inputs_digest import current_versions
from tfrec.operations.output import note_directory
from tfrec.source.image_source import ImageSource
from tfrec.source.labels import LabelMap
from tfrec.storage import Storage

_MOST_NAMED = 3


def find_changes(found: Manifest, config: BuildConfig, labels: LabelMap) -> Iterator[str]:
    """Yield how settings, versions and classes differ from those of the manifest `found`."""
    now = Manifest(
        versions=current_versions(config.image),
        class_names=labels.names,
        label_offset=labels.offset,
        config=config.to_json(),
        splits={},
    )
    # As JSON has it, where a tuple is a list.
    expected = Manifest.from_json(now.to_json(), path="")
    for what, was, wanted in compare_settings(found, expected):
        yield f"the {what} is {say_value(wanted)} and was {say_value(was)}"
    if (found.class_names, found.label_offset) != (expected.class_names, expected.label_offset):
        yield "the classes or their numbers have changed"


def note_target(
    source: ImageSource, out: str, config: BuildConfig, storage: Storage
) -> tuple[str, ...]:
    """Return a sentence on what is at `out`, or on the name of what isn't yet; else none.

    It is one about a dataset that was built otherwise, or a directory with the name of a file.
    """
    manifest = None
    with suppress(ManifestError):
        manifest = load_manifest(manifest_path(out), storage)
    if manifest is None:
        return note_directory(out, storage)
    changes = find_changes(manifest, config, choose_labels(source, config))
    named = "; ".join(islice(changes, _MOST_NAMED))
    num_more = sum(1 for _ in changes)
    more = f"; and {num_more} more" if num_more else ""
    if not named:
        return ()
    return (f"{out} was built otherwise, and a build brings it up to date: {named}{more}",)
