"""The model that a head is compared with, the models tried on it, and what came of it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf, nan
from typing import Literal

from attn_tui.compute.fit.comparison import LEVEL, NewtonStep
from attn_tui.compute.fit.estimates import Estimate
from attn_tui.compute.fit.head import Name, Path
from attn_tui.compute.heads.head_model import LAWS, HeadModel, Part, PositionLaw
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.numbers import general, interval
from attn_tui.compute.text import counted

FITS = "with that what is promised gives the output"
"""The evidence of a suspect that was tried."""

PARAMETERS = 5
"""The number of parts of a head that intervals decide about: m, value scale, cap, sink, mask."""

Fineness = Literal["ulp", "5 %", "2×", "yes"]
"""The least change of a part that would have shown; for m half an ulp, 5 %, or a factor of 2."""

SHOWN = 0.95
"""The confidence of intervals that are shown."""

ALIKE = 1.25
"""The reduced χ² of heads with the same noise differ by less than this factor."""

Others = Callable[[], Iterable[tuple[int, HeadRows]]]
"""A function that yields the head with the keys and values of each other KV head of its layer."""


@dataclass(frozen=True)
class Reference:
    """The model that a head is compared with, and how.

    Attributes:
        model: The model, with the usual value in parts that are not stated.
        stated: The parts of the model that are stated; the others are free.
        level: The share of honest heads that may be taken for wrong ones.
        laws: The laws of m by position to try.
        tf32: Whether products may have been computed in TF32.
        format: The number format that m may have been rounded to.
    """

    model: HeadModel
    stated: frozenset[Part] = frozenset()
    level: float = LEVEL
    laws: tuple[PositionLaw, ...] = LAWS
    tf32: bool = False
    format: str = "float32"

    @property
    def confidence(self) -> float:
        """The confidence of the intervals that decide which parts of another model differ."""
        return 1.0 - self.level / PARAMETERS


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model that was fitted to a head.

    Attributes:
        model: The model, with the numbers that fit best.
        explains: Whether rounding accounts for the residual.
        residual: ‖out − fit‖/‖out‖.
        rounding: The residual that rounding alone would leave, by path.
        paths: The rounding paths that remain possible, the likeliest first.
        estimates: The numbers with their errors, by part; an unknown number is missing.
        unknown: Why a number is unknown, by part.
        changes: The parts that differ from the reference.
        window: The shortest and the longest window that fit equally well, or None.
        strain: How far 2 ln L with the numbers of the reference lies below its maximum.
        chi_square: The reduced χ² of the residual.
        left_out: The number of rows that see no key, whose output may be anything.
        sees_all: Whether every row used sees every key, as without a mask.
        kv_head: The KV head whose keys and values fit, if it is not the promised one.
        cause: What may have been done to a promised head, in words, if that is what fits.
    """

    model: HeadModel
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
    kv_head: int | None = None
    cause: str = ""

    @property
    def path(self) -> Path | None:
        """The rounding path, if only one remains possible."""
        return self.paths[0] if len(self.paths) == 1 else None


@dataclass(frozen=True)
class Variant:
    """The model that a common mistake makes of the promised one.

    Attributes:
        model: The model.
        part: The part that the mistake changes.
        cause: The mistake, in a phrase.
    """

    model: HeadModel
    part: Part
    cause: str


Blame = Literal["fault", "capture", "float8", "int8"]
"""What a suspect says: a fault of the kernel; one of the capture; or numbers stored in 8 bits,
which may be meant."""


@dataclass(frozen=True)
class Suspect:
    """What may have been done to a head that no model explains.

    Attributes:
        phrase: What was done, in a phrase. ``{rows}`` stands for how many rows show it,
            ``{run}`` for where they lie, and ``{number}`` for its number.
        evidence: The result of its test, in words.
        blame: Whether the kernel, the capture or the format of storage did it.
        part: The part of the promise that it breaks, if any.
        has_reason: Whether the evidence, if there is any, says why, and not only that it fits.
        rows: The numbers of the rows that show it, rising, if it is about rows.
        compared: How many rows were compared.
        number: A number that each head has of its own, if it is about one.
        trusted: The phrase where q, k and v are known to be what the call was given; empty for the
            same.
    """

    phrase: str
    evidence: str
    blame: Blame = "fault"
    part: Part | None = None
    has_reason: bool = False
    rows: tuple[int, ...] = ()
    compared: int = 0
    number: float = 0.0
    trusted: str = ""

    @property
    def name(self) -> str:
        """What was done, with its rows."""
        return named_together([self])

    @property
    def reason(self) -> str:
        """Why, after a colon, or an empty text if nothing says it."""
        return f": {self.evidence}" if self.has_reason and self.evidence else ""


