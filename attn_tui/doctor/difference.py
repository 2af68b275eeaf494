"""What is not as promised of a head, and the verdict that follows: data for all reports."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.heads.head_model import Part

DifferenceSide = Literal["output", "call"]
"""Where a difference was observed: in the output, or in what the call was given."""


@dataclass(frozen=True)
class Difference:
    """A part of a head that is not as promised.

    Attributes:
        part: The part; ``"output"`` if the cause is no part of the model.
        promised: What is promised: a number, or in words.
        observed: What was observed: a number, or in words.
        low: The lower end of the interval of an observed number, or None.
        high: The upper end, or None.
        cause: What usually leads to this, in a phrase, or empty.
        side: Where it was observed.
    """

    part: Part | Literal["output"]
    promised: float | str | None
    observed: float | str | None
    low: float | None = None
    high: float | None = None
    cause: str = ""
    side: DifferenceSide = "output"


Verdict = Literal["agrees", "silent", "no expectation", "differs", "cannot tell"]
VERDICTS: tuple[Verdict, ...] = ("differs", "cannot tell", "no expectation", "agrees", "silent")
"""All verdicts, in the order in which reports list them."""

Assumption = Literal["padding", "packed", "prefix", "float8", "int8"]
ASSUMPTIONS: tuple[Assumption, ...] = ("padding", "packed", "prefix", "float8", "int8")
STORED: tuple[Assumption, ...] = ("float8", "int8")
"""The assumptions on how keys and values are stored."""


def assumptions(words: Iterable[str]) -> frozenset[Assumption]:
    """Return what is granted though it was not captured; blank words say nothing.

    Raises:
        InputError: With field ``"assume"``, if a word is none of them.
    """
    granted = {word.strip() for word in words} - {""}
    for word in sorted(granted.difference(ASSUMPTIONS)):
        expected = "padding, packed, prefix, float8 or int8, with commas between"
        raise InputError("assume", f"{inert(word)} is none of them", expected)
    return frozenset(kind for kind in ASSUMPTIONS if kind in granted)


@dataclass(frozen=True)
class Judgement:
    """The verdict about a head, with its reasons.

    Attributes:
        verdict: The verdict; in a ``silent`` head another m would not have shown.
        differences: What is not as promised.
        reason: Why nothing can be told, or empty.
        assumes: The assumption under which the head agrees, or None.
    """

    verdict: Verdict
    differences: tuple[Difference, ...] = ()
    reason: str = ""
    assumes: Assumption | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that differ, each once."""
        return tuple(dict.fromkeys(difference.part for difference in self.differences))
