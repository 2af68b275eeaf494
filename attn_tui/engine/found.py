"""How weights of heads were made, as far as their output says: a mask, a fit, sinks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf, isnan
from typing import Literal

import numpy as np

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.layouts import layout_words
from attn_tui.captures.readings import Reading
from attn_tui.compute.blas import one_thread
from attn_tui.compute.errors import InputError
from attn_tui.compute.fit.diagnosis import Estimate
from attn_tui.compute.fit.neighbours import Fitted, Neighbours, Way
from attn_tui.compute.fit.sink import sink_of
from attn_tui.compute.heads.blocks import row_statistics
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.heads.statistic import FITS
from attn_tui.compute.heads.weighing import Weighing
from attn_tui.engine.making import Making

_TRIED = 8
"""Rows on which masks are tried."""

_FITTED = 32
"""Rows of a head that are fitted."""

_HEADS = 4
"""Heads of a layer that are fitted until one says its multiplier, or are tried with a sink."""

_ALIKE = 0.01
"""How far, relatively, what a fit finds may be from what is supposed, and still be that."""

_SEARCHES, _VAIN = 1, 3
"""After so many layers in a row that nothing fitted, none is searched, and none is fitted."""


How = Literal["asked", "captured", "output", "fit", "nearest", "assumed"]


@dataclass(frozen=True)
class FoundMask:
    """The mask of a layer, and how it is known.

    Attributes:
        mask: Which keys are seen.
        how: It was asked for, or captured, or the output says so, or a fit of one head finds it,
            or it is nearest to what the output says but does not explain it, or nothing tells.
        residual: ‖out − P·V‖/‖out‖ on a few rows, where there is an output.
        reading: Which of the layer's readings the output says.
        read_as: What of it is unlike the first, in words; empty if it is the first.
        softcap: The cap that the fit finds, if any.
        sink: The logit of a sink that one head has, if any; others have their own, or none.
        multiplier: The m that it finds, which is used, where the rule's misses the output.
        missed: By how much that of the rule does, beside ``multiplier``.
        value_scale: c of out = c·P·V that it finds.
        what_if: Whether the weights are asked for, whatever the output says.
    """

    mask: HeadMask
    how: How
    residual: float | None = None
    reading: int = 0
    read_as: str = ""
    softcap: float | None = None
    sink: float | None = None
    multiplier: float | None = None
    missed: float | None = None
    value_scale: float = 1.0
    what_if: bool = False

    def weighing(
        self, capture: Capture, making: "Making", head: HeadId, rows: HeadRows
    ) -> Weighing:
        """Return how the weights of some rows of a head are made, with what was found unless asked.

        Of a sink that was found in one head, each has its own.
        """
        found = self._capped(making, rows)
        if found.map.sink is not None or not making.captured_sink:
            return found
        return replace(found, map=replace(found.map, sink=self.own_sink(capture, making, head)))

    def own_sink(self, capture: Capture, making: "Making", head: HeadId) -> float | None:
        """Return a head's sink by its own output, where a fit finds one in its layer."""
        if self.sink is None:
            return None
        reading = capture.readings(head.layer)[self.reading]
        rows = capture.read(head, _sampled(capture.shape(head).n_queries), reading)
        return sink_of(rows, self._capped(making, rows))

    def miss(self, capture: Capture, making: "Making", head: HeadId) -> float | None:
        """Return ‖out − P·V‖/‖out‖ on a few rows of a head; None if nothing tells, or is to."""
        if self.residual is None or self.what_if:
            return None
        rows = _sampled(capture.shape(head).n_queries, _TRIED)
        some = capture.read(head, rows, capture.readings(head.layer)[self.reading])
        miss = _residual(some, self.weighing(capture, making, head, some), self.value_scale)
        return None if isnan(miss) else miss

    def _capped(self, making: "Making", rows: HeadRows) -> Weighing:
        found = making.weighing(rows, self.mask)
        if self.multiplier is not None:
            found = replace(found, map=replace(found.map, multiplier=self.multiplier))
        if found.map.softcap is not None:
            return found
        return replace(found, map=replace(found.map, softcap=self.softcap))

    @property
    def is_fitted(self) -> bool:
        """Whether a fit finds more than whether it is causal."""
        if self.multiplier is not None or self.value_scale != 1.0:
            return True
        return not (self.mask.window is self.softcap is self.sink is None) and self.how == "fit"

    @property
    def fits(self) -> bool:
        """Whether there is an output, and weights under the mask give it."""
        return self.residual is not None and self.residual < FITS


