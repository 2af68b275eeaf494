"""The names of a sweep's rules, and its numbers as text."""

from collections.abc import Iterable

from attn_tui.compute.numbers import amount, interval, place, quantity
from attn_tui.compute.scale import NONE, Scale
from attn_tui.compute.sweep.crossover import Crossing
from attn_tui.compute.sweep.points import Summary
from attn_tui.report.words import DIVISORS


def crossing_text(crossing: Crossing, least: int) -> str:
    """Return a crossing along d_k with its interval as text: ``430 [368 to 520]``.

    Args:
        crossing: The crossing.
        least: The least d_k that was examined.
    """
    if crossing.at is None:
        return f"none: {crossing.direction} unscaled, {least:,} to 65,536"
    start = f" from d_k = {least:,}" if least > 2 else ""
    return f"{place(crossing.at)} [{interval(crossing.low, crossing.high, place)}]{start}"


def quarters(summary: Summary) -> str:
    """Return the range of the middle half of the draws: ``0.12 to 0.48``."""
    low = quantity(summary.quarter, summary.log_quarter)
    return f"{low} to {quantity(summary.three_quarters, summary.log_three_quarters)}"


def doing(
    scale: Scale,
    multiplier: float | None = None,
    words: tuple[str, str, str] = ("dividing by", "multiplying by", "the rule"),
) -> str:
    """Return what a rule does, as a phrase: ``dividing by √d_k``.

    Args:
        scale: The rule.
        multiplier: Its m, where that is one number.
        words: The words before a divisor, before a multiplier and before a rule's name.

    >>> doing(Scale()), doing(Scale("fixed"), 1 / 12), doing(Scale("yarn", (("factor", 4.0),)))
    ('dividing by √d_k', 'dividing by 12', 'the rule yarn with f = 4')
    >>> doing(NONE), doing(Scale("cosine"), 1 / 8)
    ('no scaling', 'the rule cosine')
    """
    if scale == NONE:
        return called(scale)
    divided, multiplied, ruled = words
    if symbol := DIVISORS.get(scale.rule):
        return f"{divided} {symbol}"
    # A divisor alone would not say that q and k are normalised before.
    if multiplier is None or multiplier == 1.0 or scale.normalises:
        return f"{ruled} {called(scale)}"
    if 0.0 < multiplier < 1.0:
        return f"{divided} {amount(1.0 / multiplier)}"
    return f"{multiplied} {amount(multiplier)}"


def called(scale: Scale) -> str:
    """Return the name of a rule in a sentence.

    >>> called(NONE), called(Scale()), called(Scale("fixed", (("a", 144.0),)))
    ('no scaling', '1/√d_k', 'fixed with a = 144')
    """
    if scale == NONE:
        return "no scaling"
    if scale.rule in DIVISORS:
        return scale.formula
    chosen = dict(scale.arguments)
    values = [
        f"{parameter.symbol} = {amount(chosen[parameter.name])}"
        for parameter in scale.definition.parameters
        if parameter.name in chosen
    ]
    return f"{scale.rule} with {', '.join(values)}" if values else scale.rule


def name_of(scale: Scale) -> str:
    """Return the short name of a rule, for a label: ``unscaled``, ``1/√d_k``."""
    return "unscaled" if scale == NONE else scale.formula


def others(scales: Iterable[Scale]) -> list[Scale]:
    """Return the rules other than ``none``."""
    return [scale for scale in scales if scale != NONE]
