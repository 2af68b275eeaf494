"""The two sides of an answer as charts show them: what they are called, and in which role."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from attn_tui.compute.explore.answer import Evaluation, VectorAnswer
from attn_tui.report.numbers import difference, general, weight, with_sign
from attn_tui.report.sides import Side

__all__ = ["Quantity", "Shown", "Side", "change", "compared", "role_of", "side_of", "sides"]

Quantity = Literal["weights", "entropy", "norm"]
"""What is shown over d_k."""

ROLES = {"now": "scaled"}
"""The roles of sides that have none of their own name."""


def role_of(name: str) -> str:
    """Return the role in which what belongs to the side of a name is shown."""
    return ROLES.get(name, name)


@dataclass(frozen=True, eq=False)
class Shown:
    """One side of an answer.

    Attributes:
        name: What it is called: unscaled, scaled, pinned or now.
        evaluation: Its weights and all that follows from them.
    """

    name: str
    evaluation: Evaluation

    @property
    def role(self) -> str:
        """The role it is shown in."""
        return role_of(self.name)

    @property
    def labels(self) -> tuple[str, str, str]:
        """Its name with what was done to its scores, at decreasing length."""
        one = self.evaluation.map
        times = f"{self.name} ×{general(one.multiplier, 4)}"
        cap = "" if one.softcap is None else f" cap {general(one.softcap, 4)}"
        sink = "" if one.sink is None else f" sink {general(one.sink, 4)}"
        return times + cap + sink, times, self.name

    def weight(self, key: int) -> tuple[float, float]:
        """Return p of a key and ln p."""
        at = np.array([key])
        return float(self.evaluation.weights(at)[0]), float(self.evaluation.log_weights(at)[0])


def sides(answer: VectorAnswer) -> tuple[Shown, Shown]:
    """Return the first side of an answer and the second."""
    first, second = answer.names
    return Shown(first, answer.unscaled), Shown(second, answer.scaled)


def side_of(answer: VectorAnswer, side: Side) -> Shown:
    """Return one side of an answer."""
    return sides(answer)[side == "scaled"]


def compared(answer: VectorAnswer) -> bool:
    """Return whether the sides are two answers, and not one vector without and with a scale."""
    return answer.names != ("unscaled", "scaled")


def change(before: tuple[float, float], after: tuple[float, float]) -> str:
    """Return by how much a number from 0 to 1 grew, with its sign, or ``0``.

    Args:
        before: The number and its logarithm.
        after: The same later.
    """
    grown, log_size = difference(before, after)
    return with_sign(weight(abs(grown), log_size), grown)
