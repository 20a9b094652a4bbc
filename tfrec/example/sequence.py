"""The features of a `tf.train.SequenceExample`: those of the context, and lists of features."""

from typing import Any, NamedTuple, cast

from google.protobuf.message import DecodeError

from tfrec.errors import ExampleError
from tfrec.example import messages
from tfrec.example.values import BytesList, FeatureValue, FloatList, Int64List


class SequenceFeatures(NamedTuple):
    """`context` by key; `lists` by key, one value a step. Steps without a kind are left out."""

    context: dict[str, FeatureValue]
    lists: dict[str, list[FeatureValue]]


def decode_sequence_example(data: bytes) -> SequenceFeatures:
    """Return the features of a serialized SequenceExample.

    Raises:
        ExampleError: the bytes are not a SequenceExample.
    """
    try:
        message = cast("Any", messages.SequenceExample.FromString(data))
    except DecodeError as error:
        raise ExampleError("not a tf.train.SequenceExample") from error
    context = {key: _value_of(feature) for key, feature in message.context.feature.items()}
    lists = {
        key: [_value_of(feature) for feature in steps.feature]
        for key, steps in message.feature_lists.feature_list.items()
    }
    return SequenceFeatures(
        {key: value for key, value in sorted(context.items()) if value is not None},
        {key: [step for step in steps if step is not None] for key, steps in sorted(lists.items())},
    )


def _value_of(feature: Any) -> FeatureValue | None:  # noqa: ANN401 (a protobuf message)
    match feature.WhichOneof("kind"):
        case "bytes_list":
            return BytesList(tuple(feature.bytes_list.value))
        case "float_list":
            return FloatList(tuple(feature.float_list.value))
        case "int64_list":
            return Int64List(tuple(feature.int64_list.value))
    return None
