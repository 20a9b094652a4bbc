"""What was written: `dataset.json`.

A manifest holds nothing but what the input and the settings decide: no times, no host names, no
absolute paths, no worker counts. The same input gives the same bytes. It is published last, after
the shards, and so publishes the dataset.
"""

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tfrec.dataset.naming import is_file_name
from tfrec.errors import ManifestError
from tfrec.storage import Storage
from tfrec.storage.small_files import read_small_file

FORMAT_VERSION = 1


@dataclasses.dataclass(frozen=True, slots=True)
class SkippedImage:
    """An image that has no record: its path below the image directory, and why."""

    path: str
    reason: str


@dataclasses.dataclass(frozen=True, slots=True)
class Shard:
    """One record file.

    Attributes:
        name: of the file, in the dataset's directory.
        num_records: in the file.
        num_bytes: of the file.
        sha256: of the file, in hexadecimal digits.
        inputs: digest of the settings, and of the path, label and content of each image.
        skipped: images that would have a record here, but could not be decoded.
    """

    name: str
    num_records: int
    num_bytes: int
    sha256: str
    inputs: str
    skipped: tuple[SkippedImage, ...] = ()

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Shard":
        """Read what `dataclasses.asdict` and JSON have made of a shard.

        Raises:
            ValueError, TypeError: it is something else, or names a file elsewhere.
        """
        skipped = tuple(SkippedImage(**image) for image in document.get("skipped", ()))
        shard = cls(**{**document, "skipped": skipped})
        texts = [shard.name, shard.sha256, shard.inputs]
        texts += [text for image in skipped for text in (image.path, image.reason)]
        _require_all(texts, str)
        _require_all((shard.num_records, shard.num_bytes), int)
        if not is_file_name(shard.name):
            raise ValueError(f"{shard.name!r} is no name of a file")
        return shard


@dataclasses.dataclass(frozen=True, slots=True)
class Split:
    """The shards of one split, and how many records each class has in them, by class name."""

    shards: tuple[Shard, ...]
    images_per_class: Mapping[str, int]

    @property
    def num_records(self) -> int:
        """Records of all shards."""
        return sum(shard.num_records for shard in self.shards)

    @property
    def num_bytes(self) -> int:
        """Bytes of all shards' files."""
        return sum(shard.num_bytes for shard in self.shards)


@dataclasses.dataclass(frozen=True, slots=True)
class Manifest:
    """All that is said of a dataset.

    Attributes:
        versions: of the programs that decide the bytes: tfrec, Pillow, libjpeg.
        class_names: in the order of their labels.
        label_offset: the label of the first class.
        config: the `BuildConfig`, as JSON values.
        splits: by name.
    """

    versions: Mapping[str, str]
    class_names: tuple[str, ...]
    label_offset: int
    config: Mapping[str, Any]
    splits: Mapping[str, Split]

    @property
    def num_records(self) -> int:
        """Records of all splits."""
        return sum(split.num_records for split in self.splits.values())

    @property
    def num_bytes(self) -> int:
        """Bytes of all files."""
        return sum(split.num_bytes for split in self.splits.values())

    @property
    def shards(self) -> tuple[Shard, ...]:
        """The shards of all splits."""
        return tuple(shard for split in self.splits.values() for shard in split.shards)

    @property
    def skipped(self) -> tuple[SkippedImage, ...]:
        """The images that have no record, in the order of the shards."""
        return tuple(image for shard in self.shards for image in shard.skipped)

    @property
    def labels(self) -> dict[str, int]:
        """The number of each class, by its name."""
        return {name: label for label, name in enumerate(self.class_names, self.label_offset)}

    def to_json(self) -> bytes:
        """Return the manifest as UTF-8 JSON."""
        fields = dataclasses.asdict(self)
        labels = {"offset": fields.pop("label_offset"), "names": fields.pop("class_names")}
        document = {"format_version": FORMAT_VERSION, "labels": labels, **fields}
        return encode_json(document)

    @classmethod
    def from_json(cls, content: bytes, *, path: str) -> "Manifest":
        """Read what `to_json` gave; `path` names it in errors.

        Raises:
            ManifestError: it is something else, or of a later format.
        """
        try:
            document = json.loads(content)
            version = document["format_version"]
            if version != FORMAT_VERSION:
                raise ManifestError(
                    f"{path}: its format version is {version}, this program reads {FORMAT_VERSION}"
                )
            manifest = cls(
                versions=document["versions"],
                class_names=tuple(document["labels"]["names"]),
                label_offset=document["labels"]["offset"],
                config=document["config"],
                splits={name: _read_split(split) for name, split in document["splits"].items()},
            )
            _require_all((manifest.versions, manifest.config), dict)
            _require_all(manifest.class_names, str)
            _require_all((manifest.label_offset,), int)
            _refuse_other_pixels(manifest.config)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ManifestError(f"{path}: it is no manifest of tfrec") from error
        return manifest


def encode_json(document: Any) -> bytes:  # noqa: ANN401 (any JSON value)
    r"""Return readable UTF-8 JSON, the same for the same value.

    Names that are no UTF-8 carry surrogate escapes; they are kept as `\udcXX`, so that reading
    gives the same name.
    """
    try:
        return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()
    except UnicodeEncodeError:
        return (json.dumps(document, indent=1) + "\n").encode()


def compare_settings(manifest: Manifest, other: Manifest) -> Iterator[tuple[str, object, object]]:
    """Yield each version and setting that differs: which it is, and its value in either."""
    for what, values, other_values in (
        ("version of", manifest.versions, other.versions),
        ("setting", manifest.config, other.config),
    ):
        flat, other_flat = _flatten(values), _flatten(other_values)
        for name in sorted({*flat, *other_flat}):
            if flat.get(name) != other_flat.get(name):
                yield f"{what} `{name}`", flat.get(name), other_flat.get(name)


def say_value(value: object) -> str:
    """Return a setting or a version in the words of messages."""
    return "not set" if value is None else repr(value)


def load_manifest(path: str, storage: Storage) -> Manifest | None:
    """Load the manifest at `path`; None where there is no file.

    Raises:
        ManifestError: the file is no manifest.
    """
    content = read_small_file(path, storage)
    return None if content is None else Manifest.from_json(content, path=path)


def _flatten(settings: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    """Return the settings with those of groups among them: `image.size`."""
    flat: dict[str, object] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            flat |= _flatten(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat


def _read_split(document: Mapping[str, Any]) -> Split:
    shards = tuple(map(Shard.from_json, document["shards"]))
    images_per_class = document["images_per_class"]
    _require_all(images_per_class.values(), int)
    return Split(shards, images_per_class)


def _refuse_other_pixels(config: Mapping[str, Any]) -> None:
    """Raise unless the settings that readers of raw pixels go by are such settings."""
    image = config.get("image", {})
    _require_all((image,), dict)
    size = image.get("size")
    if size is not None:
        width, height = size
        _require_all((width, height), int)


def _require_all(values: Iterable[object], kind: type) -> None:
    """Raise where a value is of another kind than JSON had for it when it was written."""
    for value in values:
        if not isinstance(value, kind):
            raise TypeError(f"{value!r} is no {kind.__name__}")
