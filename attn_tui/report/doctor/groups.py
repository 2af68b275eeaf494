"""Heads of which the same is said, together."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from operator import itemgetter

from attn_tui.doctor.report import Finding, Report
from attn_tui.doctor.verdict import SHOWN, VERDICTS, Verdict, confidence, span
from attn_tui.report.heads.words import ranges

_SAME = 0.01
"""Multipliers nearer than this share are not told apart in words."""


@dataclass(frozen=True)
class Group:
    """Heads of which the same is said.

    Attributes:
        findings: What is said of each.
    """

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The first of them, which stands for all."""
        return self.findings[0]

    @property
    def verdict(self) -> Verdict:
        """That of each."""
        return self.first.judgement.verdict

    @property
    def places(self) -> str:
        """Where they are: ``32 heads of layers 0–3``, ``layer 2, head 5``."""
        layers = sorted({each.id.layer for each in self.findings})
        named = f"layer{'s' * (len(layers) > 1)} {ranges(layers, 8)}"
        batches = sorted({each.id.batch for each in self.findings})
        if batches != [0]:
            named = f"batch {ranges(batches, 8)}, {named}"
        if len(self.findings) == 1:
            return f"{named}, head {self.first.id.head}"
        return f"{len(self.findings):,} heads of {named}"


def groups(report: Report) -> tuple[Group, ...]:
    """Return the heads of a report in groups, the worst first, of these the largest."""
    found: dict[tuple[object, ...], list[Finding]] = {}
    for each in report.findings:
        judged, diagnosis = each.judgement, each.diagnosis
        missed = each.misses[0].meaning if each.misses else ""
        unknown = tuple(name for name, _ in judged.undetermined)
        mask = diagnosis.mask
        kind = (mask.kind, mask.hidden, mask.packed) if mask else None
        key = (judged.verdict, judged.differs, unknown, missed, kind, diagnosis.fits)
        found.setdefault(key, []).append(each)
    every = [part for each in found.values() for part in by_multiplier(each)]
    return tuple(
        sorted(every, key=lambda each: (VERDICTS.index(each.verdict), -len(each.findings)))
    )


def by_multiplier(findings: Iterable[Finding]) -> tuple[Group, ...]:
    """Return heads in groups of the same d_k, and of the same m by its name and its interval."""
    found: dict[tuple[object, ...], list[tuple[float, float, float, int, Finding]]] = {}
    for place, each in enumerate(findings):
        expected = each.expected.multiplier if each.expected else None
        key = (each.names, each.shape.d_k, expected)
        found.setdefault(key, []).append((*_span(each), place, each))
    parts: list[list[tuple[int, Finding]]] = []
    for heads in found.values():
        most: float | None = None
        for m, low, high, place, each in sorted(heads, key=lambda head: (head[0], head[3])):
            if most is None or low > most:
                parts.append([])
                most = high + _SAME * m
            parts[-1].append((place, each))
    ordered = (sorted(part, key=itemgetter(0)) for part in parts)
    every = sorted(ordered, key=lambda part: part[0][0])
    return tuple(Group(tuple(each for _, each in part)) for part in every)


def multipliers(group: Group) -> int:
    """Return how many multipliers heads have at least: so many that surely lie apart."""
    level = confidence(len(group.findings))
    every = (each.diagnosis.multiplier for each in group.findings)
    spans = [span(each, "float32", level) for each in every if each is not None]
    count, most = 0, -inf
    for each in sorted(spans, key=lambda each: each.high):
        if each.low > most:
            count, most = count + 1, each.high
    return count


def _span(finding: Finding) -> tuple[float, float, float]:
    """Return m with its ends, or what is the same for all heads of which it is not said."""
    m = finding.diagnosis.multiplier
    if m is None or finding.judgement.verdict == "cannot tell":
        return 0.0, 0.0, 0.0
    at = m.at(SHOWN)
    value = at.value or 0.0
    return value, value if at.low is None else at.low, value if at.high is None else at.high
