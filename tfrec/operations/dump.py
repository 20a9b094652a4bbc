"""Write the images of records to files, through the coordinated pipeline.

    file names -> reader threads -> records -> decode threads, which write -> the caller, who counts

Every arrow is a bounded queue, so memory does not grow with the data. All threads belong to one
coordinator: the first error stops them all and is raised. A picture's name has the index of its
record, so the result does not depend on which thread was first.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias, get_args

from tfrec.dataset.build_config import OnError
from tfrec.dataset.description import RecordFile
from tfrec.dataset.inputs import resolve_inputs
from tfrec.engine import default_num_workers
from tfrec.errors import ConfigError, ExampleError, OutOfRangeError, check_choice
from tfrec.images import make_codec
from tfrec.operations.fingerprint import MARKER_NAME, Fingerprint, is_untouched_dump
from tfrec.operations.pictures import Picture, PictureMaker
from tfrec.operations.progress import Advance, ignore_progress
from tfrec.operations.selection import SelectedRecord, Selection, select_records
from tfrec.pipeline import Coordinator, FIFOQueue, QueueRunner, input_producer
from tfrec.storage import AnyStorage, Storage, base_name

PictureFormat: TypeAlias = Literal["jpeg", "png"]

_RECORDS_AHEAD = 16  # 3 MiB of raw 256x256 images; each reader holds some more
_WRITTEN_AHEAD = 32
_AT_ONCE = 8  # that a reader puts in and the caller takes out: each time a thread has to be woken
_BYTES_AT_ONCE = 4 << 20  # after which a reader puts in what it has
_MAX_READERS = 4  # a reader gives 35,000 raw records a second, far more than are decoded


@dataclass(frozen=True, slots=True)
class DumpReport:
    """What a dump has written.

    Attributes:
        path: of the directory.
        images_per_folder: number of images by the name of their folder.
        skipped: records that are no image, in the order of files and records.
    """

    path: str
    images_per_folder: Mapping[str, int]
    skipped: tuple[ExampleError, ...] = ()

    @property
    def num_images(self) -> int:
        """Images of all folders."""
        return sum(self.images_per_folder.values())


def dump(
    paths: Sequence[str],
    out: str,
    *,
    storage: Storage | None = None,
    selection: Selection | None = None,
    image_format: PictureFormat = "jpeg",
    image_key: str | None = None,
    label_key: str | None = None,
    size: tuple[int, int] = (256, 256),
    on_error: OnError = "fail",
    num_workers: int | None = None,
    overwrite: bool = False,
    advance: Advance = ignore_progress,
) -> DumpReport:
    """Write each record's image to `out/CLASS/INDEX.SUFFIX`, or `out/CLASS/INDEX-NAME.SUFFIX`.

    NAME is that of the image file, where the record has it. Raw pixels become JPEG of quality 95,
    or PNG; encoded images are kept byte for byte.

    Args:
        paths: of record files, and directories of them.
        out: the directory to make; it appears whole or not at all.
        storage: where all files are; by default this machine, or what a URL names.
        selection: the records that are meant; by default all.
        image_format: of raw pixels.
        image_key: the feature that is the image; by default looked for.
        label_key: the feature that is the label; by default looked for.
        size: (width, height) of raw pixels where neither record nor manifest says it.
        on_error: what a record that is no image does: end the dump, or be left out.
        num_workers: threads that decode and write; by default one for each core this process may
            use.
        overwrite: replace `out` if it is a dump that nobody has changed.
        advance: called with a number of records whenever they are done.

    Raises:
        ConfigError: there is no such choice; or `out` is something else than a dump, or not to be
            replaced.
        ExampleError: a record is no image, and `on_error` is "fail".
        DataLossError: a file is damaged.
        OSError: a file can't be read or written; it names the file.
    """
    check_choice("image_format", image_format, get_args(PictureFormat))
    check_choice("on_error", on_error, get_args(OnError))
    storage = storage or AnyStorage()
    # A file that is named twice is written once: its pictures would have the same names.
    files = list({file.path: file for file in resolve_inputs(paths, storage)}.values())
    codec = make_codec("png") if image_format == "png" else make_codec("jpeg", quality=95)
    make_picture = PictureMaker(codec, image_key, label_key, size)
    name_picture = _picture_namer(files)
    _refuse_target(out, storage, overwrite=overwrite)
    per_folder: Counter[str] = Counter()
    skipped: list[ExampleError] = []
    fingerprint = Fingerprint()
    num_workers = num_workers or default_num_workers()
    with storage.publish_directory(out, replace=overwrite) as directory:
        writer = _PictureWriter(make_picture, name_picture, directory, storage)
        pipeline = _run_pipeline(files, selection or Selection(), writer, storage, num_workers)
        with closing(pipeline):
            for written in pipeline:
                advance(1)
                if isinstance(written, _Written):
                    fingerprint.add(f"{written.folder}/{written.name}", written.num_bytes)
                    per_folder[written.folder] += 1
                elif on_error == "fail":
                    raise written
                else:
                    skipped.append(written)
        storage.write(storage.join(directory, MARKER_NAME), fingerprint.to_json())
    order = {file.path: position for position, file in enumerate(files)}
    skipped.sort(key=lambda error: (order[error.path or ""], error.index or 0))
    return DumpReport(out, dict(sorted(per_folder.items())), tuple(skipped))


def _refuse_target(out: str, storage: Storage, *, overwrite: bool) -> None:
    if not out:
        raise ConfigError("the name of the directory to make is empty")
    found = storage.info(out)
    if found is None:
        return
    if found.kind != "directory":
        raise ConfigError(f"{out} exists and is no directory")
    if next(iter(storage.scan(out)), None) is None:
        return
    if not overwrite:
        raise ConfigError(f"{out} is not empty; `--overwrite` replaces it if `tfrec dump` made it")
    if not is_untouched_dump(out, storage):
        raise ConfigError(
            f"{out} holds files that `tfrec dump` did not write; remove it yourself, or name "
            "another directory"
        )


class _Written(NamedTuple):
    """A file that was written: its folder, its name there, and its size."""

    folder: str
    name: str
    num_bytes: int


@dataclass(frozen=True, slots=True)
class _PictureWriter:
    """Writes the pictures of records below `directory`; serves all decode threads."""

    make_picture: PictureMaker
    name_picture: Callable[[Picture], str]
    directory: str
    storage: Storage

    def write(self, record: SelectedRecord) -> _Written:
        """Write one record's picture; raises what `make_picture` and the storage do."""
        picture = self.make_picture(record)
        name = self.name_picture(picture)
        path = self.storage.join(self.directory, picture.folder, name)
        self.storage.write(path, picture.content)
        return _Written(picture.folder, name, len(picture.content))


