"""What every schema promises."""

import pytest

from tfrec.example import Int64List, decode_example, encode_example
from tfrec.schema import SCHEMAS, Sample, key_of

pytestmark = pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)


def make_sample(schema, **changes):
    values = {
        "image": bytes(range(12)),
        "encoding": schema.encodings[0],
        "width": 2,
        "height": 2,
        "channels": 3,
        "label": 7,
        "class_name": "猫",
        "path": "猫/фото 1.jpg",
    }
    return Sample(**values | changes)


def test_it_is_found_by_its_name(schema):
    assert schema is SCHEMAS[schema.name]


def test_it_writes_the_features_that_it_names(schema):
    assert set(schema.features) == set(schema.encode(make_sample(schema)))


def test_the_image_comes_back(schema):
    data = encode_example(schema.encode(make_sample(schema)))

    assert bytes(range(12)) == schema.decode(decode_example(data)).image


def test_the_class_comes_back_by_number_or_name(schema):
    data = encode_example(schema.encode(make_sample(schema)))

    found = schema.decode(decode_example(data))
    assert 7 == found.label if key_of(schema, "label") else found.class_name == "猫"


def test_further_features_of_the_sample_are_written(schema):
    sample = make_sample(schema, features={"patient": 12})

    assert Int64List((12,)) == decode_example(encode_example(schema.encode(sample)))["patient"]


def test_every_encoding_that_it_holds_can_be_written(schema):
    for encoding in schema.encodings:
        data = encode_example(schema.encode(make_sample(schema, encoding=encoding)))

        assert bytes(range(12)) == schema.decode(decode_example(data)).image


def test_an_image_is_among_its_features(schema):
    assert key_of(schema, "image") is not None
