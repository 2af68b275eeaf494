"""What a head may be computed with: the one type of what is expected, supposed and found."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

Part = Literal[
    "multiplier", "value_scale", "softcap", "sink", "mask", "softmax_twice", "law", "kv_head"
]
"""What two models may differ in."""

PARTS: tuple[Part, ...] = (
    "kv_head", "softmax_twice", "law", "multiplier", "mask", "softcap", "sink", "value_scale",
)  # fmt: skip
"""All of them, in the order in which they are named."""

LEARNED: Final = "learned"
"""A sink that there is, whose logit nobody knows."""


@dataclass(frozen=True)
class Law:
    """How the multiplier grows with the position i of a query, counted from 0.

    Attributes:
        name: ``"log n"``: ln(i + 1); ``"llama 4"``: 1 + scale·ln(⌊(i + 1)/length⌋ + 1);
            ``"grok"``: ln(i)/ln(length) from position ``length`` on, 1 before.
        length: Of the text from which on it counts.
        scale: By which Llama 4 multiplies the logarithm.
    """

    name: Literal["log n", "llama 4", "grok"]
    length: float = 8192.0
    scale: float = 0.1

    def factors(self, positions: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return what the scores of queries at some positions are multiplied by."""
        counts = positions + 1.0
        if self.name == "log n":
            return np.asarray(np.log(np.maximum(counts, 2.0)))
        if self.name == "llama 4":
            return np.asarray(1.0 + self.scale * np.log(np.floor(counts / self.length) + 1.0))
        grown = np.log(np.maximum(positions, 2.0)) / np.log(self.length)
        return np.where(positions > self.length, grown, 1.0)


LAWS: tuple[Law, ...] = (Law("log n"), Law("llama 4"), Law("grok", 1024.0))
"""Laws that models have."""


@dataclass(frozen=True)
class Model:
    """What out = c·softmax(cap(m·q·k) + mask, sink)·V is computed with.

    Attributes:
        multiplier: m, relative to the q that was captured.
        value_scale: c.
        softcap: The cap of cap·tanh(m·q·k/cap); None is none.
        sink: The sink's logit b; None is no sink.
        mask: Which keys are seen.
        softmax_twice: Whether softmax is taken of the weights again.
        law: How m grows with the position, if it does.
    """

    multiplier: float
    value_scale: float = 1.0
    softcap: float | None = None
    sink: float | Literal["learned"] | None = None
    mask: HeadMask = HeadMask("causal")
    softmax_twice: bool = False
    law: Law | None = None

    def factors(self, head: HeadRows) -> NDArray[np.float64] | None:
        """Return what each row's queries are multiplied by, shape (r, 1), or None."""
        if self.law is None:
            return None
        return self.law.factors(self.mask.own(head))[:, None]


Told = Literal["ulp", "5 %", "2×", "yes"]
"""The least change of a part that would have shown: of m half an ulp, 5 %, or twice."""
