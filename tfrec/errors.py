"""Every error of the package, as a tree.

    TfrecError
    ├── ConfigError(ValueError)      a setting is out of range or contradicts another
    ├── SourceError                  the image directory cannot become a dataset
    │   └── BadImagesError           some of its images cannot be decoded
    ├── ImageError                   one image cannot be decoded
    ├── ExampleError                 not a tf.train.Example, or not what was asked for
    ├── WorkerError                  a worker of an engine has died
    ├── ManifestError                missing, unreadable, or contradicts the files
    ├── DataLossError                records are damaged
    │   ├── TruncatedRecordError
    │   ├── ChecksumError
    │   └── RecordTooLargeError
    └── PipelineError
        ├── OutOfRangeError          a closed queue is empty: the normal end of input
        ├── CancelledError           a close cancelled a pending operation
        └── StragglerError(RuntimeError)  threads outlived the stop grace period

Each error keeps its facts as attributes and in `args`, in the order of its constructor, so that it
survives pickling between processes; the sentence is made from them when it is shown. Messages are
lower case, without a final period, and name the file, the place and the values.
"""

import re


class TfrecError(Exception):
    """The root of all errors that `tfrec` raises itself."""


class ConfigError(TfrecError, ValueError):
    """A setting is out of range or contradicts another."""


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise ConfigError where a setting is none of its choices, which a type checker alone sees."""
    if value not in choices:
        raise ConfigError(f"{name} {value!r}: must be one of {', '.join(map(repr, choices))}")


class SourceError(TfrecError):
    """The image directory cannot become a dataset."""


class ImageError(TfrecError):
    """One image cannot be decoded: `path` names it, `reason` says why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    @property
    def kind(self) -> str:
        """The reason without what is particular to this image."""
        return re.split(r"[:;(]", self.reason, maxsplit=1)[0].strip()

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class BadImagesError(SourceError):
    """Images of the directory cannot be decoded, and none may be left out; `images` has each."""

    def __init__(self, images: tuple[ImageError, ...]) -> None:
        super().__init__(images)
        self.images = images

    def __str__(self) -> str:
        if len(self.images) == 1:
            return str(self.images[0])
        return f"{len(self.images):,} images cannot be used; the first is {self.images[0]}"


class ExampleError(TfrecError):
    """Bytes are not a tf.train.Example, or do not hold what was asked for.

    Attributes:
        reason: what is wrong.
        key: the feature concerned, where there is one.
        found: kind and shape found.
        expected: kind and shape asked for.
        path, index: the file and the record's number in it, where known (see `at`).
    """

    def __init__(
        self,
        reason: str,
        key: str | None = None,
        found: str | None = None,
        expected: str | None = None,
        path: str | None = None,
        index: int | None = None,
    ) -> None:
        super().__init__(reason, key, found, expected, path, index)
        self.reason = reason
        self.key = key
        self.found = found
        self.expected = expected
        self.path = path
        self.index = index

    def at(self, path: str | None, index: int) -> "ExampleError":
        """Return the same error, placed at record `index` of `path`."""
        return type(self)(self.reason, self.key, self.found, self.expected, path, index)

    def __str__(self) -> str:
        place = [] if self.path is None else [self.path]
        if self.index is not None:
            place.append(f"record {self.index}")
        if self.key is not None:
            place.append(f"feature {self.key!r}")
        values = [
            f"{word} {value}"
            for word, value in (("found", self.found), ("expected", self.expected))
            if value is not None
        ]
        message = ": ".join(filter(None, [", ".join(place), self.reason]))
        return f"{message} ({', '.join(values)})" if values else message


class WorkerError(TfrecError):
    """A worker of an engine has died, and what it did is lost."""


class ManifestError(TfrecError):
    """A manifest is missing, unreadable, or contradicts the files it describes."""


class DataLossError(TfrecError):
    """Records of a file are damaged.

    Attributes:
        path: the file.
        index: the number of the damaged record, from 0.
        offset: in bytes from the start of the uncompressed stream; where the fault lies.
        reason: what is wrong.
    """

    def __init__(self, path: str, index: int, offset: int, reason: str) -> None:
        super().__init__(path, index, offset, reason)
        self.path = path
        self.index = index
        self.offset = offset
        self.reason = reason

    @property
    def sentence(self) -> str:
        """What is wrong, with its values, without the place."""
        return self.reason

    def __str__(self) -> str:
        return f"{self.path}: record {self.index} at offset {self.offset}: {self.sentence}"


class TruncatedRecordError(DataLossError):
    """The stream ends inside a record."""


class ChecksumError(DataLossError):
    """A stored CRC differs from the computed one; both are the masked values."""

    def __init__(
        self, path: str, index: int, offset: int, reason: str, stored: int, computed: int
    ) -> None:
        super().__init__(path, index, offset, reason)
        self.args = (path, index, offset, reason, stored, computed)
        self.stored = stored
        self.computed = computed

    @property
    def sentence(self) -> str:
        """What is wrong, with both CRCs."""
        return f"{self.reason} (stored {self.stored:#010x}, computed {self.computed:#010x})"


class RecordTooLargeError(DataLossError):
    """A record's length exceeds what may be read; `length` and `limit` are in bytes."""

    def __init__(
        self, path: str, index: int, offset: int, reason: str, length: int, limit: int
    ) -> None:
        super().__init__(path, index, offset, reason)
        self.args = (path, index, offset, reason, length, limit)
        self.length = length
        self.limit = limit


class PipelineError(TfrecError):
    """Something ended or went wrong between the threads of a pipeline."""


class OutOfRangeError(PipelineError):
    """A closed queue is empty: the normal end of input."""


class CancelledError(PipelineError):
    """A close cancelled a pending operation."""


class StragglerError(PipelineError, RuntimeError):
    """Threads outlived the stop grace period."""
