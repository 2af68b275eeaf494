"""The model of a head, the question about the head, and the answer."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf, nan
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.estimates import Estimate
from attn_tui.compute.fit.head import Path
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

Part = Literal[
    "multiplier", "value_scale", "softcap", "sink", "mask", "softmax_twice", "law", "kv_head"
]
"""A part in which two models may differ."""

PARTS: tuple[Part, ...] = (
    "kv_head", "softmax_twice", "law", "multiplier", "mask", "softcap", "sink", "value_scale",
)  # fmt: skip
"""All parts, in the order in which reports name them."""

LEARNED: Final = "learned"
"""A sink that exists, but whose logit is unknown."""


@dataclass(frozen=True)
class Law:
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


LAWS: tuple[Law, ...] = (Law("log n"), Law("llama 4"), Law("grok", 1024.0))
"""The laws that known models use."""


@dataclass(frozen=True)
class Model:
    """The parts of out = c·softmax(cap(m·q·k) + mask, sink)·V.

    Attributes:
        multiplier: m, relative to the q that was captured.
        value_scale: c.
        softcap: The cap of cap·tanh(m·q·k/cap); None is none.
        sink: The sink's logit b; None is no sink.
        mask: The keys that each query sees.
        softmax_twice: Whether softmax is taken of the weights again.
        law: How m grows with the position, or None.
    """

    multiplier: float
    value_scale: float = 1.0
    softcap: float | None = None
    sink: float | Literal["learned"] | None = None
    mask: HeadMask = HeadMask("causal")
    softmax_twice: bool = False
    law: Law | None = None

    def factors(self, head: HeadRows) -> NDArray[np.float64] | None:
        """Return the factor of each row's query, shape (r, 1), or None without a law."""
        if self.law is None:
            return None
        return self.law.factors(self.mask.own(head))[:, None]


Told = Literal["ulp", "5 %", "2×", "yes"]
"""The least change of a part that would have shown; for m half an ulp, 5 %, or a factor of 2."""


SHOWN = 0.95
"""The confidence of intervals that are shown."""


Others = Callable[[], Iterable[tuple[int, HeadRows]]]
"""A function that yields the head with the keys and values of each other KV head of its layer."""


@dataclass(frozen=True)
class Question:
    """The question about a head: is it computed with the expected model?

    Attributes:
        model: The expected model.
        said: The parts of the model that an expectation states; the others are free.
        level: The confidence of the intervals that decide.
        laws: The laws of m by position to try.
        tf32: Whether products may have been computed in TF32.
        format: The number format that m may have been rounded to.
    """

    model: Model
    said: frozenset[Part] = frozenset()
    level: float = 0.999
    laws: tuple[Law, ...] = LAWS
    tf32: bool = False
    format: str = "float32"


@dataclass(frozen=True, eq=False)
class Test:
    """A model that was fitted to a head.

    Attributes:
        model: The model, with the numbers that fit best.
        explains: Whether rounding accounts for the residual.
        residual: ‖out − fit‖/‖out‖.
        rounding: The residual that rounding alone would leave, by path.
        paths: The rounding paths that remain possible, the likeliest first.
        estimates: The numbers with their errors, by part; an unknown number is missing.
        unknown: Why a number is unknown, by part.
        changes: The parts that differ from the expected model.
        window: The shortest and the longest window that fit equally well, or None.
        strain: How far 2 ln L with the expected numbers lies below its maximum.
        chi_square: The reduced χ² of the residual.
        left_out: The number of rows that see no key, whose output may be anything.
        sees_all: Whether every row used sees every key, as without a mask.
        bias_left_out: Whether the fit left out a captured bias.
        kv_head: The KV head whose keys and values fit, if it is not the expected one.
    """

    model: Model
    explains: bool
    residual: float
    rounding: Mapping[Path, float] = field(default_factory=dict)
    paths: tuple[Path, ...] = ()
    estimates: Mapping[Part, Estimate] = field(default_factory=dict)
    unknown: Mapping[Part, str] = field(default_factory=dict)
    changes: tuple[Part, ...] = ()
    window: tuple[int, int] | None = None
    strain: float = inf
    chi_square: float = inf
    left_out: int = 0
    sees_all: bool = False
    bias_left_out: bool = False
    kv_head: int | None = None

    @property
    def path(self) -> Path | None:
        """The rounding path, if only one remains possible."""
        return self.paths[0] if len(self.paths) == 1 else None


@dataclass(frozen=True)
class Suspect:
    """A fault that may account for a head that no model explains.

    Attributes:
        name: The name of the fault.
        found: The result of its test, in words.
    """

    name: str
    found: str


@dataclass(frozen=True, eq=False)
class Explained:
    """The models that explain a head, and how much the head can tell.

    Attributes:
        expected: The test of the expected model, with its numbers fitted.
        best: The tests that explain the output with the fewest changes, the likeliest first;
            if none explains it, the nearest one.
        residual: ‖out − expected‖/‖out‖ with nothing fitted.
        rounding: The residual that rounding alone would leave, by the likeliest path.
        told: The least change of each part that would have shown; a needed part that is missing
            is silent.
        needed: The parts that the expected model has.
        used: The rows that were used.
        keys: The fewest and the most keys that a used row sees.
        where: The residual of the expected model by row, key and channel, as shares of the
            largest.
        notes: Remarks about the head, in sentences.
        problem: Why the head could not be fitted, or empty.
        suspect: The fault whose test came out positive, if nothing fits and one did.
    """

    expected: Test
    best: tuple[Test, ...]
    residual: float = nan
    rounding: float = nan
    told: Mapping[Part, Told] = field(default_factory=dict)
    needed: tuple[Part, ...] = ()
    used: tuple[int, ...] = ()
    keys: tuple[int, int] = (0, 0)
    where: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problem: str = ""
    suspect: Suspect | None = None

    @property
    def test(self) -> Test:
        """The test of the likeliest model."""
        return self.best[0]

    @property
    def explains(self) -> bool:
        """Whether any model explains the output."""
        return self.test.explains

    @property
    def silent(self) -> tuple[Part, ...]:
        """The needed parts in which a change would not have shown."""
        return tuple(part for part in self.needed if part not in self.told)
