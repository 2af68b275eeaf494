"""What Heads says first: how many heads saturate, and which of them most."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.capture import HeadId
from attn_tui.compute.heads.statistic import SATURATED, SHARES, STATISTICS, TAU
from attn_tui.engine.table import HeadTable
from attn_tui.heads.words import head_text
from attn_tui.report import words
from attn_tui.report.miss import miss_text

Numbers = NDArray[np.float64]

SATURATE = (
    "Of {heads} {count} saturate: their rows put over 90 % of the weight on one key on average."
)
SATURATES = "Of {heads} one saturates: its rows put over 90 % of the weight on one key on average."
NONE = "None of {heads} saturates: no row puts over 90 % of its weight on one key on average."
OTHER = "{title}: {words}. {first} stands out with {value}; the median head has {typical}."
NOTHING = "No head has a number here: {why}."
"""What is said first, in the order in which it is tried."""

SHARPEST = "{first} is the sharpest."
LOST = "{count} not counted: their weights miss the captured output."
ODD = "{count} NaN or infinity, first {head}."
UNTOLD = "What was captured does not tell m: 1/√d_k is assumed."
"""What follows: what makes it doubtful, the gravest first, or which head to look at."""

WAITING = "Looking at the heads…"


def first_of(table: HeadTable, name: str, tau: float = TAU) -> HeadId:
    """Return the head to look at first by a statistic; the first of all while none is known."""
    return table.heads[int(np.argmin(order(table, name, tau)))]


def order(table: HeadTable, name: str, tau: float = TAU) -> Numbers:
    """Return a number of each head, shape (heads,): the smallest is that of the one to look at.

    One that does not count is last.
    """
    values = _counted(table, name, tau)
    if name == "saturated_share":
        # Shares may be equal, and how sharp a head is is never quite.
        return np.where(np.isnan(values), np.inf, table.values("entropy"))
    graver = -values if STATISTICS[name].worst == "large" else values
    return np.where(np.isnan(values), np.inf, graver)


def _counted(table: HeadTable, name: str, tau: float) -> Numbers:
    out = table.uncounted(name)
    return np.where([head in out for head in table.heads], np.nan, table.values(name, tau))


def headline(table: HeadTable, name: str, tau: float = TAU) -> str:
    """Return the headline of what is known of the heads.

    Args:
        table: What is known.
        name: The statistic that is looked at.
        tau: The largest logit that QK-clip leaves alone.
    """
    if not table.partials:
        return WAITING
    values = _counted(table, name, tau)
    known = values[~np.isnan(values)]
    if not known.size:
        return NOTHING.format(why=_why_nothing(table, name))
    first = first_of(table, name, tau)
    slots = {
        "heads": _heads(table, known.size),
        "first": head_text(first, table.n_batches).capitalize(),
    }
    if name != "max_weight":
        here = float(values[table.places[first]])
        said = OTHER.format(
            title=STATISTICS[name].title, words=STATISTICS[name].words, value=_value(name, here),
            typical=_value(name, float(np.median(known))), **slots,
        )  # fmt: skip
        return said[0].upper() + said[1:]
    count = int((known >= SATURATED).sum())
    if count == 0:
        said = NONE.format(**slots)
    elif count == 1:
        said = SATURATES.format(**slots)
    else:
        said = SATURATE.format(count="all" if count == known.size else f"{count:,}", **slots)
    return f"{said} {_second(table, name, slots)}"


def _second(table: HeadTable, name: str, slots: Mapping[str, str]) -> str:
    """Return what makes the numbers doubtful, or which head is the sharpest."""
    missing = table.missing(name)
    odd = [
        head
        for head in table.heads
        if head in table.partials and (table.partials[head].not_finite or table.partials[head].odd)
    ]
    if missing:
        count = "One more is" if len(missing) == 1 else f"{len(missing):,} more are"
        return LOST.format(count=count)
    if odd:
        count = "One of them meets" if len(odd) == 1 else f"{len(odd):,} of them meet"
        return ODD.format(count=count, head=head_text(odd[0], table.n_batches))
    if any(each.untold for each in table.partials.values()):
        return UNTOLD
    return SHARPEST.format(**slots)


def _heads(table: HeadTable, known: int) -> str:
    """Return how many heads are spoken of: ``64 heads``, ``the 12 heads seen so far``."""
    text = f"{known:,} head{'s' if known > 1 else ''}"
    return f"the {text} seen so far" if len(table.partials) < len(table.heads) else text


def _why_nothing(table: HeadTable, name: str) -> str:
    """Return why no head has a number that counts."""
    missing = table.missing(name)
    if missing:
        return f"their weights miss the captured output by {miss_text(max(missing.values()))}"
    if any(each.not_finite for each in table.partials.values()):
        return "their rows meet NaN or infinity"
    return "no row sees several keys"


def _value(name: str, value: float) -> str:
    """Return a value as a person would say it."""
    if name in SHARES:
        return words.percent(value)
    if 0.0 < abs(value) < 1e-6:
        return "almost 0"
    sign = "−" if value < 0.0 else ""
    return sign + words.amount(abs(value))
