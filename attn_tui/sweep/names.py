"""The names of a sweep's statistics and rules, and its numbers as text."""

from collections.abc import Iterable

from attn_tui.compute.numbers import amount, interval, place
from attn_tui.compute.scale import NONE, parse_scale
from attn_tui.compute.sweep.crossover import Crossover
from attn_tui.compute.sweep.readouts import READOUTS
from attn_tui.report.words import DIVISORS

NAMES = READOUTS
"""The names of the statistics."""


def crossover_text(crossover: Crossover) -> str:
    """Return a crossover with its interval as text: ``430 [368 to 520]``."""
    crossing = crossover.crossing
    if crossing is None:
        return f"none: {crossover.side} unscaled, {crossover.divides_from:,} to 65,536"
    start = f" from d_k = {crossover.divides_from:,}" if crossover.divides_from > 2 else ""
    return f"{place(crossing.at)} [{interval(crossing.low, crossing.high, place)}]{start}"


def formula(rule: str) -> str:
    """Return the multiplier of a rule given as text: ``1/√d_k``."""
    return parse_scale(rule).formula


def doing(
    rule: str,
    multiplier: float | None = None,
    words: tuple[str, str, str] = ("dividing by", "multiplying by", "the rule"),
) -> str:
    """Return what a rule does, as a phrase: ``dividing by √d_k``.

    Args:
        rule: The rule as text.
        multiplier: Its m, where that is one number.
        words: The words before a divisor, before a multiplier and before a rule's name.

    >>> doing("inverse-sqrt"), doing("fixed:a=144", 1 / 12), doing("yarn:factor=4")
    ('dividing by √d_k', 'dividing by 12', 'the rule yarn with f = 4')
    >>> doing("none"), doing("cosine:g=8", 1 / 8)
    ('no scaling', 'the rule cosine')
    """
    if is_none(rule):
        return called(rule)
    divided, multiplied, ruled = words
    if symbol := DIVISORS.get(parse_scale(rule).rule):
        return f"{divided} {symbol}"
    # A divisor alone would not say that q and k are normalised before.
    if multiplier is None or multiplier == 1.0 or parse_scale(rule).normalises:
        return f"{ruled} {called(rule)}"
    if 0.0 < multiplier < 1.0:
        return f"{divided} {amount(1.0 / multiplier)}"
    return f"{multiplied} {amount(multiplier)}"


def called(rule: str) -> str:
    """Return the name in a sentence of a rule given as text.

    >>> called("none"), called("inverse-sqrt"), called("fixed:a=144.0")
    ('no scaling', '1/√d_k', 'fixed with a = 144')
    """
    scale = parse_scale(rule)
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


def is_none(rule: str) -> bool:
    """Return whether a rule leaves scores as they are."""
    return parse_scale(rule) == NONE


def name_of(rule: str) -> str:
    """Return the short name of a rule, for a label: ``unscaled``, ``1/√d_k``."""
    return "unscaled" if is_none(rule) else formula(rule)


def others(rules: Iterable[str]) -> list[str]:
    """Return the rules other than ``none``."""
    return [rule for rule in rules if not is_none(rule)]
