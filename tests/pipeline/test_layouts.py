"""Typed elements: what goes in, what comes out, what is refused before anything is enqueued."""

import numpy as np
import pytest

from tfrec.errors import ConfigError
from tfrec.pipeline import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue


def through(queue, vals):
    queue.enqueue(vals)
    return queue.dequeue()


# Declarations


@pytest.mark.parametrize(
    ("dtypes", "shapes", "names"),
    [
        ([], None, None),
        (["no type"], None, None),
        (["int64"], [(), ()], None),
        (["int64"], None, ["a", "b"]),
        (["int64"], [(None,)], None),
        (["int64"], [(-1,)], None),
        (["int64"], [3], None),
    ],
)
def test_wrong_declaration_is_refused(dtypes, shapes, names):
    with pytest.raises(ConfigError):
        FIFOQueue(4, dtypes, shapes, names)


def test_padding_queue_needs_a_known_rank():
    with pytest.raises(ConfigError, match="known rank"):
        PaddingFIFOQueue(4, ["int64"], [None])


def test_declaration_can_be_read():
    queue = FIFOQueue(4, ["float32", "string"], [(2,), ()], ["image", "label"])

    assert [np.dtype("float32"), "string"] == queue.dtypes
    assert [(2,), ()] == queue.shapes
    assert ["image", "label"] == queue.names


# Structure


def test_one_component_comes_out_bare():
    assert 5 == through(FIFOQueue(4, "int64"), 5)


def test_list_of_one_is_the_list_of_components():
    assert 5 == through(FIFOQueue(4, ["int64"]), [5])


def test_several_components_come_out_as_a_list():
    assert [5, b"x"] == through(FIFOQueue(4, ["int64", "string"]), (5, b"x"))


def test_named_components_are_dicts():
    queue = FIFOQueue(4, ["int64", "string"], names=["label", "key"])

    assert {"label": 5, "key": b"x"} == through(queue, {"key": b"x", "label": 5})


@pytest.mark.parametrize(
    ("names", "vals"),
    [
        (None, [1]),
        (None, [1, 2, 3]),
        (None, 1),
        (None, {"a": 1, "b": 2}),
        (["a", "b"], {"a": 1}),
        (["a", "b"], {"a": 1, "b": 2, "c": 3}),
        (["a", "b"], [1, 2]),
    ],
)
def test_wrong_structure_is_refused_and_changes_nothing(names, vals):
    queue = FIFOQueue(4, ["int64", "int64"], names=names)
    with pytest.raises(ValueError):
        queue.enqueue(vals)

    assert 0 == queue.size()


# Types


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        ("float32", 1, np.float32(1)),
        ("float32", 0.1, np.float32(0.1)),
        ("int32", np.int64(7), np.int32(7)),
        ("uint8", 255, np.uint8(255)),
        ("bool", True, np.bool_(True)),
        ("complex64", 2, np.complex64(2)),
    ],
)
def test_number_becomes_the_declared_type(dtype, value, expected):
    found = through(FIFOQueue(4, dtype), value)

    assert (expected, expected.dtype) == (found, found.dtype)


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("int64", 1.5),
        ("int64", b"1"),
        ("int64", "1"),
        ("int64", True),
        ("int64", None),
        ("bool", 1),
        ("float32", "1"),
        ("float32", 1j),
        ("string", 1),
        ("string", None),
    ],
)
def test_wrong_type_is_refused(dtype, value):
    queue = FIFOQueue(4, dtype)
    with pytest.raises(TypeError, match="component 0"):
        queue.enqueue(value)

    assert 0 == queue.size()


@pytest.mark.parametrize(("dtype", "value"), [("uint8", 256), ("uint8", -1), ("int32", 2**31)])
def test_number_out_of_range_is_refused(dtype, value):
    with pytest.raises(ValueError, match=rf"outside the range of {dtype}"):
        FIFOQueue(4, dtype).enqueue(value)


@pytest.mark.parametrize("dtype", ["string", str, bytes, "S", "U"])
def test_text_becomes_utf_8(dtype):
    assert "été".encode() == through(FIFOQueue(4, dtype), "été")


