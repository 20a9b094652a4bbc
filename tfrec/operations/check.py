"""Decode every image of a source as a build would, and write nothing."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tfrec.dataset.build_config import BuildConfig
from tfrec.engine import EXECUTORS, default_num_workers, map_ordered
from tfrec.errors import ImageError
from tfrec.operations.building.records import RecordMaker
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.source.image_source import ImageSource
from tfrec.storage import AnyStorage, Storage


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a build would do with the images.

    Attributes:
        images_per_class: good ones, by class name, in the order of the labels.
        bad_images: in the order of their classes and paths.
    """

    images_per_class: Mapping[str, int]
    bad_images: tuple[ImageError, ...]

    @property
    def num_images(self) -> int:
        """Good images of all classes."""
        return sum(self.images_per_class.values())


def check(
    source: ImageSource,
    config: BuildConfig | None = None,
    *,
    storage: Storage | None = None,
    num_workers: int | None = None,
    advance: Advance = ignore_progress,
) -> CheckReport:
    """Decode every image of `source` in threads; its settings are those of a build.

    Raises:
        ConfigError: the settings contradict each other.
    """
    storage = storage or AnyStorage()
    num_workers = num_workers or default_num_workers()
    maker = RecordMaker(source.directory, source.labels, config or BuildConfig(), storage)
    totals: Counter[int] = Counter()
    bad_images = []
    with EXECUTORS["threads"](num_workers) as executor:
        for made in map_ordered(executor, maker, source, window=2 * num_workers + 2):
            if made.error is None:
                totals[made.image.label] += 1
            else:
                bad_images.append(made.error)
            advance(1)
    per_class = {name: totals[source.labels.number(name)] for name in source.labels.names}
    return CheckReport(per_class, tuple(bad_images))
