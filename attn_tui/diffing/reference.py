"""What the doctor finds of REFERENCE, as a promise that PORT is held against."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor, log10
from typing import Any

import numpy as np

from attn_tui.captures.capture import Capture
from attn_tui.compute.fit.estimates import Interval, usual
from attn_tui.compute.fit.model import SHOWN
from attn_tui.compute.heads.head_model import LEARNED, SCALARS, Alibi, Part
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.report import DoctorReport
from attn_tui.doctor.sentences import together
from attn_tui.files.models.promise import (
    NONE,
    Expectation,
    Promise,
    PromisedBias,
    PromisedSink,
    Shape,
    corner,
)

DIGITS = 4
"""Numbers of configurations have at most so many digits, unless they are 1/√a."""
WITHOUT_NUMBER: frozenset[Part] = frozenset({"kv_head", "softmax_twice", "law"})
"""The parts in which a head model can differ that no promise can state otherwise."""
OTHER_MODEL = "it is no model that PORT could be promised"
NO_MODEL = "the doctor finds no model of its heads"
NO_MULTIPLIER = "no head shows its m"


@dataclass(frozen=True)
class LayerModel:
    """The head model of a layer of REFERENCE.

    Attributes:
        promise: The model, as a promise; None if there is none.
        is_fitted: Whether a number of it was fitted, and neither promised nor captured.
        reason: Why there is no model; empty if there is one.
    """

    promise: Promise | None = None
    is_fitted: bool = False
    reason: str = ""


def models_of(report: DoctorReport) -> dict[int, LayerModel]:
    """Return the head model that the doctor finds in each layer of a capture."""
    layers: dict[int, list[Finding]] = {}
    for finding in report.findings:
        layers.setdefault(finding.id.layer, []).append(finding)
    first = report.expectation.first_head if report.expectation else None
    return {
        layer: _model(findings, report.capture, first or 0) for layer, findings in layers.items()
    }


def refitted(model: LayerModel, findings: Sequence[Finding]) -> LayerModel:
    """Return a model with the numbers that heads show together, none of them alone.

    Args:
        model: The model that the heads were held against.
        findings: What the doctor says of them.
    """
    numbers: dict[str, Any] = {
        difference.part: difference.observed
        for finding in findings
        for difference in finding.judgement.differences
        if finding.explanation.passes
        and difference.side == "output"
        and difference.part in SCALARS
        and isinstance(difference.observed, float)
    }
    if model.promise is None or not numbers:
        return model
    return replace(model, promise=replace(model.promise, form="", **numbers), is_fitted=True)


def expectation_of(
    report: DoctorReport, models: Mapping[int, LayerModel], numbers: Mapping[int, int], source: str
) -> Expectation:
    """Return the models of layers as what is expected of a capture.

    Args:
        report: The report about REFERENCE.
        models: The model of each of its layers.
        numbers: The number in the capture of each layer of REFERENCE.
        source: What is said to promise it.
    """
    layers = [Promise()] * (max(numbers.values(), default=-1) + 1)
    for layer, number in numbers.items():
        layers[number] = models[layer].promise or Promise()
    stated = report.expectation or Expectation("", Promise())
    # Where shapes leave it open, PORT is read with as many heads as REFERENCE has.
    counts = {one.reading.dims.heads for one in report.findings if one.reading is not None}
    heads = counts.pop() + (stated.first_head or 0) if len(counts) == 1 else None
    return replace(
        stated, source=source, common=Promise(), layers=tuple(layers), shape=Shape(heads=heads),
        notes=(), typed=None, towers=(), places={},
    )  # fmt: skip


def _model(findings: Sequence[Finding], capture: Capture, first_head: int) -> LayerModel:
    """Return the model of the heads of a layer."""
    explained = [finding for finding in findings if finding.explanation.explains]
    if not explained:
        return LayerModel(reason=NO_MODEL)
    changed = {part for finding in explained for part in finding.explanation.candidate.changes}
    if changed & WITHOUT_NUMBER:
        return LayerModel(reason=OTHER_MODEL)
    heads = _ExplainedHeads(explained, capture, first_head)
    first = heads.promised
    stated = {part for finding in explained for part in finding.comparable.stated} - changed
    # What the capture completed the promise with, PORT is promised by number.
    is_open = changed | first.unless_captured
    fitted: dict[str, Any] = {}
    if "multiplier" not in stated:
        m = heads.multiplier()
        if m is None:
            return LayerModel(reason=NO_MULTIPLIER)
        fitted |= {"multiplier": m, "form": ""}
    if "softcap" not in stated:
        fitted["softcap"] = heads.softcap()
    if "value_scale" not in stated:
        fitted["value_scale"] = heads.value_scale()
    is_fitted = bool(fitted)
    if first.sink in (None, LEARNED) or "sink" in is_open:
        captured = heads.captured_sinks()
        fitted["sink"] = heads.sinks() if captured is None else captured
        is_fitted |= captured is None and fitted["sink"] != NONE
    if first.mask is None or first.mask_varies or "mask" in changed:
        fitted |= heads.mask()
    if first.bias in (None, LEARNED) or "bias" in is_open:
        fitted["bias"] = heads.bias()
    promise = replace(first, is_complete=True, unless_captured=frozenset(), **fitted)
    return LayerModel(promise, is_fitted)


@dataclass(frozen=True)
class _ExplainedHeads:
    """The heads of a layer that a model explains, and what they share.

    Attributes:
        findings: The finding about each head.
        capture: Its tensors.
        first_head: The number in the model of the first captured head.
    """

    findings: Sequence[Finding]
    capture: Capture
    first_head: int = 0

    @property
    def promised(self) -> Promise:
        """What is promised of the layer by itself."""
        return self.findings[0].promise

    def multiplier(self) -> float | None:
        """Return m, as it may be written; None if no head shows it."""
        showing = [one for one in self.findings if "multiplier" not in one.explanation.silent]
        interval = _shared(showing, "multiplier")
        if interval is None or interval.value is None:
            return None
        m = usual(interval, self.findings[0].shape.d_k)
        if m is None or m != interval.value:
            return m
        return _root(interval) or plainest(interval)

    def softcap(self) -> float | str:
        """Return the cap, or that there is none."""
        capped = [one for one in self.findings if one.explanation.candidate.model.softcap]
        interval = _shared(capped, "softcap")
        return NONE if interval is None or interval.value is None else plainest(interval)

    def value_scale(self) -> float:
        """Return what the output is multiplied by."""
        scaled = [
            one for one in self.findings if "value_scale" in one.explanation.candidate.changes
        ]
        interval = _shared(scaled, "value_scale")
        return 1.0 if interval is None or interval.value is None else plainest(interval)

    def sinks(self) -> PromisedSink:
        """Return the sink of each head, or that there is none."""
        numbers: dict[int, float | None] = {}
        for finding in self.findings:
            number = finding.explanation.candidate.model.sink_logit
            numbers.setdefault(finding.id.head, number)
        if all(number is None for number in numbers.values()):
            return NONE
        return self._turned([numbers.get(head) for head in range(max(numbers) + 1)])

    def captured_sinks(self) -> PromisedSink:
        """Return the captured sink of each head; None if there are none, or no head has them."""
        models = [finding.explanation.candidate.model for finding in self.findings]
        first = self.findings[0]
        if "sink" not in first.shape.has or all(model.sink is None for model in models):
            return None
        assert first.reading is not None
        heads = [replace(first.id, head=head) for head in range(first.reading.dims.heads)]
        return self._turned([self.capture.read(head, [0], first.reading).sink for head in heads])

    def _turned(self, sinks: Sequence[float | None]) -> tuple[float | None, ...]:
        """Return the sinks of captured heads in the order of the heads of the model."""
        turn = self.first_head % len(sinks)
        return (*sinks[len(sinks) - turn :], *sinks[: len(sinks) - turn])

    def mask(self) -> dict[str, Any]:
        """Return the fields of a promise that state the mask; None for one that was captured."""
        rules: Counter[HeadMask] = Counter()
        for finding in self.findings:
            candidate = finding.explanation.candidate
            mask = replace(candidate.model.mask, hidden=None, packed=(), prefix=0)
            if mask.kind == "given":
                rules[_rule(finding, self.capture) or mask] += 1
            elif not (candidate.sees_all and mask.by_position):
                rules[mask] += 1
        ((mask, _),) = rules.most_common(1) or [(HeadMask("causal"), 1)]
        # Some sequences alone may have padding: no rule is promised then, and the mask is lent.
        if mask.inverted or any(rule.kind == "given" for rule in rules):
            return {"mask": None, "window": None, "chunk": None, "offset": None}
        rows = _few_rows(self.findings[0], self.capture)
        is_usual = not mask.by_position or mask.offset == corner(rows)
        return {
            "mask": mask.kind, "window": mask.window, "chunk": mask.chunk,
            "offset": None if is_usual else mask.offset, "mask_varies": False,
        }  # fmt: skip

    def bias(self) -> PromisedBias:
        """Return the bias: by position, the captured one, or none."""
        rules = [finding.explanation.candidate.model.bias for finding in self.findings]
        slopes = [rule for rule in rules if isinstance(rule, Alibi)]
        if len(slopes) == len(rules):
            return tuple(slopes)
        return LEARNED if any(one.comparable.has_bias for one in self.findings) else NONE


def _shared(findings: Sequence[Finding], part: Part) -> Interval | None:
    """Return the interval of a number that heads share, twice as wide; None if none shows it."""
    intervals = [
        estimate.at(SHOWN)
        for finding in findings
        if (estimate := finding.explanation.candidate.estimates.get(part)) is not None
    ]
    shared = together([one for one in intervals if one.value is not None])
    if shared.value is None or shared.low is None or shared.high is None:
        return None
    return Interval(shared.value, 2 * shared.low - shared.value, 2 * shared.high - shared.value)


def _holds(interval: Interval, value: float) -> bool:
    return (interval.low or 0.0) <= value <= (interval.high or 0.0)


def _root(interval: Interval) -> float | None:
    """Return 1/√a for the only whole number a that an interval leaves room for, or None."""
    low, high = interval.low or 0.0, interval.high or 0.0
    if low <= 0.0 or low**-2.0 - high**-2.0 > 0.5:
        return None
    a = round(high**-2.0 / 2 + low**-2.0 / 2)
    return a**-0.5 if a > 1 and _holds(interval, a**-0.5) else None


def plainest(interval: Interval) -> float:
    """Return the number of fewest digits in an interval, or its value if that has many.

    >>> plainest(Interval(49.87, 49.2, 50.5)), plainest(Interval(0.707113, 0.707110, 0.707116))
    (50.0, 0.707113)
    """
    value = interval.value or 0.0
    place = floor(log10(abs(value))) if value else 0
    for digits in range(DIGITS):
        number = round(value, digits - place)
        if _holds(interval, number):
            return number
    return value


def _few_rows(finding: Finding, capture: Capture) -> HeadRows:
    """Return the first row of a head with all of its keys."""
    return capture.read(finding.id, [0], finding.reading)


def _rule(finding: Finding, capture: Capture) -> HeadMask | None:
    """Return the rule that a captured mask follows, or None if it follows none of ours."""
    rows = capture.read(finding.id, finding.explanation.rows or None, finding.reading)
    if rows.seen is None:
        return None
    longest = int(rows.seen.sum(axis=1).max())
    offset = corner(rows)
    every = [HeadMask("none"), HeadMask("causal", offset), HeadMask("causal", 0)]
    if longest:
        every.append(HeadMask("window", offset, longest))
    return next((mask for mask in every if np.array_equal(mask.seen(rows), rows.seen)), None)
