"""The files that say which number means which class, in the forms that readers expect."""

from tfrec.dataset.naming import LABEL_MAP_NAME, LABELS_NAME
from tfrec.schema import Schema
from tfrec.source.labels import LabelMap
from tfrec.source.paths import escape_name

_QUOTED = str.maketrans({"\\": r"\\", "'": r"\'", "\n": r"\n", "\r": r"\r"})


def describe_labels(labels: LabelMap, schema: Schema) -> dict[str, bytes]:
    """Return the label files of a directory dataset by name."""
    text = _number_lines(labels) if schema.has_numbered_labels else labels.to_text()
    files = {LABELS_NAME: text.encode()}
    if schema.has_label_map:
        files[LABEL_MAP_NAME] = _make_label_map(labels).encode()
    return files


def _number_lines(labels: LabelMap) -> str:
    return "".join(
        f"{number}:{escape_name(name)}\n" for number, name in enumerate(labels.names, labels.offset)
    )


def _make_label_map(labels: LabelMap) -> str:
    r"""Return a label map of the Object Detection API, in protobuf's text format.

    Bytes that are no UTF-8 are `\xNN` there too.
    """
    return "".join(
        f"item {{\n  id: {number}\n  name: '{_quote(name)}'\n}}\n"
        for number, name in enumerate(labels.names, labels.offset)
    )


def _quote(name: str) -> str:
    return "".join(
        f"\\x{ord(character) - 0xDC00:02x}" if "\udc80" <= character <= "\udcff" else character
        for character in name.translate(_QUOTED)
    )
