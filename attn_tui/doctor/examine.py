"""The doctor at work: is each head what is promised, and if not, what is it?"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite

import numpy as np

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.not_finite import not_finite, odd_rows
from attn_tui.captures.readings import Dims, Reading
from attn_tui.compute.blas import one_thread
from attn_tui.compute.errors import InputError, Stop, Stopped, never
from attn_tui.compute.fit.comparison import LEVEL
from attn_tui.compute.fit.explain import Explanation, Reference, explain
from attn_tui.compute.fit.model import FITS, Look, Suspect, Variant
from attn_tui.compute.fit.noise import coarsest
from attn_tui.compute.heads.head_model import LAWS
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.text import first_few
from attn_tui.doctor.across import MOST_HEADS, MOST_NUMBERS, across_heads
from attn_tui.doctor.call import PromisedHead, promised_head, slope_mistakes
from attn_tui.doctor.contradiction import OTHER_WEIGHTS, contradicts
from attn_tui.doctor.difference import Judgement
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.names import HeadPlace, misses, mistakes, names, span
from attn_tui.doctor.padding import Padding, is_one_row, left_out, paddings
from attn_tui.doctor.report import DoctorReport, Settings
from attn_tui.doctor.variants import variants
from attn_tui.doctor.verdict import common_masks
from attn_tui.files.models.opening import calls_of
from attn_tui.files.models.promise import NOTHING_EXPECTED, Expectation, Promise

_SEARCHED = 64
"""The most heads to search for causes, spread evenly over those that need it."""
KEPT = 2**24
"""Bytes that glibc keeps between heads instead of returning them to the system."""
_TRIED = 2
"""The most heads of a layer to try when its axes can be read in several ways."""
IN_FULL = 2**19
"""Every row is compared in heads with at most this many scores."""
SOME_ROWS = 32
"""How many rows are compared in larger heads."""
MOST_ODD = 8
"""The most rows with NaN or infinity that are compared beside these."""
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
    doctor = _Doctor(capture, expectation, settings, stop)
    with one_thread(), np.errstate(all="ignore"):
        readings = doctor.settle(_layers(capture, settings))
        doctor.prepare(readings)
    chosen = _chosen(capture, settings, readings)
    doctor.level = LEVEL / max(len(chosen), 1)
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
    doctor = _Doctor(report.capture, report.expectation, report.settings, never)
    with one_thread(), np.errstate(all="ignore"):
        readings = doctor.settle(_layers(report.capture, report.settings))
        doctor.prepare(readings)
        return doctor.promised_head(report.examined[0].id)


def _layers(capture: Capture, settings: Settings) -> tuple[int, ...]:
    """Return the layers to examine."""
    layers = capture.layers
    if settings.layer is not None and settings.layer not in layers:
        first = first_few(layers, 20)
        raise InputError("layer", f"there is no layer {settings.layer}", f"one of {first}")
    chosen = layers if settings.layer is None else (settings.layer,)
    if not any(_is_answered(capture, layer) for layer in chosen):
        problem = "nothing that attention returned was captured with its values"
        raise InputError(
            "capture", problem, "q, k, v and out of a layer, or weights beside q and k"
        )
    return chosen


def _is_answered(capture: Capture, layer: int) -> bool:
    """Return whether a layer has the tensors that a fit needs."""
    there = {*capture.tensors(layer)}
    return "weights" in there or {"out", "v"} <= there


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
        capture: The tensors.
        expectation: What is promised of the model, or None.
        settings: How many rows of each head to use.
        stop: Called before each head; returns whether to end.

    Attributes:
        level: The share of honest heads that may be taken for wrong ones.
    """

    def __init__(
        self, capture: Capture, expectation: Expectation | None, settings: Settings, stop: Stop
    ) -> None:
        self.capture, self.stop, self.settings = capture, stop, settings
        self.expectation = expectation or NOTHING_EXPECTED
        self.level = LEVEL
        self.readings: dict[int, list[Reading]] = {}
        self.calls = calls_of(capture)
        self.paddings: dict[tuple[int, int], Padding] = {}
        self.searches = 0
        self.named = 0
        self.look: dict[int, Look] = {}
        self.last: dict[object, HeadRows] = {}

    def prepare(self, readings: Mapping[int, Reading]) -> None:
        """Look in all layers for padding and packed texts."""

        def promised(id: HeadId, rows: HeadRows) -> HeadMask | None:
            promise = self._promise(id, rows.d_k)
            if promise.mask is None or promise.mask_varies:
                return None
            return promise.head_mask(rows)

        self.paddings = paddings(self.capture, readings, promised)

    def settle(self, layers: Sequence[int]) -> dict[int, Reading]:
        """Return the reading of each layer, chosen if the shapes of its tensors allow several.

        The expected model must explain the last or the first head under the reading.

        Raises:
            InputError: If the expectation is for another model.
        """
        chosen: dict[int, Reading] = {}
        latest: Dims | None = None
        for layer in layers:
            every = self._of_model(layer)
            best = every[0]
            ways = [reading for reading in every if reading.kv_mapping == "grouped"]
            if len(ways) > 1 and _is_answered(self.capture, layer):
                ways.sort(key=lambda reading: reading.dims != latest)
                best = next((reading for reading in ways if self._explained(layer, reading)), best)
                latest = best.dims
            alike = [
                reading
                for reading in every
                if (reading.dims, reading.layouts) == (best.dims, best.layouts)
            ]
            self.readings[layer] = sorted(alike, key=lambda reading: reading is not best)
            chosen[layer] = best
        return chosen

    def _explained(self, layer: int, reading: Reading) -> bool:
        """Return whether the promised model explains the last or the first head under a reading."""
        last = reading.dims.heads - 1
        for number in [*dict.fromkeys((last, 0))][:_TRIED]:
            self._ask()
            place = HeadId(0, layer, number)
            rows = self.capture.read(place, self._sampled(place, reading), reading)
            head = self._completed(place, rows, reading)
            explanation = explain(head.rows, self._reference(head), search=False)
            # A row that sees one key returns its value under any reading.
            keys = explanation.candidate.model.mask.seen(head.rows).sum(axis=1)
            if explanation.explains and keys.max() > 1:
                return True
        return False

    def _of_model(self, layer: int) -> list[Reading]:
        """Return the readings of a layer that fit the expected model."""
        every = self.capture.readings(layer)
        kept, refused = [], None
        for reading in every:
            try:
                d_k = self._unpadded(layer, reading)
                self.expectation.check([layer], reading.dims.heads, {d_k}, reading.dims.kv_heads)
                kept.append(reading)
            except InputError as error:
                refused = refused or error
        if refused and not kept:
            raise refused
        return kept

    def _unpadded(self, layer: int, reading: Reading) -> int:
        """Return d_k without padding zeros, if the model has a smaller one."""
        d_k = reading.dims.d_k
        smaller = [size for size in self.expectation.shape.d_k if size < d_k]
        if not smaller or d_k in self.expectation.shape.d_k:
            return d_k
        head = self.capture.read(HeadId(0, layer, 0), [0], reading)
        length = max(smaller)
        padded = not (head.queries[:, length:].any() or head.keys[:, length:].any())
        return length if padded else d_k

    def promised_head(self, id: HeadId) -> PromisedHead:
        """Return the rows of a head that are compared, with their promise completed."""
        reading = self.readings[id.layer][0]
        return self._completed(id, self._read(id, reading), reading)

    def head(self, id: HeadId) -> Finding:
        """Return the finding about a head."""
        self._ask()
        reading, *tiled = self.readings[id.layer]
        rows = self._read(id, reading)
        head = self._completed(id, rows, reading)
        reference = self._reference(head)
        explanation = self._explanation(id, head, reference, reading)
        shape = self.capture.shape(id, reading)
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
            id, shape, self._promise(id, rows.d_k), self._call(id), comparable, explanation,
            OPEN, notes=(*self._notes(id, rows, reading, reference.format),), reading=reading,
            number=self._number(id),
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
            self._ask()
            head = self.promised_head(finding.id)
            reference = self._reference(head)
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
        explanation = self._searched(id, head, reference, reading, explanation)
        self.named += explanation.explains or explanation.suspect is not None
        return explanation

    @property
    def _is_searching(self) -> bool:
        """Whether the next head without an explanation is searched for its cause."""
        patience = self.settings.patience
        if patience is not None and not self.named and self.searches >= patience:
            return False
        return self.settings.search and self.searches < _SEARCHED

    def _searched(
        self,
        id: HeadId,
        head: PromisedHead,
        reference: Reference,
        reading: Reading,
        explanation: Explanation,
    ) -> Explanation:
        """Return the explanation of a head that is not as promised, after a search for causes."""
        if "multiplier" in head.comparable.stated:
            other_head = self._other_head(id, head.rows, reading)
            together = other_head or self._across(id, head, reading)
            if together is not None:
                return replace(explanation, suspect=together)
        mistakes = [*self._variants(id, head, reading)]
        others = partial(self._others, id, head.rows, reading)
        return explain(head.rows, reference, others, True, head.calls, mistakes)

    def _other_head(self, id: HeadId, head: HeadRows, reading: Reading) -> Suspect | None:
        """Return that a head has the output that another of its layer is promised, or None."""
        heads = reading.dims.heads
        if head.output is None or head.values is None:
            return None
        for by in range(1, heads):
            self._ask()
            number = (id.head + by) % heads
            place = replace(id, head=number)
            other = self.capture.read(place, [int(row) for row in head.rows], reading)
            swapped = self._completed(place, replace(other, output=head.output), reading)
            if not explain(swapped.rows, self._reference(swapped), search=False).passes:
                continue
            called = {1: "the next head", heads - 1: "the head before"}.get(by, f"head {number}")
            return Suspect(f"the output is that of {called}", FITS)
        return None

    def _across(self, id: HeadId, head: PromisedHead, reading: Reading) -> Suspect | None:
        """Return what was done to all heads of a layer together, or None."""
        rows, heads = head.rows, reading.dims.heads
        is_small = heads * rows.n_queries * rows.n_keys <= MOST_NUMBERS and heads <= MOST_HEADS
        if not is_small or len(rows.rows) < rows.n_queries or rows.values is None:
            return None
        every = []
        for number in range(heads):
            self._ask()
            place = replace(id, head=number)
            every.append(self._completed(place, self.capture.read(place, None, reading), reading))

        def passes(other: PromisedHead) -> bool:
            return explain(other.rows, self._reference(other), search=False).passes

        return across_heads(every, id.head, passes)

    def _variants(self, id: HeadId, head: PromisedHead, reading: Reading) -> Iterator[Variant]:
        """Yield the models that common mistakes make of the promise of a head."""
        place = _place(id, head.rows, reading)
        if "multiplier" in head.comparable.stated:
            sinks = self._sinks(id, reading)
            slopes = [*slope_mistakes(self._promise(id, place.d_k), self._number(id), place.d_k)]
            yield from variants(head.comparable.model, place, self.expectation, sinks, slopes)

    def _sinks(self, id: HeadId, reading: Reading) -> list[float | None]:
        """Return the captured sinks of the heads of a layer; empty without any."""
        if "sink" not in self.capture.tensors(id.layer):
            return []
        heads = (replace(id, head=number) for number in range(reading.dims.heads))
        return [self.capture.read(head, [0], reading).sink for head in heads]

    def _notes(self, id: HeadId, rows: HeadRows, reading: Reading, stored: str) -> Iterator[str]:
        """Yield remarks on numbers of a head that are not finite, and on its format."""
        # All keys and values were read, and all rows of the output that are not finite.
        sizes = rows.largest
        finite = [part for part in ("k", "v") if part in sizes and isfinite(sizes[part])]
        if rows.output is not None and np.isfinite(rows.output).all():
            finite.append("out")
        if any(self.capture.shape(id, reading).left_out):
            finite = []
        for odd in not_finite(self.capture, id, reading, self.stop, finite):
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
        place = _place(finding.id, rows, self.readings[finding.id.layer][0])
        if "multiplier" in candidate.changes:
            missed = misses(interval, finding.wanted, place, self.expectation)
            named = names(interval, place, self.expectation, other_than=finding.wanted)
            return replace(finding, names=named, misses=missed)
        form = finding.promise.form
        return replace(finding, names=names(interval, place, self.expectation, form))

    def _others(
        self, id: HeadId, head: HeadRows, reading: Reading
    ) -> Iterator[tuple[int, HeadRows]]:
        """Yield the head with the keys and values of each other KV head, by its number."""
        expected = reading.kv_head(id.head)
        firsts: dict[int, int] = {}
        for number in range(reading.dims.heads):
            firsts.setdefault(reading.kv_head(number), number)
        for kv_head, number in firsts.items():
            if kv_head != expected:
                self._ask()
                other = self._read(replace(id, head=number), reading)
                yield kv_head, replace(head, keys=other.keys, values=other.values)

    def _read(self, id: HeadId, reading: Reading) -> HeadRows:
        """Return the rows of a head that are compared, with those that hold NaN."""
        rows = self._sampled(id, reading)
        if len(rows) < self.capture.shape(id, reading).n_queries:
            odd = odd_rows(self.capture, id, reading, MOST_ODD)
            rows = tuple(sorted({*rows, *odd}))
        # Heads that share keys and values follow each other.
        place = (id.batch, id.layer, reading.kv_head(id.head), reading)
        neighbour = self.last.get(place)
        self.last = {place: self.capture.read(id, rows, reading, neighbour)}
        return self.last[place]

    def _sampled(self, id: HeadId, reading: Reading) -> tuple[int, ...]:
        """Return which rows of a head to compare."""
        shape = self.capture.shape(id, reading)
        turn = (id.head + self.settings.seed) / max(reading.dims.heads, 1)
        return sampled(shape.n_queries, shape.n_keys, self.settings.rows, turn)

    def _promise(self, id: HeadId, d_k: int) -> Promise:
        return self.expectation.of(id.layer, d_k)

    def _call(self, id: HeadId) -> Promise:
        return self.calls.get(id.layer, Promise())

    def _completed(self, id: HeadId, rows: HeadRows, reading: Reading) -> PromisedHead:
        """Return a head with its promise completed, and how its call differs."""
        padding = self.paddings.get((id.batch, rows.n_keys), Padding())
        one_row = is_one_row(self.capture, replace(id, head=0), reading)
        promise = self._promise(id, rows.d_k)
        place = _place(id, rows, reading)
        usual = [*mistakes(promise.multiplier or 1.0, place, self.expectation)]
        number = self._number(id)
        head = promised_head(promise, self._call(id), rows, number, padding, one_row, usual)
        phrases = (
            *self._some_heads(id, reading),
            *left_out(self.capture.shape(id, reading)),
            *head.comparable.completions,
        )
        return replace(head, comparable=replace(head.comparable, completions=phrases))

    def _number(self, id: HeadId) -> int:
        """Return the number of a head in its model, of which the capture may have some heads."""
        return id.head + (self.expectation.first_head or 0)

    def _some_heads(self, id: HeadId, reading: Reading) -> Iterator[str]:
        """Yield which heads of a model were captured, if they are some of them."""
        first, every = self.expectation.first_head, self.expectation.tower(id.layer).shape.heads
        if first is not None and every is not None and reading.dims.heads < every:
            last = first + reading.dims.heads - 1
            yield f"heads {first:,}–{last:,} of {every:,}, as `first_head` says"

    def _reference(self, head: PromisedHead) -> Reference:
        """Return the model that a head is compared with."""
        rows = head.rows
        stored = coarsest(rows.queries, rows.formats.get("q", "float32"))
        tf32 = self.settings.tf32 or self.capture.config.get("tf32") in (True, "true")
        laws = self.expectation.laws or LAWS
        return Reference(
            head.comparable.model, head.comparable.stated, self.level, laws, tf32, stored
        )

    def _ask(self) -> None:
        if self.stop():
            raise Stopped


