"""Build a dataset from labelled images: decide the plan, then write what isn't there yet.

What appears at the target appears whole. Of a dataset that is one file, the manifest is renamed
into place just before the file; of a directory, it comes last. Either way the last rename
publishes the dataset, and whoever stops a build earlier finds what was there before.
"""

import pickle
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

from tfrec.dataset.build_config import BuildConfig
from tfrec.dataset.manifest import Manifest, load_manifest
from tfrec.dataset.naming import is_record_path, manifest_path
from tfrec.dataset.plan import BuildPlan, plan_build
from tfrec.engine import EXECUTORS, count_workers, default_num_workers, shares_memory
from tfrec.errors import ConfigError, ImageError, ManifestError, WorkerError
from tfrec.images import kept_pixel_memory, require_extras
from tfrec.operations.building.changes import note_target
from tfrec.operations.building.directory import DirectoryBuild, nothing_left_unfinished
from tfrec.operations.building.duplicates import Duplicate, find_duplicates
from tfrec.operations.building.journal import Journal
from tfrec.operations.building.records import RecordMaker
from tfrec.operations.building.single_file import write_single_file
from tfrec.operations.building.work import Work
from tfrec.operations.engines import require_engine
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.source.advice import refuse_folder_inside
from tfrec.source.image_source import ImageSource
from tfrec.source.walk import scan_images
from tfrec.storage import AnyStorage, Storage, base_name, scheme_of

