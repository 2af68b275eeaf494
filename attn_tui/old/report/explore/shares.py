"""Who has the weight on one side of an answer, in the words of a headline."""

from dataclasses import dataclass
from math import isfinite, isnan

import numpy as np

from attn_tui.compute.evaluation import Evaluation
from attn_tui.report.headline import ALL, percent, rounded
from attn_tui.report.numbers import general

FEW = 8
"""Up to so many keys the largest weight is named, even if it is less than half."""

_STANDS_OUT = 1.5
"""Among few keys one weight stands out if it is so many times the next."""

_TIED = 0.9
"""Keys that are tied are said to split the weight if they have as much of it together."""

_EQUAL = 0.99
"""Keys share almost equally if the effective ones are so many of them."""


@dataclass(frozen=True)
class Share:
    """Who has the weight.

    Attributes:
        clause: As a clause: ``key 2 takes 62 %``.
        brief: As a phrase behind a colon: ``62 % on key 2``.
        key: The key it is about, or None if it is about several, or the sink.
        taken: What that has: ``62 %``.
        equal: Whether all keys share equally, or almost.
        fails: Whether there are no weights.
    """

    clause: str
    brief: str
    key: int | None = None
    taken: str = ""
    equal: bool = False
    fails: bool = False

    def after(self, before: "Share") -> tuple[str, str]:
        """Return clause and brief behind another, where a key that stays is not said twice."""
        if self.key is None or self.key != before.key:
            return f", {self.clause}", self.brief
        return f" {self.clause.replace(f'key {self.key:,}', 'it', 1)}", self.taken


def share(side: Evaluation, padded: bool = False) -> Share:
    """Return who has the weight on a side; keys it is padded with are not said to be masked."""
    weights = side.weights()[side.attended]
    if not weights.size:
        return Share("every key is masked", "every key masked", fails=True)
    if failure := _failure(side):
        return failure
    largest, n_keys = side.max_weight, weights.size
    keys = "keys" if padded or n_keys == side.n_keys else "unmasked keys"
    sink = side.sink_weight if side.map.sink is not None else None
    if sink is not None and sink > max(largest, 0.5):
        taken = percent(sink)
        return Share(f"the sink takes {taken}{_of(sink)}", f"{taken} on the sink")
    if largest >= ALL:
        return _one(side, "takes")
    more = "" if sink is None else f" and the sink {percent(sink)}"
    beside = more.replace("the sink", "the sink takes")
    if n_keys > 1 and largest == weights.min():
        return Share(
            f"the {n_keys:,} {keys} share equally{beside}", f"{n_keys:,} keys equal", equal=True
        )
    effective = side.effective_keys
    if sink is None and effective >= _EQUAL * n_keys > _EQUAL:
        clause = f"the {n_keys:,} {keys} share almost equally"
        return Share(clause, f"{n_keys:,} keys almost equal", equal=True)
    n_tied = int(np.count_nonzero(weights == largest))
    others = weights[weights < largest]
    next_largest = float(others.max()) if n_tied == 1 and others.size else largest * (n_tied > 1)
    if n_tied == 1 and (
        largest >= 0.5 or (n_keys <= FEW and largest >= _STANDS_OUT * next_largest)
    ):
        return _one(side, "takes", more)
    if n_tied > 1 and (n_keys <= FEW or n_tied * largest >= _TIED):
        who = f"{n_tied:,} keys"
        if n_tied == 2:
            who = "keys {:,} and {:,}".format(*np.flatnonzero(side.weights() == largest))
        return Share(
            f"{who} have {percent(largest)} each{beside}", f"{who} {percent(largest)} each"
        )
    if n_keys <= FEW:
        return _one(side, "leads with", more)
    count = rounded(max(round(min(effective, n_keys + (sink is not None))), 1))
    among = f"about {count} of {n_keys:,}"
    return Share(f"{among} {keys} share{beside or ' the weight'}", f"{among} keys")


def tied(sides: tuple[Evaluation, Evaluation]) -> str:
    """Return the keys whose scores are the largest and equal, if they have it all on both sides."""
    scores = sides[0].scores()
    keys = np.flatnonzero(scores == scores.max())
    if keys.size < 2 or any(float(side.weights(keys).sum()) < _TIED for side in sides):
        return ""
    if keys.size == 2:
        return "Keys {:,} and {:,}".format(*keys)
    return f"The {keys.size:,} largest scores"


def _one(side: Evaluation, verb: str, more: str = "") -> Share:
    key, taken = int(side.weights().argmax()), percent(side.max_weight)
    clause = f"key {key:,} {verb} {taken}{' the weight' * (side.max_weight >= ALL)}{more}"
    return Share(clause, f"{taken} on key {key:,}", key, taken)


def _of(part: float) -> str:
    return " the weight" if part >= ALL else ""


def _failure(side: Evaluation) -> Share | None:
    """Return what is said where a number format gave out and there are no weights."""
    is_nan = isnan(side.max_weight)
    if not is_nan and (side.max_weight > 0.0 or side.sink_weight > 0.0):
        return None
    largest = np.array([side.given.argmax()])
    overflows = np.isinf(side.scores(largest)).any()
    inner = side.precision.scores if overflows else side.precision.inner
    logit = float(side.logits(largest)[0])
    why = f"the numbers leave the range of {inner}"
    if isfinite(logit) and not side.precision.stable and np.isinf(side.powers(largest)).any():
        why = f"e^{general(logit, 3)} is too large for {inner}"
    clause = f"{why} and every weight is {'NaN (not a number)' if is_nan else '0'}"
    return Share(clause, f"every weight is {'NaN' if is_nan else '0'}", fails=True)
