import pickle

import pytest

from tfrec import errors

EXAMPLES = {
    errors.TfrecError("a reason"): "a reason",
    errors.ConfigError("a reason"): "a reason",
    errors.SourceError("a reason"): "a reason",
    errors.ImageError("a.png", "it is empty"): "a.png: it is empty",
    errors.ExampleError("not a tf.train.Example"): "not a tf.train.Example",
    errors.ExampleError(
        "the kind differs", "label", "int64", "float32", "x.tfrecords", 3
    ): "x.tfrecords, record 3, feature 'label': the kind differs (found int64, expected float32)",
    errors.WorkerError("a reason"): "a reason",
    errors.ManifestError("a reason"): "a reason",
    errors.DataLossError("x", 2, 122, "a reason"): "x: record 2 at offset 122: a reason",
    errors.TruncatedRecordError("x", 0, 0, "a reason"): "x: record 0 at offset 0: a reason",
    errors.ChecksumError("x", 2, 122, "it is wrong", 7, 0xA282EAD8): (
        "x: record 2 at offset 122: it is wrong (stored 0x00000007, computed 0xa282ead8)"
    ),
    errors.RecordTooLargeError("x", 2, 122, "too long", 9, 5): (
        "x: record 2 at offset 122: too long"
    ),
    errors.PipelineError("a reason"): "a reason",
    errors.OutOfRangeError("a reason"): "a reason",
    errors.CancelledError("a reason"): "a reason",
    errors.StragglerError("a reason"): "a reason",
}
each_error = pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)


def test_every_error_stands_here():
    classes = {value for value in vars(errors).values() if isinstance(value, type)}

    assert classes - {errors.BadImagesError} == {type(error) for error in EXAMPLES}


@each_error
def test_an_error_says_its_facts(error):
    assert EXAMPLES[error] == str(error)


@each_error
def test_an_error_survives_the_way_between_processes(error):
    error.__cause__ = ValueError("a cause")
    error.add_note("a note")

    copy = pickle.loads(pickle.dumps(error))

    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert copy.args == error.args
    assert vars(copy) == vars(error)


def test_several_bad_images_survive_the_way_between_processes():
    images = (errors.ImageError("a.png", "it is empty"), errors.ImageError("b.png", "it is text"))

    copy = pickle.loads(pickle.dumps(errors.BadImagesError(images)))

    assert str(copy) == str(errors.BadImagesError(images))
    assert [vars(image) for image in images] == [vars(image) for image in copy.images]


def test_an_example_error_is_placed():
    error = errors.ExampleError("a reason", "label", "int64", "float32")

    placed = error.at("x", 3)

    assert (placed.path, placed.index) == ("x", 3)
    assert (placed.reason, placed.key, placed.found, placed.expected) == error.args[:4]
