"""The headline of Heads: how many heads saturate, and which is the sharpest."""

import numpy as np

from attn_tui.captures.capture import HeadId
from attn_tui.compute.arrays import Floats
from attn_tui.compute.heads.statistic import SATURATED, SHARES, STATISTICS
from attn_tui.compute.numbers import amount
from attn_tui.compute.text import counted
from attn_tui.engine.survey import Survey
from attn_tui.heads.words import head_text
from attn_tui.report import words
from attn_tui.report.miss import miss_text

SATURATE = (
    "Of {heads} {count} saturate: their rows put over 90 % of the weight on one key on average."
)
SATURATES = "Of {heads} one saturates: its rows put over 90 % of the weight on one key on average."
ALL = "All {heads} saturate: their rows put over 90 % of the weight on one key on average."
NONE = (
    "None of {heads} saturates: their rows put less than 90 % of the weight on one key on average."
)
ALONE, NOT_ALONE = (
    "{head} saturates: its rows put over 90 % of the weight on one key on average.",
    "{head} does not saturate: its rows put under 90 % of the weight on one key on average.",
)
OTHER = "{title}: {words}. {first} stands out with {value}; the median head has {typical}."
NOTHING = "No head has a number here: {why}."
"""The first sentence, in the order in which these are tried."""

DIFFER, DIFFERS = (
    "{heads} differ from what was promised.",
    "{heads} differs from what was promised.",
)
SHARPEST = "{first} is the sharpest."
FAULTY = "{heads} cannot be right, says the doctor."
LOST = "{count} not counted: {whose} weights miss the captured output."
ODD = "{count} NaN or infinity, first {head}."
UNTOLD = "What was captured does not tell m: 1/√d_k is assumed."
"""The second sentence: a doubt about the numbers, the gravest first, or the head to look at."""

WAITING = "Looking at the heads…"


def first_of(survey: Survey, name: str) -> HeadId:
    """Return the gravest head by a statistic; the first head while no value is known."""
    return survey.plan.heads[int(np.argmin(order(survey, name)))]


def order(survey: Survey, name: str) -> Floats:
    """Return a sort key for each head, shape (heads,): the smallest is that of the gravest head.

    A head whose statistic does not count has infinity.
    """
    values = survey.counted(name)
    if name == "saturated_share":
        # Many shares are equal; entropies hardly ever are.
        return np.where(np.isnan(values), np.inf, survey.values("entropy"))
    graver = -values if STATISTICS[name].worst == "large" else values
    return np.where(np.isnan(values), np.inf, graver)


def headline(survey: Survey, name: str, n_differing: int = 0, is_promised: bool = True) -> str:
    """Return the headline of a survey.

    Args:
        survey: The statistics of the heads so far.
        name: The name of the statistic in the map.
        n_differing: How many heads the doctor has found to differ.
        is_promised: Whether anything was promised of them.
    """
    if not survey.heads:
        return WAITING
    values = survey.counted(name)
    finite = values[~np.isnan(values)]
    doubt = ""
    if n_differing:
        sentence = DIFFERS if n_differing == 1 else DIFFER
        if not is_promised:
            sentence = FAULTY
        doubt = sentence.format(heads=counted(n_differing, "head"))
    if not finite.size:
        return f"{NOTHING.format(why=_why_nothing(survey, name))} {doubt}".rstrip()
    place = int(np.argmin(order(survey, name)))
    first = head_text(survey.plan.heads[place], survey.plan.n_batches).capitalize()
    if name != "max_weight":
        sentence = OTHER.format(
            title=STATISTICS[name].title, words=STATISTICS[name].words, first=first,
            value=_value(name, float(values[place])),
            typical=_value(name, float(np.median(finite))),
        )  # fmt: skip
        sentence = sentence[0].upper() + sentence[1:]
        if doubt and len(sentence) + 1 + len(doubt) > words.LONGEST:
            sentence = sentence.partition("; ")[0] + "."
        return f"{sentence} {doubt}".rstrip()
    sentence = _saturation(int((finite >= SATURATED).sum()), finite.size, survey)
    return f"{sentence} {doubt or _second(survey, name, first)}".rstrip()


def _saturation(count: int, total: int, survey: Survey) -> str:
    """Return the sentence on how many of the heads with a number saturate."""
    is_all_seen = len(survey.heads) == len(survey.plan.heads)
    if total == 1:
        head = "The one head" if is_all_seen else "The head seen so far"
        return (ALONE if count else NOT_ALONE).format(head=head)
    heads = counted(total, "head")
    heads = heads if is_all_seen else f"the {heads} seen so far"
    if count == total:
        return ALL.format(heads=heads)
    sentence = {0: NONE, 1: SATURATES}.get(count, SATURATE)
    return sentence.format(heads=heads, count=f"{count:,}")


def _second(survey: Survey, name: str, first: str) -> str:
    """Return a sentence on what makes the numbers doubtful, or on the sharpest of several heads."""
    missing = [partial for partial in survey.heads.values() if partial.misses(name)]
    odd = [head for head, partial in survey.heads.items() if partial.not_finite or partial.odd]
    if missing:
        if len(missing) == 1:
            return LOST.format(count="One more is", whose="its")
        return LOST.format(count=f"{len(missing):,} more are", whose="their")
    if odd:
        count = "One of them meets" if len(odd) == 1 else f"{len(odd):,} of them meet"
        return ODD.format(count=count, head=head_text(odd[0], survey.plan.n_batches))
    if any(partial.untold for partial in survey.heads.values()):
        return UNTOLD
    return SHARPEST.format(first=first) if len(survey.heads) > 1 else ""


def _why_nothing(survey: Survey, name: str) -> str:
    """Return why no head has a number that counts."""
    partials = survey.heads.values()
    misses = [partial.residual for partial in partials if partial.residual and partial.misses(name)]
    if misses:
        return f"their weights miss the captured output by {miss_text(max(misses))}"
    if any(partial.not_finite for partial in partials):
        return "their rows meet NaN or infinity"
    return "no row sees several keys"


def _value(name: str, value: float) -> str:
    """Return a value in the few digits that a sentence needs."""
    if name in SHARES:
        return words.share_text(value)
    return "almost 0" if 0.0 < abs(value) < 1e-6 else amount(value)
