"""The doctor at work: head after head, each first with what its neighbours have."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.not_finite import not_finite
from attn_tui.captures.readings import Dims, Reading
from attn_tui.compute.blas import one_thread
from attn_tui.compute.errors import InputError, Stopped
from attn_tui.compute.fit.diagnose import diagnose, nothing
from attn_tui.compute.fit.diagnosis import Diagnosis
from attn_tui.compute.fit.neighbours import Neighbours, Way
from attn_tui.compute.fit.noise import coarsest
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.doctor.beside import contradictions
from attn_tui.doctor.names import Miss, Place, misses, names
from attn_tui.doctor.report import Finding, Report, Settings
from attn_tui.doctor.start import start_of
from attn_tui.doctor.suspects import cleared, suspects
from attn_tui.doctor.verdict import confidence, judge, span
from attn_tui.files.models.expected import ASSUMED, Expectation, Expected

Stop = Callable[[], bool]

_VAIN = 3
"""After so many searches in a row that found nothing, heads are not searched."""
_ANSWERS = frozenset({"out", "scores", "weights", "lse"})


def examine(
    capture: Capture,
    expectation: Expectation | None,
    settings: Settings,
    stop: Stop = lambda: False,
) -> Iterator[Report]:
    """Yield what is known before the first head, and after each.

    Args:
        capture: The tensors.
        expectation: What they should be, or nothing.
        settings: Which heads, and how many rows of each.
        stop: Asked before each fit whether to end; a head that is not done is left out.

    Raises:
        InputError: If there is no such head, the expectation is of another model, or a file cannot
            be read any more.
    """
    started = time.monotonic()
    doctor = _Doctor(capture, expectation, settings, stop)
    with one_thread(), np.errstate(all="ignore"):
        readings = doctor.settle(_layers(capture, settings))
    chosen = _chosen(capture, settings, readings)
    doctor.level = confidence(len(chosen))
    report = Report(capture, expectation, settings, len(chosen))
    yield report
    for head in chosen:
        try:
            # Threads of BLAS cost more than they save on matrices of a head's size.
            with one_thread(), np.errstate(all="ignore"):
                findings = cleared((*report.findings, doctor.see(head)), head.layer)
        except Stopped:
            yield replace(report, interrupted=True, elapsed=time.monotonic() - started)
            return
        report = replace(report, findings=findings, elapsed=time.monotonic() - started)
        yield report


def _layers(capture: Capture, settings: Settings) -> tuple[int, ...]:
    """Return the layers that are to be examined."""
    layers = capture.layers
    if settings.layer is not None and settings.layer not in layers:
        known = ", ".join(map(str, layers[:20])) + ", …" * (len(layers) > 20)
        raise InputError("layer", f"there is no layer {settings.layer}", f"one of {known}")
    chosen = layers if settings.layer is None else (settings.layer,)
    lacking = [_lacking(capture, layer) for layer in chosen]
    if all(lacking):
        problem, expected = next(filter(None, lacking))
        raise InputError("capture", problem, expected)
    return chosen


def _lacking(capture: Capture, layer: int) -> tuple[str, str] | None:
    """Return what a layer lacks that a fit needs, and what is expected instead, if it does."""
    there = {*capture.tensors(layer)} & _ANSWERS
    if there == {"out"} and "v" not in capture.tensors(layer):
        expected = "q, k, v and out, or scores, weights or lse beside q and k"
        return f"{layer}.v is missing", expected
    if not there:
        expected = f"{layer}.out beside q, k and v, or scores, weights or lse"
        return f"layer {layer} has nothing that attention returned", expected
    return None


def _chosen(
    capture: Capture, settings: Settings, readings: Mapping[int, Reading]
) -> tuple[HeadId, ...]:
    """Return the heads that are to be examined, layer by layer."""
    every = [
        HeadId(batch, layer, head)
        for layer, reading in readings.items()
        for batch in sorted({each.batch for each in capture.heads if each.layer == layer})
        for head in range(reading.dims.heads)
    ]
    chosen = tuple(each for each in every if settings.head in (None, each.head))
    if not chosen:
        most = max(each.head for each in every)
        raise InputError("head", f"there is no head {settings.head}", f"one from 0 to {most}")
    return chosen


class _Doctor:
    """Examines heads, and remembers what their neighbours had.

    Args:
        capture: The tensors.
        expectation: What they should be, or nothing.
        settings: How many rows of each.
        stop: Asked before each fit.

    Attributes:
        level: The confidence of the intervals that decide.
    """

    def __init__(
        self, capture: Capture, expectation: Expectation | None, settings: Settings, stop: Stop
    ) -> None:
        self.capture, self.expectation, self.stop = capture, expectation, stop
        self.settings, self.level = settings, confidence(1)
        self.readings: dict[int, list[Reading]] = {}
        self.neighbours = Neighbours(_VAIN, self._ask)

    def settle(self, layers: Sequence[int]) -> dict[int, Reading]:
        """Choose what the axes of each layer are, where its shapes leave that open.

        What fits the first head of a layer is taken for the others, if their shapes allow it.

        Raises:
            InputError: If the expectation is of another model.
        """
        chosen: dict[int, Reading] = {}
        fitted: Dims | None = None
        for layer in layers:
            every = self._of_model(layer)
            dims = dict.fromkeys(each.dims for each in every)
            if len(dims) > 1 and fitted not in dims:
                for each in every if not _lacking(self.capture, layer) else ():
                    warm = self._warm(HeadId(0, layer, 0), each)
                    # Rows that see one key have its value however the axes are read.
                    if warm.fits and warm.keys[1] > 1:
                        fitted = each.dims
                        break
            taken = fitted if fitted in dims else every[0].dims
            self.readings[layer] = [each for each in every if each.dims == taken]
            chosen[layer] = self.readings[layer][0]
        return chosen

    def _of_model(self, layer: int) -> list[Reading]:
        """Return the readings of a layer that fit the model that is expected."""
        every = self.capture.readings(layer)
        if self.expectation is None:
            return [*every]
        kept, refused = [], None
        for each in every:
            try:
                d_k = self._unpadded(layer, each)
                self.expectation.check([layer], each.dims.heads, {d_k}, each.dims.kv_heads)
                kept.append(each)
            except InputError as error:
                refused = refused or error
        if refused and not kept:
            raise refused
        return kept

    def _unpadded(self, layer: int, reading: Reading) -> int:
        """Return d_k without zeros at the end, where the model says that it is less."""
        assert self.expectation is not None
        d_k = reading.dims.d_k
        smaller = [each for each in self.expectation.shape.d_k if each < d_k]
        if not smaller or d_k in self.expectation.shape.d_k:
            return d_k
        head = self.capture.read(HeadId(0, layer, 0), [0], reading)
        length = max(smaller)
        padded = not (head.queries[:, length:].any() or head.keys[:, length:].any())
        return length if padded else d_k

    def _warm(self, id: HeadId, reading: Reading) -> Diagnosis:
        n_queries = self.capture.shape(id, reading).n_queries
        head = self.capture.read(id, sampled(n_queries, self.settings), reading)
        return diagnose(head, start=self._start(id, head), deep=False)

    def see(self, id: HeadId) -> Finding:
        """Return what is to be said of a head."""
        capture = self.capture
        shape = capture.shape(id, self.readings[id.layer][0])
        if lacking := _lacking(capture, id.layer):
            found = nothing(lacking[0])
            return Finding(id, shape, None, found, judge(found, None, self.level))
        rows = sampled(shape.n_queries, self.settings)
        found, head, reading = self._fit(id, rows)
        odd = [f"{each}." for each in not_finite(capture, id, reading, self.stop)]
        self._ask()
        found = replace(found, notes=(*found.notes, *odd))
        shape = capture.shape(id, reading)
        expected = self._expected(id, head)
        if denied := "; ".join(contradictions(head, found)):
            unknown = (*found.undetermined, ("multiplier", denied))
            found = replace(found, multiplier=None, undetermined=unknown)
        masks = () if expected is None else alike(head, found, expected)
        named = head.formats.get("q", "float32")
        stored = coarsest(head.queries, named)
        if stored != named:
            found = replace(
                found, notes=(*found.notes, f"These are {named} tensors of {stored} values.")
            )
        judgement = judge(found, expected, self.level, stored, masks)
        if expected is not None and found.fits and shape.kv_head != reading.grouped(id.head):
            differs = (*judgement.differs, "kv_head")
            judgement = replace(judgement, verdict="differs", differs=differs)
        model = self.expectation or ASSUMED
        heads = reading.dims.heads
        place = Place(shape.d_k, id.layer, heads, shape.n_keys)
        called: tuple[str, ...] = ()
        missed: tuple[Miss, ...] = ()
        if found.multiplier is not None:
            # As sure as a verdict: of many heads with one m all are to be called alike.
            near = span(found.multiplier, stored, self.level)
            is_other = "multiplier" in judgement.differs
            meant = expected.form if expected and not is_other else ""
            called = names(near, place, model, meant)
            if is_other and expected and expected.multiplier:
                missed = misses(near, expected.multiplier, place, model)
        placed = head.positions is None and head.n_queries != head.n_keys
        return Finding(id, shape, expected, found, judgement, called, missed, placed, reading)

    def _expected(self, id: HeadId, head: HeadRows) -> Expected | None:
        if self.expectation is None:
            return None
        expected = self.expectation.of(id.layer, head.d_k, head.sink)
        by_position = expected.mask in ("causal", "window")
        return replace(expected, offset=corner(head)) if by_position else expected

    def _fit(self, id: HeadId, rows: Sequence[int]) -> tuple[Diagnosis, HeadRows, Reading]:
        """Return what is found of a head, with the rows and the reading it was found by."""
        readings = self.readings[id.layer]
        fitted = self.neighbours.fit(
            [
                Way(each.kind, partial(self.capture.read, id, rows, each), partial(self._start, id))
                for each in readings
            ]
        )
        self._ask()
        found, head, reading = fitted.diagnosis, fitted.rows, readings[fitted.way]
        if found.fits or not found.used:
            return found, head, reading
        if not fitted.searched:
            note = f"Only a few fits were tried, since nothing fitted the {_VAIN} heads before."
            found = replace(found, notes=(*found.notes, note))
        elif found.culprit is None:
            ways = {(each.layouts, each.kv_mapping) for each in self.capture.readings(id.layer)}
            found = replace(found, suspects=(*suspects(head, len(ways)), *found.suspects))
        return found, head, reading

    def _start(self, id: HeadId, head: HeadRows) -> Diagnosis:
        """Return what a head is expected to have, or else what most have."""
        return start_of(self._expected(id, head) or Expected(head.d_k**-0.5, mask="causal"), head)

    def _ask(self) -> None:
        if self.stop():
            raise Stopped


def sampled(n_queries: int, settings: Settings) -> tuple[int, ...]:
    """Return the rows that are used of so many: the first, the last and others, drawn by the seed.

    >>> sampled(4, Settings(rows=8)), len(sampled(1000, Settings(rows=8)))
    ((0, 1, 2, 3), 8)
    """
    if n_queries <= settings.rows:
        return tuple(range(n_queries))
    ends = {n_queries - 1} if settings.rows == 1 else {0, n_queries - 1}
    rng = np.random.default_rng(settings.seed)
    between = rng.choice(np.arange(1, n_queries - 1), settings.rows - len(ends), replace=False)
    return tuple(sorted({*ends, *between.tolist()}))


def corner(head: HeadRows) -> int | None:
    """Return the key that query 0 stands at if the last query stands at the last key.

    None is as many queries as keys or more, or that the capture says where they stand. Keys of
    zeros at the end are a cache's that is not full.
    """
    if head.positions is not None or head.seen is not None or head.n_queries >= head.n_keys:
        return None
    written = np.flatnonzero(head.keys.any(axis=1))
    last = int(written[-1]) + 1 if len(written) else head.n_keys
    return max(last - head.n_queries, 0)


def alike(head: HeadRows, found: Diagnosis, expected: Expected) -> tuple[str, ...]:
    """Return those of the masks none, causal and window that see what the found one sees.

    A mask may hide padding besides, keys that no row sees, and a row's keys of other texts.
    """
    mask = found.sight
    if mask is None:
        return ()
    used = np.isin(head.rows, found.used)
    seen = mask.seen(head)[used]
    corners = [mask.offset, head.n_keys - head.n_queries, 0]
    if expected.offset is not None:
        corners = [expected.offset]
    tried = {
        "none": [HeadMask("none")],
        "causal": [HeadMask("causal", corner) for corner in corners],
        "window": [HeadMask("window", corner, expected.window) for corner in corners],
    }
    if expected.window is None:
        tried["window"] = []

    def same(other: HeadMask) -> bool:
        sees = replace(other, packed=mask.packed).seen(head)[used]
        if mask.kind == "given" or mask.hidden:
            # A key that no row sees is padding.
            sees = sees & seen.any(axis=0)
        return bool(np.array_equal(seen, sees))

    return tuple(name for name, masks in tried.items() if any(map(same, masks)))
