"""The one error that bad input raises, wherever it came from, and what ends work."""

from collections.abc import Callable
from dataclasses import dataclass

from attn_tui.compute.text import visible


def inert(text: str, limit: int = 40) -> str:
    r"""Return text that is safe to print: quoted, made visible, shortened.

    >>> inert("a" + chr(27) + "[31m")
    "'a\\x1b[31m'"
    """
    shown = visible(text[: limit + 1])
    shown = shown if len(shown) <= limit else shown[: limit - 1] + "…"
    return f'"{shown}"' if "'" in shown else f"'{shown}'"


@dataclass(eq=False)
class InputError(ValueError):
    """Input that cannot be used; its text is one line that says where, what and what was expected.

    Attributes:
        field: The input it belongs to, as a name the program uses: ``"scores"``, ``"d_k"``,
            ``"rule"``, ``"precision"``, ``"of"``, ``"wrt"``, ``"experiment"``, ``"top"``.
        problem: What is wrong, naming the offending token (made safe by `inert`).
        expected: What would have been understood.
        where: The place inside the input (``"line 2"``, a file's name), or empty.
        line: The line of the scores the token stands on, counted from 1, or 0 where none applies.
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
    def beside(self) -> str:
        """The same where it stands beside the input, which so need not be named."""
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.problem}; expected {self.expected}"


class Stopped(Exception):  # noqa: N818 - it is no error: somebody asked for it
    """Nobody wants the rest of what is being read or computed."""


Stop = Callable[[], bool]
"""Asked between steps of a long answer: true when nobody wants the rest."""


def never() -> bool:
    """Say that the answer is still wanted: the `Stop` of an answer nobody interrupts."""
    return False
