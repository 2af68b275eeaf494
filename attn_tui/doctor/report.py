"""What the doctor says: of each head, and of all."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from attn_tui.captures.capture import Capture, HeadId, HeadShape
from attn_tui.captures.readings import Reading
from attn_tui.compute.fit.explain import Explained
from attn_tui.compute.fit.model import Part
from attn_tui.doctor.names import Miss
from attn_tui.doctor.verdict import (
    VERDICTS,
    Assumption,
    Judgement,
    Verdict,
    overall,
    settled,
    silent_parts,
)
from attn_tui.files.models.expected import Expectation, Expected

MOST_ROWS = 4096


@dataclass(frozen=True)
class Settings:
    """What is examined.

    Attributes:
        rows: Rows of each head, at most.
        seed: Of the rows that are drawn.
        layer: Only this one, if any.
        head: Only this one of each layer, if any.
        assume: What may be assumed of masks that were not captured.
        tf32: Whether products may have been taken in TF32.
    """

    rows: int = 32
    seed: int = 1
    layer: int | None = None
    head: int | None = None
    assume: frozenset[Assumption] = frozenset()
    tf32: bool = False


@dataclass(frozen=True)
class Finding:
    """What is said of one head.

    Attributes:
        id: Which.
        shape: How large it is.
        expected: What was expected of it, or nothing.
        known: What explains it.
        judgement: The verdict.
        names: What its multiplier is called.
        misses: What a multiplier that differs may be, the likeliest first.
        notes: What else is to be said, in sentences.
        reading: How its tensors were read.
    """

    id: HeadId
    shape: HeadShape
    expected: Expected | None
    known: Explained
    judgement: Judgement
    names: tuple[str, ...] = ()
    misses: tuple[Miss, ...] = ()
    notes: tuple[str, ...] = ()
    reading: Reading | None = None

    @property
    def wanted(self) -> float:
        """The multiplier that is expected: the usual 1/√d_k unless that is said."""
        multiplier = self.expected.multiplier if self.expected else None
        return multiplier or self.shape.d_k**-0.5

    @property
    def mask_applied(self) -> bool | None:
        """Whether the captured mask was applied; None where none was, or nothing tells."""
        if "mask" not in self.shape.has or not self.known.explains:
            return None
        return "mask" not in self.known.test.changes


@dataclass(frozen=True)
class Report:
    """What is said of a capture, as far as it was examined.

    Attributes:
        capture: Of what.
        expectation: What was expected, or nothing.
        settings: What was to be examined.
        total: How many heads these are.
        examined: What is said of each by itself, as far as known, in their order.
        elapsed: Seconds it took.
        interrupted: Whether somebody stopped it.
        notes: What else is to be said, in sentences.
    """

    capture: Capture
    expectation: Expectation | None
    settings: Settings
    total: int
    examined: tuple[Finding, ...] = ()
    elapsed: float = 0.0
    interrupted: bool = False
    notes: tuple[str, ...] = ()

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The same, with what only all of them together tell."""
        return settled(self.examined, self.settings.assume)

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """How many heads there are of each verdict."""
        counts = Counter(finding.judgement.verdict for finding in self.findings)
        return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}

    @property
    def stated(self) -> tuple[str, ...]:
        """What was recognised, in sentences, as far as outputs settle how layers are read."""
        fitted = (finding for finding in reversed(self.findings) if finding.known.explains)
        return self.capture.states(
            {finding.id.layer: finding.reading for finding in fitted if finding.reading}
        )

    @property
    def verdict(self) -> Verdict:
        """That of the majority of heads that do not agree, if any do not."""
        return overall(self.findings)

    @cached_property
    def silent(self) -> Mapping[tuple[int, Part], int]:
        """Each layer and part that no head of it would have told, with its number of heads."""
        return silent_parts(self.findings)

    @property
    def mask_applied(self) -> bool | None:
        """Whether captured masks were applied in all heads that tell; None if none tells."""
        told = [
            finding.mask_applied for finding in self.findings if finding.mask_applied is not None
        ]
        return all(told) if told else None

    @property
    def progress(self) -> float:
        """The share that is done, 0 to 1."""
        return len(self.examined) / self.total if self.total else 1.0

    @property
    def expected(self) -> Expected | None:
        """What is expected of every head examined; of what differs among them, nothing."""
        every = [finding.expected for finding in self.findings if finding.expected is not None]
        if not every:
            return self.expectation.common if self.expectation else None
        first = every[0]
        shared = {
            name: getattr(first, name)
            for name in Expected.__dataclass_fields__
            if all(getattr(other, name) == getattr(first, name) for other in every)
        }
        return Expected(**shared)