def _place(id: HeadId, rows: HeadRows, reading: Reading) -> HeadPlace:
    """Return the place of the multiplier of a head in its model."""
    is_padded = not (rows.queries[:, -1:].any() or rows.keys[:, -1:].any())
    dims = reading.dims
    return HeadPlace(
        rows.d_k, id.layer, dims.heads, id.head, dims.kv_heads, is_padded, dims.d_v, rows.n_keys
    )


def sampled(n_queries: int, n_keys: int, rows: int | None, turn: float) -> tuple[int, ...]:
    """Return which rows of a head to compare: all, or the first, the last and others between.

    Heads take other rows each, so that together they see most of a sequence.

    Args:
        n_queries: How many queries the head has.
        n_keys: How many keys it has.
        rows: How many rows are asked for; None for all of a head that is not large.
        turn: The place of the head among those of its layer, as a share; its fraction counts.

    >>> sampled(4, 4, None, 0.0), len(sampled(1000, 1000, None, 0.5))
    ((0, 1, 2, 3), 32)
    """
    if rows is None:
        rows = n_queries if n_queries * n_keys <= IN_FULL else SOME_ROWS
    if n_queries <= rows:
        return tuple(range(n_queries))
    if rows < 3:
        return (0, n_queries - 1)[-rows:]
    step = (n_queries - 2) / (rows - 2)
    between = 1 + np.floor(step * (np.arange(rows - 2) + turn % 1.0)).astype(int)
    return (0, *(int(row) for row in between), n_queries - 1)
