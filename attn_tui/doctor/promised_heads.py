"""The heads of a capture: how they are read, and what is promised of each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.not_finite import odd_rows
from attn_tui.captures.readings import Dims, Reading
from attn_tui.compute.errors import InputError, Stop, Stopped
from attn_tui.compute.fit.comparison import LEVEL
from attn_tui.compute.fit.explain import Reference, explain
from attn_tui.compute.fit.noise import coarsest
from attn_tui.compute.heads.head_model import LAWS
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.doctor.call import PromisedHead, promised_head
from attn_tui.doctor.names import HeadPlace, mistakes
from attn_tui.doctor.padding import Padding, is_one_row, left_out, paddings
from attn_tui.doctor.report import Settings
from attn_tui.files.models.opening import calls_of
from attn_tui.files.models.promise import NOTHING_EXPECTED, Expectation, Promise

_TRIED = 2
"""The most heads of a layer to try when its axes can be read in several ways."""
IN_FULL = 2**19
"""Every row is compared in heads with at most this many scores."""
SOME_ROWS = 32
"""How many rows are compared in larger heads."""
MOST_ODD = 8
"""The most rows with NaN or infinity that are compared beside these."""


class PromisedHeads:
    """The heads of a capture, each with its promise completed.

    Args:
        capture: The tensors.
        expectation: What is promised of the model, or None.
        settings: How many rows of each head to use.
        stop: Called before each head; returns whether to end.

    Attributes:
        level: The share of honest heads that may be taken for wrong ones.
        readings: The readings of each layer, the chosen one first.
        paddings: What is padding, by sequence and number of keys.
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
        self.last: dict[object, HeadRows] = {}

    def prepare(self, readings: Mapping[int, Reading]) -> None:
        """Look in all layers for padding and packed texts."""

        def promised(id: HeadId, rows: HeadRows) -> HeadMask | None:
            promise = self.promise(id, rows.d_k)
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
            if len(ways) > 1 and is_answered(self.capture, layer):
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
            self.check_stop()
            place = HeadId(0, layer, number)
            rows = self.capture.read(place, self._sampled(place, reading), reading)
            head = self.completed(place, rows, reading)
            explanation = explain(head.rows, self.reference(head), search=False)
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

    def head(self, id: HeadId) -> PromisedHead:
        """Return the rows of a head that are compared, with their promise completed."""
        reading = self.readings[id.layer][0]
        return self.completed(id, self.read(id, reading), reading)

    def read(self, id: HeadId, reading: Reading) -> HeadRows:
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

    def promise(self, id: HeadId, d_k: int) -> Promise:
        """Return what is promised of a head, before the call completes it."""
        return self.expectation.of(id.layer, d_k)

    def call(self, id: HeadId) -> Promise:
        """Return what the call of a layer was given."""
        return self.calls.get(id.layer, Promise())

    def completed(self, id: HeadId, rows: HeadRows, reading: Reading) -> PromisedHead:
        """Return a head with its promise completed, and how its call differs."""
        padding = self.paddings.get((id.batch, rows.n_keys), Padding())
        one_row = is_one_row(self.capture, replace(id, head=0), reading)
        promise = self.promise(id, rows.d_k)
        place = place_of(id, rows, reading)
        usual = [*mistakes(promise.multiplier or 1.0, place, self.expectation)]
        number = self.number(id)
        head = promised_head(promise, self.call(id), rows, number, padding, one_row, usual)
        phrases = (
            *self._some_heads(id, reading),
            *left_out(self.capture.shape(id, reading)),
            *head.comparable.completions,
        )
        return replace(head, comparable=replace(head.comparable, completions=phrases))

    def number(self, id: HeadId) -> int:
        """Return the number of a head in its model, of which the capture may have some heads."""
        return id.head + (self.expectation.first_head or 0)

    def _some_heads(self, id: HeadId, reading: Reading) -> Iterator[str]:
        """Yield which heads of a model were captured, if they are some of them."""
        first, every = self.expectation.first_head, self.expectation.tower(id.layer).shape.heads
        if first is not None and every is not None and reading.dims.heads < every:
            last = first + reading.dims.heads - 1
            yield f"heads {first:,}–{last:,} of {every:,}, as `first_head` says"

    def reference(self, head: PromisedHead) -> Reference:
        """Return the model that a head is compared with."""
        rows = head.rows
        stored = coarsest(rows.queries, rows.formats.get("q", "float32"))
        tf32 = self.settings.tf32 or self.capture.config.get("tf32") in (True, "true")
        laws = self.expectation.laws or LAWS
        return Reference(
            head.comparable.model, head.comparable.stated, self.level, laws, tf32, stored
        )

    def check_stop(self) -> None:
        """Raise Stopped if nothing more is asked of these heads."""
        if self.stop():
            raise Stopped


def is_answered(capture: Capture, layer: int) -> bool:
    """Return whether a layer has the tensors that a fit needs."""
    there = {*capture.tensors(layer)}
    return "weights" in there or {"out", "v"} <= there


def place_of(id: HeadId, rows: HeadRows, reading: Reading) -> HeadPlace:
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
