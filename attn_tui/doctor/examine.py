"""The doctor at work: does the expected model explain each head?"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite

import numpy as np

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.not_finite import not_finite
from attn_tui.captures.readings import Dims, Reading
from attn_tui.compute.blas import one_thread
from attn_tui.compute.errors import InputError, Stopped
from attn_tui.compute.fit.explain import Explained, Question, explain
from attn_tui.compute.fit.masks import open_masks
from attn_tui.compute.fit.noise import coarsest
from attn_tui.compute.heads.head_model import LAWS, HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.text import first_few
from attn_tui.doctor.names import Place, Span, misses, names, span
from attn_tui.doctor.report import Finding, Report, Settings
from attn_tui.doctor.verdict import confidence, judge
from attn_tui.files.models.promise import ASSUMED, Expectation, Promise

Stop = Callable[[], bool]

_SEARCHED = 64
"""The most heads to search if nothing near the expected model fits, spread evenly over all."""
KEPT = 2**24
"""Bytes that glibc keeps between heads instead of returning them to the system."""
_TRIED = 2
"""The most heads of a layer to try when its axes can be read in several ways."""


def examine(
    capture: Capture,
    expectation: Expectation | None,
    settings: Settings,
    stop: Stop = lambda: False,
    notes: tuple[str, ...] = (),
) -> Iterator[Report]:
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
    chosen = _chosen(capture, settings, readings)
    doctor.level = confidence(len(chosen))
    places = np.linspace(0, len(chosen) - 1, min(len(chosen), _SEARCHED)).round()
    searched = {chosen[int(place)] for place in places}
    report = Report(capture, expectation, settings, len(chosen), notes=notes)
    yield report
    # Once glibc has freed a block of this size, it keeps the memory of a head for the next one
    # instead of returning pages and fetching them again, which took a seventh of the time.
    np.empty(KEPT, np.uint8)
    findings: list[Finding] = []
    for head in chosen:
        try:
            # BLAS threads cost more than they save on matrices of this size.
            with one_thread(), np.errstate(all="ignore"):
                findings.append(doctor.head(head, head in searched))
        except Stopped:
            yield replace(report, interrupted=True, elapsed=time.monotonic() - started)
            return
        seconds = time.monotonic() - started
        report = replace(report, examined=tuple(findings), elapsed=seconds)
        yield report


def _layers(capture: Capture, settings: Settings) -> tuple[int, ...]:
    """Return the layers to examine."""
    layers = capture.layers
    if settings.layer is not None and settings.layer not in layers:
        known = first_few(layers, 20)
        raise InputError("layer", f"there is no layer {settings.layer}", f"one of {known}")
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
        expectation: The expected model, or None.
        settings: How many rows of each head to use.
        stop: Called before each head; returns whether to end.

    Attributes:
        level: The confidence of the intervals that decide.
    """

    def __init__(
        self, capture: Capture, expectation: Expectation | None, settings: Settings, stop: Stop
    ) -> None:
        self.capture, self.expectation, self.stop = capture, expectation, stop
        self.settings, self.level = settings, confidence(1)
        self.readings: dict[int, list[Reading]] = {}

    def settle(self, layers: Sequence[int]) -> dict[int, Reading]:
        """Return the reading of each layer, chosen if the shapes of its tensors allow several.

        The expected model must explain the last or the first head under the reading.

        Raises:
            InputError: If the expectation is for another model.
        """
        chosen: dict[int, Reading] = {}
        known: Dims | None = None
        for layer in layers:
            every = self._of_model(layer)
            best = every[0]
            ways = [reading for reading in every if reading.kv_mapping == "grouped"]
            if len(ways) > 1 and _is_answered(self.capture, layer):
                ways.sort(key=lambda reading: reading.dims != known)
                best = next((reading for reading in ways if self._explained(layer, reading)), best)
                known = best.dims
            alike = [
                reading
                for reading in every
                if (reading.dims, reading.layouts) == (best.dims, best.layouts)
            ]
            self.readings[layer] = sorted(alike, key=lambda reading: reading is not best)
            chosen[layer] = best
        return chosen

    def _explained(self, layer: int, reading: Reading) -> bool:
        """Return whether the expected model explains the last or the first head under a reading."""
        last = reading.dims.heads - 1
        for number in [*dict.fromkeys((last, 0))][:_TRIED]:
            self._ask()
            place = HeadId(0, layer, number)
            head = self._read(place, reading)
            question = self._question(self._expected(place, head), head)
            known = explain(head, question, search=False)
            # A row that sees one key returns its value under any reading.
            keys = known.test.model.mask.seen(head).sum(axis=1)
            if known.explains and keys.max() > 1:
                return True
        return False

    def _of_model(self, layer: int) -> list[Reading]:
        """Return the readings of a layer that fit the expected model."""
        every = self.capture.readings(layer)
        if self.expectation is None:
            return [*every]
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
        assert self.expectation is not None
        d_k = reading.dims.d_k
        smaller = [size for size in self.expectation.shape.d_k if size < d_k]
        if not smaller or d_k in self.expectation.shape.d_k:
            return d_k
        head = self.capture.read(HeadId(0, layer, 0), [0], reading)
        length = max(smaller)
        padded = not (head.queries[:, length:].any() or head.keys[:, length:].any())
        return length if padded else d_k

    def head(self, id: HeadId, searched: bool = True) -> Finding:
        """Return the finding about a head.

        Args:
            id: The head.
            searched: Whether to search further if nothing near the expected model fits.
        """
        self._ask()
        reading, *tiled = self.readings[id.layer]
        shape = self.capture.shape(id, reading)
        captured = self._read(id, reading)
        expected = self._expected(id, captured)
        # A captured mask that is the same for all queries tells which keys are padding; whether the
        # kernel is also causal, the expectation tells, or else the output.
        causal_too = masked_twice(captured, expected)
        candidates = [causal_too]
        if causal_too is not captured and not (expected and expected.mask):
            candidates = [captured, causal_too]
        answers: list[tuple[Question, Explained]] = []
        for rows in candidates:
            question = self._question(expected, rows)
            others = partial(self._others, id, rows, reading)
            known = explain(rows, question, others, searched)
            answers.append((question, known))
            if known.explains and not known.test.changes:
                break
        else:
            question, known = answers[0]
        if known.explains and known.test.kv_head is not None:
            shape = replace(shape, kv_head=known.test.kv_head)
            same = (other for other in tiled if other.kv_head(id.head) == shape.kv_head)
            reading = next(same, reading)
        # A fit reads all keys and values, but not all queries and outputs.
        sizes = captured.largest
        finite = [part for part in ("k", "v") if part in sizes and isfinite(sizes[part])]
        odd = not_finite(self.capture, id, reading, self.stop, finite)
        notes = [*known.notes, *(f"{numbers}." for numbers in odd)]
        named = captured.formats.get("q", "float32")
        if question.format != named:
            notes.append(f"These are {named} tensors of {question.format} values.")
        judged = judge(known, question.said)
        finding = Finding(id, shape, expected, known, judged, notes=tuple(notes), reading=reading)
        m = known.test.estimates.get("multiplier")
        if m is None or not known.explains:
            return finding
        # At the verdict's level of confidence, so that many heads with one m get the same name.
        near: Span = span(m, question.format, self.level)
        place = Place(shape.d_k, id.layer, self.readings[id.layer][0].dims.heads)
        model = self.expectation or ASSUMED
        if "multiplier" in known.test.changes:
            missed = misses(near, finding.wanted, place, model)
            return replace(finding, names=names(near, place, model), misses=missed)
        return replace(finding, names=names(near, place, model, expected.form if expected else ""))

    def _others(
        self, id: HeadId, head: HeadRows, reading: Reading
    ) -> Iterator[tuple[int, HeadRows]]:
        """Yield the head with the keys and values of each other KV head, by its number."""
        own = reading.kv_head(id.head)
        firsts: dict[int, int] = {}
        for number in range(reading.dims.heads):
            firsts.setdefault(reading.kv_head(number), number)
        for kv_head, number in firsts.items():
            if kv_head != own:
                self._ask()
                other = self._read(replace(id, head=number), reading)
                yield kv_head, replace(head, keys=other.keys, values=other.values)

    def _read(self, id: HeadId, reading: Reading) -> HeadRows:
        n_queries = self.capture.shape(id, reading).n_queries
        return self.capture.read(id, sampled(n_queries, self.settings), reading)

    def _expected(self, id: HeadId, head: HeadRows) -> Promise | None:
        if self.expectation is None:
            return None
        return self.expectation.of(id.layer, head.d_k, head.sink)

    def _question(self, expected: Promise | None, head: HeadRows) -> Question:
        """Return the question about a head; a captured mask is part of the expected model."""
        stored = coarsest(head.queries, head.formats.get("q", "float32"))
        stated = frozenset() if expected is None else expected.said
        model = HeadModel(head.d_k**-0.5) if expected is None else expected.model(head)
        if expected is None:
            model = replace(model, mask=open_masks(replace(head, seen=None))[0])
        if head.seen is not None:
            model, stated = replace(model, mask=HeadMask("given")), stated | {"mask"}
        laws = LAWS if self.expectation is None else self.expectation.laws
        tf32 = self.settings.tf32 or self.capture.config.get("tf32") in (True, "true")
        return Question(model, stated, self.level, laws, tf32, stored)

    def _ask(self) -> None:
        if self.stop():
            raise Stopped


def masked_twice(head: HeadRows, expected: Promise | None) -> HeadRows:
    """Return the head; if its captured mask hides padding alone, with the expected mask added."""
    if head.seen is None or len(head.rows) < 2 or (head.seen != head.seen[:1]).any():
        return head
    by_position = (expected or Promise(mask="causal")).head_mask(head)
    return replace(head, seen=head.seen & by_position.seen(head))


def sampled(n_queries: int, settings: Settings) -> tuple[int, ...]:
    """Return which rows to use: the first, the last and others drawn with the seed.

    >>> sampled(4, Settings(rows=8)), len(sampled(1000, Settings(rows=8)))
    ((0, 1, 2, 3), 8)
    """
    if n_queries <= settings.rows:
        return tuple(range(n_queries))
    ends = {n_queries - 1} if settings.rows == 1 else {0, n_queries - 1}
    rng = np.random.default_rng(settings.seed)
    between = rng.choice(np.arange(1, n_queries - 1), settings.rows - len(ends), replace=False)
    return tuple(sorted({*ends, *between.tolist()}))
