"""Split whole numbers by shares, to whole numbers (controlled rounding).

Every cell is its exact value rounded down or up, and so is the sum of every column. That a solution
always exists is the integrality of flows in a network: the exact values are a flow through rows and
columns (Bacharach, Matrix Rounding Problems, 1966). To round each row by itself is not enough: of
five images a class and shares of 0.9 and 0.1, no class would give one to the second column.
"""

from collections import deque
from collections.abc import Sequence
from fractions import Fraction
from math import lcm


def apportion(totals: Sequence[int], shares: Sequence[Fraction]) -> list[list[int]]:
    """Return a row for each of `totals`, with a number for each of `shares`, which add up to 1."""
    denominator = lcm(*(share.denominator for share in shares))
    weights = [int(share * denominator) for share in shares]
    exact = [[total * weight for weight in weights] for total in totals]  # in 1/denominator
    rows = [[cell // denominator for cell in row] for row in exact]
    raised = _raise_by_urgency(exact, rows, denominator)
    _balance(exact, raised, denominator, _column_sums(sum(totals), weights, denominator, rows))
    return [
        [cell + (column in up) for column, cell in enumerate(row)]
        for row, up in zip(rows, raised, strict=True)
    ]


def _raise_by_urgency(
    exact: list[list[int]], rows: list[list[int]], denominator: int
) -> list[set[int]]:
    """Choose the cells of each row to round up: those whose columns are furthest behind so far."""
    behind = [0] * len(exact[0]) if exact else []
    raised = []
    for cells, row in zip(exact, rows, strict=True):
        remainders = [cell % denominator for cell in cells]
        behind = [value + rest for value, rest in zip(behind, remainders, strict=True)]
        candidates = [column for column, rest in enumerate(remainders) if rest]
        candidates.sort(key=lambda column: (-behind[column], -remainders[column], column))
        up = set(candidates[: sum(cells) // denominator - sum(row)])
        for column in up:
            behind[column] -= denominator
        raised.append(up)
    return raised


def _column_sums(
    total: int, weights: Sequence[int], denominator: int, rows: list[list[int]]
) -> list[int]:
    """Return how many cells of each column must be rounded up."""
    exact = [total * weight for weight in weights]
    sums = [cell // denominator for cell in exact]
    order = sorted(range(len(sums)), key=lambda column: (-(exact[column] % denominator), column))
    for column in order[: total - sum(sums)]:
        sums[column] += 1
    return [target - sum(row[column] for row in rows) for column, target in enumerate(sums)]


def _balance(
    exact: list[list[int]], raised: list[set[int]], denominator: int, wanted: Sequence[int]
) -> None:
    """Move roundings within rows until each column has as many as it wants."""
    surplus = [-number for number in wanted]
    for up in raised:
        for column in up:
            surplus[column] += 1
    while any(surplus):
        start = next(column for column, number in enumerate(surplus) if number > 0)
        path = _find_path(start, exact, raised, denominator, surplus)
        for source, target, row in path:
            raised[row].remove(source)
            raised[row].add(target)
        surplus[start] -= 1
        surplus[path[-1][1]] += 1


def _find_path(
    start: int,
    exact: list[list[int]],
    raised: list[set[int]],
    denominator: int,
    surplus: Sequence[int],
) -> list[tuple[int, int, int]]:
    """Return moves (from column, to column, in row) from `start` to a column that lacks one."""
    came_by: dict[int, tuple[int, int, int]] = {}
    queue = deque([start])
    while queue:
        source = queue.popleft()
        for row, (cells, up) in enumerate(zip(exact, raised, strict=True)):
            if source not in up:
                continue
            for target, cell in enumerate(cells):
                is_open = target not in up and cell % denominator > 0
                if is_open and target != start and target not in came_by:
                    came_by[target] = (source, target, row)
                    queue.append(target)
    target = next(column for column in came_by if surplus[column] < 0)
    path = []
    while target != start:
        path.append(came_by[target])
        target = came_by[target][0]
    return path[::-1]
