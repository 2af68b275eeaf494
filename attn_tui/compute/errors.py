"""The error that all bad input raises, and the means to stop a computation."""

from collections.abc import Callable
from dataclasses import dataclass

from attn_tui.compute.text import visible


def inert(text: str, limit: int = 40) -> str:
    r"""Return text that is safe to print: quoted, made visible, shortened.

    >>> inert("a" + chr(27) + "[31m")
    "'a\\x1b[31m'"
    """
    safe = visible(text[: limit + 1])
    safe = safe if len(safe) <= limit else safe[: limit - 1] + "…"
    return f'"{safe}"' if "'" in safe else f"'{safe}'"


@dataclass(eq=False)
class InputError(ValueError):
    """Input that cannot be used; its text is one line: the place, the problem, what was expected.

    Attributes:
        field: The program's name of the input: ``"scores"``, ``"d_k"``, ``"rule"``,
            ``"precision"``, ``"of"``, ``"wrt"``, ``"experiment"``, ``"top"``.
        problem: What is wrong, naming the offending token (made safe by `inert`).
        expected: What would be valid instead.
        where: The place inside the input (``"line 2"``, a file's name), or empty.
        line: The line of the scores that has the token, counted from 1, or 0 if none applies.
    """

    field: str
    problem: str
    expected: str
    where: str = ""
    line: int = 0

    def __str__(self) -> str:
        place = f"{self.field}, {self.where}" if self.where else self.field
        return f"{place}: {self.problem}; expected {self.expected}"

    @property
    def message(self) -> str:
        """The text without the name of the input, for display beside the input."""
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.problem}; expected {self.expected}"


class Stopped(Exception):  # noqa: N818 - not an error: the caller asked for it
    """Raised when the rest of what is being read or computed is no longer wanted."""


Stop = Callable[[], bool]
"""Called between the steps of a long computation; returns true when the rest is not wanted."""


def never() -> bool:
    """Return False: the `Stop` of a computation that is never interrupted."""
    return False