def named_together(suspects: Sequence[Suspect]) -> str:
    """Return what was done to heads that share a phrase, with the rows and numbers of all."""
    first = suspects[0]
    counts = sorted({len(suspect.rows) for suspect in suspects})
    numbers = " to ".join(f"{count:,}" for count in dict.fromkeys((counts[0], counts[-1])))
    every = counted(max(suspect.compared for suspect in suspects), "row")
    is_all = all(len(suspect.rows) == suspect.compared for suspect in suspects)
    rows = f"all {every}" if is_all else f"{numbers} of {every}"
    run = ""
    if first.rows and not is_all and all(suspect.rows == first.rows for suspect in suspects):
        run = f" (rows {first.rows[0]:,} to {first.rows[-1]:,})"
        if len(first.rows) == 1:
            run = f" (row {first.rows[0]:,})"
    every_number = [suspect.number for suspect in suspects]
    number = interval(min(every_number), max(every_number), partial(general, digits=3))
    phrase = first.phrase.replace("{rows}", rows).replace("{run}", run)
    return phrase.replace("{number}", number)


Variants = Iterator[tuple[Suspect, HeadRows]]
"""A head as faults would leave it, each with its name."""


@dataclass(frozen=True)
class Counts:
    """How many rows were compared, and why others were not.

    Attributes:
        compared: Rows that were compared with the reference.
        queries: All rows of the head.
        wrong: Rows that are off by more than honest arithmetic can make.
        far: How many of these are off by far more than that: no rounding makes so much.
        not_finite: Rows among these whose output is NaN or infinite.
        zero: Rows among these whose output is 0.
        hidden: Rows that see no key, whose output is 0, NaN or the mean of V.
        padding: Rows of padding queries, which were not compared.
        spoilt: Rows that were not compared, since their queries, keys or values hold NaN.
        unspoilt: Rows among these whose output is a number all the same.
    """

    compared: int = 0
    queries: int = 0
    wrong: tuple[int, ...] = ()
    far: int = 0
    not_finite: int = 0
    zero: int = 0
    hidden: int = 0
    padding: int = 0
    spoilt: int = 0
    unspoilt: int = 0


@dataclass(frozen=True)
class Look:
    """What a head tells of the rounding paths of its layer: the others were most likely alike.

    Attributes:
        paths: The paths that it does not rule out.
        rounding: The residual that rounding alone would leave, by path, ruled out or not.
        chi_square: The reduced χ² of its residual.
    """

    paths: tuple[Path, ...]
    rounding: Mapping[Path, float]
    chi_square: float

    def is_alike(self, other: Candidate) -> bool:
        """Return whether another head has as much noise: on another path it would have not."""
        return self.chi_square / ALIKE < other.chi_square < self.chi_square * ALIKE


@dataclass(frozen=True, eq=False)
class Explanation:
    """What is known of a head: whether it is as promised, or else what it is.

    Attributes:
        promised: The promised model, with its numbers fitted.
        best: The candidates that explain the output with the fewest changes, the likeliest first;
            if none explains it, the nearest one.
        passes: Whether every compared row is what the promised model gives.
        coarseness: How many times the rounding of float32 the largest error is, if the output
            passes only because kernels approximate exponentials; else 0.
        explained: The share of the compared rows that the best candidate gives.
        residual: ‖out − promised‖/‖out‖ with nothing fitted.
        rounding: The residual that rounding alone would leave of the promised model, by `path`.
        path: The rounding path that is likeliest if the model is the promised one. Where it is not,
            that is often the coarsest.
        fineness: The least change of each part that would have shown; a needed part that is missing
            is silent.
        needed: The parts that the promised model has.
        rows: The numbers of the rows that were compared.
        keys: The fewest and the most keys that a compared row sees.
        counts: How many rows were compared, and why others were not.
        where: The residual of the promised model by row, key and channel, as shares of the largest.
        notes: Remarks about the head, in sentences.
        problem: Why the head could not be compared, or empty.
        suspect: What may have been done to the head, if no model explains it and a test says so.
        steps: How far m and the cap moved from the promise, though not significantly.
        look: What a head that passes tells of the rounding paths of its layer.
    """

    promised: Candidate
    best: tuple[Candidate, ...]
    passes: bool = False
    coarseness: float = 0.0
    explained: float = 0.0
    residual: float = nan
    rounding: float = nan
    path: Path | None = None
    fineness: Mapping[Part, Fineness] = field(default_factory=dict)
    needed: tuple[Part, ...] = ()
    rows: tuple[int, ...] = ()
    keys: tuple[int, int] = (0, 0)
    counts: Counts = Counts()
    where: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problem: str = ""
    suspect: Suspect | None = None
    steps: Mapping[Name, NewtonStep] = field(default_factory=dict)
    look: Look | None = None

    @property
    def candidate(self) -> Candidate:
        """The likeliest candidate."""
        return self.best[0]

    @property
    def gap(self) -> float:
        """‖out − model‖/‖out‖ of the model that explains the head, or else of the promised one."""
        return self.candidate.residual if self.explains and not self.passes else self.residual

    @property
    def gap_rounding(self) -> float:
        """The residual that rounding alone would leave of the model of `gap`, by its path."""
        candidate = self.candidate
        if self.explains and not self.passes and candidate.paths:
            return candidate.rounding.get(candidate.paths[0], self.rounding)
        return self.rounding

    @property
    def explains(self) -> bool:
        """Whether any model explains every compared row."""
        return self.candidate.explains

    @property
    def silent(self) -> tuple[Part, ...]:
        """The needed parts in which a change would not have shown."""
        return tuple(part for part in self.needed if part not in self.fineness)
