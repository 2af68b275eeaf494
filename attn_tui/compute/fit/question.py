"""What a head is asked, and what is answered."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf, nan

from attn_tui.compute.fit.estimates import Estimate
from attn_tui.compute.fit.head import Path
from attn_tui.compute.fit.model import LAWS, Law, Model, Part, Told
from attn_tui.compute.heads.rows import HeadRows

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
