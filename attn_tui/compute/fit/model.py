"""What a head may be computed with, what it is asked, and what is answered."""

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


SHOWN = 0.95
"""The confidence of intervals that are shown."""


Others = Callable[[], Iterable[tuple[int, HeadRows]]]
"""A head with the keys and values of other heads of its layer, by their number, where asked for."""


@dataclass(frozen=True)
class Question:
    """What a head is asked.

    Attributes:
        model: What it is expected to be computed with.
        said: Which parts of that somebody says; others may be anything, and are compared last.
        level: The confidence of intervals that decide.
        laws: Laws of m by position that may be there.
        tf32: Whether products may have been taken in TF32.
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
        model: With the numbers that fit best.
        explains: Whether rounding makes what is left.
        residual: ‖out − fit‖/‖out‖.
        rounding: The same as each path of rounding makes it.
        paths: Those that remain, the likeliest first.
        estimates: Numbers with their errors, by part; one that cannot be told is missing.
        unknown: Why a number cannot be told, by part.
        changes: What differs from what is expected.
        window: The shortest and the longest window that fit as well.
        strain: By how much 2 ln L is below its best with the numbers that were expected.
        chi_square: Of what is left, reduced.
        left_out: How many rows see no key, and may hold anything.
        sees_all: Whether every row used sees every key, as without a mask.
        bias_left_out: Whether a captured bias was left out.
        kv_head: Of which head keys and values are, if of another than is expected.
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
        """The path of rounding, if likelihood tells it."""
        return self.paths[0] if len(self.paths) == 1 else None


@dataclass(frozen=True)
class Suspect:
    """What was done to a head that nothing fits.

    Attributes:
        name: What it is called.
        found: What the test found, in words.
    """

    name: str
    found: str


@dataclass(frozen=True, eq=False)
class Explained:
    """What is known of a head.

    Attributes:
        expected: The expected model, its numbers fitted.
        best: Of what explains the output, those with the fewest changes, the likeliest first;
            if nothing does, what comes nearest.
        residual: ‖out − expected‖/‖out‖, nothing fitted.
        rounding: What rounding makes of that, by the likeliest path.
        told: How finely each part would have shown, had it been another; what is missing is
            silent, what is not needed is in neither.
        needed: The parts that the expected model has.
        used: The rows that were used.
        keys: The fewest and the most keys that one of them sees.
        where: Where the residual of the expected model lies: by row, key and channel, as shares of
            the largest.
        notes: What else is to be said.
        problem: Why nothing can be said at all, or empty.
        suspect: The fault whose test came out positive where nothing fits, if one did.
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
        """The likeliest model."""
        return self.best[0]

    @property
    def explains(self) -> bool:
        """Whether anything explains the output."""
        return self.test.explains

    @property
    def silent(self) -> tuple[Part, ...]:
        """What is needed, and would not have shown had it been another."""
        return tuple(part for part in self.needed if part not in self.told)
