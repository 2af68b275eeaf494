"""Queries, keys and values that were rounded after attention had computed with them.

A model that runs in float32 and is saved in 16 bits has an output that its own q, k and v do not
give: they were other numbers. How far the output is then off follows from how far each may be.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.case import HeadCase
from attn_tui.compute.fit.model import Suspect
from attn_tui.compute.fit.noise import coarsest, format_of
from attn_tui.compute.heads.rows import HeadRows

NARROW = ("float16", "bfloat16")
"""The formats whose rounding shows in an output that was computed in float32."""
DRAWS = 8
"""How often numbers are moved within their rounding."""
LEAST, MOST = 0.6, 1.6
"""The squared residual, in terms of the one that late rounding leaves on average."""
MOST_OF_ROW = 3.0
"""The residual of a row may be this many times the one that it has on average."""

Numbers = NDArray[np.floating]


def late_rounding(case: HeadCase) -> Suspect | None:
    """Return that q, k and v were rounded after attention, if that explains each row, or None."""
    head, model = case.head, case.reference.model
    if head.values is None or head.output is None:
        return None
    parts = {"q": head.queries, "k": head.keys, "v": head.values, "out": head.output}
    names = {part: coarsest(array, head.formats.get(part, "")) for part, array in parts.items()}
    if not {*names.values()} <= {*NARROW}:
        return None
    plain = replace(case, full=None).rounding(model)
    rest = np.square(plain.rows.output - plain.state.output).sum(axis=1)
    unit = _unit(names["out"])
    # The output was rounded as well.
    expected = np.square(unit * plain.state.output).sum(axis=1) / 6.0
    rng = np.random.default_rng(0)
    for _ in range(DRAWS):
        moved = replace(case, head=_moved(head, names, rng), full=None).rounding(model)
        change = moved.state.output - plain.state.output
        expected = expected + np.square(change).sum(axis=1) / DRAWS
    share = float(rest.sum() / expected.sum())
    if not LEAST < share < MOST or not (rest <= MOST_OF_ROW**2 * expected).all():
        return None
    kinds = " and ".join(sorted({names[part] for part in "qkv"}))
    return Suspect(
        f"q, k and v were rounded to {kinds} after attention used them: save them unrounded",
        "the residual is what that leaves", "capture",
    )  # fmt: skip


def _unit(name: str) -> float:
    """Return the largest relative rounding error of a format."""
    return float(2.0 ** -format_of(name).bits)


def _moved(head: HeadRows, names: dict[str, str], rng: np.random.Generator) -> HeadRows:
    """Return a head with numbers that may have been rounded to those that were captured."""

    def moved(array: Numbers, part: str) -> Numbers:
        array = array.astype(np.float64)
        step = _unit(names[part]) * 2.0 ** np.floor(np.log2(np.maximum(np.abs(array), 1e-30)))
        return np.asarray(array + step * rng.uniform(-1.0, 1.0, array.shape))

    assert head.values is not None
    return replace(
        head, queries=moved(head.queries, "q"), keys=moved(head.keys, "k"),
        values=moved(head.values, "v"),
    )  # fmt: skip
