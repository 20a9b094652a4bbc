"""Say what a build would write, how large it would be, and how long it would take."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tfrec.dataset.build_config import BuildConfig
from tfrec.dataset.naming import is_record_path
from tfrec.dataset.plan import BuildPlan, plan_build
from tfrec.engine import EXECUTORS, default_num_workers, map_ordered
from tfrec.errors import ImageError
from tfrec.operations.building.records import RecordMaker
from tfrec.source.image_source import ImageSource, LabelledImage
from tfrec.storage import AnyStorage, Storage, base_name
from tfrec.wire import OVERHEAD

_NUM_TRIED = 64


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a build would do.

    Attributes:
        plan: the files, and the images of each.
        images_per_class: by class name, in the order of the labels.
        num_tried: how many images were decoded; the figures are worked out from them.
        bad_images: the bad ones among these.
        num_bytes: about how many all files would have.
        seconds: about how long the build would take.
        free_bytes: free where the dataset would be; None where nobody can say.
    """

    plan: BuildPlan
    images_per_class: Mapping[str, int]
    num_tried: int
    bad_images: tuple[ImageError, ...]
    num_bytes: int
    seconds: float
    free_bytes: int | None

    @property
    def fits(self) -> bool:
        """Whether there is room for the dataset, as far as anybody can say."""
        return self.free_bytes is None or self.num_bytes <= self.free_bytes


def forecast(
    source: ImageSource,
    out: str,
    config: BuildConfig | None = None,
    *,
    storage: Storage | None = None,
    num_workers: int | None = None,
) -> Forecast:
    """Plan the dataset `out` and decode a few images, equally far apart; write nothing.

    Raises:
        ConfigError: the settings contradict each other.
    """
    storage = storage or AnyStorage()
    config = config or BuildConfig()
    num_workers = num_workers or default_num_workers()
    file_name = base_name(out) if is_record_path(out) else None
    plan = plan_build(source, config, file_name=file_name)
    maker = RecordMaker(source.directory, plan.labels, config, storage, plan.features)
    images = _choose(plan)
    start = time.monotonic()
    with EXECUTORS["threads"](num_workers) as executor:
        made = list(map_ordered(executor, maker, images, window=2 * num_workers))
    seconds = time.monotonic() - start
    sizes = [len(one.record) + OVERHEAD for one in made if one.record is not None]
    totals = Counter(image.label for shard in plan.shards for image in shard.images)
    return Forecast(
        plan,
        {name: totals[plan.labels.number(name)] for name in plan.labels.names},
        len(images),
        tuple(one.error for one in made if one.error is not None),
        round(plan.num_images * sum(sizes) / len(made)) if made else 0,
        seconds * plan.num_images / max(len(images), 1),
        storage.free_space(out),
    )


def _choose(plan: BuildPlan) -> Sequence[LabelledImage]:
    """Return up to `_NUM_TRIED` images, equally far apart in the order of the records."""
    step = max(1, -(-plan.num_images // _NUM_TRIED))
    images = [image for shard in plan.shards for image in shard.images]
    return images[::step]
