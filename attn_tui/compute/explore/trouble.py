"""Where a number format gives out: what overflowed or became NaN in a softmax, in words."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf, isnan, log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.formats import dtype_of, limits, rounded
from attn_tui.compute.keys import Floats

Status = Literal["ok", "masked", "overflow", "nan"]

_MASKED = "every key is masked, so every weight is 0"


@dataclass(frozen=True)
class Trouble:
    """The first step of a softmax that exceeded its format.

    Attributes:
        status: Whether every key is masked, something overflowed, or became NaN otherwise.
        text: What, in which format, beyond which threshold, and what comes of it.
    """

    status: Status
    text: str


def verdict(sides: Mapping[str, Evaluation]) -> tuple[Status, str]:
    """Return the status of one or two named sides, and the reason if it is not ok.

    The reason names the side where there are two that differ. A side of which every key is masked
    counts only if both are.
    """
    found = {name: trouble for name, side in sides.items() if (trouble := find_trouble(side))}
    if len(found) == len(sides) and {trouble.text for trouble in found.values()} == {_MASKED}:
        return "masked", _MASKED
    found = {name: trouble for name, trouble in found.items() if trouble.status != "masked"}
    if not found:
        return "ok", ""
    troubles = set(found.values())
    status: Status = "overflow" if any(t.status == "overflow" for t in troubles) else "nan"
    if len(found) == len(sides) and len(troubles) == 1:
        text = troubles.pop().text
        return status, text if len(sides) == 1 else f"both: {text}"
    return status, "; ".join(f"{name}: {trouble.text}" for name, trouble in found.items())


def find_trouble(evaluation: Evaluation) -> Trouble | None:
    """Return what went wrong in an evaluation."""
    ends = evaluation.ends
    if evaluation.given[ends[0]] == -inf:
        return Trouble("masked", _MASKED)
    status, text = next(_steps(ends, evaluation), ("nan", ""))
    return Trouble(status, f"{text}; {_outcome(ends, evaluation)}") if text else None


def _steps(ends: NDArray[np.intp], evaluation: Evaluation) -> Iterator[tuple[Status, str]]:
    """Yield what gave out, in the order of computation; the largest and the least score tell."""
    precision, scale = evaluation.precision, evaluation.map
    inner, too_large = _too_large(precision.inner), _too_large(precision.logits)
    scores = evaluation.scores(ends)
    if np.isnan(scores).any():
        yield "nan", f"the score of key {ends[0]:,} is NaN, as captured"
    if np.isinf(scores).any():
        yield "overflow", f"rounded scores overflow {_too_large(precision.scores)}"
    if np.isinf(_cast(scores, evaluation)).any():
        yield "overflow", f"scores overflow {inner}"
    for name, number in (("multiplier", scale.multiplier), ("soft cap", scale.softcap)):
        if number is not None and np.isinf(_cast(number, evaluation)):
            yield "overflow", f"{name} overflows {inner}"
    if scale.sink is not None and np.isinf(rounded(np.array(scale.sink), precision.logits)):
        yield "overflow", f"sink overflows {too_large}"
    if scale.softcap is not None and _cast(scale.softcap, evaluation) == 0:
        yield "nan", f"soft cap rounds to 0 in {precision.inner}"
    if np.isinf(evaluation.logits(ends)).any():
        yield "overflow", f"logits overflow {too_large}"
    if precision.stable:
        if np.isinf(evaluation.exponents(ends)[0]).any():
            yield "overflow", f"differences of logits overflow {inner}"
    else:
        yield from _naive_steps(ends, evaluation)
    if evaluation.max_weight == 0.0 and evaluation.sink_weight == 0.0:
        yield "overflow", f"Σe^z overflows {inner}"


def _naive_steps(ends: NDArray[np.intp], evaluation: Evaluation) -> Iterator[tuple[Status, str]]:
    name, limit = evaluation.precision.inner, limits(dtype_of(evaluation.precision.inner))
    powers = evaluation.powers(ends)
    if np.isinf(powers).any():
        yield "overflow", f"e^z overflows {name} above {log(float(limit.max)):.2f}"
    if powers.max() == 0.0:
        below = log(2.0) - log(float(limit.smallest_subnormal))
        yield "nan", f"every e^z rounds to 0 in {name} below −{below:.2f}"


def _outcome(ends: NDArray[np.intp], evaluation: Evaluation) -> str:
    """Say what comes of a number that gave out."""
    scale = evaluation.map
    if np.isnan(evaluation.given[ends[0]]):
        return "so is every weight"
    largest = max(evaluation.max_weight, evaluation.sink_weight)
    if not isnan(evaluation.max_weight + evaluation.sink_weight):
        return "every e^z/infinity is 0" if largest == 0.0 else "the weights hold"
    factors = [number for number in (scale.multiplier, scale.softcap) if number is not None]
    if scale.softcap is not None and _cast(scale.softcap, evaluation) == 0:
        return "0/0 is NaN"
    powers = evaluation.powers(ends)
    if np.isinf(_cast(factors, evaluation)).any() and np.isnan(powers).any():
        return "0·infinity is NaN"
    if evaluation.precision.stable:
        return "infinity−infinity is NaN"
    return "0/0 is NaN" if powers.max() == 0.0 else "infinity/infinity is NaN"


def _cast(numbers: NDArray[np.float64] | list[float] | float, evaluation: Evaluation) -> Floats:
    with np.errstate(all="ignore"):
        return np.asarray(numbers, np.float64).astype(dtype_of(evaluation.precision.inner))


def _too_large(format: str) -> str:
    largest = float(limits(dtype_of(format)).max)
    return f"{format} beyond ±" + (
        f"{largest:.0f}" if largest < 1e6 else f"{largest:.2e}".replace("e+", "e")
    )
