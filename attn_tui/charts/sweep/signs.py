"""What tells the rules of a sweep apart, and what its signs and the cursor's place say."""

from collections.abc import Sequence
from dataclasses import dataclass

from attn_tui.charts.rows import Row
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.curves import Of
from attn_tui.compute.sweep.points import Point
from attn_tui.report.numbers import quantity, ratio
from attn_tui.report.sweep.names import formula, is_none, median_text, name_of

LETTERS = "ABCDEFGHIJ"
"""What marks the mean of each rule, in their order."""

_ROLES = ("scaled", "pinned", "series2", "series3", "series5")


@dataclass(frozen=True)
class Look:
    """How a sweep is looked at.

    Attributes:
        log: Whether numbers go by their logarithm; ratios always do.
        bands: Whether the band that holds eight draws in ten is drawn beside curves.
        whole: Whether the logarithm goes down to the smallest number.
        ascii: Whether to draw without block glyphs.
    """

    log: bool = True
    bands: bool = True
    whole: bool = False
    ascii: bool = False


DEFAULT_LOOK = Look()


def role_of(answer: Answer, rule: str) -> str:
    """Return the role a rule is drawn in; none has that of what is unscaled everywhere."""
    if is_none(rule):
        return "unscaled"
    others = [each for each in answer.rules if not is_none(each)]
    return _ROLES[others.index(rule) % len(_ROLES)]


def letter_of(answer: Answer, rule: str) -> str:
    """Return what marks the mean of a rule."""
    return LETTERS[answer.rules.index(rule) % len(LETTERS)]


def named(answer: Answer) -> list[Row]:
    """Return each rule that is drawn after its letter."""
    return [
        ((letter_of(answer, rule), role_of(answer, rule)), (f" {name_of(rule)}", "label"))
        for rule in answer.rules
        if not (answer.settings.ratio and is_none(rule))
    ]


def explained(answer: Answer, look: Look, signs: Sequence[str], brief: bool) -> list[Row]:
    """Return what the signs mean, at decreasing length.

    Args:
        answer: What is drawn.
        look: How it is looked at.
        signs: What is in the picture besides means, medians and bands.
        brief: Whether medians are tagged with small letters.
    """
    line = "small letters" if look.ascii else "lines, small letters" if brief else "lines"
    ratios = answer.settings.ratio
    band = "± 2 standard errors" if ratios else "10 to 90 %"
    parts = [
        f"letters {'ratio of means' if ratios else 'mean'}",
        f"{line} {'of medians' if ratios else 'median'}",
        *([f"{'.' if look.ascii else '·'} {band}"] if look.bands else []),
        *signs,
    ]
    return [((", ".join(parts[:count]), "muted"),) for count in range(len(parts), 0, -1)]


def readouts(answer: Answer, here: int) -> list[tuple[Row, list[Row]]]:
    """Return the numbers of each rule at the cursor, at decreasing length, to be packed."""
    settings = answer.settings
    points = [point for point in answer.points if getattr(point, settings.over) == here]
    choices: list[tuple[Row, list[Row]]] = []
    for detail in range(6):
        parts: list[Row] = []
        for rule in answer.rules:
            point = next((each for each in points if each.rule == rule), None)
            if point is None:
                continue
            if settings.ratio:
                text = "" if is_none(rule) else _ratio_text(answer, point, detail)
            else:
                text = _point_text(answer, point, detail)
            if text:
                parts.append(((f"{letter_of(answer, rule)} {text}", role_of(answer, rule)),))
        what = " medians" if detail == 5 else ""
        place = (f"{settings.over} {here:,}{what}: ", "cursor")
        choices.append(((), [(place, *row) for row in parts[:1]] + parts[1:]))
    return choices


def _point_text(answer: Answer, point: Point, detail: int) -> str:
    one = point.statistics[answer.settings.statistic]
    mean, median = quantity(one.mean), median_text(one)
    error = f" ± {quantity(one.mean_standard_error)}"
    exact_mean, exact_median = _exact(answer, point, "mean"), _exact(answer, point, "median")
    return (
        f"mean {mean}{error}{exact_mean}, median {median}{exact_median}, {point.draws:,} draws",
        f"mean {mean}{error}{exact_mean}, median {median}{exact_median}",
        f"mean {mean}{exact_mean}, median {median}{exact_median}",
        f"mean {mean}, median {median}",
        f"{mean}, {median}",
        median,
    )[detail]


def _exact(answer: Answer, point: Point, of: Of) -> str:
    """Return what is known exactly of a point, or nothing."""
    for curve in answer.curves:
        if (curve.kind, curve.rule, curve.of) == ("exact", point.rule, of):
            value = dict(zip(curve.places, curve.values, strict=True)).get((point.n, point.d_k))
            return "" if value is None else f" (exact {quantity(value)})"
    return ""


def _ratio_text(answer: Answer, point: Point, detail: int) -> str:
    found = answer.ratio(point.n, point.d_k, point.rule, answer.settings.statistic)
    if found is None:
        return ""
    mean, median = ratio(found.log_mean), ratio(found.log_median)
    return (
        f"unscaled over {formula(point.rule)}: means {mean}, medians {median}",
        *[f"means {mean}, medians {median}"] * 3,
        f"{mean}, {median}",
        median,
    )[detail]
