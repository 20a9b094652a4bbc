"""Build a dataset from labelled images: decide the plan, then write it.

What appears at the target appears whole. Of a dataset that is one file, the manifest is renamed
into place just before the file; of a directory, it comes last. Either way the last rename
publishes the dataset, and whoever stops a build earlier finds nothing new.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from tfrec._version import __version__
from tfrec.dataset.manifest import Manifest, SkippedImage, Split, load_manifest
from tfrec.dataset.naming import LABELS_NAME, is_record_path, manifest_path
from tfrec.dataset.plan import BuildConfig, BuildPlan, ShardPlan, plan_build
from tfrec.engine import EXECUTORS, default_num_workers
from tfrec.errors import ConfigError, ManifestError
from tfrec.images.versions import find_versions
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.operations.records import RecordMaker
from tfrec.operations.shards import WrittenShard, write_shard
from tfrec.source.image_source import ImageSource
from tfrec.source.labels import LabelMap
from tfrec.storage import LocalStorage, Storage


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build has written: the dataset's path and its manifest."""

    path: str
    manifest: Manifest

    @property
    def images_per_class(self) -> Mapping[str, int]:
        """Records of all splits by class name, in the order of the labels."""
        totals: Counter[str] = Counter(dict.fromkeys(self.manifest.class_names, 0))
        for split in self.manifest.splits.values():
            totals.update(split.images_per_class)
        return totals


def build(
    source: ImageSource,
    out: str,
    config: BuildConfig | None = None,
    *,
    storage: Storage | None = None,
    engine: str | Executor = "threads",
    num_workers: int | None = None,
    overwrite: bool = False,
    advance: Advance = ignore_progress,
) -> BuildReport:
    """Write the dataset `out` from the images of `source`.

    Args:
        source: what `scan_images` found.
        out: a path with a record suffix for one file, any other for a directory.
        config: what decides the content.
        storage: where images and dataset are; this machine's files by default.
        engine: the name of an engine, or an executor, which stays open.
        num_workers: of the engine; by default one for each core this process may use.
        overwrite: replace a file that was not built by tfrec too.
        advance: called with a number of images whenever they are done.

    Raises:
        BadImagesError: images can't be decoded, and `config.on_error` is "fail".
        ConfigError: the settings contradict each other, or `out` is not to be replaced.
        OSError: a file can't be written; it names the file.
    """
    config = config or BuildConfig()
    storage = storage or LocalStorage()
    num_workers = num_workers or default_num_workers()
    file_name = os.path.basename(out) if is_record_path(out) else None
    plan = plan_build(source, config, file_name=file_name)
    _refuse_foreign_target(out, storage, overwrite=overwrite)
    maker = RecordMaker(source.directory, source.labels, config, storage)
    with storage.exclusive(out), _executor(engine, num_workers) as executor:
        task = _Task(plan, out, maker, storage, executor, 2 * num_workers + 2, advance)
        manifest = task.write_file() if file_name is not None else task.write_directory()
    return BuildReport(out, manifest)


@contextmanager
def _executor(engine: str | Executor, num_workers: int) -> Iterator[Executor]:
    if isinstance(engine, Executor):
        yield engine
        return
    if engine not in EXECUTORS:
        names = ", ".join(map(repr, EXECUTORS))
        raise ConfigError(f"engine {engine!r}: must be one of {names}")
    if num_workers < 1:
        raise ConfigError(f"the number of workers is {num_workers}, and must be at least 1")
    with EXECUTORS[engine](num_workers) as executor:
        yield executor


def _refuse_foreign_target(out: str, storage: Storage, *, overwrite: bool) -> None:
    """Raise where `out` holds something that no build of ours has made."""
    if overwrite or storage.info(out) is None:
        return
    if not is_record_path(out) and next(storage.scan(out), None) is None:
        return  # an empty directory
    try:
        ours = load_manifest(manifest_path(out), storage) is not None
    except ManifestError:
        ours = False
    if not ours:
        raise ConfigError(f"{out} exists and was not built by tfrec; `--overwrite` replaces it")


@dataclass(frozen=True, slots=True)
class _Task:
    """A plan, and what it takes to write it."""

    plan: BuildPlan
    out: str
    maker: RecordMaker
    storage: Storage
    executor: Executor
    window: int
    advance: Advance

    def write_file(self) -> Manifest:
        """Write a dataset that is one file."""
        with self.storage.publish(self.out) as stream:
            manifest = self._make_manifest([self._write_shard(stream, self.plan.shards[0])])
            stream.flush()  # a full disk is met here, before the manifest appears
            self._publish(manifest_path(self.out), manifest.to_json())
        return manifest

    def write_directory(self) -> Manifest:
        """Write a dataset that is a directory."""
        written = []
        for plan in self.plan.shards:
            with self.storage.publish(self.storage.join(self.out, plan.name)) as stream:
                written.append(self._write_shard(stream, plan))
        manifest = self._make_manifest(written)
        labels = self.maker.labels.to_text().encode()
        self._publish(self.storage.join(self.out, LABELS_NAME), labels)
        self._publish(manifest_path(self.out), manifest.to_json())
        return manifest

    def _write_shard(self, stream: BinaryIO, plan: ShardPlan) -> WrittenShard:
        return write_shard(
            stream,
            plan,
            self.maker,
            executor=self.executor,
            window=self.window,
            advance=self.advance,
        )

    def _publish(self, path: str, content: bytes) -> None:
        with self.storage.publish(path) as stream:
            stream.write(content)

    def _make_manifest(self, written: list[WrittenShard]) -> Manifest:
        labels = self.maker.labels
        by_split: dict[str, list[WrittenShard]] = {}
        for plan, shard in zip(self.plan.shards, written, strict=True):
            by_split.setdefault(plan.split, []).append(shard)
        return Manifest(
            versions={"tfrec": __version__, **find_versions()},
            class_names=labels.names,
            label_offset=labels.offset,
            config=self.plan.config.to_json(),
            splits={name: _make_split(shards, labels) for name, shards in by_split.items()},
            skipped=tuple(
                SkippedImage(image.path, image.reason)
                for shard in written
                for image in shard.bad_images
            ),
        )


def _make_split(written: list[WrittenShard], labels: LabelMap) -> Split:
    totals: Counter[int] = Counter()
    for shard in written:
        totals.update(shard.num_images_by_label)
    per_class = {name: totals[label] for label, name in enumerate(labels.names, labels.offset)}
    return Split(tuple(shard.shard for shard in written), per_class)
