"""How the weights of heads are made, as far as what was captured says: a mask, or the doctor's fit.

What is found is that of the usual rule, 1/√d_k: who asks for another gets that, whatever is found.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, isnan

import numpy as np

from attn_tui.captures.capture import Capture, HeadId, HeadShape
from attn_tui.compute.blas import one_thread
from attn_tui.compute.errors import InputError, Stop, never
from attn_tui.compute.fit.check import Miss, miss_of
from attn_tui.compute.fit.estimates import usual
from attn_tui.compute.fit.explain import Explained, Question, explain
from attn_tui.compute.fit.head import Path
from attn_tui.compute.fit.model import Model
from attn_tui.compute.fit.noise import PATHS
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.reconstruction import By, How, Reconstruction
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.engine.making import Making

TRIED = 8
"""Rows on which it is tried how weights are made."""

_FITTED = 32
"""Rows of a head that are fitted."""

_HEADS = 4
"""Heads of a layer that are looked at until one tells its multiplier."""

_VAIN = 3
"""After so many layers in a row that nothing fitted, none is fitted."""

_SURE = 0.9999
"""How sure the interval is that may hold an m in use."""

_USUAL = Making()


def sampled(n_queries: int, rows: int = _FITTED) -> list[int]:
    """Return rows of a head, evenly spread, the first and the last among them."""
    return [*map(int, np.unique(np.linspace(0, n_queries - 1, rows).astype(int)))]


def miss(found: Reconstruction, rows: HeadRows, quick: bool = False) -> Miss:
    """Return by how much weights that are made so miss what was captured of some rows."""
    weighing = _USUAL.weighing(rows, found)
    return miss_of(rows, weighing, found.value_scale, found.path, quick)


def found_masks(
    capture: Capture, making: Making, layers: Sequence[int], stop: Stop = never
) -> dict[int, Reconstruction]:
    """Return how the weights of each layer are made, found on a few rows of one of its heads.

    Layers that were not looked at before it was stopped are missing.

    Args:
        capture: The tensors.
        making: How weights are asked to be made.
        layers: Which.
        stop: Whether to stop, which is asked between two layers.

    Raises:
        InputError: If a mask that was asked for as given was not captured.
    """
    found: dict[int, Reconstruction] = {}
    path: Path = "float32"
    vain = 0
    for number in layers:
        if stop():
            break
        layer = _Layer(capture, making, number)
        with one_thread():
            known = layer.nearest(path)
            if known.residual is not None and not known.fits and vain < _VAIN:
                known = layer.fitted(known, search=vain == 0)
                vain = 0 if known.fits else vain + 1
        # A model is rounded in one way, so that the next layer needs no fit for that.
        path = max(path, known.path, key=PATHS.index)
        if "positions" in capture.tensors(number):
            known = replace(known, mask=known.mask.placed(layer.rows(layer.heads[0], TRIED, 0)))
        found[number] = making.over(known)
    return {number: replace(each, path=path) for number, each in found.items()}


@dataclass(frozen=True, eq=False)
class _Layer:
    """A layer whose heads are looked at.

    Attributes:
        capture: The tensors.
        making: How weights are asked to be made.
        number: Which layer.
    """

    capture: Capture
    making: Making
    number: int

    @property
    def heads(self) -> list[HeadId]:
        """Its heads, the second first: there it is seen which keys a head has."""
        heads = [
            each for each in self.capture.heads if (each.batch, each.layer) == (0, self.number)
        ]
        return sorted(heads, key=lambda head: head.head != 1)

    def rows(self, head: HeadId, count: int, reading: int) -> HeadRows:
        """Return some rows of a head."""
        rows = sampled(self.capture.shape(head).n_queries, count)
        return self.capture.read(head, rows, self.capture.readings(self.number)[reading])

    def nearest(self, path: Path) -> Reconstruction:
        """Return the mask and the reading that miss least, without a fit.

        Where rows hardly depend on m, another head may tell it.
        """
        shape = self.capture.shape(self.heads[0])
        masks, how = self._masks(shape)
        has_output = {"out", "v"} <= shape.has
        if not has_output and "weights" not in shape.has:
            return self._unknown(shape, masks[0], how)
        by: By = "output" if has_output else "weights"
        tried: list[Reconstruction] = []
        readings = self.capture.readings(self.number)
        for at, reading in enumerate(readings):
            # Of which heads there are the doctor asks.
            if reading.dims == readings[0].dims:
                rows = self.rows(self.heads[0], TRIED, at)
                for mask in masks:
                    known = Reconstruction(mask, how, path=path, by=by, reading=at)
                    tried.append(judged(known, rows))
        best = min(tried, key=lambda each: inf if each.residual is None else each.residual)
        if best.residual is None:
            return self._unknown(shape, masks[0], how)
        heads = self.heads[1:]
        for at in sampled(len(heads), _HEADS - 1) if heads and best.fits else ():
            if not best.is_untold:
                break
            known = judged(best, self.rows(heads[at], _FITTED, best.reading))
            best = best if known.residual is None else known
        return best if best.fits or how != "output" else replace(best, how="nearest")

    def _unknown(self, shape: HeadShape, mask: HeadMask, how: How) -> Reconstruction:
        """Return what is taken where nothing tells: causal, the last query at the last key.

        More queries than keys are those of cross attention, which has no mask.
        """
        if how != "output":
            return Reconstruction(mask, how)
        offset = shape.n_keys - shape.n_queries
        causal = HeadMask("causal", offset) if offset >= 0 else HeadMask()
        return Reconstruction(causal, "assumed")

    def _masks(self, shape: HeadShape) -> tuple[list[HeadMask], How]:
        """Return the masks to try, and how it is known that it is one of them."""
        asked, corner = self.making.mask, shape.n_keys - shape.n_queries
        if asked is not None and asked.kind == "given" and "mask" not in shape.has:
            problem = f"no mask was captured in layer {self.number}"
            raise InputError("mask", problem, "auto, none, causal or window:KEYS")
        if asked is not None:
            return [replace(asked, offset=corner) if asked.offset is None else asked], "asked"
        if "mask" in shape.has:
            return [HeadMask("given")], "captured"
        return [
            HeadMask(),
            *(HeadMask("causal", at) for at in dict.fromkeys((corner, 0))),
        ], "output"

    def fitted(self, nearest: Reconstruction, search: bool) -> Reconstruction:
        """Return what a fit finds of a head or another, or the nearest again."""
        best = nearest
        for head in self.heads[:_HEADS]:
            known = self._fit(head, nearest, search)
            if known is None:
                break
            best = known
            # Of a head whose rows are all on one key m may be any large number.
            if known.fits and not known.is_untold:
                break
        return best

    def _fit(self, head: HeadId, nearest: Reconstruction, search: bool) -> Reconstruction | None:
        """Return what explains a head in one of its readings, the likely one first."""
        readings = self.capture.readings(self.number)
        order = [at for at in range(len(readings)) if readings[at].dims == readings[0].dims]
        order.sort(key=lambda at: at != nearest.reading)
        # Two changes are searched for only where no reading needs fewer.
        ways = [(at, False) for at in order] + [(order[0], True)] * search
        for at, thorough in ways:
            rows = self.rows(head, _FITTED, at)
            known = replace(nearest, reading=at)
            explained = explain(rows, _question(known, rows), search=thorough)
            if explained.explains:
                return told(known, explained, rows)
        return None


def _question(known: Reconstruction, rows: HeadRows) -> Question:
    """Return whether a head is as is supposed; a mask that is the nearest may be any."""
    made = _USUAL.weighing(rows, known)
    mask = HeadMask("given") if rows.seen is not None else made.mask
    model = Model(made.map.multiplier, known.value_scale, made.map.softcap, made.map.sink, mask)
    is_open = known.how == "nearest" and rows.seen is None
    return Question(model, frozenset() if is_open else frozenset({"mask"}))


def told(known: Reconstruction, explained: Explained, rows: HeadRows) -> Reconstruction | None:
    """Return what a fit that explains a head changes in what was supposed, judged by its rows.

    Returns:
        How weights are made; None where no one m makes them.
    """
    test = explained.test
    model, changes = test.model, test.changes
    if model.softmax_twice or model.law is not None:
        return None
    known = replace(known, path=max(test.paths, key=PATHS.index, default="float32"))
    if known.how in ("output", "nearest"):
        known = replace(known, how="fit", mask=model.mask)
    if "multiplier" in changes:
        known = replace(known, multiplier=usual(test.estimates["multiplier"].at(_SURE), rows.d_k))
    if "softcap" in changes:
        known = replace(known, softcap=model.softcap)
    if "value_scale" in changes:
        known = replace(known, value_scale=model.value_scale)
    if "sink" in changes and model.sink != "learned":
        drops = model.sink is None and rows.sink is not None
        known = replace(known, sink=model.sink, drops_sink=drops)
    known = judged(known, rows)
    if known.multiplier is not None:
        known = replace(known, missed=miss(replace(known, multiplier=None), rows).size)
    # What a fit was needed for may be no more than how it was rounded.
    no_more = known.how == "fit" and known.is_plain and known.fits
    return replace(known, how="output") if no_more else known


def judged(found: Reconstruction, rows: HeadRows, quick: bool = False) -> Reconstruction:
    """Return it with by how much it misses some rows, and by how much m may be off."""
    known = miss(found, rows, quick)
    if isnan(known.size):
        return replace(found, residual=None)
    judged = replace(found, residual=known.size, allowed=known.allowed, doubt=0.0)
    if not judged.fits:
        return judged
    if not known.tells:
        return replace(judged, doubt=inf if found.multiplier is None else 0.0)
    return replace(judged, doubt=known.within)


@lru_cache(maxsize=64)
def of_head(capture: Capture, layer: Reconstruction, head: HeadId) -> Reconstruction:
    """Return how the weights of a head are made: as its layer's, or as its own output says.

    Args:
        capture: The tensors.
        layer: What is known of the head's layer.
        head: Which head.
    """
    if layer.residual is None:
        return layer
    reading, n = capture.readings(head.layer)[layer.reading], capture.shape(head).n_queries
    own = judged(layer, capture.read(head, sampled(n, TRIED), reading), quick=True)
    if own.fits or own.residual is None or not layer.fits:
        return own
    rows = capture.read(head, sampled(n), reading)
    explained = explain(rows, _question(own, rows), search=False)
    fitted = told(own, explained, rows) if explained.explains else None
    return fitted if fitted is not None and fitted.fits else own
