"""The model of a head: out = c·softmax(cap(m·q·k) + bias, sink)·V, over the keys of a mask."""

from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import dtype_of
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.scale import LogitMap

Part = Literal[
    "multiplier", "value_scale", "softcap", "sink", "mask", "bias", "softmax_twice", "law",
    "kv_head",
]  # fmt: skip
"""A part in which two models may differ."""

PARTS: tuple[Part, ...] = (
    "kv_head", "softmax_twice", "law", "multiplier", "mask", "bias", "softcap", "sink",
    "value_scale",
)  # fmt: skip
"""All parts, in the order in which reports name them."""

SCALARS: tuple[Part, ...] = ("multiplier", "value_scale", "softcap", "sink")
"""The parts that are one number of a model."""

LEARNED: Final = "learned"
"""A sink that exists, but whose logit is unknown."""

_NO_LOGIT = 1e-4
"""A logit b closer to 0 than this counts as 0: e^b is 1 within that share."""


def fitted_logit(value: float) -> float:
    """Return a fitted logit, with 0 for one that is negligibly small.

    >>> fitted_logit(-5e-9), fitted_logit(-1.5)
    (0.0, -1.5)
    """
    return value if abs(value) > _NO_LOGIT else 0.0


@dataclass(frozen=True)
class PositionLaw:
    """How the multiplier grows with the position i of a query, counted from 0.

    Attributes:
        name: ``"log n"``: ln(i + 1); ``"llama 4"``: 1 + scale·ln(⌊(i + 1)/length⌋ + 1);
            ``"grok"``: ln(i)/ln(length) from position ``length`` on, 1 before.
        length: The text length from which on the law takes effect.
        scale: The factor of the logarithm in Llama 4's law.
    """

    name: Literal["log n", "llama 4", "grok"]
    length: float = 8192.0
    scale: float = 0.1

    def factors(self, positions: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the factor of the scores of queries at these positions."""
        counts = positions + 1.0
        if self.name == "log n":
            return np.asarray(np.log(np.maximum(counts, 2.0)))
        if self.name == "llama 4":
            return np.asarray(1.0 + self.scale * np.log(np.floor(counts / self.length) + 1.0))
        grown = np.log(np.maximum(positions, 2.0)) / np.log(self.length)
        return np.where(positions > self.length, grown, 1.0)


LAWS: tuple[PositionLaw, ...] = (
    PositionLaw("log n"),
    PositionLaw("llama 4"),
    PositionLaw("grok", 1024.0),
)
"""The laws that known models use."""


@dataclass(frozen=True)
class Alibi:
    """A bias that grows with the position of the key: factor·(slope·position), rounded inside.

    Biases that differ by a constant in each row are the same, so that positions are counted from
    key 0 or from the query alike.

    Attributes:
        slope: The slope of the head.
        factor: The factor that the product is multiplied by: Falcon scales the sum of score and
            bias, so that it is m there.
        format: The number format that the product is rounded to before: empty for none, ``"q"``
            for that of the captured queries.
        position_format: The number format that positions are rounded to; empty for none.
        is_symmetric: Whether the bias falls to both sides of the query: −slope·|i − j|.
    """

    slope: float
    factor: float = 1.0
    format: str = ""
    position_format: str = ""
    is_symmetric: bool = False

    def bias(self, head: HeadRows, mask: HeadMask) -> NDArray[np.float64]:
        """Return what is added to the logits of rows, shape (r, n)."""
        keys = np.arange(head.n_keys)
        positions = np.broadcast_to(keys, (len(head.rows), head.n_keys))
        if self.is_symmetric:
            positions = -np.abs(keys - mask.positions(head)[:, None])
        rounded = _rounded(positions.astype(np.float64), self.position_format)
        product_format = head.formats.get("q", "") if self.format == "q" else self.format
        return self.factor * _rounded(self.slope * rounded, product_format)


def _rounded(numbers: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    return numbers.astype(dtype_of(name)).astype(np.float64) if name else numbers


@dataclass(frozen=True)
class HeadModel:
    """The parts of out = c·softmax(cap(m·q·k) + bias, sink)·V.

    Attributes:
        multiplier: m, relative to the q that was captured.
        value_scale: c.
        softcap: The cap of cap·tanh(m·q·k/cap); None is none.
        sink: The sink's logit b; None is no sink.
        mask: The keys that each query sees.
        bias: A bias by position; ``"learned"`` if its numbers are not known; None is that of the
            rows, or none.
        softmax_twice: Whether softmax is taken of the weights again.
        law: How m grows with the position, or None.
    """

    multiplier: float
    value_scale: float = 1.0
    softcap: float | None = None
    sink: float | Literal["learned"] | None = None
    mask: HeadMask = HeadMask("causal")
    bias: Alibi | Literal["learned"] | None = None
    softmax_twice: bool = False
    law: PositionLaw | None = None

    @classmethod
    def of(cls, logit_map: LogitMap, mask: HeadMask = HeadMask()) -> "HeadModel":
        """Return the model with a map from scores to logits, by default without a mask."""
        return cls(logit_map.multiplier, softcap=logit_map.softcap, sink=logit_map.sink, mask=mask)

    @property
    def sink_logit(self) -> float | None:
        """The sink's logit, or None if there is no sink or its logit is unknown."""
        return None if self.sink == LEARNED else self.sink

    @property
    def logit_map(self) -> LogitMap:
        """What happens to scores before softmax, apart from the bias."""
        return LogitMap(self.multiplier, self.softcap, self.sink_logit)

    def with_sink(self, head: HeadRows) -> "HeadModel":
        """Return the model with the captured sink of a head in place of an unknown one."""
        return replace(self, sink=head.sink) if self.sink == LEARNED else self

    def factors(self, head: HeadRows) -> NDArray[np.float64] | None:
        """Return the factor of each row's query, shape (r, 1), or None without a law."""
        if self.law is None:
            return None
        return self.law.factors(self.mask.positions(head))[:, None]
