"""Numbers out of what somebody else wrote: a config.json, or the header of a GGUF file."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from attn_tui.compute.errors import InputError, inert

LEAST, MOST = 1e-30, 1e30
"""Numbers of attention are between: their squares and roots are finite."""


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


@dataclass(frozen=True)
class Fields:
    """The fields of a configuration by name.

    Attributes:
        of: The fields.
        file: Where they stand, for errors.
    """

    of: Mapping[str, Any]
    file: str

    def number(self, *names: str) -> float | None:
        """Return the first of some fields that is there, a finite number of 0 or more.

        Raises:
            InputError: With field ``"config"``, if it is none.
        """
        for name in names:
            value = self.of.get(name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise self.bad(f"{inert(name)} is {inert(str(value))}", "a number")
            try:
                number = float(value)
            except OverflowError:
                number = float("inf")
            if not (isfinite(number) and number >= 0.0):
                raise self.bad(f"{inert(name)} is {number:g}", "a finite number of 0 or more")
            if number and not LEAST <= number <= MOST:
                expected = f"0, or a number from {LEAST:g} to {MOST:g}"
                raise self.bad(f"{inert(name)} is {number:g}", expected)
            return number
        return None

    def count(self, *names: str) -> int | None:
        """Return the first of some fields that is a whole number above 0, or None."""
        found = (self.of.get(name) for name in names)
        return next((each for each in found if type(each) is int and each > 0), None)

    def whole(self, *names: str) -> int | None:
        """Return the first of some fields that is there, a whole number above 0.

        Raises:
            InputError: With field ``"config"``, if it is none.
        """
        value = self.number(*names)
        if value is not None and (value != int(value) or not 0 < value < 2**31):
            name = next(each for each in names if self.of.get(each) is not None)
            raise self.bad(f"{inert(name)} is {value:g}", "a whole number above 0")
        return None if value is None else int(value)

    def shared(self, width: int, heads: int) -> int:
        """Return the width that each of some heads has.

        Raises:
            InputError: With field ``"config"``, if there are more heads than that.
        """
        if width < heads:
            raise self.bad(f"{heads:,} heads share a width of {width:,}", "at least 1 for each")
        return width // heads

    def flag(self, name: str, default: bool = False) -> bool:
        """Return whether something is on."""
        value = self.of.get(name)
        return default if value is None else bool(value)

    def inner(self, *names: str) -> "Fields":
        """Return the first of some objects among the fields that is there; else an empty one."""
        found = (self.of.get(name) for name in names)
        return Fields(next((each for each in found if isinstance(each, Mapping)), {}), self.file)

    def bad(self, problem: str, expected: str) -> InputError:
        """Return the error that something in the file is wrong."""
        return InputError("config", problem, expected, self.file)