def _run_pipeline(
    files: Sequence[RecordFile],
    selection: Selection,
    writer: _PictureWriter,
    storage: Storage,
    num_threads: int,
) -> Generator[_Written | ExampleError]:
    """Write all pictures; yield what was written, or the error why not, for each record."""
    num_readers = min(len(files), _MAX_READERS)
    with Coordinator() as coord:
        names = input_producer(files, num_epochs=1, shuffle=False, coord=coord)
        records: FIFOQueue[SelectedRecord] = FIFOQueue(_RECORDS_AHEAD, name="records")
        written: FIFOQueue[_Written | ExampleError] = FIFOQueue(_WRITTEN_AHEAD, name="written")
        readers = [_Reader(names.dequeue, selection, storage) for _ in range(num_readers)]

        def write() -> None:
            record = records.dequeue()
            try:
                written.enqueue(writer.write(record))
            except ExampleError as error:
                written.enqueue(error)

        runners = (
            QueueRunner(records, [_enqueue_from(reader, records) for reader in readers]),
            QueueRunner(written, [write] * num_threads),
        )
        for runner in runners:
            runner.create_threads(coord, daemon=True, start=True)
        with suppress(OutOfRangeError):  # an error of a thread is raised by leaving the block
            while True:
                yield from written.dequeue_up_to(_AT_ONCE)


def _enqueue_from(reader: "_Reader", records: "FIFOQueue[SelectedRecord]") -> Callable[[], None]:
    def read() -> None:
        records.enqueue_many(reader.read())

    return read


@dataclass(slots=True)
class _Reader:
    """Reads records of one file after the other; belongs to one thread."""

    next_file: Callable[[], RecordFile]
    selection: Selection
    storage: Storage
    _records: Iterator[SelectedRecord] = field(default_factory=lambda: iter(()))

    def read(self) -> list[SelectedRecord]:
        """Return the next records, at least one, or raise what `next_file` raises at its end."""
        while not (records := self._take()):
            self._records = select_records([self.next_file()], self.selection, self.storage)
        return records

    def _take(self) -> list[SelectedRecord]:
        records: list[SelectedRecord] = []
        num_bytes = 0
        while len(records) < _AT_ONCE and num_bytes < _BYTES_AT_ONCE:
            record = next(self._records, None)
            if record is None:
                break
            records.append(record)
            num_bytes += len(record.data)
        return records


def _picture_namer(files: Sequence[RecordFile]) -> Callable[[Picture], str]:
    """Return what names a picture: by its record's index, and by its file where there are more."""
    if len(files) == 1:
        return _name_of
    stems = [base_name(file.path).partition(".")[0] for file in files]
    if len(set(stems)) < len(stems):
        stems = [f"{position:05d}-{stem}" for position, stem in enumerate(stems)]
    prefixes = {file.path: stem for file, stem in zip(files, stems, strict=True)}
    return lambda picture: f"{prefixes[picture.file.path]}-{_name_of(picture)}"


def _name_of(picture: Picture) -> str:
    stem = f"-{picture.stem}" if picture.stem else ""
    return f"{picture.record_index:06d}{stem}{picture.suffix}"
