"""One shard of a plan -> one record file."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import BinaryIO

from tfrec.dataset.manifest import Shard
from tfrec.dataset.plan import ShardPlan
from tfrec.engine import map_ordered
from tfrec.errors import BadImagesError, ImageError
from tfrec.operations.progress import Advance
from tfrec.operations.records import MadeRecord, RecordMaker
from tfrec.source.image_source import LabelledImage
from tfrec.source.paths import sort_key
from tfrec.wire import RecordWriter


@dataclass(frozen=True, slots=True)
class WrittenShard:
    """A shard as the manifest has it, its records by label, and the images it left out."""

    shard: Shard
    num_images_by_label: Mapping[int, int]
    bad_images: tuple[ImageError, ...]


def write_shard(
    stream: BinaryIO,
    plan: ShardPlan,
    make_record: RecordMaker,
    *,
    executor: Executor,
    window: int,
    advance: Advance,
) -> WrittenShard:
    """Write the records of a shard's images to `stream`, in the order of the plan.

    With the setting `on_error` "fail", the first bad image ends the shard: those in flight are
    finished, so that the bad ones among them are named too, and the rest isn't begun.

    Raises:
        BadImagesError: an image is bad, and none may be left out.
    """
    output = _HashedOutput(stream)
    inputs = _InputsDigest(make_record)
    num_images_by_label: Counter[int] = Counter()
    bad_images: list[ImageError] = []

    def images_to_make() -> Iterator[LabelledImage]:
        for image in plan.images:
            if bad_images and make_record.config.on_error == "fail":
                return
            yield image

    with RecordWriter(output) as writer:
        for made in map_ordered(executor, make_record, images_to_make(), window=window):
            inputs.add(made)
            if made.record is not None:
                writer.write(made.record)
                num_images_by_label[made.image.label] += 1
            elif made.error is not None:
                bad_images.append(made.error)
            advance(1)
    if bad_images and make_record.config.on_error == "fail":
        raise BadImagesError(tuple(bad_images))
    shard = Shard(
        name=plan.name,
        num_records=writer.num_records,
        num_bytes=output.num_bytes,
        sha256=output.hexdigest(),
        inputs=inputs.hexdigest(),
    )
    return WrittenShard(shard, num_images_by_label, tuple(bad_images))


class _HashedOutput:
    """Passes bytes on to a stream, counts them and takes their SHA-256."""

    def __init__(self, stream: BinaryIO) -> None:
        self.num_bytes = 0
        self._stream = stream
        self._sha256 = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self._sha256.update(data)
        self.num_bytes += len(data)
        return self._stream.write(data)

    def flush(self) -> None:
        self._stream.flush()

    def hexdigest(self) -> str:
        return self._sha256.hexdigest()


class _InputsDigest:
    """SHA-256 of the settings, and of the path, label and content of each image."""

    def __init__(self, maker: RecordMaker) -> None:
        self._sha256 = hashlib.sha256()
        settings = json.dumps(maker.config.to_json(), sort_keys=True)
        self._sha256.update(settings.encode())

    def add(self, made: MadeRecord) -> None:
        path = sort_key(made.image.path)
        head = b"%d %d %d\n" % (made.image.label, len(path), len(made.digest))
        self._sha256.update(head + path + made.digest)

    def hexdigest(self) -> str:
        return self._sha256.hexdigest()
