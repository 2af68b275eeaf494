"""The headline of Sweep: what dividing does to the typical draw here, and where that changes."""

from collections.abc import Iterator, Sequence
from math import isnan, nan
from typing import Literal

import numpy as np

from attn_tui.compute.scale import parse_scale
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.crossing import Meeting
from attn_tui.compute.sweep.crossover import last_fall
from attn_tui.compute.sweep.points import Place, Point, Points, median_error
from attn_tui.compute.sweep.settings import Statistic, first_draws
from attn_tui.report.headline import DIVISORS, GRADIENTS, Factor, Headline, percent, rounded
from attn_tui.report.numbers import general
from attn_tui.sweep.means import larger_mean
from attn_tui.sweep.names import called, doing, is_none, others, short_place

Of = Literal["median", "mean"]
"""What of the draws is looked at."""


def headline(answer: Answer, statistic: Statistic, of: Of = "median") -> Headline:
    """Return the headline of what was found so far.

    Args:
        answer: What was found.
        statistic: What is looked at.
        of: Whether the typical draw or the average is looked at.
    """
    points = answer.nearby
    if not points:
        return Headline("Nothing is drawn yet.", "Nothing is drawn yet.")
    asked = answer.settings.n, answer.experiment.setup.d_k
    place = points.nearest(asked)
    rules, (n, d_k) = others(answer.rules), place
    if not rules:
        text = "Only the rule none is compared here: there is nothing to divide."
        return Headline(text, text)
    begin = _begin(answer, points, place, "Here" if _is_asked(points, place, asked) else "Nearby")
    short = f"{n:,} keys, d_k = {d_k:,}: "
    if statistic not in GRADIENTS:
        full, brief = _shares(points, place, answer.rules, statistic)
        where = f"At d_k = {d_k:,}, " if "keys" in full else begin
        full = where + full
        what = {"max_weight": "Top key", "logit_std": "Logits"}.get(statistic, f"Of {n:,} keys")
        return Headline.fitting((f"{full}.",), (f"{short}{brief}.", f"{what}: {brief}."))
    noun = GRADIENTS[statistic]
    if of == "mean" and (text := _averaged(answer, statistic)):
        return Headline.fitting(
            (text,), ("Averaged, unscaled is larger; the typical draw says otherwise.",)
        )
    if len(answer.rules) == 1:
        text = f"Only the rule {called(*rules)} is drawn: there is nothing to compare it with."
        return Headline.fitting((text,), (text,))
    if len(rules) > 1:
        best, many, compared = _ranking(points, place, answer.rules, statistic)
        text = f"{begin}{best} leaves the largest typical {noun} of {many} rules"
        brief = f"{best} leaves the largest typical {noun}."
        return Headline.fitting(
            (f"{text}: {compared}.", f"{text}."), (short + brief, brief, f"{best} is largest.")
        )
    (rule,) = rules
    found = change(points, place, rule, statistic)
    if answer.settings.view == "curves" and answer.settings.over == "n":
        over_n = _over_n(answer, rule, statistic)
        if over_n:
            last_n, _ = points.places[-1]
            last = change(points, points.places[-1], rule, statistic)
            does = _done(rule, points.at(*points.places[-1], rule))
            brief = f"{last.times} with {last_n:,} keys"
            shorts = (f"d_k = {d_k:,}: {noun} {brief} {does}.", f"{brief} {does}.", f"{brief}.")
            return Headline.fitting(over_n, shorts)
    point = points.at(*place, rule)
    if point and point.multiplier == 1.0:
        nothing = f"{doing(rule)} changes nothing"
        divisor = DIVISORS.get(parse_scale(rule).rule, "m")
        seconds = [*_from(answer, rule, statistic, n), ""]
        fulls = [f"{begin}{nothing}: {divisor} is 1. {second}".rstrip() for second in seconds]
        return Headline.fitting(fulls, (f"{short}{nothing}.", "Nothing changes here: m is 1."))
    does = f"makes the typical {noun} {found.word if found.is_open else found.times}"
    if not (_told(found) or found.is_open):
        does = f"leaves the typical {noun} as it is, as far as these draws tell"
    seconds = [*_elsewhere(answer, rule, statistic, place, found), ""]
    begins = (begin, "Here ") if begin.startswith("Here") else (begin,)
    pairs = [(each, second) for second in seconds for each in begins]
    if asked not in answer.points.places:
        # No picture marks the place, and it may be the nearest to what is asked.
        pairs = [(begin, second) for second in seconds]
    how = doing(rule, point.multiplier if point else None)
    fulls = [f"{each}{how} {does}. {second}".rstrip() for each, second in pairs]
    brief = found.times if _told(found) else found.word
    done = _done(rule, point)
    shorts = (f"{short}{noun} {brief} {done}.", f"{short}{noun} {brief}.", f"It is {brief} {done}.")
    return Headline.fitting(fulls, shorts)


