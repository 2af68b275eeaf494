"""Which other models a head would have shown, by the test that it passed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.case import Case
from attn_tui.compute.fit.comparison import Prediction
from attn_tui.compute.fit.differences import half_ulp
from attn_tui.compute.fit.head import Floats, Parameters, compute, taken
from attn_tui.compute.fit.masks import open_masks
from attn_tui.compute.fit.model import Fineness
from attn_tui.compute.heads.head_model import LEARNED, HeadModel, Part

GLANCE = 4
"""The number of rows to try first: a change that shows in a few rows shows in all."""


@dataclass(frozen=True)
class Power:
    """What a head would have shown.

    Attributes:
        needed: The parts that the model has.
        fineness: The least change of each that would have shown; a part that is missing is silent.
    """

    needed: tuple[Part, ...]
    fineness: Mapping[Part, Fineness]


def power(case: Case, model: HeadModel, prediction: Prediction) -> Power:
    """Return which changes of a model the rows of a head would have shown.

    m shows if both half of it and twice would have failed; a cap and a sink if their absence would
    have; a mask if its nearest neighbours would have.

    Args:
        case: The head.
        model: The model.
        prediction: What the model predicts of the head.
    """
    parameters, stated = prediction.state.parameters, case.reference.stated
    fineness: dict[Part, Fineness] = {}
    needed: list[Part] = ["multiplier"]
    if finest := _of_multiplier(case, prediction):
        fineness["multiplier"] = finest
    if model.softcap is not None and "softcap" in stated:
        needed.append("softcap")
        if _shows(prediction, replace(parameters, curvature=0.0)):
            fineness["softcap"] = "yes"
    if model.sink is not None and "sink" in stated:
        needed.append("sink")
        if _shows(prediction, replace(parameters, sink=0.0)):
            fineness["sink"] = "yes"
    masks = [*_other_masks(case, model, prediction)] if "mask" in stated else []
    if masks:
        needed.append("mask")
        if all(_shows(prediction, parameters, seen) for seen in masks):
            fineness["mask"] = "yes"
    return Power(tuple(needed), fineness)


def _of_multiplier(case: Case, prediction: Prediction) -> Fineness | None:
    """Return the least change of m that shows, or None."""
    parameters = prediction.state.parameters
    m = parameters.multiplier
    others = (replace(parameters, multiplier=m * factor) for factor in (2.0, 0.5))
    if not all(_shows(prediction, other) for other in others):
        return None
    reach = prediction.reach("multiplier")
    # m may have been rounded: a difference of half an ulp is no other m.
    if reach <= 2 * half_ulp(m, case.reference.format):
        return "ulp"
    return "5 %" if reach <= 0.05 * abs(m) else "2×"


def _shows(
    prediction: Prediction, other: Parameters, seen: NDArray[np.bool_] | None = None
) -> bool:
    """Return whether the output of other numbers, or of another mask, would have failed."""
    count = len(prediction.rows.output)
    glance = np.unique(np.linspace(0, count - 1, min(count, GLANCE)).round().astype(np.intp))
    part = prediction.part(glance)
    if (part.excess(_output(part, other, seen, glance)) > 1).any():
        return True
    output = _output(prediction, other, seen, np.arange(count))
    return not prediction.compared(output).passes


def _output(
    prediction: Prediction,
    other: Parameters,
    seen: NDArray[np.bool_] | None,
    places: NDArray[np.intp],
) -> Floats:
    """Return the output of other numbers, or of another mask, shape (r, d_v)."""
    rows = prediction.rows if seen is None else prediction.rows.under(seen[places])
    return compute(rows, other).output


def _other_masks(
    case: Case, model: HeadModel, prediction: Prediction
) -> Iterator[NDArray[np.bool_]]:
    """Yield what the rows that see a key under a mask see under its nearest neighbours."""
    bare = replace(case.head, seen=None)
    if len(prediction.rows.output) < len(bare.rows):
        bare = taken(bare, case.seeing(model))
    masks = [replace(mask, hidden=model.mask.hidden) for mask in open_masks(bare)]
    if model.mask.window is not None:
        masks.append(replace(model.mask, window=model.mask.window + 1))
    for mask in masks:
        seen = mask.seen(bare)
        if mask != model.mask and not np.array_equal(seen, prediction.rows.seen):
            yield seen


def is_learned(model: HeadModel) -> bool:
    """Return whether the promise has numbers that only the model knows, and nobody captured."""
    return LEARNED in (model.sink, model.bias)
