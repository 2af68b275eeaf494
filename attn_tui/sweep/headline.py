"""The headline of Sweep: what dividing does to the typical draw here, and where that turns."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, isnan

from attn_tui.compute import numbers
from attn_tui.compute.numbers import about, amount
from attn_tui.compute.scale import NONE, Scale
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.crossover import Crossing, divides_from
from attn_tui.compute.sweep.points import Place, Point, Points, median_error
from attn_tui.compute.sweep.readouts import READOUTS
from attn_tui.compute.sweep.settings import SweepStatistic
from attn_tui.report import words
from attn_tui.report.words import GRADIENTS
from attn_tui.sweep.change import LogFactor
from attn_tui.sweep.names import called, doing, others

HERE = "With {n} keys and d_k = {d_k}, {doing} makes the typical {statistic} {times}."
STAYS = "With {n} keys and d_k = {d_k}, {doing} leaves the typical {statistic} about as it is."
UNDIVIDED = "With {n} keys and d_k = {d_k}, {doing} changes nothing: it multiplies by 1."
TURNS = "{below} d_k {turn} it becomes {other}."
TURNS_OVER_N = "{below} {turn} it becomes {other}."
EVERYWHERE = "So it does at every d_k from {least} on."
RANKING = "Of {count} rules {best} leaves the largest typical {statistic} here: {compared}."
SHARES = "Of {n} keys {before} the weight {first}, {after} {second}."
TYPICAL = (
    "With {n} keys and d_k = {d_k}, the typical {statistic} is {before} {first}, {after} {second}."
)
LEADS = (
    "With {n} keys and d_k = {d_k}, the leading key typically has {before} of the weight {first}, "
    "{after} {second}; equal others would leave it {equal}."
)
NOTHING = "Only {rule} is drawn: there is nothing to compare it with."
UNSCALED = "Only the unscaled side is drawn: there is nothing to compare it with."
"""The sentences. Turns and `EVERYWHERE` follow `HERE` or `STAYS`; the others stand alone."""

WAITING = "Drawing vectors of {n} keys at d_k = {d_k}…"


def headline(answer: Answer) -> str:
    """Return the headline for the draws so far."""
    statistic, cursor = answer.settings.statistic, answer.place
    points = answer.nearby
    if not points:
        return WAITING.format(n=f"{cursor[0]:,}", d_k=f"{cursor[1]:,}")
    place = points.nearest(cursor)
    rules = others(answer.rules)
    if not rules or len(answer.rules) < 2:
        return UNSCALED if not rules else NOTHING.format(rule=called(answer.rules[0]))
    slots = {"n": f"{place[0]:,}", "d_k": f"{place[1]:,}", "statistic": noun(statistic)}
    if len(rules) > 1 and statistic in GRADIENTS:
        return _ranking(points, place, answer.rules, statistic)
    if statistic not in GRADIENTS:
        return _sides(points, place, answer.rules, statistic, slots)
    return _here(answer, points, place, rules[0], slots)


def noun(statistic: SweepStatistic) -> str:
    """Return the name of a statistic in a sentence."""
    return GRADIENTS.get(statistic, READOUTS[statistic].short)


def _here(
    answer: Answer, points: Points, place: Place, scale: Scale, slots: Mapping[str, str]
) -> str:
    """Return what dividing does at a place, and where it begins to do the opposite."""
    statistic = answer.settings.statistic
    factor = LogFactor.of(points.ratio(*place, scale, statistic))
    point = points.at(*place, scale)
    slots = {
        **slots,
        "doing": doing(scale, point.multiplier if point else None),
        "times": factor.times,
    }
    turn = _turn(answer, scale, statistic, place, factor)
    if point is not None and point.multiplier == 1.0:
        return UNDIVIDED.format(**slots)
    first = STAYS if factor.way == "same" else HERE
    return " ".join(filter(None, (first.format(**slots), turn)))


def _turn(
    answer: Answer, scale: Scale, statistic: SweepStatistic, place: Place, factor: LogFactor
) -> str:
    """Return where dividing does the opposite, or that it never does; empty if not known."""
    n, d_k = place
    crossing = answer.crossing(scale, statistic, n)
    if crossing is None:
        return ""
    if crossing.at is None:
        is_told = factor.way in ("larger", "smaller")
        return EVERYWHERE.format(least=f"{divides_from(scale, n):,}") if is_told else ""
    over_n = answer.settings.swept == "n"
    is_below = (n if over_n else d_k) > crossing.at
    # Dividing makes gradients larger at a large d_k, and smaller with many keys.
    other = "smaller" if is_below != over_n else "larger"
    below = "Below" if is_below else "Above"
    sentence, unit = (TURNS_OVER_N, " keys") if over_n else (TURNS, "")
    return sentence.format(below=below, turn=turn_text(crossing, is_below, unit), other=other)


def turn_text(crossing: Crossing, is_below: bool, unit: str = "") -> str:
    """Return where medians cross, with its interval as far as it is known: ``375 (368 to 382)``.

    Args:
        crossing: The place, which lies between whole numbers.
        is_below: Whether it limits the numbers below it, which the next whole number does, or those
            above it, which the one before does.
        unit: A word after the place.
    """
    rounded = ceil if is_below else floor
    at, low, high = (
        at and numbers.place(rounded(at) if at < 100.0 else at)
        for at in (crossing.at, crossing.low, crossing.high)
    )
    if low and high:
        return f"{at}{unit} ({low} to {high})"
    if low:
        return f"{at}{unit} ({low} or more)"
    return f"{at}{unit} ({high} or less)" if high else f"about {at}{unit}"


def _ranking(
    points: Points, place: Place, rules: Sequence[Scale], statistic: SweepStatistic
) -> str:
    """Return which rule leaves the largest median, and how the next two compare."""
    present = [point for rule in rules if (point := points.at(*place, rule))]
    best, *rest = sorted(present, key=lambda point: -point.statistics[statistic].log_median)
    compared = [
        f"{compare(best, point, statistic)} that of {called(point.scale)}" for point in rest[:2]
    ]
    return RANKING.format(
        count=len(present), best=called(best.scale), statistic=noun(statistic),
        compared=", ".join(compared),
    )  # fmt: skip


def compare(best: Point, other: Point, statistic: SweepStatistic) -> str:
    """Return how many times larger the best median is than another: ``24 times``, ``about``."""
    by = best.statistics[statistic].log_median - other.statistics[statistic].log_median
    factor = LogFactor(by, median_error(best, other, statistic))
    return f"{factor.many} times" if factor.way == "larger" else "about"


def _sides(
    points: Points, place: Place, rules: Sequence[Scale], statistic: SweepStatistic,
    slots: Mapping[str, str],
) -> str:  # fmt: skip
    """Return the typical value under two rules, unscaled first if that is one, as a sentence."""
    readout = "effective_keys" if statistic in ("entropy", "entropy_bits") else statistic
    order = sorted(rules, key=lambda scale: scale != NONE)
    sides = [points.at(*place, rule) for rule in order[:2]]
    drawn = [side for side in sides if side is not None]
    if len(drawn) < 2:
        return WAITING.format(n=slots["n"], d_k=slots["d_k"])
    first, second = map(_how, drawn)
    texts = [value_text(side.statistics[readout].median, readout) for side in drawn]
    if readout == "lead_weight" and drawn[1].lead:
        # Without scaling equal others would leave it practically all.
        compared = [side for side in drawn if side.scale != NONE]
        equal = " and ".join(words.share_text(side.equal_others) for side in compared)
        return LEADS.format(
            before=texts[0], after=texts[1], first=first, second=second, equal=equal, **slots
        )
    if readout != "effective_keys":
        return TYPICAL.format(before=texts[0], after=texts[1], first=first, second=second, **slots)
    before, after = ("about one" if text == "1" else f"about {text}" for text in texts)
    verb = "has" if texts[0] == "1" else "share"
    return SHARES.format(
        before=f"{before} {verb}", after=after, first=first, second=second, **slots
    )


def _how(point: Point) -> str:
    """Return under which rule the draws at a point are: ``unscaled``, ``when divided by √d_k``."""
    if point.scale == NONE:
        return "unscaled"
    verbs = ("when divided by", "when multiplied by", "under")
    return doing(point.scale, point.multiplier, verbs)


def value_text(value: float, statistic: SweepStatistic) -> str:
    """Return a median as text, rounded for a sentence."""
    if isnan(value):
        return "unknown"
    if statistic in ("max_weight", "lead_weight"):
        return words.share_text(value)
    if statistic == "logit_std":
        return f"±{amount(value)}"
    return about(max(round(value), 1))