def change(
    points: Points, place: Place, rule: str, statistic: Statistic, of: Of = "median"
) -> Factor:
    """Return what a rule does to the median or the mean at a place; NaN where it is not known."""
    found = points.ratio(*place, rule, statistic)
    if found is None:
        return Factor(nan)
    if of == "mean":
        return Factor(-found.log_mean, found.log_mean_error)
    return Factor(-found.log_median, found.log_median_error)


def _told(factor: Factor) -> bool:
    """Return whether draws tell that there is a change."""
    return factor.known and not factor.stays


def _is_asked(points: Points, place: Place, asked: Place) -> bool:
    """Return whether a place is the one that is asked, or each axis has no other."""
    axes = zip(place, asked, (points.ns, points.d_ks), strict=True)
    return all(own == wanted or len(values) == 1 for own, wanted, values in axes)


def _begin(answer: Answer, points: Points, place: Place, here: str) -> str:
    n, d_k = place
    drawn = max((point.draws for point in points if (point.n, point.d_k) == place), default=0)
    where = f"({n:,} keys, d_k = {d_k:,})"
    if drawn < first_draws(answer.settings):
        return f"After {drawn:,} of {first_draws(answer.settings):,} draws {where} "
    return f"{here} {where} "


def _elsewhere(
    answer: Answer, rule: str, statistic: Statistic, place: Place, found: Factor
) -> Iterator[str]:
    """Yield where a rule does the opposite, at decreasing length."""
    n, d_k = place
    if not _told(found):
        return
    for each in answer.crossovers:
        if (each.n, each.readout, each.rule) == (n, statistic, rule) and each.d_k is None:
            so_far = "" if each.finished else ", so far"
            yield f"So it does at every d_k from {each.divides_from:,} to 65,536{so_far}."
    over_n = answer.settings.view == "curves" and answer.settings.over == "n"
    if over_n or (met := answer.crossing(rule, statistic, n)) is None:
        return
    about, so_far = _about(met), "" if met.finished else ", so far"
    if found.log > 0.0 and d_k > met.at:
        yield f"With d_k below {about} it makes it smaller{so_far}."
        yield f"It is smaller with d_k below {about}{so_far}."
    elif found.log < 0.0 and d_k < met.at:
        if met.low and met.high:
            low, high = short_place(met.low), short_place(met.high)
            yield f"It makes it larger only above some d_k between {low} and {high}{so_far}."
            yield f"It is larger only above a d_k of {low} to {high}{so_far}."
        yield f"It is larger only with d_k above {about}{so_far}."


def _from(answer: Answer, rule: str, statistic: Statistic, n: int) -> Iterator[str]:
    """Yield from which d_k on a rule enlarges a median that it leaves as it is, if known."""
    met = answer.crossing(rule, statistic, n)
    if met and met.low and met.high:
        ends = f"{short_place(met.low)} and {short_place(met.high)}"
        so_far = "" if met.finished else ", so far"
        noun = GRADIENTS[statistic]
        yield f"It makes the typical {noun} larger only above some d_k between {ends}{so_far}."


def _about(met: Meeting) -> str:
    """Return where medians meet, with what is known of its interval: ``about 430 (370 to 530)``."""
    low, high = (short_place(end) if end else "" for end in (met.low, met.high))
    ends = f"{low} to {high}" if low and high else low and f"{low} or more"
    ends = ends or (high and f"{high} or less")
    return f"about {short_place(met.at)}" + (f" ({ends})" if ends else "")


