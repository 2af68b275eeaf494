"""Words for numbers in headlines: shares, factors, and how the scores were scaled."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from math import exp, inf, log

from attn_tui.compute.numbers import about, amount, rough_percent
from attn_tui.compute.scale import LogitMap, Scale

LONGEST = 170
"""The most characters in a headline: two lines on a screen of at least 85 columns."""

ALL = 0.9995
"""A share from this on is called practically all."""

SAME = log(1.05)
"""A factor whose logarithm is smaller counts as no change."""

UNTOLD = log(1e6)
"""A factor whose logarithm is larger is not spelled out."""

DIVISORS = {"inverse-sqrt": "√d_k", "inverse": "d_k"}
"""The divisors of rules that have a symbol for it."""

GRADIENTS: Mapping[str, str] = {
    **dict.fromkeys(("scores", "gradient"), "gradient"),
    **dict.fromkeys(("logits", "jacobian"), "gradient by logits"),
    "query_gradient": "gradient at the query",
    "trace": "trace of the Jacobian",
}
"""The names of gradients, by the variable of the derivative and by statistic of Sweep."""

PRESENT = {
    "ivided": "ividing", "ultiplied": "ultiplying", "apped": "apping", "With a": "Adding a",
}  # fmt: skip


def share_text(share: float) -> str:
    """Return a share in a sentence, where all and nothing are words.

    >>> share_text(0.6245), share_text(0.9984), share_text(0.99999), share_text(1e-9)
    ('62 %', '99.8 %', 'practically all', 'almost none')
    """
    if share >= ALL:
        return "practically all"
    text = rough_percent(share)
    return "almost none" if text in ("0 %", "~0 %") else text


def times(log_factor: float) -> str:
    """Return a factor in words, from its logarithm: ``24 times larger``.

    >>> times(log(24.3)), times(log(0.125)), times(0.01), times(40.0)
    ('24 times larger', '8 times smaller', 'about the same', 'over a million times larger')
    """
    if abs(log_factor) < SAME:
        return "about the same"
    way = "larger" if log_factor > 0.0 else "smaller"
    if abs(log_factor) > UNTOLD:
        return f"over a million times {way}"
    return f"{about(exp(abs(log_factor)))} times {way}"


def done(to_logits: LogitMap) -> str:
    """Return what was done to the scores: ``Divided by 32 and capped at 50``."""
    m, cap = to_logits.multiplier, to_logits.softcap
    parts = []
    if 0.0 < m < 1.0:
        parts.append(f"divided by {amount(1.0 / m)}")
    elif m != 1.0:
        parts.append(f"multiplied by {amount(m)}")
    if cap is not None:
        parts.append(f"capped at {amount(cap)}")
    if not parts:
        return "Not divided" if to_logits.sink is None else "With a sink"
    return " and ".join(parts).capitalize()


def doing(to_logits: LogitMap) -> str:
    """Return the same as the subject of a sentence: ``Dividing by 32 and capping at 50``."""
    text = done(to_logits)
    for past, present in PRESENT.items():
        text = text.replace(past, present)
    return text


def why_undivided(scale: Scale) -> str:
    """Return why a rule multiplies by 1; only for one that does."""
    if scale.rule == "none":
        return "rule none"
    return "√1 = 1" if scale.is_default else f"{scale.formula} is 1"


def ranges(numbers: Iterable[int], most: float = inf) -> str:
    """Return rising numbers as ranges; if there are too many, the first ones and the last.

    >>> ranges([0, 1, 2, 5, 7, 8])
    '0–2, 5, 7–8'
    """
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    ]
    texts = [str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs]
    return ", ".join(texts if len(texts) <= most else [*texts[: int(most) - 1], "…", texts[-1]])
