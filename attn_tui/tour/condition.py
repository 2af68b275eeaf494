"""Conditions on a question, as text: ``d_k >= 1024 and rule == inverse-sqrt``."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.field import Field, fields_of
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import FIELDS
from attn_tui.compute.source import Drawn
from attn_tui.instruments import INSTRUMENTS, load

_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_EQUAL = ("==", "!=")
_TERM = re.compile(r"\s*(\w+)\s*(>=|<=|==|!=|>|<)\s*(\S.*?)\s*$")

Quantity = tuple[Callable[[str, str], Any], Callable[[Experiment], Any]]
"""A function that reads a value from its name, for errors, and a text; and one that returns its
value in a question, None if it plays no part there."""


@dataclass(frozen=True)
class Term:
    """A comparison of a quantity of the question with a value.

    Attributes:
        name: The name of the quantity.
        sign: The comparison operator.
        value: The value to compare with.
        here: Returns the quantity in a question, or None.
    """

    name: str
    sign: str
    value: Any
    here: Callable[[Experiment], Any]

    def holds(self, experiment: Experiment) -> bool:
        """Return whether the comparison is true; None is neither larger nor smaller."""
        here = self.here(experiment)
        if self.sign not in _EQUAL and None in (here, self.value):
            return False
        return _COMPARE[self.sign](here, self.value)


@dataclass(frozen=True)
class Condition:
    """A condition on the question: all terms must hold."""

    terms: tuple[Term, ...]

    def holds(self, experiment: Experiment) -> bool:
        """Return whether an experiment meets the condition."""
        return all(term.holds(experiment) for term in self.terms)

    def reason(self, experiment: Experiment) -> str:
        """Return the values of its quantities in words: ``d_k is 64``."""
        values = [f"{term.name} is {_text(term.here(experiment))}" for term in self.terms]
        return " and ".join(values)


def condition(text: str, instrument: str) -> Condition:
    """Return the condition that a text states, for questions of an instrument.

    Raises:
        InputError: With field ``"until"``, naming the part that cannot be read.
    """
    return Condition(tuple(_term(part, instrument) for part in re.split(r"\band\b", text)))


def _term(text: str, instrument: str) -> Term:
    match = _TERM.match(text)
    if not match:
        expected = "such as d_k >= 1024, with and between several"
        raise InputError("until", f"{inert(text.strip())} compares nothing", expected)
    name, sign, value = match.groups()
    every = quantities(instrument)
    if name not in every:
        raise InputError("until", f"{inert(name)} cannot be asked", "one of " + ", ".join(every))
    parse, here = every[name]
    try:
        read = parse(name, value)
    except InputError as error:
        raise InputError("until", f"{name}: {error.problem}", error.expected) from None
    if sign not in _EQUAL and type(read) not in (int, float):
        raise InputError("until", f"{name} has no order, for {sign}", f"{name} == {value}")
    return Term(name, sign, read, here)


@cache
def quantities(instrument: str) -> Mapping[str, Quantity]:
    """Return the quantities for conditions on an instrument; its own settings take priority."""
    by_name = {field.key: _asked(field) for field in FIELDS.values()}
    by_name["rule"] = lambda name, text: parse_scale(text), _rule_here
    # As older lessons name it.
    parse = FIELDS["naive"].kind.parse
    by_name["stable"] = parse, lambda experiment: not experiment.setup.precision.naive
    if instrument == INSTRUMENTS[0].name:
        _, seed, vectors = fields_of(Drawn).values()
        by_name |= {"seed": _drawn(seed), "vectors": _drawn(vectors)}
        by_name["n"] = (
            fields_of(Drawn)["n_keys"].kind.parse,
            lambda experiment: experiment.vectors.n_keys,
        )
    settings = next(entry.settings for entry in INSTRUMENTS if entry.name == instrument)
    return by_name | {field.key: _asked(field) for field in fields_of(load(settings)).values()}


def _asked(field: Field) -> Quantity:
    return field.kind.parse, lambda experiment: experiment.setup.value(field)


def _drawn(field: Field) -> Quantity:
    """Return the quantity of a field of draws, which is None if nothing is drawn."""
    return field.kind.parse, lambda experiment: getattr(experiment.source, field.name, None)


def _rule_here(experiment: Experiment) -> Scale:
    scale = experiment.setup.scale
    return Scale(scale.rule, scale.arguments)


def _text(value: object) -> str:
    """Return a value as it is written in a condition."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.text if isinstance(value, Scale) else str(value)
