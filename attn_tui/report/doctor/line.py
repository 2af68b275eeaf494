"""The verdict in one line, to be pasted into an issue; and why, in sentences."""

from collections import Counter
from collections.abc import Iterator, Sequence

from attn_tui.compute.counted import counted
from attn_tui.compute.fit.model import Part
from attn_tui.doctor.report import Finding, Report
from attn_tui.doctor.verdict import Verdict
from attn_tui.report.doctor.difference import brief, differing
from attn_tui.report.doctor.found import masks, multiplier, numbers, usual, value_scales
from attn_tui.report.doctor.groups import FEW, Group, groups, places_of
from attn_tui.report.doctor.words import (
    ROUNDED,
    WORDS,
    assumed_text,
    expected_texts,
    joined,
    mask_text,
)
from attn_tui.report.numbers import quantity
from attn_tui.report.words import ranges

PLURALS = {"differs": "differ", "agrees": "agree", "fits": "fit", "silent": "silent"}
"""Verdicts of several heads, where they are called otherwise."""


def verdict_line(report: Report) -> str:
    """Return what was found, what was expected, the residual and how many heads it is of."""
    every = groups(report)
    if not every:
        why_not = "stopped" if report.interrupted else "nothing is known"
        return f"cannot tell: {why_not} before the first head"
    main = every[0]
    compared = "; give --config or --expect to compare" if main.verdict == "no expectation" else ""
    return f"{report.verdict}: {said(main)}{compared}; {_evidence(report, every)}"


def said(group: Group) -> str:
    """Return what is said of heads."""
    finding, test = group.first, group.test
    if group.verdict == "differs":
        return differing(group)
    if group.verdict == "cannot tell":
        return _untold(finding)
    if group.verdict == "silent":
        return f"another m would not have shown: {finding.judgement.reason}"
    granted = dict.fromkeys(filter(None, map(assumed_text, group.findings)))
    few = [*granted][:FEW]
    assumed = f", if {joined(few)}, as is assumed" if granted else ""
    if group.verdict == "agrees":
        return f"{', '.join(_agreeing(group))} as expected{assumed}"
    parts = [usual(group), *numbers(group, "softcap"), *numbers(group, "sink")]
    parts += [*value_scales(group), *masks(group)]
    if test.model.softmax_twice:
        parts.insert(1, "softmax twice")
    return ", ".join(parts) + assumed


def _agreeing(group: Group) -> Iterator[str]:
    """Yield m, and each part besides that is as expected and would have shown otherwise."""
    told = group.first.known.told
    yield multiplier(group)
    for part in ("softcap", "sink", "mask"):
        if part == "sink" and "sink" in told:
            yield from numbers(group, "sink")
        elif part in told or (part == "mask" and _has_mask(group.first)):
            texts = {expected_texts(each).get(part) or "" for each in group.findings}
            if len(texts) > 1:
                continue
            if part == "mask" and all(each.sees_all for each in group.tests):
                texts = {mask_text(group.test)}
            yield f"{WORDS[part]} {texts.pop()}"


def _has_mask(finding: Finding) -> bool:
    return "mask" in expected_texts(finding) and "mask" not in finding.known.silent


def _untold(finding: Finding) -> str:
    """Return why nothing can be told of a head."""
    if assumed := assumed_text(finding):
        agrees = "agrees" if finding.expected else "fits"
        return f"{agrees} if {assumed}; --assume {finding.judgement.assumes} grants it"
    if finding.known.explains or finding.known.problem:
        return finding.judgement.reason
    if finding.known.suspect is not None:
        return f"nothing fits: {finding.known.suspect.name}? ({finding.known.suspect.found})"
    test = finding.known.test
    nearest = f"the nearest, {brief(finding, test)}," if test.changes else "its numbers fitted, it"
    return f"nothing fits: what is expected leaves {_share(finding.known.residual)} of the " + (
        f"output, {nearest} {_share(test.residual)}"
    )


def _share(share: float) -> str:
    return f"{100.0 * share:.2g} %" if share < 1.0 else "all"


def _evidence(report: Report, every: Sequence[Group]) -> str:
    main = every[0]
    finding, test = main.first, main.test
    known = finding.known
    done = len(report.findings)
    of = f"{len(main.findings):,} of {counted(done, 'head')}"
    notes = [*_place(report, main), *others(every)]
    if notes:
        of += f" ({'; '.join(notes)})"
    if done < report.total:
        left = f"{report.total - done:,}"
        of += (
            f", stopped before the other {left}" if report.interrupted else f" so far, {left} left"
        )
    if known.used and report.settings.rows < finding.shape.n_queries:
        of += f", {report.settings.rows:,} of {finding.shape.n_queries:,} rows of each"
    if report.part:
        of += f", captured: {report.part}"
    source = f"; {report.expectation.source}" if report.expectation else ""
    residual = ""
    if known.used:
        size = test.residual if test.explains else known.residual
        path = test.path if test.explains else None
        alone = test.rounding.get(path) if path else None
        rounding = f" ({ROUNDED[path]} rounding alone: {quantity(alone)})" if path and alone else ""
        residual = f"residual {quantity(size)}{rounding}; "
    return f"{residual}{of}{_silent(report)}{source}"


def _silent(report: Report) -> str:
    """Return which layers would not have told something that is needed, or nothing."""
    parts: dict[Part, list[int]] = {}
    for layer, part in report.silent:
        parts.setdefault(part, []).append(layer)
    texts = []
    for part, layers in parts.items():
        plural = "s" if len(layers) > 1 else ""
        texts.append(f"another {WORDS[part]} would not show in layer{plural} {ranges(layers, 8)}")
    return "".join(f"; {text}" for text in texts)


def _place(report: Report, group: Group) -> Iterator[str]:
    """Yield where heads are that are not all, if it is one head or whole layers."""
    if len(group.findings) < len(report.findings):
        layers = sorted({each.id.layer for each in group.findings})
        if len(group.findings) == 1:
            yield group.places
        elif len(group.findings) == sum(each.id.layer in layers for each in report.findings):
            plural = "s" if len(layers) > 1 else ""
            yield f"all of layer{plural} {ranges(layers, 8)}"


def others(every: Sequence[Group]) -> Iterator[str]:
    """Yield what is said of other heads than those of the first group: ``2 cannot tell``."""
    told = ("differs", "cannot tell", "no expectation")
    rest = [group for group in every[1:] if group.verdict in told]
    for group in rest[:FEW] if len(rest) <= FEW else []:
        yield f"{group.places}: {said(group)}"
    counts: Counter[Verdict] = Counter()
    for group in every[1:]:
        if len(rest) > FEW or group not in rest:
            counts[group.verdict] += len(group.findings)
    for verdict, count in counts.items():
        words = "fits" if verdict == "no expectation" else verdict
        yield f"{count:,} {words if count == 1 else PLURALS.get(words, words)}"


def why(report: Report) -> Iterator[str]:
    """Yield the sentences that the verdict rests on: one for each group of heads, and notes."""
    if report.interrupted:
        yield f"Stopped after {len(report.findings):,} of {counted(report.total, 'head')}."
    for group in groups(report):
        yield f"{group.places}: {group.verdict}: {said(group)}."
    if report.expectation is not None:
        yield f"Expected by {report.expectation.source}."
        yield from report.expectation.notes
    notes: dict[str, list[Finding]] = {}
    for each in report.findings:
        for note in each.notes:
            notes.setdefault(note, []).append(each)
    yield from report.notes
    for note, noted in notes.items():
        few = len(noted) < len(report.findings)
        yield f"{places_of(noted)}: {note}" if few else note
