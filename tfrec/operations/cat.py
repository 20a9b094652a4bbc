"""Show records: their features in a form for people, or for programs."""

import base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from tfrec.dataset.inputs import resolve_inputs
from tfrec.errors import ExampleError, check_choice
from tfrec.example import BytesList, FeatureValue, decode_example
from tfrec.example.keys import list_keys
from tfrec.example.kinds import MessageKind, detect_kind
from tfrec.example.sequence import decode_sequence_example
from tfrec.example.values import KIND_NAMES
from tfrec.operations.selection import Selection, select_records
from tfrec.storage import AnyStorage, Storage

BytesForm: TypeAlias = Literal["short", "base64"]
JsonValue: TypeAlias = int | float | str | dict[str, int | str]

_MAX_TEXT = 200  # bytes that are shown as text
_NUM_SHOWN = 16  # bytes of others


@dataclass(frozen=True, slots=True)
class ShownFeature:
    """One feature: its key, its kind, and its values as JSON has them.

    Bytes are a text where they are one; else `{"num_bytes": …, "start": "ffd8…"}`, or with the form
    "base64" `{"base64": "…"}`.
    """

    key: str
    kind: str
    values: Sequence[JsonValue]


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """One record: where it is, which message it is, and its features."""

    path: str
    index: int
    offset: int
    num_bytes: int
    kind: MessageKind
    features: tuple[ShownFeature, ...]


def cat(
    paths: Iterable[str],
    *,
    selection: Selection | None = None,
    keys: Sequence[str] = (),
    bytes_form: BytesForm = "short",
    storage: Storage | None = None,
) -> Iterator[ShownRecord]:
    """Yield records in the order of the files.

    Args:
        paths: as `resolve_inputs` takes them.
        selection: of records; all by default.
        keys: of the features to show; all by default.
        bytes_form: of bytes that are no text.
        storage: where the files are; by default this machine, or what a URL names.

    Raises:
        ConfigError: a path means no record files, or there is no such form.
        DataLossError: a record is damaged; those before it were yielded.
        ExampleError: a record's message is damaged, one that is tested is no Example, or none of
            `keys` is there; it names the file and the record.
        OSError: a file can't be read; it names the file.
    """
    check_choice("bytes_form", bytes_form, get_args(BytesForm))
    storage = storage or AnyStorage()
    files = resolve_inputs(paths, storage)
    for record in select_records(files, selection or Selection(), storage):
        kind = detect_kind(record.data)
        try:
            shown = _choose(_decode(record.data, kind), keys)
        except ExampleError as error:
            raise error.at(record.file.path, record.index) from error
        yield ShownRecord(
            record.file.path,
            record.index,
            record.offset,
            len(record.data),
            kind,
            tuple(_show(key, value, bytes_form) for key, value in shown),
        )


def _decode(data: bytes, kind: MessageKind) -> list[tuple[str, FeatureValue]]:
    """Return the features, by name; those of a list stand one a step."""
    if kind == "Example":
        return sorted(decode_example(data).items())
    if kind == "SequenceExample":
        context, lists = decode_sequence_example(data)
        named = [(f"context/{key}", value) for key, value in context.items()]
        return named + [
            (f"list/{key}/{step}", value)
            for key, steps in lists.items()
            for step, value in enumerate(steps)
        ]
    return [("", BytesList((data,)))]


def _choose(
    features: list[tuple[str, FeatureValue]], keys: Sequence[str]
) -> list[tuple[str, FeatureValue]]:
    if not keys:
        return features
    chosen = [(key, value) for key, value in features if key in keys]
    if not chosen:
        present = list_keys((key for key, _ in features), keys)
        raise ExampleError(f"the record has none of {', '.join(keys)}; it has {present}")
    return chosen


def _show(key: str, value: FeatureValue, bytes_form: BytesForm) -> ShownFeature:
    if isinstance(value, BytesList):
        shown: list[JsonValue] = [_show_bytes(bytes(data), bytes_form) for data in value.values]
    else:
        shown = list(value.values)
    return ShownFeature(key, KIND_NAMES[type(value)], shown)


def _show_bytes(data: bytes, bytes_form: BytesForm) -> JsonValue:
    if bytes_form == "base64" or len(data) <= _MAX_TEXT:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            pass
        else:
            if all(character.isprintable() or character in "\t\r\n" for character in text):
                return text
    if bytes_form == "base64":
        return {"base64": base64.b64encode(data).decode()}
    return {"num_bytes": len(data), "start": data[:_NUM_SHOWN].hex()}
