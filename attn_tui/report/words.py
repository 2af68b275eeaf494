"""Words for numbers in headlines: shares, factors, and how the scores were scaled."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from math import exp, inf, log

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


def percent(share: float) -> str:
    """Return a share in everyday form: ``62 %``, ``99.9 %``, ``0.6 %``, but never 100 or 0.

    >>> percent(0.6245), percent(0.9984), percent(0.0061), percent(0.99999), percent(1e-9)
    ('62 %', '99.8 %', '0.6 %', 'practically all', 'almost none')
    """
    if share >= ALL:
        return "practically all"
    hundredths = 100.0 * share
    if 0.95 <= hundredths <= 99.0:
        return f"{hundredths:.0f} %"
    text = f"{hundredths:.1f}"
    return f"{text} %" if float(text) else "almost none"


def about(value: float) -> str:
    """Return a number of at least 1 to two digits: ``6.5``, ``210``, ``1,900``."""
    short = float(f"{value:.2g}")
    return f"{short:,.0f}" if short >= 10.0 else f"{short:g}"


def effective(keys: float) -> str:
    """Return a number of effective keys to three digits, or whole from 1,000 on.

    >>> effective(2.4716), effective(968912.3), effective(float("nan"))
    ('2.47', '968,912', 'nan')
    """
    return f"{keys:,.0f}" if keys >= 1000.0 else f"{keys:.3g}"


def amount(value: float) -> str:
    """Return a non-negative number to three digits or whole: ``45.3``, ``1,024``, ``12.3 million``.

    >>> [amount(value) for value in (32.0, 999.7, 1234.5, 2e30, 0.000044, 1e-30)]
    ['32', '1,000', '1,234', 'over a trillion', '0.000044', 'under a millionth']
    """
    if 0.0 < value < 1e-6:
        return "under a millionth"
    if value >= 1e12:
        return "over a trillion"
    for unit, name in ((1e9, "billion"), (1e6, "million")):
        if value >= unit:
            return f"{float(f'{value / unit:.3g}'):g} {name}"
    if float(f"{value:.3g}") >= 1000.0:
        return f"{value:,.0f}"
    return f"{float(f'{value:.3g}'):.9f}".rstrip("0").rstrip(".")


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
