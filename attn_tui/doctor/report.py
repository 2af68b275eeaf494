"""The doctor's report: a finding for each head, and totals."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from attn_tui.captures.capture import Capture, HeadId, HeadShape
from attn_tui.captures.readings import Reading
from attn_tui.compute.fit.explain import Explained
from attn_tui.compute.heads.head_model import Part
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
from attn_tui.files.models.promise import Expectation, Promise

MOST_ROWS = 4096


@dataclass(frozen=True)
class Settings:
    """Which heads and rows to examine, and the assumptions that are granted.

    Attributes:
        rows: The most rows to use of each head.
        seed: The seed with which rows are drawn.
        layer: The only layer to examine, or None for all.
        head: The only head of each layer to examine, or None for all.
        assume: The granted assumptions about masks that were not captured.
        tf32: Whether products may have been computed in TF32.
    """

    rows: int = 32
    seed: int = 1
    layer: int | None = None
    head: int | None = None
    assume: frozenset[Assumption] = frozenset()
    tf32: bool = False


@dataclass(frozen=True)
class Finding:
    """The finding about one head.

    Attributes:
        id: The head.
        shape: Its sizes.
        expected: The expectation for it, or None.
        known: The models that explain it.
        judgement: The verdict about it.
        names: The names of its multiplier.
        misses: The mistakes that may explain a wrong multiplier, the likeliest first.
        notes: Further remarks, in sentences.
        reading: How its tensors were read.
    """

    id: HeadId
    shape: HeadShape
    expected: Promise | None
    known: Explained
    judgement: Judgement
    names: tuple[str, ...] = ()
    misses: tuple[Miss, ...] = ()
    notes: tuple[str, ...] = ()
    reading: Reading | None = None

    @property
    def wanted(self) -> float:
        """The expected multiplier: the usual 1/√d_k unless the expectation states another."""
        multiplier = self.expected.multiplier if self.expected else None
        return multiplier or self.shape.d_k**-0.5

    @property
    def mask_applied(self) -> bool | None:
        """Whether the captured mask was applied; None if none was captured or it is unknown."""
        if "mask" not in self.shape.has or not self.known.explains:
            return None
        return "mask" not in self.known.test.changes


@dataclass(frozen=True)
class Report:
    """The report about a capture, as far as it has been examined.

    Attributes:
        capture: The capture.
        expectation: The expected model, or None.
        settings: Which heads and rows to examine.
        total: The number of heads to examine.
        examined: The findings so far, each about one head by itself, in order.
        elapsed: The time taken so far, in seconds.
        interrupted: Whether the run was stopped.
        notes: Further remarks, in sentences.
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
        """The findings, with verdicts that take all heads into account."""
        return settled(self.examined, self.settings.assume)

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """The number of heads with each verdict that occurs."""
        counts = Counter(finding.judgement.verdict for finding in self.findings)
        return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}

    @property
    def stated(self) -> tuple[str, ...]:
        """How the tensors were read, in sentences, as far as explained heads settle it."""
        fitted = (finding for finding in reversed(self.findings) if finding.known.explains)
        return self.capture.states(
            {finding.id.layer: finding.reading for finding in fitted if finding.reading}
        )

    @property
    def verdict(self) -> Verdict:
        """The verdict of the majority of the heads that do not agree, if any."""
        return overall(self.findings)

    @cached_property
    def silent(self) -> Mapping[tuple[int, Part], int]:
        """Each layer and part on which all heads of the layer are silent, with their number."""
        return silent_parts(self.findings)

    @property
    def mask_applied(self) -> bool | None:
        """Whether captured masks were applied in all heads where that is known; None if in none."""
        told = [
            finding.mask_applied for finding in self.findings if finding.mask_applied is not None
        ]
        return all(told) if told else None

    @property
    def progress(self) -> float:
        """The share of the heads that are done, 0 to 1."""
        return len(self.examined) / self.total if self.total else 1.0

    @property
    def expected(self) -> Promise | None:
        """The expectation that all examined heads share; parts that differ are left out."""
        every = [finding.expected for finding in self.findings if finding.expected is not None]
        if not every:
            return self.expectation.common if self.expectation else None
        first = every[0]
        shared = {
            name: getattr(first, name)
            for name in Promise.__dataclass_fields__
            if all(getattr(other, name) == getattr(first, name) for other in every)
        }
        return Promise(**shared)
