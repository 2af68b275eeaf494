"""The two sides of an answer as charts show them: what they are called, and in which role."""

from dataclasses import dataclass
from math import isfinite
from typing import Literal

import numpy as np

from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.report.numbers import general
from attn_tui.report.sides import role_of

Quantity = Literal["weights", "norm", "entropy"]
"""What is shown over d_k."""


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
        sign, by = "×", one.multiplier
        if 0.0 < by < 1.0 and isfinite(1.0 / by):
            sign, by = "÷", 1.0 / by
        times = f"{self.name} {sign}{general(by, 4)}"
        cap = "" if one.softcap is None else f" cap {general(one.softcap, 4)}"
        sink = "" if one.sink is None else f" sink {general(one.sink, 4)}"
        return times + cap + sink, times, self.name

    def weight(self, key: int) -> tuple[float, float]:
        """Return p of a key and ln p."""
        return self.evaluation.pairs(np.array([key]))[0]


def sides(answer: VectorAnswer) -> tuple[Shown, Shown]:
    """Return the first side of an answer and the second."""
    first, second = answer.names
    return Shown(first, answer.unscaled), Shown(second, answer.scaled)
