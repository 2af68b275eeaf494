"""Which other models a head would have shown, by the test that it passed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.case import HeadCase
from attn_tui.compute.fit.comparison import Prediction
from attn_tui.compute.fit.differences import half_ulp
from attn_tui.compute.fit.head import Floats, Parameters, compute, taken
from attn_tui.compute.fit.masks import open_masks
from attn_tui.compute.fit.model import Fineness
from attn_tui.compute.heads.head_model import HeadModel, Part


@dataclass(frozen=True)
class Power:
    """What a head would have shown.

    Attributes:
        needed: The parts that the model has.
        fineness: The least change of each that would have shown; a part that is missing is silent.
    """

    needed: tuple[Part, ...]
    fineness: Mapping[Part, Fineness]


def power(case: HeadCase, model: HeadModel, prediction: Prediction) -> Power:
    """Return which changes of a model the rows of a head would have shown.

    m shows if both half of it and twice would have failed; a cap and a sink if their absence would
    have; a mask if its nearest neighbours would have.

    Args:
        case: The head.
        model: The model.
        prediction: What the model predicts of the head.
    """
    parameters, stated = prediction.state.parameters, case.reference.stated
    trial = _Trial(prediction)
    fineness: dict[Part, Fineness] = {}
    needed: list[Part] = ["multiplier"]
    if finest := _of_multiplier(case, trial):
        fineness["multiplier"] = finest
    if model.softcap is not None and "softcap" in stated:
        needed.append("softcap")
        if trial.shows(replace(parameters, curvature=0.0)):
            fineness["softcap"] = "yes"
    if model.sink is not None and "sink" in stated:
        needed.append("sink")
        if trial.shows(replace(parameters, sink=0.0)):
            fineness["sink"] = "yes"
    masks = [*_other_masks(case, model, prediction)] if "mask" in stated else []
    if masks:
        needed.append("mask")
        if all(trial.shows(parameters, seen) for seen in masks):
            fineness["mask"] = "yes"
    return Power(tuple(needed), fineness)


class _Trial:
    """Tries on a head, first on two of its rows, whether other models would have failed.

    What shows in two rows shows in all: in the last, which sees the most keys, or in the middle,
    where most masks differ.

    Args:
        prediction: What the model of the head predicts.
    """

    def __init__(self, prediction: Prediction) -> None:
        self.prediction = prediction
        count = len(prediction.rows.output)
        self._few = np.unique([count // 2, count - 1])
        self._glance = prediction.part(self._few)

    def shows(self, other: Parameters, seen: NDArray[np.bool_] | None = None) -> bool:
        """Return whether the output of other numbers, or of another mask, would have failed."""
        few = None if seen is None else seen[self._few]
        if (self._glance.excess(_output(self._glance, other, few)) > 1).any():
            return True
        return not self.prediction.compared(_output(self.prediction, other, seen)).passes


def _of_multiplier(case: HeadCase, trial: _Trial) -> Fineness | None:
    """Return the least change of m that shows, or None."""
    parameters = trial.prediction.state.parameters
    m = parameters.multiplier
    others = (replace(parameters, multiplier=m * factor) for factor in (2.0, 0.5))
    if not all(trial.shows(other) for other in others):
        return None
    reach = trial.prediction.reach("multiplier")
    # m may have been rounded: a difference of half an ulp is no other m.
    if reach <= 2 * half_ulp(m, case.reference.format):
        return "ulp"
    return "5 %" if reach <= 0.05 * abs(m) else "2×"


def _output(prediction: Prediction, other: Parameters, seen: NDArray[np.bool_] | None) -> Floats:
    """Return the output of other numbers, or of another mask, shape (r, d_v)."""
    rows = prediction.rows if seen is None else prediction.rows.under(seen)
    return compute(rows, other).output


def _other_masks(
    case: HeadCase, model: HeadModel, prediction: Prediction
) -> Iterator[NDArray[np.bool_]]:
    """Yield what the rows that see a key under a mask see under its nearest neighbours."""
    has_all_rows = case.head.seen is None and len(prediction.rows.output) == len(case.head.rows)
    bare = case.head if has_all_rows else taken(replace(case.head, seen=None), case.seeing(model))
    masks = [replace(mask, hidden=model.mask.hidden) for mask in open_masks(bare)]
    if model.mask.window is not None:
        masks.append(replace(model.mask, window=model.mask.window + 1))
    for mask in masks:
        seen = case.seen(mask) if has_all_rows else mask.seen(bare)
        if mask != model.mask and not np.array_equal(seen, prediction.rows.seen):
            yield seen
