"""Heads of which the same is said."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from attn_tui.compute.fit.explain import Test
from attn_tui.doctor.report import Finding, Report
from attn_tui.doctor.verdict import VERDICTS, Verdict
from attn_tui.report.doctor.words import assumed_text
from attn_tui.report.words import ranges

FEW = 3
"""So many things are named one by one."""

Key = tuple[object, ...]


@dataclass(frozen=True)
class Group:
    """Heads of which the same is said.

    Attributes:
        verdict: That of each.
        findings: What is said of each.
        tests: Of each, the model by which it is said.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    tests: tuple[Test, ...]

    @property
    def first(self) -> Finding:
        """The first head, which stands for all."""
        return self.findings[0]

    @property
    def test(self) -> Test:
        """The model of the first."""
        return self.tests[0]

    @property
    def places(self) -> str:
        """Where they are: ``32 heads of layers 0–3``, ``layer 2, head 5``."""
        return places_of(self.findings)


def places_of(findings: Sequence[Finding]) -> str:
    """Return where heads are: ``32 heads of layers 0–3``, ``layer 2, head 5``."""
    layers = sorted({each.id.layer for each in findings})
    plural = "s" if len(layers) > 1 else ""
    named = f"layer{plural} {ranges(layers, 8)}"
    batches = sorted({each.id.batch for each in findings})
    if batches != [0]:
        named = f"batch {ranges(batches, 8)}, {named}"
    if len(findings) == 1:
        return f"{named}, head {findings[0].id.head}"
    return f"{len(findings):,} heads of {named}"


def groups(report: Report) -> tuple[Group, ...]:
    """Return the heads of a report in groups, those of the verdict first, the largest first.

    A head that several models explain equally well is of the group that has the most.
    """
    counts: Counter[tuple[Verdict, Key]] = Counter()
    for each in report.findings:
        keys = {_key(each, test) for test in each.known.best}
        counts.update((each.judgement.verdict, key) for key in keys)
    parts: dict[tuple[Verdict, Key], list[tuple[Finding, Test]]] = {}
    for each in report.findings:
        verdict = each.judgement.verdict
        test = max(each.known.best, key=lambda test: counts[verdict, _key(each, test)])
        parts.setdefault((verdict, _key(each, test)), []).append((each, test))
    every = [
        Group(verdict, tuple(each for each, _ in part), tuple(test for _, test in part))
        for (verdict, _), part in parts.items()
    ]
    order = sorted(VERDICTS, key=lambda verdict: verdict != report.verdict)
    return tuple(sorted(every, key=lambda each: (order.index(each.verdict), -len(each.findings))))


def _key(finding: Finding, test: Test) -> Key:
    """Return what heads have in common of which the same is said by a model."""
    judged = finding.judgement
    if judged.verdict == "differs":
        mask = test.model.mask if "mask" in test.changes else None
        kind = (mask.kind, mask.window, mask.hidden, mask.packed, mask.chunk) if mask else None
        missed = finding.misses[0].meaning if finding.misses else ""
        missed = missed if "multiplier" in test.changes else ""
        return (test.changes, kind, test.model.law, missed)
    if judged.verdict == "cannot tell":
        suspect = finding.known.suspect.name if finding.known.suspect else ""
        return (judged.reason, assumed_text(finding), suspect)
    if judged.verdict == "no expectation" and "multiplier" in test.changes:
        # Multipliers that lie within 2 % of each other are said together.
        return (test.changes, finding.names, round(50.0 * log(abs(test.model.multiplier))))
    return (test.changes,)
