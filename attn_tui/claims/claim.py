"""Claims, the evidence of trying them, and the findings."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Literal, get_args

from attn_tui.claims.trial import Trial
from attn_tui.compute.errors import Stop, Stopped, never
from attn_tui.compute.sample import Number

ClaimVerdict = Literal["holds", "conditional", "false", "wording", "undecided", "inapplicable"]
"""In order: true as it stands; true under a condition it leaves out; not true; a slip of words or
signs; too few draws to tell; not applicable, because the chosen values do not meet its premise."""

Basis = Literal["computed", "table", "text"]
"""What the verdict rests on: the check, the table of models, or reasons given in words."""

VERDICTS: tuple[ClaimVerdict, ...] = get_args(ClaimVerdict)
BASES: tuple[Basis, ...] = get_args(Basis)

ENOUGH = 100
"""The fewest draws that decide, unless a claim's own trial has fewer."""


@dataclass(frozen=True)
class Evidence:
    """A computed number, and the numbers it is compared with.

    Attributes:
        name: What the number is, of what and where: ``"variance of q·k"``.
        value: The number.
        standard_error: If it was sampled, the standard deviation of ``value`` over such samples.
        stated: The number that the claim states, if any.
        exact: The number by a formula or another method, if there is one.
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
        """The value with its standard error, 0 if it was not sampled, and its exact value."""
        return Number(self.value, self.standard_error or 0.0, self.exact)

    @property
    def decisive(self) -> float:
        """The number that decides: the exact value if a sampled number has one, else the value."""
        if self.standard_error is None or self.exact is None:
            return self.value
        return self.exact

    def is_close(self, other: float | None, sigmas: float = 5.0, within: float = 1e-9) -> bool:
        """Return whether the value equals another within its error and a relative tolerance.

        Args:
            other: `stated`, `exact` or any other number; None is never near.
            sigmas: The tolerance in standard errors, if the value has one.
            within: A further tolerance, as a share of the larger of the two.
        """
        if other is None:
            return False
        slack = within * max(abs(self.value), abs(other))
        return abs(self.value - other) <= sigmas * (self.standard_error or 0.0) + slack

    @property
    def is_as_stated(self) -> bool:
        """Whether the number is the one the claim states; an exact value overrules a sample."""
        error = self.standard_error if self.exact is None else None
        return Evidence(self.name, self.decisive, error).is_close(self.stated)


@dataclass(frozen=True)
class Case:
    """A situation in which a claim was tried.

    Attributes:
        where: The situation, in a phrase: ``"d_k = 16, n = 512"``.
        holds: Whether the claim holds in it; None if its premise is not met.
        evidence: The numbers that show it, the deciding one first.
    """

    where: str
    holds: bool | None
    evidence: tuple[Evidence, ...]

    @classmethod
    def as_stated(cls, where: str, *evidence: Evidence) -> "Case":
        """Return a case in which the claim holds if the first number is as stated."""
        return cls(where, evidence[0].is_as_stated, evidence)


@dataclass(frozen=True, eq=False)
class ClaimCurves:
    """A picture of a claim's numbers: curves over one axis.

    Attributes:
        title: What y is, of what and where.
        x: What x is.
        places: The values of x.
        curves: The values of y by the name of each curve, at most four; NaN where there is no
            point.
        log: The logarithmic axes; they show only numbers above 0.
        mark: An x that matters, such as where two curves cross, or None.
        ends: The 95 % interval of the mark, if known.
        marked: The name of the mark.
    """

    title: str
    x: str
    places: Collection[float]
    curves: Mapping[str, Collection[float]]
    log: Literal["", "x", "y", "xy"] = ""
    mark: float | None = None
    ends: tuple[float, float] | None = None
    marked: str = ""


StatedNumbers = Mapping[str, float]
"""The numbers a claim states, by name."""

Check = Callable[[Trial, StatedNumbers], Iterator[Case | ClaimCurves]]
"""Tries a claim: yields at least one case, and at most one picture."""


@dataclass(frozen=True)
class Claim:
    """A published statement about attention; ``ledger.toml`` lists those we try.

    Attributes:
        id: Its source and number: ``"S2-19"``.
        source: The source, named in full.
        says: The statement, quoted or paraphrased.
        right: What is right, whatever the trial.
        topics: The topics it is about.
        synonyms: Words for it that it does not use itself.
        verdict: The verdict of its own trial.
        basis: What the verdict rests on.
        figures: The numbers that are right, from its own trial.
        formula: What is right as a formula, or empty.
        condition: The condition under which it holds, if it holds only in some cases.
        check: The function that tries it; None if the basis is text.
        stated: The numbers it states, which are passed to the check.
        controls: The names of the fields of a trial that affect it.
        trial: The trial used unless another is asked for.
        command: The command line of an instrument that shows it, with fields of a trial in
            braces; empty if none does.
    """

    id: str
    source: str
    says: str
    right: str
    topics: Sequence[str]
    verdict: ClaimVerdict
    basis: Basis = "text"
    figures: str = ""
    formula: str = ""
    condition: str = ""
    check: Check | None = None
    stated: StatedNumbers = field(default_factory=dict)
    controls: tuple[str, ...] = ()
    trial: Trial = Trial()
    command: str = ""
    synonyms: Sequence[str] = ()


@dataclass(frozen=True)
class TriedClaim:
    """The result of trying a claim.

    Attributes:
        claim: The claim.
        trial: The trial.
        cases: The cases that its check yielded; none if there is no check.
        picture: The picture that its check yielded, if any.
    """

    claim: Claim
    trial: Trial
    cases: tuple[Case, ...] = ()
    picture: ClaimCurves | None = None

    @property
    def verdict(self) -> ClaimVerdict:
        """The verdict: that of the cases, or of the claim if there are none."""
        claim, draws = self.claim, self.trial.draws
        if not self.cases:
            return claim.verdict
        outcomes = {case.holds for case in self.cases}
        if None in outcomes:
            return "inapplicable"
        # With more draws the verdict may change, unless the exact values are known.
        few = "draws" in claim.controls and draws < min(ENOUGH, claim.trial.draws)
        if few and any(case.evidence[0].exact is None for case in self.cases):
            return "undecided"
        if outcomes == {True}:
            return "holds"
        return "conditional" if True in outcomes else "false"

    @property
    def condition(self) -> str:
        """The condition under which the claim holds, if the verdict is conditional; else empty."""
        return self.claim.condition if self.verdict == "conditional" else ""

    @property
    def changes(self) -> dict[str, int]:
        """The controls that differ from the claim's own trial, except the seed, by name."""
        return {
            name: getattr(self.trial, name)
            for name in self.claim.controls
            if name != "seed" and getattr(self.trial, name) != getattr(self.claim.trial, name)
        }

    @property
    def right(self) -> str:
        """What is right, with figures only if they were computed with this trial."""
        if self.changes or not self.claim.figures:
            return self.claim.right
        return f"{self.claim.right} {self.claim.figures}"


def try_claim(claim: Claim, trial: Trial | None = None, stop: Stop = never) -> TriedClaim:
    """Try a claim and return the finding; the same trial gives the same numbers.

    Raises:
        Stopped: If ``stop()`` is true after a case.
    """
    trial = trial or claim.trial
    if claim.check is None:
        return TriedClaim(claim, trial)
    results = []
    for result in claim.check(trial, claim.stated):
        results.append(result)
        if stop():
            raise Stopped
    cases = tuple(result for result in results if isinstance(result, Case))
    pictures = [result for result in results if isinstance(result, ClaimCurves)]
    return TriedClaim(claim, trial, cases, pictures[0] if pictures else None)
