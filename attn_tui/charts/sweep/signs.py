"""What tells the rules of a sweep apart, and what its signs and the cursor's place say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attn_tui.charts.glyphs import LINE
from attn_tui.charts.rows import Row, length, packed
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.points import Point
from attn_tui.compute.sweep.readouts import Of
from attn_tui.report.numbers import quantity, ratio
from attn_tui.report.sweep.names import formula, is_none, mean_text, median_text, name_of

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
    """

    log: bool = True
    bands: bool = True
    whole: bool = False


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


def drawn_rules(answer: Answer) -> list[str]:
    """Return the rules that are drawn: of ratios not none, which is 1, unless it is alone."""
    scaled = [rule for rule in answer.rules if not (answer.settings.ratio and is_none(rule))]
    return scaled or [*answer.rules]


def named(answer: Answer) -> list[Row]:
    """Return each rule that is drawn after its letter."""
    return [
        ((letter_of(answer, rule), role_of(answer, rule)), (f" {name_of(rule)}", "label"))
        for rule in drawn_rules(answer)
    ]


BAND = "·"
"""What the ends of bands are drawn with."""

EXACT: Mapping[Of, str] = {"mean": "=", "median": "~"}
"""What exact curves are drawn with."""

CONDENSED = "σ_c logits condense"

_SHORTER = {
    "- mean asymptote": "- asymptote",
    "- RMS asymptote": "- asymptote",
    CONDENSED: "σ_c condense",
    "d* medians cross (95 %)": "d* medians cross",
    "~ exact median": "~ median",
}
"""Signs in fewer words, after what comes before them."""


def means_and_medians(answer: Answer, brief: bool) -> str:
    """Return in a few words which signs are means and which medians, brief if medians have letters.

    The first rule that is drawn stands for all.
    """
    letter = next(letter_of(answer, rule) for rule in drawn_rules(answer))
    line = letter.lower() if brief else LINE
    if answer.settings.ratio:
        return f"{letter} ratio of means, {line} of medians"
    return f"{letter} mean, {line} median"


def explained(answer: Answer, bands: bool, signs: Sequence[str], brief: bool) -> list[Row]:
    """Return what the signs mean, at decreasing length.

    Args:
        answer: What is drawn.
        bands: Whether bands are drawn.
        signs: What is in the picture besides means, medians and bands.
        brief: Whether medians are tagged with small letters.
    """
    ratios, line = answer.settings.ratio, "lines, small letters" if brief else "lines"
    first = f"letters {'ratio of means' if ratios else 'mean'}"
    second = f"{line} {'of medians' if ratios else 'median'}"
    band = [f"{BAND} {'± 2 standard errors' if ratios else '10 to 90 %'}"] * bands
    short_band = [f"{BAND} {'± 2 SE' if ratios else '10–90 %'}"] * bands
    shorter = list(dict.fromkeys(_SHORTER.get(sign, sign) for sign in signs))
    least = means_and_medians(answer, brief)
    choices = [
        [first, second, *band, *signs],
        [least, *short_band, *signs],
        [least, *short_band, *shorter],
        # What stands at one place of the picture comes last, and is named as long as can be.
        *([least, *shorter[start:]] for start in range(len(shorter) + 1)),
    ]
    return [((", ".join(parts), "muted"),) for parts in choices]


_KEPT = 4
"""So many of the ways to write the numbers of a point leave out no error and nothing exact."""

_PLACE = {3: " mean, median", 6: " medians"}
"""What numbers without words are."""


def readouts(answer: Answer, here: int, asked: int, width: int, height: int) -> list[Row]:
    """Return the numbers of each rule at the place nearest to what is asked, in rows.

    There is a second one only where without it errors or exact values would be left out.
    """
    settings = answer.settings
    points = [point for point in answer.points if getattr(point, settings.over) == here]
    text_of = _ratio_text if settings.ratio else _point_text
    choices: list[tuple[Row, list[Row]]] = []
    for detail in range(7):
        parts: list[Row] = [
            ((f"{letter_of(answer, rule)} {text}", role_of(answer, rule)),)
            for rule in drawn_rules(answer)
            for point in points
            if point.rule == rule and (text := text_of(answer, point, detail))
        ]
        near = f", nearest to {asked:,}" if asked != here and detail not in _PLACE else ""
        place = (f"{settings.over} {here:,}{near}{_PLACE.get(detail, '')}: ", "cursor")
        choices.append(((), [(place, *row) for row in parts[:1]] + parts[1:]))
    for most in range(1, height + 1):
        for choice in choices[:_KEPT]:
            rows = packed([choice], width, len(choice[1]) + 1)
            if len(rows) <= most and all(length(row) <= width for row in rows):
                return rows
    return packed(choices, width, 1) if height else []


def _point_text(answer: Answer, point: Point, detail: int) -> str:
    one = point.statistics[answer.settings.statistic]
    with_error, median = mean_text(one), median_text(one)
    mean = with_error.partition(" ±")[0]
    exact_mean, exact_median = _exact(answer, point, "mean"), _exact(answer, point, "median")
    long_mean, long_median = (f" (exact {e})" if e else "" for e in (exact_mean, exact_median))
    brief_mean = f" {EXACT['mean']} {exact_mean}" if exact_mean else ""
    brief_median = f" {EXACT['median']} {exact_median}" if exact_median else ""
    return (
        f"mean {with_error}{long_mean}, median {median}{long_median}, {point.draws:,} draws",
        f"mean {with_error}{long_mean}, median {median}{long_median}",
        f"mean {with_error}{brief_mean}, median {median}{brief_median}",
        f"{with_error}{brief_mean}, {median}{brief_median}",
        f"mean {mean}, median {median}",
        f"{mean}, {median}",
        median,
    )[detail]


def _exact(answer: Answer, point: Point, of: Of) -> str:
    """Return what is known exactly of a point, or nothing."""
    for curve in answer.curves:
        if (curve.kind, curve.rule, curve.of) == ("exact", point.rule, of):
            value = dict(zip(curve.places, curve.values, strict=True)).get((point.n, point.d_k))
            return "" if value is None else quantity(value)
    return ""


def _ratio_text(answer: Answer, point: Point, detail: int) -> str:
    found = answer.points.ratio(point.n, point.d_k, point.rule, answer.settings.statistic)
    if found is None:
        return ""
    mean, median = ratio(found.log_mean), ratio(found.log_median)
    return (
        f"unscaled over {formula(point.rule)}: means {mean}, medians {median}",
        *[f"means {mean}, medians {median}"] * 4,
        f"{mean}, {median}",
        median,
    )[detail]
