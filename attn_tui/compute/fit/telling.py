"""Whether a head could have told: what another model would have changed, over its rounding."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.case import Case
from attn_tui.compute.fit.differences import half_ulp
from attn_tui.compute.fit.head import Parameters, Rows, State, compute
from attn_tui.compute.fit.masks import open_masks
from attn_tui.compute.fit.model import LEARNED, Model, Part, Told
from attn_tui.compute.fit.noise import Noise
from attn_tui.compute.fit.question import Test
from attn_tui.compute.fit.rounding import Rounding
from attn_tui.compute.fit.usable import taken

SHOWS = 5.0
"""A change shows if it is so many times what rounding makes along it."""
GLANCE = 4
"""So many rows are looked at first: what shows in a few rows shows in all."""
CELLS = 48
"""So many numbers at most say where a residual lies."""


def told(
    case: Case, model: Model, expected: Test, made: Rounding, weighed: Noise
) -> tuple[tuple[Part, ...], dict[Part, Told]]:
    """Return which parts are needed, and how finely each of them would have shown.

    Args:
        case: The head.
        model: What is expected.
        expected: Its test.
        made: What it makes of the rows.
        weighed: The noise of that.
    """
    said, at = case.question.said, made.state.parameters
    count = len(made.rows.output)
    glance = np.unique(np.linspace(0, count - 1, min(count, GLANCE)).round().astype(np.intp))

    def shows(other: Parameters, seen: NDArray[np.bool_] = made.rows.seen) -> bool:
        for some in (glance, np.arange(count)):
            rows = made.rows.under(seen).part(some)
            change = compute(rows, other).output - made.state.output[some]
            if np.square(weighed.part(some).freed(change)).sum() > SHOWS**2:
                return True
        return False

    found: dict[Part, Told] = {}
    needed: list[Part] = ["multiplier"]
    # An m that may have been rounded is no other.
    ulp = 2 * half_ulp(at.multiplier, case.question.format) / max(abs(at.multiplier), 1e-300)
    steps: tuple[tuple[Told, float], ...] = (("ulp", 1 + ulp), ("5 %", 1.05), ("2×", 2.0))
    for name, by in steps:
        if shows(replace(at, multiplier=at.multiplier * by)):
            found["multiplier"] = name
            break
    if model.softcap is not None and "softcap" in said:
        needed.append("softcap")
        if shows(replace(at, curvature=0.0)):
            found["softcap"] = "yes"
    if model.sink is not None and "sink" in said:
        needed.append("sink")
        sink = expected.estimates.get("sink")
        is_found = sink is not None and sink.at(case.question.level).value is not None
        if is_found or (model.sink != LEARNED and shows(replace(at, sink=0.0))):
            found["sink"] = "yes"
    if "mask" in said:
        others = [*_other_masks(case, model, made.rows)]
        if others:
            needed.append("mask")
        if others and all(shows(at, seen) for seen in others):
            found["mask"] = "yes"
    return tuple(needed), found


def _other_masks(case: Case, model: Model, rows: Rows) -> Iterator[NDArray[np.bool_]]:
    """Yield what rows that see a key under a mask see under its nearest sensible alternatives."""
    bare = replace(case.head, seen=None)
    if len(rows.seen) < len(bare.rows):
        bare = taken(bare, np.flatnonzero(model.mask.seen(case.head).any(axis=1)))
    masks = open_masks(bare)
    if model.mask.window is not None:
        masks.append(replace(model.mask, window=model.mask.window + 1))
    for mask in masks:
        if mask != model.mask:
            seen = mask.seen(bare)
            if not np.array_equal(seen, rows.seen):
                yield seen


def where(rows: Rows, state: State) -> dict[str, tuple[float, ...]]:
    """Return where what a state leaves of the output lies, as shares of the largest."""
    rest = rows.output - state.output
    lengths = np.maximum(np.linalg.norm(rows.values, axis=1), 1e-30)
    by_key = np.where(rows.seen, np.abs(rest @ rows.values.T) / lengths, 0.0).mean(axis=0)
    each = {
        "row": np.linalg.norm(rest, axis=1), "key": by_key, "channel": np.linalg.norm(rest, axis=0)
    }  # fmt: skip
    return {name: _cells(values) for name, values in each.items()}


def _cells(values: NDArray[np.floating]) -> tuple[float, ...]:
    """Return values as at most 48 shares of the largest."""
    parts = np.array_split(values, min(len(values), CELLS))
    means = np.array([part.mean() for part in parts])
    most = float(means.max()) or 1.0
    return tuple(float(mean / most) for mean in means)
