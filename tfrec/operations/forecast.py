"""Say what a build would write, how large it would be, and how long it would take."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tfrec.dataset.build_config import BuildConfig
from tfrec.dataset.plan import BuildPlan
from tfrec.engine import map_ordered
from tfrec.errors import ImageError
from tfrec.operations.build import open_work, plan_dataset
from tfrec.operations.progress import ignore_progress
from tfrec.source.image_source import ImageSource, LabelledImage
from tfrec.storage import AnyStorage, Storage
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

    @property
    def would_fail(self) -> bool:
        """Whether a build is known to end at a bad image."""
        return bool(self.bad_images) and self.plan.config.on_error == "fail"

    @property
    def num_untried(self) -> int:
        """Images that were not opened, so that nothing is known of them."""
        return self.plan.num_images - self.num_tried


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
    plan = plan_dataset(source, out, config)
    images = _choose(plan)
    with open_work(
        plan, source.directory, out, storage, "threads", num_workers, ignore_progress
    ) as work:
        start = time.monotonic()
        made = list(map_ordered(work.executor, work.make_record, images, window=work.window))
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
