"""The features of a `tf.train.SequenceExample`: those of the context, and lists of features."""

from typing import NamedTuple

from tfrec.example.messages import parse_sequence_example
from tfrec.example.values import FeatureValue


class SequenceFeatures(NamedTuple):
    """`context` by key; `lists` by key, one value a step. Steps without a kind are left out."""

    context: dict[str, FeatureValue]
    lists: dict[str, list[FeatureValue]]


def decode_sequence_example(data: bytes) -> SequenceFeatures:
    """Return the features of a serialized SequenceExample.

    Raises:
        ExampleError: the bytes are not a SequenceExample.
    """
    context, lists = parse_sequence_example(data)
    return SequenceFeatures(
        {key: value for key, value in sorted(context.items()) if value is not None},
        {key: [step for step in steps if step is not None] for key, steps in sorted(lists.items())},
    )
