"""Conditions on what is asked, as text: ``d_k >= 1024 and rule == inverse-sqrt``."""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.field import Field, fields_of
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import FIELDS
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.settings import rule_text
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
_GRAMMAR = "such as d_k >= 1024, with and, or between several"


@dataclass(frozen=True)
class Known:
    """Something a condition can be about.

    Attributes:
        parse: The value that a text says, from a name to call it in errors and the text.
        value: What it is of what is asked; None where it plays no part.
    """

    parse: Callable[[str, str], Any]
    value: Callable[[Experiment], Any]


@dataclass(frozen=True)
class Term:
    """A comparison of something that is asked with a value.

    Attributes:
        name: What it is called.
        known: How it is read.
        sign: The comparison.
        value: What it is compared with.
    """

    name: str
    known: Known
    sign: str
    value: Any

    def holds(self, experiment: Experiment) -> bool:
        """Return whether it is true; nothing is larger or smaller than what is not there."""
        here = self.known.value(experiment)
        if self.sign not in _EQUAL and None in (here, self.value):
            return False
        return _COMPARE[self.sign](here, self.value)


@dataclass(frozen=True)
class Condition:
    """What is to be asked.

    Attributes:
        text: As it was written.
        ways: It holds if all terms of one of these do.
    """

    text: str
    ways: tuple[tuple[Term, ...], ...]

    def holds(self, experiment: Experiment) -> bool:
        """Return whether an experiment fulfils it."""
        return bool(self.reason(experiment))

    def reason(self, experiment: Experiment) -> str:
        """Return the values that make it hold, such as ``d_k is 64``; nothing if it does not."""
        for way in self.ways:
            if all(term.holds(experiment) for term in way):
                values = [f"{term.name} is {_text(term.known.value(experiment))}" for term in way]
                return " and ".join(values)
        return ""


def condition(text: str, instrument: str) -> Condition:
    """Return the condition that a text says, on what is asked of an instrument.

    Raises:
        InputError: With field ``"until"``, naming what is not understood.
    """
    ways = re.split(r"\bor\b", text)
    return Condition(
        text, tuple(tuple(_term(part, instrument) for part in re.split(r"\band\b", way))
                    for way in ways),
    )  # fmt: skip


def _term(text: str, instrument: str) -> Term:
    found = _TERM.match(text)
    if not found:
        raise InputError("until", f"{inert(text.strip())} compares nothing", _GRAMMAR)
    name, sign, value = found.groups()
    known = known_of(instrument)
    if name not in known:
        raise InputError("until", f"{inert(name)} cannot be asked", "one of " + ", ".join(known))
    try:
        read = known[name].parse(name, value)
    except InputError as error:
        raise InputError("until", f"{name}: {error.problem}", error.expected) from None
    is_number = type(read) in (int, float)
    if sign not in _EQUAL and not is_number:
        raise InputError("until", f"{name} has no order, for {sign}", f"{name} == {value}")
    return Term(name, known[name], sign, read)


@cache
def known_of(instrument: str) -> Mapping[str, Known]:
    """Return what conditions can be about on an instrument, by name: its own settings first."""
    known = dict(_shared())
    if instrument == INSTRUMENTS[0].name:
        count, seed, vectors = fields_of(Drawn).values()
        known |= {"seed": _drawn(seed), "vectors": _drawn(vectors)}
        known["n"] = Known(count.kind.parse, lambda experiment: experiment.vectors.n_keys)
    settings = next(each.settings for each in INSTRUMENTS if each.name == instrument)
    known |= {_name(field): _asked(field) for field in fields_of(load(settings)).values()}
    return known


def _name(field: Field) -> str:
    """Return what a condition calls a field: as JSON does, but a switch by what is its yes."""
    return field.parameter if "/" in field.option else field.key


def _shared() -> Iterator[tuple[str, Known]]:
    """Yield what all instruments share."""
    for field in FIELDS.values():
        yield _name(field), _asked(field)
    yield "rule", Known(_rule, _rule_here)


def _asked(field: Field) -> Known:
    return Known(field.kind.parse, lambda experiment: experiment.setup.value(field))


def _drawn(field: Field) -> Known:
    """Return a field of draws, of which there is none where nothing is drawn."""
    return Known(field.kind.parse, lambda asked: getattr(asked.source, field.name, None))


def _text(value: object) -> str:
    """Return a value as one would write it in a condition."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return rule_text(value) if isinstance(value, Scale) else str(value)


def _rule(name: str, text: str) -> Scale:
    return parse_scale(text)


def _rule_here(experiment: Experiment) -> Scale:
    scale = experiment.setup.scale
    return Scale(scale.rule, scale.given)