def test_array_is_not_copied():
    image = np.zeros((2, 2), np.uint8)

    assert image is through(FIFOQueue(4, "uint8"), image)


def test_object_component_is_unchecked():
    element = object()

    assert element is through(FIFOQueue(4, [object]), element)


# Shapes


def test_without_shapes_any_shape_goes():
    queue = FIFOQueue(4, "int64")
    shapes = [np.shape(through(queue, np.zeros(shape, np.int64))) for shape in [(), (2,), (3, 1)]]

    assert [(), (2,), (3, 1)] == shapes


@pytest.mark.parametrize("shape", [(), (2,), (3, 1), (1, 3)])
def test_wrong_shape_is_refused_with_both(shape):
    queue = FIFOQueue(4, ["int64"], [(3,)], ["label"])
    with pytest.raises(ValueError, match="component label: found the shape"):
        queue.enqueue({"label": np.zeros(shape, np.int64)})

    assert 0 == queue.size()


def test_lists_of_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match="unequal lengths"):
        FIFOQueue(4, "int64").enqueue([[[1], [2, 3]]])


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("queue", [FIFOQueue(4, "int64"), RandomShuffleQueue(4, 0, "string")])
def test_batches_need_shapes(queue, number):
    with pytest.raises(ValueError, match="shapes"):
        queue.dequeue_many(number)


# Batches


def test_numbers_stack_into_one_array():
    queue = FIFOQueue(4, ["int64", "float32"], [(), (2,)])
    queue.enqueue((1, [0.5, 1.5]))
    queue.enqueue((2, [2.5, 3.5]))
    labels, values = queue.dequeue_many(2)

    assert (np.dtype("int64"), [1, 2]) == (labels.dtype, labels.tolist())
    assert (np.dtype("float32"), [[0.5, 1.5], [2.5, 3.5]]) == (values.dtype, values.tolist())


def test_strings_stack_into_a_list_of_bytes():
    queue = FIFOQueue(4, "string", [()])
    queue.enqueue_many([["a", b"b"]])

    assert [b"a", b"b"] == queue.dequeue_many(2)


def test_empty_batch_has_the_declared_shape():
    queue = FIFOQueue(4, ["uint8", "string"], [(2, 3), ()])
    queue.close()
    images, keys = queue.dequeue_many(0)

    assert ((0, 2, 3), np.uint8, []) == (images.shape, images.dtype, keys)


def test_batch_is_an_array_of_its_own():
    queue = FIFOQueue(4, "int64", [(1,)])
    element = np.array([1])
    queue.enqueue(element)
    batch = queue.dequeue_many(1)
    batch[0, 0] = 9

    assert [1] == element.tolist()


# enqueue_many


@pytest.mark.parametrize("vals", [[[1, 2, 3]], np.array([1, 2, 3]), ((1, 2, 3),)])
def test_rows_of_one_component(vals):
    queue = FIFOQueue(4, ["int64"], [()])
    queue.enqueue_many(vals)

    assert [1, 2, 3] == queue.dequeue_many(3).tolist()


def test_rows_of_several_components():
    queue = FIFOQueue(4, ["int64", "string"], names=["label", "key"])
    queue.enqueue_many({"label": [1, 2], "key": ["a", "b"]})

    assert [{"label": 1, "key": b"a"}, {"label": 2, "key": b"b"}] == [
        queue.dequeue(),
        queue.dequeue(),
    ]


@pytest.mark.parametrize(
    "vals",
    [
        [1, 2, 3],
        [[1, 2], [3]],
        [1, [2]],
        [[[1], [2]], [3, 4]],
    ],
)
def test_wrong_rows_are_refused_and_change_nothing(vals):
    queue = FIFOQueue(4, ["int64", "int64"], [(), ()])
    with pytest.raises(ValueError):
        queue.enqueue_many(vals)

    assert 0 == queue.size()


def test_list_of_numbers_is_no_list_of_rows_of_one_component():
    with pytest.raises(ValueError, match="found 3 components, expected 1"):
        FIFOQueue(4, ["int64"]).enqueue_many([1, 2, 3])


