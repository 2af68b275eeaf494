"""What the numbers mean, in a sentence or two of plain text; each states only what always holds."""

from math import floor, inf, isfinite, log

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.compare import NAMES
from attn_tui.compute.keys import ALL
from attn_tui.compute.logit_map import PLAIN, SYMBOL, Wrt
from attn_tui.compute.setup import Setup
from attn_tui.report.explore.tables import short
from attn_tui.report.headline import done
from attn_tui.report.numbers import LN10, general, quantity, ratio, weight, weight_name

SATURATED = 0.01
"""A key that leaves less than this to all others is said to take the weight."""

LONGEST = 210
"""Characters of what is said together, unless its shortest form has more."""

_SMALLEST = -9_999
"""The smallest power of ten that is spelled out."""

_ALMOST_EQUAL = 1.1
"""Weights differ by no more than this factor where they are said to be almost equal."""

_NAME = 24
"""Characters of a vector's name that are said."""

_DONE = ("Divided by", "Multiplied by", "Capped at", "Scaled")


def explore(answer: VectorAnswer, setup: Setup) -> tuple[str, ...]:
    """Say how the weights of one vector are shared on both sides, and how the gradient changes.

    Args:
        answer: The numbers: without the scale and with it, or of two answers side by side.
        setup: What was asked of the scores; where two answers are compared it says nothing.

    Returns:
        One or two sentences, about 200 characters together unless a reason or names are long;
        the gradient they speak of is with respect to what the user chose.
    """
    for change in (_change(answer), ""):
        found = _explore(answer, setup, change)
        if sum(map(len, found)) + len(found) - 1 <= LONGEST:
            return found
    return found


def _explore(answer: VectorAnswer, setup: Setup, change: str) -> tuple[str, ...]:
    (first, second), wrt = answer.sides, answer.wrt
    if not answer.compared and answer.status == "masked":
        sink = " and the sink takes all" if second.map.sink is not None else ""
        return (f"Every key is masked, so every weight and every gradient is 0{sink}.",)
    if answer.reason:
        return (_sentence(answer.reason), *_the_other_side(answer))
    if answer.compared:
        return (_comparison(answer, change),)
    if answer.vector.n_attended == 1 and second.map.sink is None:
        only = int(answer.vector.scores.argmax())
        return (f"Key {only} alone has all the weight at any scale, and every gradient is 0.",)
    if second.map == PLAIN:
        rule = f"the rule {setup.scale.rule} multiplies by 1, which changes nothing"
        at = f"At d_k = {setup.d_k} "
        at = at if setup.scale.uses_d_k(answer.vector.n_attended) else ""
        return (_sentence(f"{at}{rule}: {_state(first, wrt)}"),)
    return (
        f"Unscaled, {_state(first, wrt)}.",
        _sentence(f"{done(second.map, general, _DONE)}, {_state(second, wrt, change)}"),
    )


def masked_key(answer: VectorAnswer) -> str:
    """Say why the gradient shown is 0 if its key is masked among others that are not."""
    if answer.status != "ok" or answer.of not in answer.masked:
        return ""
    name = weight_name(answer.of)
    return f"Every ∂{name}/∂{SYMBOL[answer.wrt]} is 0 because key {answer.of} is masked."


def vanished(answer: VectorAnswer) -> str:
    """Say which weights a format has no number above 0 for, and what they are exactly."""
    parts = []
    for name, side in zip(_names(answer), answer.sides, strict=True):
        if not (found := side.vanished):
            continue
        texts = map(weight, found.weights.tolist(), found.log_weights.tolist())
        pairs = zip(found.keys.tolist(), texts, strict=True)
        listed = ", ".join(f"{weight_name(key)} is {text}" for key, text in pairs)
        left = found.number - found.keys.size
        more = f", and {left:,} more are less" if left else ""
        parts.append(f"{name}, {side.precision.format} holds 0 where {listed} exactly{more}")
    return _sentence("; ".join(dict.fromkeys(parts))) if parts else ""


def _comparison(answer: VectorAnswer, change: str) -> str:
    """Say what both sides of a comparison are in one sentence, or that they are the same."""
    (first, second), wrt = answer.sides, answer.wrt
    names = _names(answer)
    asked = (first.map, first.precision), (second.map, second.precision)
    if asked[0] == asked[1] and np.array_equal(first.scores(), second.scores()):
        same = f"{names[0]} and {names[1]} everything is the same"
        same = "pinned and now are the same" if answer.names == NAMES else same
        return _sentence(f"{same}: {_state(second, wrt)}")
    return _sentence(f"{names[0]}, {_state(first, wrt)}; {names[1]}, {_state(second, wrt, change)}")


def _the_other_side(answer: VectorAnswer) -> tuple[str, ...]:
    """Say what one side is if the other, which has the reason, has no weights."""
    usable = [isfinite(side.entropy) and side.max_weight > 0.0 for side in answer.sides]
    if usable[0] == usable[1]:
        return ()
    side = answer.unscaled if usable[0] else answer.scaled
    name = _names(answer)[usable[1]]
    if name == "scaled":
        name = done(side.map, general, _DONE)
    return (_sentence(f"{name}, {_state(side, answer.wrt)}"),)


