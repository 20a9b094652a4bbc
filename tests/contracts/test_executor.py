"""What every engine promises."""

import pytest

from tfrec.engine import EXECUTORS, map_completed, map_ordered
from tfrec.errors import ImageError


@pytest.fixture
def create(engine):
    return EXECUTORS[engine]


def square(number):
    return number * number


def fail(number):
    raise ImageError(f"{number}.png", "is bad")


@pytest.mark.parametrize("num_workers", [1, 2])
def test_results_come_in_order(create, num_workers):
    with create(num_workers) as executor:
        assert [0, 1, 4, 9, 16] == list(map_ordered(executor, square, range(5), window=3))


def test_results_come_with_their_items(create):
    with create(2) as executor:
        assert {(2, 4), (3, 9)} == set(map_completed(executor, square, [2, 3], window=2))


def test_our_errors_come_back_with_their_facts(create):
    with create(2) as executor, pytest.raises(ImageError) as caught:
        list(map_ordered(executor, fail, [7], window=1))

    assert ("7.png", "is bad") == (caught.value.path, caught.value.reason)


def test_the_block_ends_without_what_has_not_begun(create):
    with pytest.raises(KeyError), create(2) as executor:
        for _ in map_ordered(executor, square, range(1000), window=4):
            raise KeyError

    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(square, 1)
