"""Find the model of each layer and head: by its captured mask, its output, or a fit.

The judge is the doctor's, without his search. The usual model is 1/√d_k under a causal mask or
none; where the output is not what it gives, m, value scale, cap and sink are fitted under these
masks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, isnan
from typing import Any

import numpy as np

from attn_tui.captures.capture import Capture, HeadId, HeadShape
from attn_tui.compute.blas import one_thread
from attn_tui.compute.errors import InputError, Stop, never
from attn_tui.compute.fit.case import HeadCase
from attn_tui.compute.fit.comparison import LEVEL
from attn_tui.compute.fit.estimates import usual
from attn_tui.compute.fit.explain import Candidate, Explanation, Reference, explain
from attn_tui.compute.fit.head import taken
from attn_tui.compute.fit.masks import open_masks
from attn_tui.compute.heads.head_model import LEARNED, PARTS, SCALARS, HeadModel, Part
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.reconstruction import Reconstruction
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.engine.request import Request

COMPARED = 8
"""The number of rows of a head that are compared with the model of its layer."""

_FITTED = 32
"""The number of rows of a head that are fitted."""

_HEADS = 4
"""The most heads of a layer that are tried until one tells its multiplier."""

_SURE = 0.9999
"""The confidence of the interval in which a usual m is looked for."""

_STATED: frozenset[Part] = frozenset({"multiplier", "mask"})
"""The parts of a model that is compared as it is."""


def sampled(n_queries: int, rows: int = _FITTED) -> list[int]:
    """Return the numbers of evenly spread rows of a head, the first and the last among them."""
    return [*map(int, np.unique(np.linspace(0, n_queries - 1, rows).astype(int)))]


def reconstructions(
    capture: Capture, request: Request, layers: Sequence[int], stop: Stop = never
) -> dict[int, Reconstruction]:
    """Return how the weights of each layer are made, found on a few rows of one of its heads.

    If it is stopped, the layers that were not reached are missing.

    Args:
        capture: The tensors.
        request: What the user asks of the weights.
        layers: The numbers of the layers.
        stop: Returns whether to stop; called before each layer.

    Raises:
        InputError: If the captured mask is asked for, but none was captured.
    """
    by_layer: dict[int, Reconstruction] = {}
    for number in layers:
        if stop():
            break
        with one_thread():
            by_layer[number] = _asked(_Layer(capture, request, number).reconstruction(), request)
    return by_layer


def _asked(reconstruction: Reconstruction, request: Request) -> Reconstruction:
    """Return a reconstruction without the changes in parts that the user asks for.

    The output does not judge what is asked for; it judges a mask that gives what was captured.
    """
    has_other_mask = request.mask is not None and not reconstruction.fits
    if not request.parts and not has_other_mask:
        return reconstruction
    changes = tuple(part for part in reconstruction.changes if part not in request.parts)
    return replace(
        reconstruction, changes=changes, residual=None, rule_residual=None, fits=False, doubt=0.0
    )


@dataclass(frozen=True, eq=False)
class _Layer:
    """A layer whose weights are to be made anew.

    Attributes:
        capture: The tensors.
        request: What the user asks of the weights.
        number: The number of the layer.
    """

    capture: Capture
    request: Request
    number: int

    @property
    def heads(self) -> list[HeadId]:
        """Its heads in the first sequence, head 1 first: it shows which keys a head has."""
        heads = [
            head for head in self.capture.heads if (head.batch, head.layer) == (0, self.number)
        ]
        return sorted(heads, key=lambda head: head.head != 1)

    @property
    def readings(self) -> list[int]:
        """The indices of its readings; those with other numbers of heads are for the doctor."""
        readings = self.capture.readings(self.number)
        return [index for index in range(len(readings)) if readings[index].dims == readings[0].dims]

    def rows(self, head: HeadId, reading: int) -> HeadRows:
        """Return evenly spread rows of a head, in the reading with an index."""
        rows = sampled(self.capture.shape(head).n_queries)
        return self.capture.read(head, rows, self.capture.readings(self.number)[reading])

    def reconstruction(self) -> Reconstruction:
        """Return the usual model if the output is what it gives; else a fit, or the nearest."""
        shape = self.capture.shape(self.heads[0])
        assumed = self._assumed(shape)
        if "positions" in self.capture.tensors(self.number):
            mask = assumed.mask.placed(self.rows(self.heads[0], 0))
            assumed = replace(assumed, model=replace(assumed.model, mask=mask))
        has_output = {"out", "v"} <= shape.has
        if not has_output and "weights" not in shape.has:
            return assumed
        nearest = self._nearest(replace(assumed, by="output" if has_output else "weights"))
        if nearest.residual is None:
            return assumed
        return self._determined(nearest) if nearest.fits else self._fitted(nearest)

    def _assumed(self, shape: HeadShape) -> Reconstruction:
        """Return the model before anything is compared: 1/√d_k, causal unless the mask is known.

        More queries than keys mean cross attention, which has no mask.
        """
        corner, mask = shape.n_keys - shape.n_queries, self.request.mask
        model = HeadModel(shape.d_k**-0.5, sink=LEARNED if "sink" in shape.has else None)
        if mask is not None and mask.kind == "given" and "mask" not in shape.has:
            problem = f"no mask was captured in layer {self.number}"
            raise InputError("mask", problem, "auto, none, causal or window:KEYS")
        if mask is not None:
            asked = replace(mask, offset=corner) if mask.offset is None else mask
            return Reconstruction(replace(model, mask=asked), "asked")
        if "mask" in shape.has:
            return Reconstruction(replace(model, mask=HeadMask("given")), "captured")
        usual = HeadMask("causal", corner) if corner >= 0 else HeadMask()
        return Reconstruction(replace(model, mask=usual), "assumed")

    def _nearest(self, assumed: Reconstruction) -> Reconstruction:
        """Return the first reading and mask that fit, or else the nearest; 1/√d_k in any case."""
        trials: list[Reconstruction] = []
        for reading in self.readings:
            rows = self.rows(self.heads[0], reading)
            for mask in open_masks(rows) if assumed.how == "assumed" else [assumed.mask]:
                model = replace(assumed.model, mask=mask.placed(rows))
                trial = compared(replace(assumed, model=model, reading=reading), rows, self.level)
                if assumed.how == "assumed":
                    trial = replace(trial, how="output" if trial.fits else "nearest")
                if trial.fits:
                    return trial
                trials.append(trial)
        return min(trials, key=lambda trial: inf if trial.residual is None else trial.residual)

    def _determined(self, nearest: Reconstruction) -> Reconstruction:
        """Return a reconstruction by a head whose rows depend on m, if one of a few does."""
        for head in self.heads[1:_HEADS]:
            if not nearest.is_untold:
                break
            trial = compared(nearest, self.rows(head, nearest.reading), self.level)
            nearest = trial if trial.fits else nearest
        return nearest

    def _fitted(self, nearest: Reconstruction) -> Reconstruction:
        """Return the fit of the first head that can be fitted, or the nearest reconstruction."""
        best = nearest
        for head in self.heads[:_HEADS]:
            fit = self._fit(head, nearest)
            best = fit or best
            # If all rows of a head are on one key, m may be any large number.
            if fit is None or not fit.is_untold:
                break
        return best

    def _fit(self, head: HeadId, nearest: Reconstruction) -> Reconstruction | None:
        """Return a fit that explains a head in one of its readings, likeliest first, or None."""
        for reading in sorted(self.readings, key=lambda index: index != nearest.reading):
            trial = replace(nearest, reading=reading)
            fit = fitted(trial, self.rows(head, reading), self.level)
            if fit is not None:
                return fit
        return None

    @property
    def level(self) -> float:
        """The share of honest heads that may be taken for wrong ones."""
        return LEVEL / len(self.capture.heads)


def compared(reconstruction: Reconstruction, rows: HeadRows, level: float) -> Reconstruction:
    """Return a reconstruction with the judgement of some rows of a head.

    Args:
        reconstruction: The model in question.
        rows: The rows.
        level: The share of honest heads that may be taken for wrong ones.
    """
    explanation = _explanation(reconstruction.model, _STATED, rows, level)
    if isnan(explanation.residual):
        return replace(reconstruction, residual=None, fits=False)
    return replace(
        reconstruction,
        residual=explanation.residual,
        rounding=explanation.rounding,
        fits=explanation.passes,
        doubt=_doubt(explanation) if explanation.passes else 0.0,
        path=next(iter(explanation.candidate.paths), reconstruction.path),
    )


def fitted(reconstruction: Reconstruction, rows: HeadRows, level: float) -> Reconstruction | None:
    """Return a reconstruction with the numbers that a fit of a head finds, or None if none fit.

    Args:
        reconstruction: The model that the head does not fit; a mask that is only nearest is open.
        rows: Some rows of the head.
        level: The share of honest heads that may be taken for wrong ones.
    """
    is_open = reconstruction.how == "nearest"
    stated: frozenset[Part] = frozenset() if is_open else frozenset({"mask"})
    explanation = _explanation(reconstruction.model, stated, rows, level)
    if not explanation.explains:
        return None
    candidate = explanation.candidate
    numbers = _numbers(candidate, rows.d_k)
    mask = candidate.model.mask if is_open else reconstruction.mask
    model = replace(reconstruction.model, mask=mask, **numbers)
    changes = tuple(part for part in PARTS if part in {*reconstruction.changes, *numbers})
    how = reconstruction.how
    if how not in ("asked", "captured"):
        how = "fit" if changes else "output"
    fit = replace(
        reconstruction, model=model, how=how, changes=changes, doubt=_doubt(explanation),
        path=candidate.paths[0],
    )  # fmt: skip
    # Where nothing tells m, as where it is 0, a fit has no m, and the usual one may be wrong.
    fit = _judged(fit, rows, level, is_fitted=True)
    if not fit.fits or fit.multiplier is None:
        return fit if fit.fits else None
    by_rule = replace(fit, model=replace(model, multiplier=rows.d_k**-0.5))
    return replace(fit, rule_residual=_judged(by_rule, rows, level).residual)


def _numbers(candidate: Candidate, d_k: int) -> dict[str, Any]:
    """Return the numbers in which a fitted model differs from the usual one, by part."""
    parts = [part for part in SCALARS if part in candidate.changes]
    numbers: dict[str, Any] = {part: getattr(candidate.model, part) for part in parts}
    if "multiplier" in numbers:
        numbers["multiplier"] = usual(candidate.estimates["multiplier"].at(_SURE), d_k)
    return numbers


def _explanation(
    model: HeadModel, stated: frozenset[Part], rows: HeadRows, level: float
) -> Explanation:
    return explain(_finite(rows), Reference(model.with_sink(rows), stated, level), search=False)


def _finite(rows: HeadRows) -> HeadRows:
    """Return the rows with a finite answer: NaN says nothing of weights, and is counted apart."""
    answer = rows.weights if rows.output is None or rows.values is None else rows.output
    assert answer is not None
    return taken(rows, np.flatnonzero(np.isfinite(answer).all(axis=1)))


def _doubt(explanation: Explanation) -> float:
    """Return the share by which m may be off; infinite if the rows do not tell it."""
    estimate = explanation.candidate.estimates.get("multiplier")
    if estimate is None or "multiplier" in explanation.silent:
        return inf
    interval = estimate.at(_SURE)
    if not interval.value or interval.low is None or interval.high is None:
        return inf
    half = max(interval.high - interval.value, interval.value - interval.low)
    return float(half / abs(interval.value))


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
    level = LEVEL / len(capture.heads)
    like_layer = _judged(layer, capture.read(head, sampled(n, COMPARED), reading), level)
    if like_layer.fits or like_layer.residual is None or not layer.fits:
        return like_layer
    return fitted(like_layer, capture.read(head, sampled(n), reading), level) or like_layer


def _judged(
    reconstruction: Reconstruction, rows: HeadRows, level: float, is_fitted: bool = False
) -> Reconstruction:
    """Return a reconstruction with the residual of some rows, and whether they are what it gives.

    This is `compared` in a fraction of the time, under the path that is known, without a doubt.

    Args:
        reconstruction: The model in question.
        rows: The rows.
        level: The share of honest heads that may be taken for wrong ones.
        is_fitted: Whether the numbers were fitted to these rows, and so may be off by their errors.
    """
    model = reconstruction.model.with_sink(rows)
    with np.errstate(all="ignore"):
        case = HeadCase.of(_finite(rows), Reference(model, _STATED, level))
        if isinstance(case, str) or not len(case.seeing(model)):
            return replace(reconstruction, residual=None, fits=False)
        has_path = is_fitted or reconstruction.fits
        if has_path and reconstruction.path in case.paths:
            case = replace(case, paths=(reconstruction.path,))
        prediction = case.prediction(model)
        comparison = prediction.compared(prediction.rows.output, is_fitted)
        return replace(
            reconstruction,
            residual=prediction.residual,
            rounding=prediction.rounding,
            fits=comparison.passes and not case.idle(model)[1],
        )
