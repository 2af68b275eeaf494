"""What a claim is, what it is tried with, and what comes of that."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isnan
from types import MappingProxyType
from typing import Any, Literal, get_args

from attn_tui.claims.trial import Trial
from attn_tui.compute.number import Number
from attn_tui.files.draft import Draft

Verdict = Literal["holds", "conditional", "false", "wording", "undecided"]
"""True as it stands; true under a condition it leaves out; not true; a slip of words or signs; and
what too few draws say nothing of."""

Basis = Literal["computed", "table", "text"]
"""What the verdict rests on: the check; what the table of models lists; reasons that are given."""

Topic = Literal[
    "formula",
    "dot products",
    "softmax",
    "gradients",
    "scale rules",
    "length",
    "precision",
    "training",
    "models",
]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

ENOUGH = 100
"""So many draws decide, or as many as a claim is tried with anyway."""
BASES: tuple[Basis, ...] = get_args(Basis)
TOPICS: tuple[Topic, ...] = get_args(Topic)


@dataclass(frozen=True)
class Evidence:
    """A number that was found, and what it is held against.

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
        """Whether the number is the one the claim states."""
        return self.is_near(self.stated)


@dataclass(frozen=True)
class Case:
    """One situation in which a claim was tried.

    Attributes:
        where: The situation, in a phrase: ``"d_k = 16, n = 512"``.
        holds: Whether the claim holds in it.
        evidence: The numbers that say so, the one that decides first.
    """

    where: str
    holds: bool
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Curve:
    """Points joined by a line: its name, and their places, as many of each."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]

    @classmethod
    def of(cls, name: str, x: Iterable[float], y: Iterable[float]) -> "Curve":
        """Return the curve through some places."""
        return cls(name, tuple(map(float, x)), tuple(map(float, y)))


@dataclass(frozen=True)
class Picture:
    """What a claim's numbers look like, as curves over one axis.

    Attributes:
        title: What y is, of what and where.
        x: What x is.
        curves: At most four.
        log_x: Whether x is on a logarithmic axis; all its values are then above 0.
        log_y: The same of y.
        mark: An x that matters, such as where two curves cross, or None.
        ends: The 95 % interval of that, if it is known.
        marked: What it is called there.
    """

    title: str
    x: str
    curves: tuple[Curve, ...]
    log_x: bool = False
    log_y: bool = False
    mark: float | None = None
    ends: tuple[float, float] | None = None
    marked: str = ""


@dataclass(frozen=True)
class Opened:
    """An instrument set up for a claim.

    Attributes:
        instrument: Its name in the registry of instruments.
        draft: What is asked there.
    """

    instrument: str
    draft: Draft


Stated = Mapping[str, float]
"""The numbers a claim states, by name."""

Check = Callable[[Trial, Stated], Iterator[Case | Picture]]
"""Tries a claim: yields the cases, at least one, and at most one picture."""


@dataclass(frozen=True)
class Claim:
    """A statement about attention that somebody makes.

    Attributes:
        id: Where it stands: ``"S2-19"``.
        source: Who says so, in a few words.
        says: The statement, paraphrased.
        right: What is right.
        topics: What it is about.
        formula: What is right as a formula, or empty.
        condition: What it takes for it to hold, where it does so in some cases alone.
        basis: What the verdict rests on.
        check: How it is tried; nothing where the basis is text.
        verdict_in_words: The verdict where nothing is tried.
        stated: The numbers it states, which the check is given.
        controls: The names of what plays a part in a trial.
        trial: What it is tried with unless something else is asked.
        opens: The instrument that shows it, set up; nothing where none does.
    """

    id: str
    source: str
    says: str
    right: str
    topics: tuple[Topic, ...]
    formula: str = ""
    condition: str = ""
    basis: Basis = "text"
    check: Check | None = None
    verdict_in_words: Verdict = "wording"
    stated: Stated = field(default_factory=dict)
    controls: tuple[str, ...] = ()
    trial: Trial = Trial()
    opens: Callable[[Trial], Opened] | None = None


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
        if not self.cases:
            return self.claim.verdict_in_words
        return "undecided" if self._too_few else self._of_cases

    @property
    def _too_few(self) -> bool:
        """Whether more draws may give another verdict.

        What is false by numbers that are known exactly stays so.
        """
        claim, draws = self.claim, self.trial.draws
        if "draws" not in claim.controls or draws >= min(ENOUGH, claim.trial.draws):
            return False
        known = all(case.evidence[0].exact is not None for case in self.cases)
        return not known or self._of_cases != "false"

    @property
    def _of_cases(self) -> Verdict:
        if all(case.holds for case in self.cases):
            return "holds"
        return "conditional" if any(case.holds for case in self.cases) else "false"

    @property
    def condition(self) -> str:
        """What it takes for the claim to hold, if it holds in some cases alone; or nothing."""
        return self.claim.condition if self.verdict == "conditional" else ""


def try_claim(claim: Claim, trial: Trial | None = None) -> Finding:
    """Return what comes of a claim; the same trial gives the same numbers."""
    trial = trial or claim.trial
    if claim.check is None:
        return Finding(claim, trial)
    found = [*claim.check(trial, claim.stated)]
    cases = tuple(each for each in found if isinstance(each, Case))
    pictures = [each for each in found if isinstance(each, Picture)]
    return Finding(claim, trial, cases, next(iter(pictures), None))


def claim(
    id: str,
    says: str,
    right: str,
    topics: tuple[Topic, ...],
    *,
    source: str = "",
    basis: Basis = "computed",
    varies: Mapping[str, int] = MappingProxyType({}),
    stated: Stated = MappingProxyType({}),
    **more: Any,
) -> Callable[[Check], Claim]:
    """Return what makes a claim of the check that follows.

    Args:
        id: Where it stands, as are the next as in `Claim`.
        says: The statement.
        right: What is right.
        topics: What it is about.
        source: Who says so, where the id does not tell.
        basis: What the verdict rests on.
        varies: What plays a part in a trial, and what it is unless something else is asked.
        stated: The numbers it states.
        more: Anything else of `Claim`.
    """

    def made(check: Check) -> Claim:
        return Claim(
            id, source or source_of(id), says, right, topics, basis=basis, check=check,
            stated=stated, controls=tuple(varies), trial=Trial(**varies), **more,
        )  # fmt: skip

    return made


def told(
    id: str, verdict: Verdict, says: str, right: str, topics: tuple[Topic, ...], **more: Any
) -> Claim:
    """Return a claim that is judged by reasons alone; the arguments are those of `Claim`."""
    source = more.pop("source", "") or source_of(id)
    return Claim(id, source, says, right, topics, verdict_in_words=verdict, **more)


TEXTS: Mapping[str, str] = {
    "S0": "article on why scores are divided by the root of the dimension (CSDN)",
    "S1": "erratum to Large-Scale Language Models: From Theory to Practice, p. 16",
    "S2": "article on why attention scores are scaled, with listings (malaoshi.top)",
}
"""The texts that claims are of, by what their ids begin with."""


def source_of(id: str) -> str:
    """Return the text that a claim stands in, by its id; nothing of those beyond the three."""
    return TEXTS.get(id.partition("-")[0], "")
