"""Sources as plain values for JSON, and back."""

from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.draw import Draw
from attn_tui.compute.errors import InputError
from attn_tui.compute.field import fields_of
from attn_tui.compute.source import Drawn, Products, Typed
from attn_tui.files.entries import Entry, held, named
from attn_tui.files.plain import plain_numbers, scores_of
from attn_tui.files.plain_reader import a_list, checked, known, number, of_type, refuse

Plain = dict[str, Any]

_DRAW = fields_of(Draw)


def typed_to_plain(source: Typed) -> Plain:
    """Return vectors with their names, before any mask."""
    vectors = [
        {"name": vector.name, "scores": plain_numbers(vector.scores)} for vector in source.scores
    ]
    return {"vectors": vectors}


def typed_from_plain(values: Plain) -> Typed:
    """Return vectors with their names."""
    plain_vectors = values.get("vectors")
    if not isinstance(plain_vectors, list):
        refuse("vectors", plain_vectors, "a list")
    entries = []
    for plain in plain_vectors:
        vector = known("vectors", plain, ("name", "scores"))
        name = of_type("name", vector.get("name", ""), str)
        scores = a_list("scores", vector.get("scores"))
        numbers = scores_of(scores)
        if numbers is None:
            numbers = np.array([number(f"scores of {name}", score) for score in scores])
        entries.append(Entry(name, numbers))
    return Typed(checked(named, entries))


def drawn_to_plain(source: Drawn) -> Plain:
    """Return a draw, with the law and the generator."""
    values = {field.key: getattr(source, name) for name, field in _DRAW.items()}
    return {"draw": {**values, "law": Drawn.LAW, "generator": Drawn.GENERATOR}}


def drawn_from_plain(values: Plain) -> Drawn:
    """Return a draw; the law and the generator are ours, whatever is said of them."""
    keys = (field.key for field in _DRAW.values())
    given = known("draw", values["draw"], (*keys, "law", "generator"))
    wanted = (
        of_type(field.key, given.get(field.key, field.default), int) for field in _DRAW.values()
    )
    return checked(Drawn, *wanted)


def products_to_plain(source: Products) -> Plain:
    """Return queries, keys and, if there are any, values, each a list of rows."""
    matrices = {"queries": source.queries, "keys": source.keys, "values": source.values}
    return {name: rows.tolist() for name, rows in matrices.items() if rows is not None}


def products_from_plain(values: Plain) -> Products:
    """Return queries, keys and, if there are any, values."""
    queries, keys = (_matrix(name, values.get(name)) for name in ("queries", "keys"))
    rows = values.get("values")
    return checked(Products, queries, keys, None if rows is None else _matrix("values", rows))


def _matrix(name: str, value: object) -> NDArray[np.float64]:
    """Return a list of lists of finite numbers, all of one length, as a matrix."""
    if not isinstance(value, list) or not value:
        refuse(name, value, "a list of lists of numbers")
    rows = array("d")
    for place, row in enumerate(value):
        numbers = scores_of(row) if isinstance(row, list) else None
        if numbers is None or not np.isfinite(numbers).all():
            refuse(f"{name}[{place}]", row, "a list of finite numbers")
        if len(numbers) != len(value[0]):
            problem = f'"{name}[{place}]" has {len(numbers)} numbers and row 0 {len(value[0])}'
            raise InputError("experiment", problem, "rows of one length")
        rows.frombytes(numbers.tobytes())
    return held(np.asarray(rows).reshape(len(value), -1))


def is_matrix(value: object) -> bool:
    """Return whether a plain value is a list of rows."""
    return isinstance(value, list) and any(isinstance(row, list) for row in value)
