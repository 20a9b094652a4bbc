"""The Example messages, and the only module that touches protobuf.

The classes come from a descriptor file (compiled from proto/example.proto by `make proto`) in a
descriptor pool of our own. In protobuf's default pool a second definition of Example breaks a
process that imports TensorFlow too. No generated code, so no protoc version to match: protobuf 4
to 7 work, in C and in pure Python.
"""

import pkgutil
from collections.abc import Iterable
from typing import Any, cast

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from tfrec.errors import ExampleError
from tfrec.example.values import BytesList, FeatureValue, FloatList, Int64List


def _load_pool() -> DescriptorPool:
    pool = DescriptorPool()
    descriptors = FileDescriptorSet.FromString(
        cast("bytes", pkgutil.get_data(__package__, "example.binpb"))
    )
    for file in descriptors.file:
        pool.AddSerializedFile(file.SerializeToString())
    return pool


_POOL = _load_pool()


def _message_class(name: str) -> type[Message]:
    return GetMessageClass(_POOL.FindMessageTypeByName(f"tfrec.{name}"))


SequenceExample = _message_class("SequenceExample")
Feature = _message_class("Feature")
_Int64List = _message_class("Int64List")
_UnparsedExample = _message_class("UnparsedExample")


def split_example(data: bytes) -> list[tuple[bytes, list[bytes]]]:
    """Return the map entries of a serialized Example in order: key, and the parts of its Feature.

    Nothing inside a Feature is examined. Keys may repeat.
    """
    try:
        example = cast("Any", _UnparsedExample.FromString(data))
    except DecodeError as error:
        raise ExampleError("not a tf.train.Example") from error
    return [(entry.key, list(entry.value)) for entry in example.features.feature]


def parse_feature(parts: Iterable[bytes]) -> FeatureValue | None:
    """Return the value of a serialized Feature, or None where it has no kind."""
    feature = cast("Any", Feature())
    try:
        for part in parts:
            feature.MergeFromString(part)
    except DecodeError as error:
        raise ExampleError("not a tf.train.Feature") from error
    return _value_of(feature)


def parse_sequence_example(
    data: bytes,
) -> tuple[dict[str, FeatureValue | None], dict[str, list[FeatureValue | None]]]:
    """Return the context and the lists of a serialized SequenceExample, each by key.

    A Feature without a kind is None.
    """
    try:
        message = cast("Any", SequenceExample.FromString(data))
    except DecodeError as error:
        raise ExampleError("not a tf.train.SequenceExample") from error
    context = {key: _value_of(feature) for key, feature in message.context.feature.items()}
    lists = {
        key: [_value_of(feature) for feature in steps.feature]
        for key, steps in message.feature_lists.feature_list.items()
    }
    return context, lists


def serialize_int64_list(values: Iterable[int]) -> bytes:
    """Return a serialized Int64List: packed, or nothing for an empty list."""
    return cast("bytes", cast("Any", _Int64List)(value=values).SerializeToString())


def _value_of(feature: Any) -> FeatureValue | None:  # noqa: ANN401 (a protobuf message)
    match feature.WhichOneof("kind"):
        case "bytes_list":
            return BytesList(tuple(feature.bytes_list.value))
        case "float_list":
            return FloatList(tuple(feature.float_list.value))
        case "int64_list":
            return Int64List(tuple(feature.int64_list.value))
    return None
