"""Where a number format fails: which step of a softmax overflowed or gave NaN, in words."""

from collections.abc import Mapping
from math import inf, isnan, log
from typing import Literal

import numpy as np

from attn_tui.compute.arrays import dtype_of, limits, rounded
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.numbers import fixed, scientific, whole

Status = Literal["ok", "masked", "overflow", "nan"]

_MASKED = "every key is masked, so every weight is 0 by convention"

_INSIDE = " (inside, it computes in {inner})"
_SINK = "the sink's e^z overflows; infinity/infinity is NaN"


def verdict(sides: Mapping[str, Evaluation]) -> tuple[Status, str]:
    """Return the status of one or two named sides, and the reason if it is not ok.

    The reason names the side if two sides differ. A side whose keys are all masked counts only if
    the other side's are too.
    """
    troubles = {name: trouble(side) for name, side in sides.items()}
    if all(status == "masked" for status, _ in troubles.values()):
        return "masked", _MASKED
    troubles = {name: one for name, one in troubles.items() if one[0] in ("overflow", "nan")}
    if not troubles:
        return "ok", ""
    different = set(troubles.values())
    status: Status = "overflow" if "overflow" in dict(different) else "nan"
    if len(different) == 1 and len(troubles) == len(sides):
        _, reason = different.pop()
        return status, reason if len(sides) == 1 else f"both: {reason}"
    return status, "; ".join(f"{name}: {reason}" for name, (_, reason) in troubles.items())


def trouble(side: Evaluation) -> tuple[Status, str]:
    """Return the first step of a softmax that exceeded its format, and the outcome.

    The keys with the largest and the smallest logit are enough to find it.
    """
    ends, precision, scale = side.ends, side.precision, side.map
    if side.unrounded[ends[0]] == -inf:
        # Of a row without keys the sink alone may fail: e^b over e^b is NaN once both overflow.
        return ("nan", _SINK) if isnan(side.sink_weight) else ("masked", _MASKED)
    inner, is_naive = dtype_of(precision.inner), precision.naive
    scores, powers = side.scores(ends), side.powers(ends)
    # A cap or sink of None is replaced by 1, which every format can represent.
    cap, sink = (np.array(1.0 if value is None else value) for value in (scale.softcap, scale.sink))
    differences = np.zeros(2) if is_naive else side.exponents(ends)[0]
    with np.errstate(all="ignore"):
        multiplier, cap = np.array(scale.multiplier).astype(inner), cap.astype(inner)
        numbers = (
            ("rounded scores overflow", scores, precision.scores),
            ("scores overflow", scores.astype(inner), precision.inner),
            ("multiplier overflows", multiplier, precision.inner),
            ("soft cap overflows", cap, precision.inner),
            ("sink overflows", rounded(sink, precision.logits), precision.logits),
            ("logits overflow", side.logits(ends), precision.logits),
            ("differences of logits overflow", differences, precision.inner),
        )
    overflows = [(name, kind) for name, values, kind in numbers if np.isinf(values).any()]
    largest = max(side.max_weight, side.sink_weight)
    most = log(float(limits(inner).max))
    least = log(2.0) - log(float(limits(inner).smallest_subnormal))
    status: Status = "overflow"
    if np.isnan(scores).any():
        return "nan", f"the score of key {ends[0]:,} is NaN, as captured; so is every weight"
    if cap == 0.0:
        status, text = "nan", f"soft cap rounds to 0 in {precision.inner}"
    elif overflows:
        name, kind = overflows[0]
        text = f"{name} {_beyond(kind)}"
    elif is_naive and np.isinf(powers).any():
        text = f"e^z overflows {precision.inner} above {fixed(most, 2)}"
    elif is_naive and powers.max() == 0.0:
        status, text = "nan", f"every e^z rounds to 0 in {precision.inner} below {fixed(-least, 2)}"
    elif largest == 0.0:
        text = f"Σe^z overflows {_beyond(precision.inner)}"
    else:
        return "ok", ""
    if not isnan(side.max_weight + side.sink_weight):
        outcome = "every e^z/infinity is 0" if largest == 0.0 else "the weights hold"
    elif cap == 0.0 or (is_naive and powers.max() == 0.0):
        outcome = "0/0 is NaN"
    elif is_naive:
        outcome = "infinity/infinity is NaN"
    else:
        outcome = "infinity−infinity is NaN"
    if precision.inner in text and precision.inner != precision.format:
        outcome += _INSIDE.format(inner=precision.inner)
    return status, f"{text}; {outcome}"


def _beyond(format: str) -> str:
    """Return the name of a format and the number beyond which it overflows, as text."""
    largest = float(limits(dtype_of(format)).max)
    number = whole(largest) if largest < 1e6 else scientific(largest)
    return f"{format} beyond ±{number}"
