"""Parameters of tests: rows that cover all values, and cases of which some are slow."""

import random
from collections.abc import Iterable
from typing import Any

import pytest


def covering(*lists: Iterable[Any], least: int = 0) -> list[tuple[Any, ...]]:
    """Return rows, each with a value of every list, in which each value stands at least once.

    There are as many as the longest list has values, or `least`; how values meet is drawn once.
    """
    columns = [list(values) for values in lists]
    n_rows = max(least, *map(len, columns))
    drawn = []
    for seed, values in enumerate(columns):
        column = [values[row % len(values)] for row in range(n_rows)]
        random.Random(seed).shuffle(column)
        drawn.append(column)
    return list(zip(*drawn, strict=True))


def slow_after(count: int, cases: Iterable[Any], ids: Iterable[str] = ()) -> list[Any]:
    """Return cases as parameters, of which all but the first so many are slow."""
    names = list(ids)
    parameters = []
    for place, case in enumerate(cases):
        values = case if isinstance(case, tuple) else (case,)
        marks = () if place < count else pytest.mark.slow
        name = names[place] if names else None
        parameters.append(pytest.param(*values, marks=marks, id=name))
    return parameters
