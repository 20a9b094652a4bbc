from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tfrec.source.apportion import apportion

SHARES = (
    st.lists(st.integers(0, 20), min_size=1, max_size=6)
    .filter(any)
    .map(lambda weights: [Fraction(weight, sum(weights)) for weight in weights])
)


# A column that lacks one must not take it from a cell that is exact already.
@example(totals=[4, 2], shares=[Fraction(4, 12), Fraction(3, 12), Fraction(5, 12)])
@given(totals=st.lists(st.integers(0, 30), max_size=30), shares=SHARES)
def test_rows_add_up_and_every_cell_and_column_is_within_one(totals, shares):
    rows = apportion(totals, shares)

    assert totals == [sum(row) for row in rows]
    for total, row in zip(totals, rows, strict=True):
        assert all(
            floor(total * s) <= cell <= ceil(total * s) for s, cell in zip(shares, row, strict=True)
        )
    for column, share in enumerate(shares):
        exact = sum(totals) * share
        assert floor(exact) <= sum(row[column] for row in rows) <= ceil(exact)


@pytest.mark.parametrize(
    ("total", "weights", "row"),
    [
        (10, [8, 1, 1], [8, 1, 1]),
        (7, [8, 1, 1], [5, 1, 1]),  # 5.6, 0.7, 0.7
        (1, [8, 1, 1], [1, 0, 0]),
        (0, [8, 1, 1], [0, 0, 0]),
        (3, [10, 0, 0], [3, 0, 0]),
        (101, [1, 1], [51, 50]),
    ],
)
def test_one_row_is_rounded_by_the_largest_remainders(total, weights, row):
    shares = [Fraction(weight, sum(weights)) for weight in weights]

    assert [row] == apportion([total], shares)


def test_small_rows_still_fill_a_small_column():
    rows = apportion([5] * 100, [Fraction(9, 10), Fraction(1, 10)])

    assert [450, 50] == [sum(column) for column in zip(*rows, strict=True)]