def found_masks(capture: Capture, making: Making, layers: Sequence[int]) -> dict[int, FoundMask]:
    """Return the mask of each layer, found on a few rows of its first head.

    Raises:
        InputError: If a mask that was asked for as given was not captured.
    """
    # What keys a head has is seen at the second, where it has others than the first.
    second: dict[int, HeadId] = {}
    for head in capture.heads:
        if head.head < 2 and (head.layer not in second or second[head.layer].head < head.head):
            second[head.layer] = head
    fits = _Fits(capture, making)
    with one_thread():
        return {layer: _found(capture, making, second[layer], fits) for layer in layers}


class _Fits:
    """Fits a head of each layer that no simple mask explains.

    Args:
        capture: The tensors.
        making: How weights are asked to be made.
    """

    def __init__(self, capture: Capture, making: Making) -> None:
        self.capture, self.making = capture, making
        self.neighbours = Neighbours(_SEARCHES)

    def found(self, head: HeadId, nearest: FoundMask) -> FoundMask:
        """Return what a fit finds, or the nearest mask again."""
        told = nearest
        others = [each for each in self._heads(head.layer) if each != head]
        for each in [head, *others][:_HEADS]:
            if self.neighbours.vain >= _VAIN:
                break
            fitted, reading = self._fitted(each, nearest.reading)
            if not fitted.diagnosis.fits or fitted.diagnosis.sight is None:
                break
            told = self._told(each, fitted, reading, nearest)
            # Of a head whose rows are all on one key it may be any large number.
            if told.fits or fitted.diagnosis.multiplier is not None:
                break
        return told

    def _heads(self, layer: int) -> list[HeadId]:
        return [each for each in self.capture.heads if (each.batch, each.layer) == (0, layer)]

    def _fitted(self, head: HeadId, likely: int) -> tuple[Fitted, int]:
        """Return the fit of a head, by the likely reading first, and the reading of it."""
        readings = self.capture.readings(head.layer)
        rows = _sampled(self.capture.shape(head).n_queries)
        order = sorted(range(len(readings)), key=lambda index: index != likely)
        order = [at for at in order if readings[at].dims == readings[0].dims]
        ways = [
            Way(readings[at].kind, partial(self.capture.read, head, rows, readings[at]))
            for at in order
        ]
        fitted = self.neighbours.fit(ways)
        return fitted, order[fitted.way]

    def _told(self, head: HeadId, fitted: Fitted, index: int, nearest: FoundMask) -> FoundMask:
        found, rows = fitted.diagnosis, fitted.rows
        first, reading = (self.capture.readings(head.layer)[at] for at in (0, index))
        # A sink that was captured each head has of its own.
        sink = None if rows.sink is not None else _value(found.sink)
        assert found.sight is not None
        told = FoundMask(
            found.sight, "fit", None, index, _unlike(first, reading), _value(found.softcap), sink
        )
        if nearest.how != "nearest":
            told = replace(told, mask=nearest.mask, how=nearest.how)
        c, m = _value(found.value_scale), _value(found.multiplier)
        if c is not None and abs(c - 1.0) > _ALIKE:
            told = replace(told, value_scale=c)
        # What was found of one head is seen to hold for another.
        last = self._heads(head.layer)[-1]
        both = {head: rows, last: self.capture.read(last, [*map(int, rows.rows)], reading)}
        told = replace(told, residual=self._miss(told, both))
        own = self.making.scale.multiplier(rows.d_k, rows.n_keys)
        if m is None or self.making.own_rule or abs(m - own) <= _ALIKE * own:
            return told
        other = replace(told, multiplier=m, missed=told.residual)
        return replace(other, residual=self._miss(other, both))

    def _miss(self, told: FoundMask, heads: Mapping[HeadId, HeadRows]) -> float | None:
        misses = [
            _residual(some, told.weighing(self.capture, self.making, each, some), told.value_scale)
            for each, some in heads.items()
        ]
        return max((miss for miss in misses if not isnan(miss)), default=None)


