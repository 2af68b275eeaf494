"""From scores to logits: the multiplier, and the soft cap and the sink some models add."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Wrt = Literal["scores", "logits"]
"""What a derivative is taken with respect to: s, or z."""

SYMBOL: Mapping[Wrt, str] = {"scores": "s", "logits": "z"}
"""How each is written."""


@dataclass(frozen=True)
class LogitMap:
    """What happens to scores before softmax.

    Attributes:
        multiplier: m, finite and at least 0.
        softcap: c of z = c·tanh(m·s/c), above 0; None is z = m·s.
        sink: The logit b of a key that is not there: softmax runs over the logits and b, and the
            weight of b is dropped. None is no sink.
    """

    multiplier: float
    softcap: float | None = None
    sink: float | None = None


PLAIN = LogitMap(1.0)
"""Scores as they are: z = s."""
