"""The readouts of Dot products: what they are called, and what their coverage is taken of."""

from math import isnan

from attn_tui.compute.dots.answer import Answer
from attn_tui.compute.number import Number
from attn_tui.report.numbers import general

STATISTICS = {
    "mean": "mean E[x]",
    "variance": "variance σ²",
    "standard_deviation": "standard deviation σ",
    "mean_size": "mean size E|x|",
    "kurtosis": "kurtosis",
    "coverage": "coverage",
}
"""The readouts by their names in JSON: what they are called."""


def bound_text(answer: Answer) -> str:
    """Return what the coverage is taken of: ``2√d_k``, or what that is for a die."""
    variance = answer.law.pair.law.variance
    return "2√d_k" if variance == 1.0 else f"2·{general(variance, 4)}·√d_k"


def readouts(answer: Answer) -> tuple[tuple[str, str, Number, Number], ...]:
    """Return each readout: its name in JSON, what it is called, unscaled and scaled."""
    return tuple(
        (name, title, getattr(answer.unscaled, name), getattr(answer.scaled, name))
        for name, title in STATISTICS.items()
    )


def share(value: float | None) -> str:
    """Return a probability to four decimals, ``–`` where it is not known."""
    return "–" if value is None else "NaN" if isnan(value) else f"{value:.4f}"