def _value(found: Estimate | None) -> float | None:
    return None if found is None else found.at().value


def _found(capture: Capture, making: Making, head: HeadId, fits: _Fits) -> FoundMask:
    shape, choice = capture.shape(head), making.mask
    if choice.kind == "given" and "mask" not in shape.has:
        problem = f"no mask was captured in layer {head.layer}"
        raise InputError("mask", problem, "auto, none, causal or window:KEYS")
    how: How
    if choice.kind != "auto":
        masks, how = [choice.mask(shape)], "asked"
    elif "mask" in shape.has:
        masks, how = [HeadMask("given")], "captured"
    else:
        corners = dict.fromkeys((shape.n_keys - shape.n_queries, 0))
        masks, how = [HeadMask(), *(HeadMask("causal", corner) for corner in corners)], "output"
    if not {"out", "v"} <= shape.has:
        return FoundMask(masks[0], "assumed" if how == "output" else how)
    at = _sampled(shape.n_queries, _TRIED)
    tried: list[tuple[float, HeadMask, int]] = []
    readings = capture.readings(head.layer)
    for index, reading in enumerate(readings):
        if reading.dims != readings[0].dims:
            # Of which heads there are the doctor asks.
            continue
        rows = capture.read(head, at, reading)
        misses = [_residual(rows, making.weighing(rows, mask)) for mask in masks]
        tried += [(miss, mask, index) for miss, mask in zip(misses, masks, strict=True)]
    miss, mask, index = min(tried, key=lambda each: inf if isnan(each[0]) else each[0])
    read_as = _unlike(*(capture.readings(head.layer)[at] for at in (0, index)))
    nearest = FoundMask(mask, how, miss, index, read_as, what_if=making.own_rule)
    if miss < FITS:
        return nearest if making.own_rule else _with_sinks(capture, making, nearest, head.layer)
    if making.own_rule and how != "output":
        return nearest
    if how == "output":
        nearest = replace(nearest, how="nearest")
    told = fits.found(head, nearest)
    if told is nearest:
        return nearest
    return replace(told, what_if=making.own_rule or making.asks_more)


def _with_sinks(capture: Capture, making: Making, found: FoundMask, layer: int) -> FoundMask:
    """Return what is found of a layer, with sinks where a head of it fits with its own alone."""
    heads = [each for each in capture.heads if (each.batch, each.layer) == (0, layer)]
    reading = capture.readings(layer)[found.reading]
    for at in _sampled(len(heads), _HEADS):
        rows = capture.read(heads[at], _sampled(capture.shape(heads[at]).n_queries), reading)
        made = found.weighing(capture, making, heads[at], rows)
        if made.map.sink is not None or not making.captured_sink or _residual(rows, made) < FITS:
            continue
        sink = sink_of(rows, made)
        if _residual(rows, replace(made, map=replace(made.map, sink=sink))) < FITS:
            return replace(found, how="fit" if found.how == "output" else found.how, sink=sink)
    return found


def _sampled(n_queries: int, rows: int = _FITTED) -> list[int]:
    """Return rows of a head, evenly spread, the first and the last among them."""
    return [*map(int, np.unique(np.linspace(0, n_queries - 1, rows).astype(int)))]


def _unlike(first: Reading, found: Reading) -> str:
    """Return in words what of a reading is unlike the first."""
    usual = dict(first.layouts)
    parts = [
        f"{part} {layout_words(axes)}" for part, axes in found.layouts if usual.get(part) != axes
    ]
    if found.kv_mapping != first.kv_mapping:
        kv_heads = found.dims.kv_heads
        by = {"interleaved": f"h mod {kv_heads}", "grouped": "of its neighbours"}
        parts.append(f"head h has keys and values {by[found.kv_mapping]}")
    return ", ".join(parts)


def _residual(head: HeadRows, weighing: Weighing, value_scale: float = 1.0) -> float:
    """Return ‖out − c·P·V‖/‖out‖; NaN if there is nothing to compare."""
    output = row_statistics(head, weighing, output=True).output
    assert output is not None
    assert head.output is not None
    wanted = head.output.astype(np.float64)
    with np.errstate(all="ignore"):
        miss = np.linalg.norm(value_scale * output - wanted)
        return float(miss / np.linalg.norm(wanted)) if miss else 0.0