# For images at a URL: each takes two requests, of 20 to 100 ms, for 2 ms of work.
_THREADS_A_CORE = 16


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build has done.

    Attributes:
        path: of the dataset.
        manifest: of the dataset as it is now.
        written: the names of the files that had to be written; all others were there.
        duplicates: identical image files in different splits.
        notes: sentences on what a user may not expect.
        seconds: how long it took.
    """

    path: str
    manifest: Manifest
    written: tuple[str, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def skipped(self) -> tuple[ImageError, ...]:
        """The images that were left out, and why."""
        return tuple(ImageError(image.path, image.reason) for image in self.manifest.skipped)

    @property
    def images_per_class(self) -> Mapping[str, int]:
        """Records of all splits by class name, in the order of the labels."""
        totals: Counter[str] = Counter(dict.fromkeys(self.manifest.class_names, 0))
        for split in self.manifest.splits.values():
            totals.update(split.images_per_class)
        return totals


def build(
    source: ImageSource | str,
    out: str,
    config: BuildConfig | None = None,
    *,
    storage: Storage | None = None,
    engine: str | Executor = "threads",
    num_workers: int | None = None,
    overwrite: bool = False,
    advance: Advance = ignore_progress,
) -> BuildReport:
    """Write the dataset `out` from the images of `source`, or bring it up to date.

    Files whose images and settings are as they were stay as they are; so do those that an
    interrupted build has finished.

    Args:
        source: what `scan_images` found, or a directory whose folders are the classes.
        out: a path with a record suffix for one file, any other for a directory.
        config: what decides the content.
        storage: where images and dataset are; by default this machine, or what a URL names.
        engine: the name of an engine, or an executor, which stays open. A `ThreadPoolExecutor`
            gets single images, any other a whole shard a task, which is pickled; a dataset of one
            file is made of single images by all.
        num_workers: of the engine; by default one for each core this process may use.
        overwrite: replace what was not built by tfrec too.
        advance: called with a number of images whenever they are done.

    Raises:
        BadImagesError: images can't be decoded, and `config.on_error` is "fail".
        ConfigError: the settings contradict each other or need an extra that is not installed, or
            `out` is not to be replaced.
        SourceError: there is nothing in the directory to make a dataset of.
        WorkerError: a worker has died.
        OSError: a file can't be written; it names the file.
    """
    start = time.monotonic()
    storage = storage or AnyStorage()
    if isinstance(source, str):
        source = scan_images(source, storage=storage)
    if not is_record_path(out):
        refuse_folder_inside(source, out, what="the dataset", storage=storage)
    plan = plan_dataset(source, out, config)
    _refuse_foreign_target(out, storage, overwrite=overwrite)
    target_notes = note_target(source, out, plan.config, storage)
    with (
        storage.exclusive(out),
        _tidy(out, storage, engine),
        open_work(plan, source.directory, out, storage, engine, num_workers, advance) as work,
    ):
        if is_record_path(out):
            manifest, finished, written = write_single_file(work)
        else:
            manifest, finished, written = DirectoryBuild(work).run()
    return BuildReport(
        out,
        manifest,
        written=tuple(written),
        duplicates=find_duplicates(plan, finished),
        notes=(*target_notes, *plan.notes),
        seconds=time.monotonic() - start,
    )


def plan_dataset(source: ImageSource, out: str, config: BuildConfig | None) -> BuildPlan:
    """Decide what a build writes at `out`."""
    file_name = base_name(out) if is_record_path(out) else None
    return plan_build(source, config or BuildConfig(), file_name=file_name)


@contextmanager
def open_work(
    plan: BuildPlan,
    directory: str,
    out: str,
    storage: Storage,
    engine: str | Executor,
    num_workers: int | None,
    advance: Advance,
) -> Iterator[Work]:
    """Start the engine for a plan over images of `directory`; its workers end with the block."""
    require_extras(plan.config.image)
    if engine == "threads" and num_workers is None and scheme_of(directory) is not None:
        num_workers = _THREADS_A_CORE * default_num_workers()
    maker = RecordMaker(directory, plan.labels, plan.config, storage, plan.features)
    with kept_pixel_memory(), _executor(engine, num_workers) as executor:
        if not shares_memory(executor):
            _require_picklable(maker)
        window = 2 * (num_workers or count_workers(executor)) + 2
        yield Work(plan, out, maker, storage, executor, window, advance)


@contextmanager
def _executor(engine: str | Executor, num_workers: int | None) -> Iterator[Executor]:
    if num_workers is not None and num_workers < 1:
        raise ConfigError(f"the number of workers is {num_workers}, and must be at least 1")
    if isinstance(engine, str):
        require_engine(engine)
    try:
        if isinstance(engine, Executor):
            yield engine
        else:
            with EXECUTORS[engine](num_workers) as executor:
                yield executor
    except BrokenExecutor as error:
        raise WorkerError(
            "a worker has died, perhaps for lack of memory; the same command with fewer workers "
            "goes on from the files that are finished"
        ) from error


def _tidy(out: str, storage: Storage, engine: str | Executor) -> AbstractContextManager[None]:
    """Return what removes the beginnings of a build that fails, unless workers may outlive it."""
    if is_record_path(out) or (isinstance(engine, Executor) and not shares_memory(engine)):
        return nullcontext()
    return nothing_left_unfinished(out, storage)


def _require_picklable(maker: RecordMaker) -> None:
    try:
        pickle.dumps(maker)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        raise ConfigError(
            f"the engine's workers can't be sent what they need ({error}); use the engine 'threads'"
        ) from error


def _refuse_foreign_target(out: str, storage: Storage, *, overwrite: bool) -> None:
    """Raise where `out` holds something that no build of ours has made."""
    if not out:
        raise ConfigError("the name of the dataset is empty; give that of a file or a directory")
    manifest = manifest_path(out)
    if overwrite or (storage.info(out) is None and storage.info(manifest) is None):
        return
    if not is_record_path(out):
        if next(storage.scan(out), None) is None:
            return  # an empty directory
        if Journal(out, storage).exists():
            return  # an interrupted build
    try:
        ours = load_manifest(manifest, storage) is not None
    except ManifestError:
        ours = False
    if not ours:
        found = manifest if storage.info(out) is None else out
        raise ConfigError(f"{found} exists and was not built by tfrec; `--overwrite` replaces it")
