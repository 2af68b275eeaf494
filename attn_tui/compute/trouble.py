"""Where a number format gives out: what overflowed or became NaN in a softmax, in words."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.formats import dtype_of
from attn_tui.compute.formats import limits as limits_of


@dataclass(frozen=True)
class Trouble:
    """The first step of a softmax that exceeded its format.

    Attributes:
        status: Whether something overflowed, or became NaN otherwise.
        text: What, in which format, beyond which threshold, and what comes of it.
    """

    status: Literal["overflow", "nan"]
    text: str


def find_trouble(scores: NDArray[np.float64], evaluation: Evaluation) -> Trouble | None:
    """Return what went wrong when scores, shape (n,) and not all masked, were evaluated."""
    precision = evaluation.precision
    limits = limits_of(dtype_of(precision.format))
    ends = np.array([scores.argmax(), np.where(scores > -np.inf, scores, np.inf).argmin()])
    with np.errstate(all="ignore"):
        cast = scores[ends].astype(limits.dtype)
        multiplier = limits.dtype.type(evaluation.multiplier)
        z = evaluation.logits(ends)
        powers = np.exp(z)
    outcome = "the weights hold"
    if np.isnan(evaluation.entropy):
        outcome = "0/0 is NaN" if powers.max() == 0.0 else "infinity/infinity is NaN"
        outcome = "infinity−infinity is NaN" if precision.stable else outcome
    too_large = f"{limits.dtype} beyond ±{limits.max:.2e}".replace("e+", "e")
    if np.isinf(cast).any():
        return Trouble("overflow", f"scores overflow {too_large}; {outcome}")
    if np.isinf(multiplier):
        return Trouble("overflow", f"multiplier overflows {too_large}; 0·infinity is NaN")
    if np.isinf(z).any():
        return Trouble("overflow", f"logits overflow {too_large}; {outcome}")
    if precision.stable:
        if np.isinf(evaluation.log_weights(ends)).any():
            return Trouble("overflow", f"differences of logits overflow {too_large}; {outcome}")
        return None
    if np.isinf(powers).any():
        above = f"above {np.log(limits.max):.2f}"
        return Trouble("overflow", f"e^z overflows {limits.dtype} {above}; {outcome}")
    if powers.max() == 0.0:
        below = f"below −{np.log(2.0) - np.log(limits.smallest_subnormal):.2f}"
        return Trouble("nan", f"every e^z rounds to 0 in {limits.dtype} {below}; {outcome}")
    if evaluation.max_weight == 0.0:
        return Trouble("overflow", f"Σe^z overflows {too_large}; every e^z/infinity is 0")
    return None
