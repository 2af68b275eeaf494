"""Tables of a test: many rows in one test, a row a kind, or a few rows every day."""

import inspect
import random
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]


def with_rows(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test with every row of a table, as one test; an error says its row.

    Args:
        names: The arguments that a row gives, as `pytest.mark.parametrize` takes them.
        rows: The rows; where there is one name, each is its value.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else names

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        left = [value for name, value in signature.parameters.items() if name not in arguments]

        @wraps(test)
        def every(**fixtures: Any) -> None:
            for row in rows:
                values = (row,) if len(arguments) == 1 else row
                given = dict(zip(arguments, values, strict=True))
                try:
                    test(**fixtures, **given)
                except BaseException as error:
                    error.add_note(f"with {given}")
                    raise

        every.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return every

    rows = list(rows)
    return decorate


def each_once(*lists: Iterable[Any], least: int = 0) -> list[tuple[Any, ...]]:
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


def everyday(count: int, cases: Iterable[Any], ids: Iterable[str] = ()) -> list[Any]:
    """Return cases as parameters, of which all but the first so many are slow."""
    names = list(ids)
    parameters = []
    for place, case in enumerate(cases):
        values = case if isinstance(case, tuple) else (case,)
        marks = () if place < count else pytest.mark.slow
        name = names[place] if names else None
        parameters.append(pytest.param(*values, marks=marks, id=name))
    return parameters
