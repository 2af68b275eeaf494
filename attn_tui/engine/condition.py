"""Conditions on a statistic of heads: a name, an operator and a number."""

import operator
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from math import isnan

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import parse_number
from attn_tui.compute.heads.statistic import SHARES, STATISTICS

OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
"""The comparison that each operator stands for."""


@dataclass(frozen=True)
class HeadCondition:
    """A condition on a head.

    Attributes:
        statistic: The name of the statistic.
        operator: One of `OPERATORS`.
        number: The number that the statistic is compared with.
    """

    statistic: str
    operator: str
    number: float

    @property
    def text(self) -> str:
        """The condition as `parse_condition` reads it."""
        return f"{self.statistic} {self.operator} {self.number:g}"

    def holds(self, value: float) -> bool:
        """Return whether a value meets the condition; NaN never does."""
        return OPERATORS[self.operator](value, self.number)


def parse_condition(
    field: str,
    text: str,
    names: Collection[str] = STATISTICS,
    shares: Collection[str] = SHARES,
) -> HeadCondition:
    """Read ``NAME OP NUMBER``, such as ``max_logit > 100``; a share may be given in %.

    Args:
        field: The field that errors name.
        text: The condition as text.
        names: The names of all statistics.
        shares: The names of those that are shares of 1.

    Raises:
        InputError: With that field.
    """
    match = re.fullmatch(r"\s*([\w-]+)\s*(>=|<=|>|<)\s*([^\s%]+)\s*(%?)\s*", text)
    if match is None:
        example = "max_logit > 100" if "max_logit" in names else f"{next(iter(names))} > 0.01"
        expected = f"a statistic, one of > >= < <=, and a number, such as '{example}'"
        raise InputError(field, f"{inert(text)} is no condition", expected)
    try:
        number = parse_number(match[3])
    except ValueError:
        raise InputError(field, f"{inert(match[3])} is not a number", "a number") from None
    if isnan(number):
        raise InputError(field, f"{inert(match[3])} meets nothing", "a number")
    name = read_statistic(field, match[1], names)
    if match[4] and name not in shares:
        raise InputError(field, f"{name} is no share", "a number without %")
    number = number / 100.0 if match[4] else number
    if name in shares and not 0.0 <= number <= 1.0:
        raise InputError(field, f"{name} is a share of 1", "a number from 0 to 1, or 0 % to 100 %")
    return HeadCondition(name, match[2], number)


def read_statistic(field: str, text: str, names: Collection[str] = STATISTICS) -> str:
    """Return the name of a statistic, which may be written with - for _.

    Raises:
        InputError: With that field.
    """
    name = text.strip().replace("-", "_")
    if name not in names:
        raise InputError(field, f"{inert(text)} is no statistic", ", ".join(names))
    return name
