"""The doctor at work: is each head what is promised, and if not, what is it?"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite

import numpy as np

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.not_finite import not_finite
from attn_tui.captures.readings import Reading
from attn_tui.compute.blas import one_thread
from attn_tui.compute.errors import InputError, Stop, Stopped, never
from attn_tui.compute.fit.comparison import LEVEL
from attn_tui.compute.fit.explain import Explanation, Reference, explain
from attn_tui.compute.fit.model import Look
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.text import first_few
from attn_tui.doctor.call import PromisedHead
from attn_tui.doctor.cause_search import searched
from attn_tui.doctor.contradiction import OTHER_WEIGHTS, contradicts
from attn_tui.doctor.difference import Judgement
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.names import misses, names, span
from attn_tui.doctor.promised_heads import PromisedHeads, is_answered, place_of
from attn_tui.doctor.report import DoctorReport, Settings
from attn_tui.doctor.verdict import common_masks
from attn_tui.files.models.promise import Expectation

_SEARCHED = 64
"""The most heads to search for causes, spread evenly over those that need it."""
KEPT = 2**24
"""Bytes that glibc keeps between heads instead of returning them to the system."""
OPEN = Judgement("cannot tell")
"""The judgement about a head before all heads are judged together."""


def examine(
    capture: Capture,
    expectation: Expectation | None,
    settings: Settings,
    stop: Stop = never,
    notes: tuple[str, ...] = (),
) -> Iterator[DoctorReport]:
    """Yield the report before the first head, and again after each head.

    Args:
        capture: The tensors.
        expectation: The expected model, or None.
        settings: Which heads to examine, and how many rows of each.
        stop: Called before each head; returns whether to end. An unfinished head is left out.
        notes: Further remarks for the report, in sentences.

    Raises:
        InputError: If there is no such head, if the expectation is for another model, or if a file
            can no longer be read.
    """
    started = time.monotonic()
    heads = PromisedHeads(capture, expectation, settings, stop)
    doctor = _Doctor(heads, settings)
    with one_thread(), np.errstate(all="ignore"):
        readings = heads.settle(_layers(capture, settings))
        heads.prepare(readings)
    chosen = _chosen(capture, settings, readings)
    heads.level = LEVEL / max(len(chosen), 1)
    report = DoctorReport(capture, expectation, settings, len(chosen), notes=notes)
    yield report
    # Once glibc has freed a block of this size, it keeps the memory of a head for the next one
    # instead of returning pages and fetching them again, which took a seventh of the time.
    np.empty(KEPT, np.uint8)
    findings: list[Finding] = []
    for head in chosen:
        try:
            # BLAS threads cost more than they save on matrices of this size.
            with one_thread(), np.errstate(all="ignore"):
                findings.append(doctor.head(head))
        except Stopped:
            yield replace(report, interrupted=True, elapsed=time.monotonic() - started)
            return
        seconds = time.monotonic() - started
        report = replace(report, examined=tuple(findings), elapsed=seconds)
        yield report
    try:
        with one_thread(), np.errstate(all="ignore"):
            compared = tuple(doctor.refuting(report.findings))
    except Stopped:
        return
    if any(finding.refutes for finding in compared):
        yield replace(report, examined=compared, elapsed=time.monotonic() - started)


def first_head(report: DoctorReport) -> PromisedHead:
    """Return the first head of a report that is complete, with the rows that were compared."""
    heads = PromisedHeads(report.capture, report.expectation, report.settings, never)
    with one_thread(), np.errstate(all="ignore"):
        readings = heads.settle(_layers(report.capture, report.settings))
        heads.prepare(readings)
        return heads.head(report.examined[0].id)


def _layers(capture: Capture, settings: Settings) -> tuple[int, ...]:
    """Return the layers to examine."""
    layers = capture.layers
    if settings.layer is not None and settings.layer not in layers:
        first = first_few(layers, 20)
        raise InputError("layer", f"there is no layer {settings.layer}", f"one of {first}")
    chosen = layers if settings.layer is None else (settings.layer,)
    if not any(is_answered(capture, layer) for layer in chosen):
        problem = "nothing that attention returned was captured with its values"
        raise InputError(
            "capture", problem, "q, k, v and out of a layer, or weights beside q and k"
        )
    return chosen


def _chosen(
    capture: Capture, settings: Settings, readings: Mapping[int, Reading]
) -> tuple[HeadId, ...]:
    """Return the heads to examine, layer by layer."""
    every = [
        HeadId(batch, layer, head)
        for layer, reading in readings.items()
        for batch in sorted({place.batch for place in capture.heads if place.layer == layer})
        for head in range(reading.dims.heads)
    ]
    chosen = tuple(place for place in every if settings.head in (None, place.head))
    if not chosen:
        most = max(place.head for place in every)
        raise InputError("head", f"there is no head {settings.head}", f"one from 0 to {most}")
    return chosen


class _Doctor:
    """Examines heads, each independently of the others.

    Args:
        heads: The heads.
        settings: How many causes are sought, and how long.
    """

    def __init__(self, heads: PromisedHeads, settings: Settings) -> None:
        self.heads, self.settings = heads, settings
        self.searches = 0
        self.named = 0
        self.look: dict[int, Look] = {}

    def head(self, id: HeadId) -> Finding:
        """Return the finding about a head."""
        self.heads.check_stop()
        reading, *tiled = self.heads.readings[id.layer]
        rows = self.heads.read(id, reading)
        head = self.heads.completed(id, rows, reading)
        reference = self.heads.reference(head)
        explanation = self._explanation(id, head, reference, reading)
        shape = self.heads.capture.shape(id, reading)
        kv_head = explanation.candidate.kv_head
        if explanation.explains and kv_head is not None:
            shape = replace(shape, kv_head=kv_head)
            same = (other for other in tiled if other.kv_head(id.head) == kv_head)
            reading = next(same, reading)
        comparable = head.comparable
        is_settled = explanation.passes or (explanation.explains and kv_head is None)
        if is_settled and contradicts(rows, explanation.candidate.model.value_scale):
            comparable = replace(comparable, obstacle=OTHER_WEIGHTS)
        finding = Finding(
            id, shape, self.heads.promise(id, rows.d_k), self.heads.call(id), comparable,
            explanation, OPEN, notes=(*self._notes(id, rows, reading, reference.format),),
            reading=reading, number=self.heads.number(id),
        )  # fmt: skip
        return self._named(finding, reference, rows)

    def refuting(self, findings: Sequence[Finding]) -> Iterator[Finding]:
        """Yield findings, with whether a head that agrees sees what others of a sequence hide.

        Padding is the same in all heads of a sequence and in all layers with the same keys.
        """
        masks = common_masks(findings)
        for finding in findings:
            common = masks.get(finding.sequence)
            if common is None or not finding.explanation.passes:
                yield finding
                continue
            self.heads.check_stop()
            head = self.heads.head(finding.id)
            reference = self.heads.reference(head)
            hiding = {part: getattr(common, part) for part in ("hidden", "packed", "prefix")}
            mask = replace(reference.model.mask, **hiding)
            model = replace(reference.model, mask=mask)
            other = explain(head.rows, replace(reference, model=model), search=False)
            yield replace(finding, refutes=not other.passes)

    def _explanation(
        self, id: HeadId, head: PromisedHead, reference: Reference, reading: Reading
    ) -> Explanation:
        """Return whether a head is as promised, or else what it is."""
        explanation = explain(head.rows, reference, search=False, look=self.look.get(id.layer))
        if explanation.look is not None:
            self.look = {id.layer: explanation.look}
        is_settled = explanation.passes or explanation.explains or explanation.problem
        if is_settled or not self._is_searching:
            return explanation
        self.searches += 1
        explanation = searched(self.heads, id, head, reference, reading, explanation)
        self.named += explanation.explains or explanation.suspect is not None
        return explanation

    @property
    def _is_searching(self) -> bool:
        """Whether the next head without an explanation is searched for its cause."""
        patience = self.settings.patience
        if patience is not None and not self.named and self.searches >= patience:
            return False
        return self.settings.search and self.searches < _SEARCHED

    def _notes(self, id: HeadId, rows: HeadRows, reading: Reading, stored: str) -> Iterator[str]:
        """Yield remarks on numbers of a head that are not finite, and on its format."""
        # All keys and values were read, and all rows of the output that are not finite.
        sizes = rows.largest
        finite = [part for part in ("k", "v") if part in sizes and isfinite(sizes[part])]
        if rows.output is not None and np.isfinite(rows.output).all():
            finite.append("out")
        if any(self.heads.capture.shape(id, reading).left_out):
            finite = []
        for odd in not_finite(self.heads.capture, id, reading, self.heads.stop, finite):
            yield f"{odd}."
        named = rows.formats.get("q", "float32")
        if stored != named:
            yield f"These are {named} tensors of {stored} values."

    def _named(self, finding: Finding, reference: Reference, rows: HeadRows) -> Finding:
        """Return a finding with the names of its multiplier, and mistakes that may explain it."""
        candidate = finding.explanation.candidate
        m = candidate.estimates.get("multiplier")
        if m is None or not finding.explanation.explains:
            return finding
        interval = span(m, reference.format, reference.confidence)
        place = place_of(finding.id, rows, self.heads.readings[finding.id.layer][0])
        if "multiplier" in candidate.changes:
            missed = misses(interval, finding.wanted, place, self.heads.expectation)
            named = names(interval, place, self.heads.expectation, other_than=finding.wanted)
            return replace(finding, names=named, misses=missed)
        form = finding.promise.form
        return replace(finding, names=names(interval, place, self.heads.expectation, form))
