"""The doctor's report: a finding for each head, and totals."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from attn_tui.captures.capture import Capture
from attn_tui.compute.heads.head_model import Part
from attn_tui.doctor.difference import VERDICTS, Assumption, Verdict
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.verdict import overall, settled, silent_parts
from attn_tui.files.models.promise import Expectation, Promise

MOST_ROWS = 4096
"""The most rows of a head that may be asked for."""


@dataclass(frozen=True)
class Settings:
    """Which heads and rows to examine, and the assumptions that are granted.

    Attributes:
        rows: The most rows to use of each head; None for all of heads that are not large.
        seed: Turns which rows of large heads are used.
        layer: The only layer to examine, or None for all.
        head: The only head of each layer to examine, or None for all.
        assume: The granted assumptions about what was not captured.
        tf32: Whether products may have been computed in TF32.
        search: Whether to look for the causes of what is not as promised.
        patience: After how many heads without a cause, if none has one yet, no more are searched;
            None for any number.
        is_trusted: Whether the capture is known to be right, with all that each call was given, as
            where the doctor made the inputs.
        in_python: Whether Python asks, so that what it may give is named by its arguments.
    """

    rows: int | None = None
    seed: int = 1
    layer: int | None = None
    head: int | None = None
    assume: frozenset[Assumption] = frozenset()
    tf32: bool = False
    search: bool = True
    patience: int | None = None
    is_trusted: bool = False
    in_python: bool = False


@dataclass(frozen=True)
class DoctorReport:
    """The report about a capture, as far as it has been examined.

    Attributes:
        capture: The capture.
        expectation: What is promised of the model, or None.
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
        return settled(self.examined, self.settings.assume, self.settings.is_trusted)

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """The number of heads with each verdict that occurs."""
        counts = Counter(finding.judgement.verdict for finding in self.findings)
        return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}

    @property
    def stated(self) -> tuple[str, ...]:
        """How the tensors were read, in sentences, as far as explained heads settle it."""
        fitted = [finding for finding in reversed(self.findings) if finding.explanation.explains]
        # Where heads have other KV heads than promised, no rule says which.
        odd = {one.id.layer for one in fitted if one.explanation.candidate.kv_head is not None}
        readings = {one.id.layer: one.reading for one in fitted if one.reading}
        return self.capture.states(
            {layer: reading for layer, reading in readings.items() if layer not in odd}
        )

    @property
    def verdict(self) -> Verdict:
        """The verdict about the capture."""
        return overall(self.findings)

    @property
    def silent(self) -> Mapping[tuple[int, Part], int]:
        """Each layer and part on which all heads of the layer are silent, with their number."""
        return silent_parts(self.findings)

    @property
    def mask_applied(self) -> bool | None:
        """Whether captured masks were applied in all heads where that is known; None if in none."""
        decided = [
            finding.mask_applied for finding in self.findings if finding.mask_applied is not None
        ]
        return all(decided) if decided else None

    @property
    def ranks(self) -> int:
        """The number of files whose tensors are parts of one: each has some of the heads."""
        tensors = (self.capture.tensors(layer).values() for layer in self.capture.layers)
        return max((len(tensor.pieces) for every in tensors for tensor in every), default=1)

    @property
    def progress(self) -> float:
        """The share of the heads that are done, 0 to 1."""
        return len(self.examined) / self.total if self.total else 1.0

    @property
    def promise(self) -> Promise | None:
        """The promise that all examined heads share; parts that differ are left out."""
        if self.expectation is None:
            return None
        every = [finding.promise for finding in self.findings]
        if not every:
            return self.expectation.common
        first = every[0]
        shared = {
            name: getattr(first, name)
            for name in Promise.__dataclass_fields__
            if all(getattr(other, name) == getattr(first, name) for other in every)
        }
        return Promise(**shared)
