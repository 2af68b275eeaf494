"""The names of a sweep's statistics and rules, and its numbers as text."""

from collections.abc import Iterable

from attn_tui.compute.scale import NONE, parse_scale
from attn_tui.compute.sweep.crossover import Crossover
from attn_tui.compute.sweep.readouts import READOUTS
from attn_tui.report.numbers import quantity
from attn_tui.report.words import DIVISORS, amount

NAMES = READOUTS
"""The names of the statistics."""


def place_text(value: float) -> str:
    """Return a d_k or an n as text, to three digits if it is not whole: ``430``, ``12.5``."""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if 999.5 <= value < 1e7 else quantity(value)


def short_place(value: float) -> str:
    """Return a d_k or an n as text, to two digits, or to three from 1,000 on.

    >>> short_place(431.2), short_place(1268.0), short_place(6.32)
    ('430', '1,270', '6.3')
    """
    short = float(f"{value:.3g}" if value >= 1000.0 else f"{value:.2g}")
    return f"{short:,.0f}" if short >= 10.0 else f"{short:g}"


def crossover_text(crossover: Crossover) -> str:
    """Return a crossover with its interval as text: ``430 [368 to 520]``."""
    crossing = crossover.crossing
    if crossing is None:
        return f"none: {crossover.side} unscaled, {crossover.divides_from:,} to 65,536"
    start = f" from d_k = {crossover.divides_from:,}" if crossover.divides_from > 2 else ""
    return f"{place_text(crossing.at)} [{ends_text(crossing.low, crossing.high)}]{start}"


def ends_text(low: float | None, high: float | None) -> str:
    """Return an interval as text; an end is None if it may lie beyond the searched range.

    >>> ends_text(256, 512), ends_text(None, 512), ends_text(256, None), ends_text(None, None)
    ('256 to 512', '≤ 512', '≥ 256', 'any')
    """
    if low is None:
        return "any" if high is None else f"≤ {place_text(high)}"
    return f"≥ {place_text(low)}" if high is None else f"{place_text(low)} to {place_text(high)}"


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
    >>> doing("none")
    'no scaling'
    """
    if is_none(rule):
        return called(rule)
    divided, multiplied, ruled = words
    if symbol := DIVISORS.get(parse_scale(rule).rule):
        return f"{divided} {symbol}"
    if multiplier is None or multiplier == 1.0:
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
    values = (
        f"{p.symbol} = {amount(scale.parameters[p.name])}" for p in scale.definition.parameters
    )
    return scale.rule + (f" with {', '.join(values)}" if scale.given else "")


def is_none(rule: str) -> bool:
    """Return whether a rule leaves scores as they are."""
    return parse_scale(rule) == NONE


def name_of(rule: str) -> str:
    """Return the short name of a rule, for a label: ``unscaled``, ``1/√d_k``."""
    return "unscaled" if is_none(rule) else formula(rule)


def others(rules: Iterable[str]) -> list[str]:
    """Return the rules other than ``none``."""
    return [rule for rule in rules if not is_none(rule)]
