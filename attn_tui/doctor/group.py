"""Heads that share a sentence of the doctor's report, and what all of them have."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from attn_tui.compute.fit.model import SHOWN, Candidate, Suspect
from attn_tui.compute.heads.head_model import Part, fitted_logit
from attn_tui.compute.numbers import interval
from attn_tui.compute.text import counted
from attn_tui.doctor.difference import VERDICTS, Difference, Verdict
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.report import DoctorReport
from attn_tui.doctor.verdict import UNEXPLAINED, rows_off
from attn_tui.doctor.words import (
    WORDS,
    assumed_text,
    mask_text,
)
from attn_tui.report.words import ranges


@dataclass(frozen=True)
class Group:
    """Heads that share a sentence.

    Attributes:
        verdict: The verdict about each head.
        findings: The finding about each head.
        total: The number of heads in the report.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    total: int = 0

    @property
    def first(self) -> Finding:
        """The finding about the first head, which stands for all."""
        return self.findings[0]

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The likeliest candidate of each head."""
        return tuple(finding.explanation.candidate for finding in self.findings)


def places_of(findings: Sequence[Finding]) -> str:
    """Return the places of heads: ``32 heads of layers 0–3``, ``layer 2, head 5``."""
    named = layers_text({finding.id.layer for finding in findings})
    batches = sorted({finding.id.batch for finding in findings})
    if batches != [0]:
        named = f"batch {ranges(batches, 8)}, {named}"
    if len(findings) == 1:
        return f"{named}, head {findings[0].id.head}"
    return f"{len(findings):,} heads of {named}"


def layers_text(layers: set[int]) -> str:
    """Return layers in words: ``layer 2``, ``layers 0–3``."""
    plural = "s" if len(layers) > 1 else ""
    return f"layer{plural} {ranges(sorted(layers), 8)}"


def groups(report: DoctorReport) -> tuple[Group, ...]:
    """Return the heads of a report in groups, those with its verdict first, then the largest."""
    return grouped(report.findings, report.verdict)


def grouped(findings: Sequence[Finding], first: Verdict) -> tuple[Group, ...]:
    """Return heads in groups, those with a verdict first, then the largest."""
    parts: dict[object, list[Finding]] = {}
    for finding in findings:
        parts.setdefault((finding.judgement.verdict, _key(finding)), []).append(finding)
    every = [Group(part[0].judgement.verdict, (*part,), len(findings)) for part in parts.values()]
    order = sorted(VERDICTS, key=lambda verdict: verdict != first)
    every.sort(key=lambda group: (order.index(group.verdict), -len(group.findings)))
    return tuple(every)


def _key(finding: Finding) -> tuple[object, ...]:
    """Return the key of the group that a head is put in: all its sentence says but numbers."""
    judgement, candidate = finding.judgement, finding.explanation.candidate
    if judgement.verdict == "differs":
        return tuple(_key_of(difference, finding) for difference in judgement.differences)
    if judgement.verdict == "cannot tell":
        is_of_rows = judgement.reason == UNEXPLAINED and rows_off([finding]) != ""
        return (judgement.reason, assumed_text(finding), is_of_rows)
    if judgement.verdict == "no expectation":
        return (candidate.changes, candidate.model.law, mask_text(candidate))
    mask = "" if "mask" in finding.comparable.stated else mask_text(candidate)
    is_coarse = finding.explanation.coarseness > 0
    return (assumed_text(finding), is_coarse, mask, judgement.reason)


def _key_of(difference: Difference, finding: Finding) -> tuple[object, ...]:
    """Return what two differences share that stand in one sentence."""
    suspect = suspect_of(difference, finding)
    if suspect is not None:
        return (difference.part, suspect.phrase, suspect.reason)
    if difference.part == "output" and difference.cause == rows_off([finding]):
        return ("output", "rows")
    key: tuple[object, ...] = (difference.part, difference.side, difference.cause)
    if difference.part == "kv_head":
        # Its sentence follows from the KV heads of all heads together.
        return (difference.part, difference.side)
    if difference.part in ("mask", "softmax_twice", "law"):
        return (*key, difference.observed)
    if difference.part == "multiplier" and isinstance(difference.observed, float):
        # Without a known cause, multipliers within about 2 % of each other share a group.
        size = round(50.0 * log(abs(difference.observed))) if difference.observed else 0
        return (*key, size) if not difference.cause else key
    return key


def suspect_of(difference: Difference, finding: Finding) -> Suspect | None:
    """Return what was done to a head, if that is how it differs."""
    is_of_output = (
        difference.side == "output" and difference.promised is difference.observed is None
    )
    return finding.explanation.suspect if is_of_output else None


def rows_text(group: Group) -> str:
    """Return how many rows of each head were compared: ``32 of 96 rows of each``."""
    counts = [finding.explanation.counts for finding in group.findings]
    compared = sorted({one.compared for one in counts})
    queries = max(finding.shape.n_queries + finding.shape.left_out[0] for finding in group.findings)
    if compared == [queries]:
        return f"all {counted(queries, 'row')} of each" if queries > 1 else "1 row of each"
    ends = f"{compared[0]:,}"
    if len(compared) > 1:
        ends += f" to {compared[-1]:,}"
    return f"{ends} of {counted(queries, 'row')} of each"


def numbers(group: Group, part: Part) -> Iterator[str]:
    """Yield the caps or sinks that were observed, if any."""
    every = [candidate.estimates.get(part) for candidate in group.candidates]
    values = [None if estimate is None else estimate.at(SHOWN).value for estimate in every]
    fitted = [value for value in values if value is not None]
    if fitted:
        begin = "b = " if part == "sink" else ""
        some = f" in {len(fitted):,} of {counted(len(every), 'head')}"
        some = some if len(fitted) < len(every) else ""
        yield f"{WORDS[part]} {begin}{ends_text(fitted)}{some}"


def ends_text(values: Sequence[float]) -> str:
    """Return the least and the largest of some numbers, or one if they look alike."""
    low, high = fitted_logit(min(values)), fitted_logit(max(values))
    return interval(low, high)
