"""Find how the weights of heads are made from what was captured: by trying masks, or by a fit.

The search starts from the usual rule, 1/√d_k; a rule that the user asks for overrides the result.
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
from attn_tui.compute.fit.noise import PATHS
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.reconstruction import By, How, Reconstruction
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.engine.making import Making

TRIED = 8
"""The number of rows of a head on which masks are tried."""

_FITTED = 32
"""The number of rows of a head that are fitted."""

_HEADS = 4
"""The most heads of a layer that are tried until one tells its multiplier."""

_VAIN = 3
"""The number of layers in a row without a fit after which no more fits are tried."""

_SURE = 0.9999
"""The confidence of the interval in which a usual m is looked for."""

_USUAL = Making()


def sampled(n_queries: int, rows: int = _FITTED) -> list[int]:
    """Return the numbers of evenly spread rows of a head, the first and the last among them."""
    return [*map(int, np.unique(np.linspace(0, n_queries - 1, rows).astype(int)))]


def miss(reconstruction: Reconstruction, rows: HeadRows, quick: bool = False) -> Miss:
    """Return by how much reconstructed weights of some rows miss what was captured."""
    weighing = _USUAL.weighing(rows, reconstruction)
    return miss_of(rows, weighing, reconstruction.value_scale, reconstruction.path, quick)


def found_masks(
    capture: Capture, making: Making, layers: Sequence[int], stop: Stop = never
) -> dict[int, Reconstruction]:
    """Return how the weights of each layer are made, found on a few rows of one of its heads.

    If it is stopped, the layers that were not reached are missing.

    Args:
        capture: The tensors.
        making: How the user wants weights to be made.
        layers: The numbers of the layers.
        stop: Returns whether to stop; called before each layer.

    Raises:
        InputError: If the captured mask is asked for, but none was captured.
    """
    masks: dict[int, Reconstruction] = {}
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
        # A model rounds in one way, so the next layer needs no fit to find that out.
        path = max(path, known.path, key=PATHS.index)
        if "positions" in capture.tensors(number):
            known = replace(known, mask=known.mask.placed(layer.rows(layer.heads[0], TRIED, 0)))
        masks[number] = making.over(known)
    return {number: replace(mask, path=path) for number, mask in masks.items()}


@dataclass(frozen=True, eq=False)
class _Layer:
    """A layer whose weights are to be reconstructed.

    Attributes:
        capture: The tensors.
        making: How the user wants weights to be made.
        number: The number of the layer.
    """

    capture: Capture
    making: Making
    number: int

    @property
    def heads(self) -> list[HeadId]:
        """Its heads in the first sequence, head 1 first: it shows which keys a head has."""
        heads = [
            head for head in self.capture.heads if (head.batch, head.layer) == (0, self.number)
        ]
        return sorted(heads, key=lambda head: head.head != 1)

    def rows(self, head: HeadId, count: int, reading: int) -> HeadRows:
        """Return at most `count` evenly spread rows of a head, in the reading with an index."""
        rows = sampled(self.capture.shape(head).n_queries, count)
        return self.capture.read(head, rows, self.capture.readings(self.number)[reading])

    def nearest(self, path: Path) -> Reconstruction:
        """Return the mask and the reading that miss least, without a fit.

        If the rows of a head hardly depend on m, other heads are tried.
        """
        shape = self.capture.shape(self.heads[0])
        masks, how = self._masks(shape)
        has_output = {"out", "v"} <= shape.has
        if not has_output and "weights" not in shape.has:
            return self._unknown(shape, masks[0], how)
        by: By = "output" if has_output else "weights"
        tried: list[Reconstruction] = []
        readings = self.capture.readings(self.number)
        for index, reading in enumerate(readings):
            # Readings with other numbers of heads are for the doctor to check.
            if reading.dims == readings[0].dims:
                rows = self.rows(self.heads[0], TRIED, index)
                for mask in masks:
                    known = Reconstruction(mask, how, path=path, by=by, reading=index)
                    tried.append(judged(known, rows))
        best = min(tried, key=lambda trial: inf if trial.residual is None else trial.residual)
        if best.residual is None:
            return self._unknown(shape, masks[0], how)
        heads = self.heads[1:]
        for index in sampled(len(heads), _HEADS - 1) if heads and best.fits else ():
            if not best.is_untold:
                break
            known = judged(best, self.rows(heads[index], _FITTED, best.reading))
            best = best if known.residual is None else known
        return best if best.fits or how != "output" else replace(best, how="nearest")

    def _unknown(self, shape: HeadShape, mask: HeadMask, how: How) -> Reconstruction:
        """Return the default if nothing tells the mask: causal, the last query at the last key.

        More queries than keys mean cross attention, which has no mask.
        """
        if how != "output":
            return Reconstruction(mask, how)
        offset = shape.n_keys - shape.n_queries
        causal = HeadMask("causal", offset) if offset >= 0 else HeadMask()
        return Reconstruction(causal, "assumed")

    def _masks(self, shape: HeadShape) -> tuple[list[HeadMask], How]:
        """Return the masks to try, and how it is known that one of them is right."""
        wanted, corner = self.making.mask, shape.n_keys - shape.n_queries
        if wanted is not None and wanted.kind == "given" and "mask" not in shape.has:
            problem = f"no mask was captured in layer {self.number}"
            raise InputError("mask", problem, "auto, none, causal or window:KEYS")
        if wanted is not None:
            return [replace(wanted, offset=corner) if wanted.offset is None else wanted], "asked"
        if "mask" in shape.has:
            return [HeadMask("given")], "captured"
        return [
            HeadMask(),
            *(HeadMask("causal", offset) for offset in dict.fromkeys((corner, 0))),
        ], "output"

    def fitted(self, nearest: Reconstruction, search: bool) -> Reconstruction:
        """Return the fit of the first head that can be fitted, or the nearest reconstruction."""
        best = nearest
        for head in self.heads[:_HEADS]:
            known = self._fit(head, nearest, search)
            if known is None:
                break
            best = known
            # If all rows of a head are on one key, m may be any large number.
            if known.fits and not known.is_untold:
                break
        return best

    def _fit(self, head: HeadId, nearest: Reconstruction, search: bool) -> Reconstruction | None:
        """Return a fit that explains a head in one of its readings, likeliest first, or None."""
        readings = self.capture.readings(self.number)
        order = [
            index for index in range(len(readings)) if readings[index].dims == readings[0].dims
        ]
        order.sort(key=lambda index: index != nearest.reading)
        # Search for two changes only if no reading works with fewer.
        ways = [(index, False) for index in order] + [(order[0], True)] * search
        for index, thorough in ways:
            rows = self.rows(head, _FITTED, index)
            known = replace(nearest, reading=index)
            explained = explain(rows, _question(known, rows), search=thorough)
            if explained.explains:
                return told(known, explained, rows)
        return None


def _question(known: Reconstruction, rows: HeadRows) -> Question:
    """Return the question whether a head is as supposed; a mask that is only nearest is open."""
    made = _USUAL.weighing(rows, known)
    mask = HeadMask("given") if rows.seen is not None else made.mask
    model = HeadModel(made.map.multiplier, known.value_scale, made.map.softcap, made.map.sink, mask)
    is_open = known.how == "nearest" and rows.seen is None
    return Question(model, frozenset() if is_open else frozenset({"mask"}))


def told(known: Reconstruction, explained: Explained, rows: HeadRows) -> Reconstruction | None:
    """Return a supposed reconstruction with the changes of a fit that explains the head.

    Returns:
        How weights are made, judged by the rows; None if no single m makes them.
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
    # The fit may have changed no more than the rounding.
    no_more = known.how == "fit" and known.is_plain and known.fits
    return replace(known, how="output") if no_more else known


def judged(reconstruction: Reconstruction, rows: HeadRows, quick: bool = False) -> Reconstruction:
    """Return a reconstruction with its residual on some rows, and by how much m may be off."""
    known = miss(reconstruction, rows, quick)
    if isnan(known.size):
        return replace(reconstruction, residual=None)
    judged = replace(reconstruction, residual=known.size, allowed=known.allowed, doubt=0.0)
    if not judged.fits:
        return judged
    if not known.tells:
        return replace(judged, doubt=inf if reconstruction.multiplier is None else 0.0)
    return replace(judged, doubt=known.within)


@lru_cache(maxsize=64)
def of_head(capture: Capture, layer: Reconstruction, head: HeadId) -> Reconstruction:
    """Return how the weights of a head are made: like its layer's, or as its own output says.

    Args:
        capture: The tensors.
        layer: How the weights of the head's layer are made.
        head: The head.
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
