"""What a claim is, what it is tried with, and what comes of that."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Literal, get_args

from attn_tui.claims.trial import Trial
from attn_tui.compute.sample import Number

Verdict = Literal["holds", "conditional", "false", "wording", "undecided", "inapplicable"]
"""True as it stands; true under a condition it leaves out; not true; a slip of words or signs; what
too few draws say nothing of; what the values chosen say nothing of: its premise is unmet."""

Basis = Literal["computed", "table", "text"]
"""What the verdict rests on: the check; what the table of models lists; reasons that are given."""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
BASES: tuple[Basis, ...] = get_args(Basis)

ENOUGH = 100
"""So many draws decide, or as many as a claim is tried with anyway."""


@dataclass(frozen=True)
class Evidence:
    """A number that was worked out, and what it is held against.

    Attributes:
        name: What it is, of what and where: ``"variance of q·k"``.
        value: The number.
        standard_error: Where it was drawn, the standard deviation of ``value`` over such samples.
        stated: What the claim says it is.
        exact: What it is by a formula or another way, where there is one.
    """

    name: str
    value: float
    standard_error: float | None = None
    stated: float | None = None
    exact: float | None = None

    @classmethod
    def of(cls, name: str, number: Number, stated: float | None = None) -> "Evidence":
        """Return a sampled number as evidence."""
        error = None if isnan(number.standard_error) else number.standard_error
        return cls(name, number.value, error, stated, number.exact)

    @property
    def number(self) -> Number:
        """The number with its error, nothing where it was not drawn, and its exact value."""
        return Number(self.value, self.standard_error or 0.0, self.exact)

    @property
    def decisive(self) -> float:
        """The number that decides: of one that was drawn the exact one, where it is known."""
        if self.standard_error is None or self.exact is None:
            return self.value
        return self.exact

    def is_near(self, other: float | None, sigmas: float = 5.0, within: float = 1e-9) -> bool:
        """Return whether the number is another, but for its error and a relative tolerance.

        Args:
            other: `stated` or `exact`, or any; None is never near.
            sigmas: So many standard errors off it may be, if it has one.
            within: And so much of the larger of the two besides.
        """
        if other is None:
            return False
        slack = within * max(abs(self.value), abs(other))
        return abs(self.value - other) <= sigmas * (self.standard_error or 0.0) + slack

    @property
    def is_as_stated(self) -> bool:
        """Whether the number is the one the claim states; draws decide only what is not known."""
        error = self.standard_error if self.exact is None else None
        return Evidence(self.name, self.decisive, error).is_near(self.stated)


@dataclass(frozen=True)
class Case:
    """One situation in which a claim was tried.

    Attributes:
        where: The situation, in a phrase: ``"d_k = 16, n = 512"``.
        holds: Whether the claim holds in it; None where its premise is not met there.
        evidence: The numbers that say so, the one that decides first.
    """

    where: str
    holds: bool | None
    evidence: tuple[Evidence, ...]

    @classmethod
    def as_stated(cls, where: str, *evidence: Evidence) -> "Case":
        """Return a case in which a claim holds if the first number is the one that it states."""
        return cls(where, evidence[0].is_as_stated, evidence)


@dataclass(frozen=True, eq=False)
class Picture:
    """What a claim's numbers look like, as curves over one axis.

    Attributes:
        title: What y is, of what and where.
        x: What x is.
        places: Its values.
        curves: y at each of these by the name of a curve, four at most; NaN where there is no
            point.
        log: Which axes are logarithmic; what is not above 0 has no place on these.
        mark: An x that matters, such as where two curves cross, or None.
        ends: The 95 % interval of that, if it is known.
        marked: What it is called there.
    """

    title: str
    x: str
    places: Collection[float]
    curves: Mapping[str, Collection[float]]
    log: Literal["", "x", "y", "xy"] = ""
    mark: float | None = None
    ends: tuple[float, float] | None = None
    marked: str = ""


Stated = Mapping[str, float]
"""The numbers a claim states, by name."""

Check = Callable[[Trial, Stated], Iterator[Case | Picture]]
"""Tries a claim: yields the cases, at least one, and at most one picture."""


@dataclass(frozen=True)
class Claim:
    """A statement about attention that somebody makes; ``ledger.toml`` has ours.

    Attributes:
        id: Where it stands: ``"S2-19"``.
        source: Who says so, named in full.
        says: The statement, in its own words, or paraphrased.
        right: What is right, whatever it is tried with.
        topics: What it is about.
        verdict: The verdict of its own trial.
        basis: What the verdict rests on.
        figures: What is right in numbers, of its own trial.
        formula: What is right as a formula, or empty.
        condition: What it takes for it to hold, where it does so in some cases alone.
        check: How it is tried; nothing where the basis is text.
        stated: The numbers it states, which the check is given.
        controls: The names of what plays a part in a trial.
        trial: What it is tried with unless something else is asked.
        command: The command line of an instrument that shows it, with the names of a trial in
            braces; nothing where none does.
    """

    id: str
    source: str
    says: str
    right: str
    topics: Sequence[str]
    verdict: Verdict
    basis: Basis = "text"
    figures: str = ""
    formula: str = ""
    condition: str = ""
    check: Check | None = None
    stated: Stated = field(default_factory=dict)
    controls: tuple[str, ...] = ()
    trial: Trial = Trial()
    command: str = ""


@dataclass(frozen=True)
class Finding:
    """What came of trying a claim.

    Attributes:
        claim: The claim.
        trial: What it was tried with.
        cases: The situations, as its check gave them; none where nothing is tried.
        picture: What the numbers look like, or nothing.
    """

    claim: Claim
    trial: Trial
    cases: tuple[Case, ...] = ()
    picture: Picture | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict: of what was tried, that of the cases alone."""
        claim, draws = self.claim, self.trial.draws
        if not self.cases:
            return claim.verdict
        held = {case.holds for case in self.cases}
        if None in held:
            return "inapplicable"
        # More draws may give another verdict; what is known exactly needs none.
        few = "draws" in claim.controls and draws < min(ENOUGH, claim.trial.draws)
        if few and any(case.evidence[0].exact is None for case in self.cases):
            return "undecided"
        if held == {True}:
            return "holds"
        return "conditional" if True in held else "false"

    @property
    def condition(self) -> str:
        """What it takes for the claim to hold, if it holds in some cases alone; or nothing."""
        return self.claim.condition if self.verdict == "conditional" else ""

    @property
    def changes(self) -> dict[str, int]:
        """What plays a part and is not as in the claim's own trial; another seed is no change."""
        return {
            name: getattr(self.trial, name)
            for name in self.claim.controls
            if name != "seed" and getattr(self.trial, name) != getattr(self.claim.trial, name)
        }

    @property
    def right(self) -> str:
        """What is right, with figures only where they were worked out."""
        if self.changes or not self.claim.figures:
            return self.claim.right
        return f"{self.claim.right} {self.claim.figures}"


def try_claim(claim: Claim, trial: Trial | None = None) -> Finding:
    """Return what comes of a claim; the same trial gives the same numbers."""
    trial = trial or claim.trial
    if claim.check is None:
        return Finding(claim, trial)
    results = [*claim.check(trial, claim.stated)]
    cases = tuple(result for result in results if isinstance(result, Case))
    pictures = [result for result in results if isinstance(result, Picture)]
    return Finding(claim, trial, cases, pictures[0] if pictures else None)