def _over_n(answer: Answer, rule: str, statistic: Statistic) -> tuple[str, ...]:
    """Return for how many keys a rule enlarges a median, and for how many it shrinks it."""
    points, noun = answer.points, GRADIENTS[statistic]
    changes = {n: change(points, (n, d_k), rule, statistic) for n, d_k in points.places}
    told = {n: each for n, each in changes.items() if _told(each)}
    if len(told) < 2:
        return ()
    d_k = points.d_ks[0]
    signs = [each.log > 0.0 for each in told.values()]
    last_n, last = list(told.items())[-1]
    found = {point.multiplier for each in told if (point := points.at(each, d_k, rule))}
    how = doing(rule, found.pop() if len(found) == 1 else None)
    begin = f"At d_k = {d_k:,} {how} makes the typical {noun}"
    if len(set(signs)) == 1:
        ends = f"{min(told):,} to {max(told):,}"
        text = f"{begin} {last.way} with {ends} keys"
        return (f"{text}: {last.many} times with {last_n:,}.", f"{text}.")
    if signs[0] and not any(signs[signs.index(False) :]):
        logs = np.array([each.log for each in changes.values()])
        at = last_fall([*changes], logs)
        met = answer.crossing(rule, statistic, 0) or (at and Meeting(at, None, None))
        if met:
            text = f"{begin} larger with fewer than {_about(met)} keys, smaller with more"
            return (f"{text}: {last.times} with {last_n:,}.", f"{text}.")
    return (f"{begin} {last.times} with {last_n:,} keys.",)


def _ranking(
    points: Points, place: Place, rules: Sequence[str], statistic: Statistic
) -> tuple[str, int, str]:
    """Return which of how many rules leaves the largest median, and how the others compare."""
    known = [point for rule in rules if (point := points.at(*place, rule))]
    best, *rest = sorted(known, key=lambda point: -point.statistics[statistic].log_median)
    parts = []
    for point in rest:
        by = best.statistics[statistic].log_median - point.statistics[statistic].log_median
        found = Factor(by, median_error(best, point, statistic))
        many = f"{found.many} times" if _told(found) else "about"
        parts.append(f"{many} that of {called(point.rule)}")
    return called(best.rule), len(known), ", ".join(parts[:2])


def _shares(
    points: Points, place: Place, rules: Sequence[str], statistic: Statistic
) -> tuple[str, str]:
    """Return how the weight is shared, or logits are spread, without scaling and under rules."""
    n, _ = place
    texts = []
    for rule in rules:
        if point := points.at(*place, rule):
            median = point.statistics[
                "effective_keys" if statistic in ("entropy", "entropy_bits") else statistic
            ].median
            how = "unscaled" if is_none(rule) else _done(rule, point, "when ")
            texts.append((_value(median, statistic), how))
    begins = {
        "max_weight": "the top key typically takes ",
        "logit_std": "logits typically spread by ",
    }
    if statistic in begins:
        text = begins[statistic] + ", ".join(f"{value} {how}" for value, how in texts[:3])
    else:
        first = f"of {n:,} keys {texts[0][0]} share the weight {texts[0][1]}"
        text = ", ".join([first, *(f"{value} {how}" for value, how in texts[1:3])])
    return text, ", ".join(f"{value} {how.removeprefix('when ')}" for value, how in texts[:2])


def _done(rule: str, point: Point | None, when: str = "") -> str:
    words = f"{when}divided by", f"{when}multiplied by", "under"
    return doing(rule, point.multiplier if point else None, words)


def _value(value: float, statistic: Statistic) -> str:
    if isnan(value):
        return "an unknown number"
    if statistic == "max_weight":
        return percent(value)
    if statistic == "logit_std":
        return f"±{general(value, 2)}"
    return f"about {rounded(max(round(value), 1))}"


def _averaged(answer: Answer, statistic: Statistic) -> str:
    """Return what averages say, where they say the opposite of the typical draw."""
    (rule, *more) = others(answer.rules)
    points, sides, medians = answer.points, set(), []
    for place in points.places:
        unscaled, scaled = points.unscaled(*place), points.at(*place, rule)
        if unscaled and scaled and scaled.multiplier < 1.0:
            sides.add(larger_mean(unscaled, scaled, statistic))
            medians.append(change(points, place, rule, statistic))
    if more or sides - {None} != {True}:
        return ""
    text = (
        f"Averaged, the {GRADIENTS[statistic]} is larger without scaling wherever these draws tell"
    )
    if any(_told(median) and median.log > 0.0 for median in medians):
        return f"{text}: a few lucky draws carry it. The typical draw says otherwise."
    return f"{text}."