def test_rows_of_objects():
    queue = FIFOQueue(4, [object])
    queue.enqueue_many([["a", None]])

    assert ["a", None] == [queue.dequeue(), queue.dequeue()]


@pytest.mark.parametrize("dtype", ["int64", "string"])
def test_no_rows_are_nothing(dtype):
    queue = FIFOQueue(4, [dtype], [()])
    queue.enqueue_many([[]])

    assert 0 == queue.size()


@pytest.mark.parametrize(("dtype", "value"), [("string", "text"), ("int64", 5)])
def test_single_value_is_no_sequence_of_rows(dtype, value):
    with pytest.raises(ValueError, match="expected a sequence"):
        FIFOQueue(4, [dtype]).enqueue_many([value])


# Padding


def test_batch_is_padded_at_the_end_to_its_own_longest():
    queue = PaddingFIFOQueue(8, ["int64"], [(None,)])
    for values in ([1], [2, 3, 4], [5, 6], [7]):
        queue.enqueue([values])

    assert [[1, 0, 0], [2, 3, 4]] == queue.dequeue_many(2).tolist()
    assert [[5, 6], [7, 0]] == queue.dequeue_many(2).tolist()


def test_two_dimensions_are_padded_apart():
    queue = PaddingFIFOQueue(8, ["float32"], [(None, 2, None)])
    queue.enqueue([np.ones((1, 2, 3))])
    queue.enqueue([np.ones((2, 2, 1))])
    batch = queue.dequeue_many(2)

    assert (2, 2, 2, 3) == batch.shape
    assert [6, 4] == batch.sum(axis=(1, 2, 3)).tolist()
    assert [1, 1] == batch[1, :, 0, 0].tolist()


@pytest.mark.parametrize(
    ("dtype", "short", "long", "expected"),
    [
        ("bool", [True], [True, True], [[True, False], [True, True]]),
        ("string", ["a"], ["b", "c"], [[b"a", b""], [b"b", b"c"]]),
        ("float32", [], [0.5], [[0.0], [0.5]]),
    ],
)
def test_padding_by_type(dtype, short, long, expected):
    queue = PaddingFIFOQueue(8, [dtype], [(None,)])
    queue.enqueue([short])
    queue.enqueue([long])
    batch = queue.dequeue_many(2)

    assert expected == (batch if dtype == "string" else batch.tolist())


def test_strings_are_padded_in_two_dimensions():
    queue = PaddingFIFOQueue(8, ["string"], [(None, None)])
    queue.enqueue([[["a"]]])
    queue.enqueue([[["b", "c"], ["d", "e"]]])

    assert [[[b"a", b""], [b"", b""]], [[b"b", b"c"], [b"d", b"e"]]] == queue.dequeue_many(2)


def test_dequeue_does_not_pad():
    queue = PaddingFIFOQueue(8, ["int64"], [(None,)])
    queue.enqueue([[1]])
    queue.enqueue([[1, 2]])

    assert [[1], [1, 2]] == [queue.dequeue().tolist(), queue.dequeue().tolist()]


@pytest.mark.parametrize("shape", [(2,), (2, 3, 1), (2, 4)])
def test_rank_and_fixed_dimensions_are_checked(shape):
    with pytest.raises(ValueError, match=r"expected \(None, 3\)"):
        PaddingFIFOQueue(8, ["int64"], [(None, 3)]).enqueue(np.zeros(shape, np.int64))


def test_rows_of_one_call_are_padded_with_others():
    queue = PaddingFIFOQueue(8, ["int64"], [(None,)])
    queue.enqueue_many([[[1, 2], [3, 4]]])
    queue.enqueue_many([[[5], [6]]])

    assert [[1, 2], [3, 4], [5, 0], [6, 0]] == queue.dequeue_many(4).tolist()


def test_empty_padded_batch_has_no_length():
    queue = PaddingFIFOQueue(8, ["int64", "string"], [(None, 3), (None,)])
    numbers, strings = queue.dequeue_many(0)

    assert ((0, 0, 3), []) == (numbers.shape, strings)