def _names(answer: VectorAnswer) -> list[str]:
    """Return what begins a clause about each side: ``pinned``, or ``in a`` for a vector a."""
    known = ("unscaled", "scaled", *NAMES)
    names = [short(name, _NAME) for name in answer.names]
    return [name if name in known else f"in {name}" for name in names]


def _state(side: Evaluation, wrt: Wrt, change: str = "") -> str:
    """Say who has the weight; then how the gradient changes, unless its bound says more."""
    n_attended = int(np.count_nonzero(side.attended))
    sinks = side.map.sink is not None
    if not n_attended:
        return "every key is masked" + (" and the sink takes all" if sinks else "")
    winner = side.ends[:1]
    log_rest, rest = float(side.log_jacobian(winner, winner, "logits")[0, 0]), inf
    taken = ""
    if sinks and (log_total := _log_total(side)) < log(SATURATED):
        taken = f"the sink takes {_all_but(float(side.weights().sum()), log_total)}"
    elif (rest := float(side.complements(winner)[0])) < SATURATED:
        taken = f"key {winner[0]} takes {_all_but(rest, log_rest)}"
    if taken:
        return f"{taken} and every |∂p/∂{SYMBOL[wrt]}| is {_bound(side, winner, wrt)}"
    shared = _shared(side, n_attended)
    return f"{shared}{',' if sinks else ''} and {change}" if change else shared


def _shared(side: Evaluation, n_attended: int) -> str:
    """Say among how many keys the weight is shared, and what the sink has of it."""
    lowest = side.ends[1:]
    least = float(side.weights(lowest)[0])
    sinks = side.map.sink is not None
    lost = weight(side.sink_weight) if sinks and side.sink_weight else "almost none"
    if side.max_weight > _ALMOST_EQUAL * least:
        n_shared = n_attended + sinks
        # Weights in few bits may add up to more than 1, and then e^H is above n.
        effective = min(side.effective_keys, n_shared)
        count = quantity(effective) if effective < 1000 else f"{effective:,.0f}"
        among = f"shared as among {count} of {n_shared:,} keys"
        if sinks:
            return f"the sink takes {lost} of the weight, which is {among}, sink counted"
        return f"the weight is {among}"
    equally = "equally" if side.max_weight == least else "almost equally"
    if not sinks:
        return f"{n_attended:,} keys share the weight {equally}"
    if n_attended == 1:
        return f"key {lowest[0]} takes {weight(side.max_weight)} of the weight, the sink {lost}"
    return f"the sink takes {lost} of the weight, {n_attended:,} keys share the rest {equally}"


def _log_total(side: Evaluation) -> float:
    """Return the logarithm of Σp, also where every weight underflowed beside the sink's."""
    logs = side.log_weights()
    largest = float(logs.max())
    return largest + log(float(np.exp(logs - largest).sum())) if largest > -inf else -inf


def _all_but(rest: float, log_rest: float) -> str:
    if log_rest == -inf:
        return "all of the weight"
    shown = f"<1e{_SMALLEST}" if log_rest < _SMALLEST * LN10 else weight(rest, log_rest)
    return f"all but {shown} of the weight"


def _bound(side: Evaluation, winner: NDArray[np.intp], wrt: Wrt) -> str:
    """Return ``0`` or ``below …`` of every entry of the Jacobian of weights.

    No entry of column j is larger than its slope ∂z_j/∂s_j times p_j(1 − p_j), and no p_j(1 − p_j)
    than that of the largest weight. Where slopes differ, as under a cap, the entry of the winner's
    row is p_w/(1 − p_j) of its column's largest, which is at least p_w.
    """
    log_largest = float(side.log_jacobian(winner, winner, wrt)[0, 0])
    log_p = float(side.log_weights(winner)[0])
    if side.map.softcap is not None and wrt == "scores" and log_p > -inf:
        row = np.array(side.log_jacobian(winner, ALL, wrt)[0])
        row[winner] = -inf
        log_largest = max(log_largest, float(row.max()) - log_p)
    if log_largest == -inf:
        return "0"
    power = max(floor(log_largest / LN10) + 1, _SMALLEST)
    return f"below {10.0**power:g}" if -3 <= power <= 3 else f"below 1e{power}"


def _change(answer: VectorAnswer) -> str:
    """Say how the norm of the Jacobian changes from one side to the other."""
    sides, wrt = answer.sides, answer.wrt
    both = [side.norms[wrt] for side in sides]
    norm = f"‖∂p/∂{SYMBOL[wrt]}‖_F"
    if not all(isfinite(each.frobenius) for each in both):
        return ""
    before, after = (each.log_frobenius for each in both)
    texts = [quantity(each.frobenius, each.log_frobenius) for each in both]
    if before == after:
        return "" if before == -inf else f"{norm} stays near {texts[1]}"
    if -inf in (before, after):
        return f"{norm} goes from {texts[0]} to {texts[1]}"
    if abs(after - before) < 0.005:
        return f"{norm} stays near {texts[1]}"
    return f"{norm} {'grows' if after > before else 'falls'}, {ratio(after - before)}"


def _sentence(text: str) -> str:
    """Return text with a capital letter and a full stop."""
    return text[:1].upper() + text[1:].rstrip(".") + "."
