"""Whether an output is the promised one, by float64 and by the errors of honest arithmetic."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from benchmarks.verdicts.proof.arithmetic import (
    ARITHMETICS,
    Computation,
    Format,
    Reals,
    Truths,
    exact,
    exact_size,
)
from benchmarks.verdicts.proof.faults import Fault, Tampering
from benchmarks.verdicts.proof.masks import compared, explained
from benchmarks.verdicts.proof.promise import Promise

_HONEST_ERRORS = 8.0
"""A row is wrong if its error is more than so many times the largest honest one."""
_UNITS = 60 * 2.0**-23
"""And, in float32, more than this."""
_NEIGHBOURS = 4
"""How many slightly different queries say how large honest errors of a row are on average."""
_APART = 2.0
"""How far the numbers of such queries are from the promised ones, in units of the arithmetic."""

Finding = Literal["honest", "wrong", "call", "neither", "left out"]
"""What a draw is: an honest output; a wrong one; a right one whose call was tampered with; neither
right nor wrong; or one that is not judged."""


@dataclass(frozen=True, eq=False)
class Standard:
    """What the output of a layer is held against.

    Attributes:
        output: The promised one, in float64, shape (b, h, n_q, d_v).
        size: What errors of a row are relative to, shape (b, h, n_q).
        honest: The largest relative error of honest arithmetic in each row, in 16 bits at least
            what it is on average, shape (b, h, n_q).
        rows: Which rows are compared, shape (b, 1, n_q).
        tolerance: The relative error above which a row is wrong, shape (b, h, n_q).
    """

    output: Reals
    size: Reals
    honest: Reals
    rows: Truths
    tolerance: Reals

    def errors(self, out: Reals) -> Reals:
        """Return the relative error of each row, ∞ where it is not finite, shape (b, h, n_q)."""
        errors = np.abs(out.astype(np.float64) - self.output).max(axis=-1) / self.size
        return np.where(np.isnan(errors), np.inf, errors)

    def times(self, out: Reals) -> float:
        """Return the largest error of a compared row, in the largest error of honest arithmetic."""
        errors = self.errors(out)
        times = np.where(errors > 0, errors / self.honest, 0)
        return float(np.max(np.where(self.rows, times, 0), initial=0))

    def wrong(self, out: Reals) -> Truths:
        """Return which rows are wrong, shape (b, h, n_q)."""
        return (self.errors(out) > self.tolerance) & self.rows


def standard_of(layer: Computation, format: Format, rows: Truths) -> Standard:
    """Return what the output of a layer is held against.

    Args:
        layer: What it computes if the promise is kept.
        format: The number format.
        rows: Which rows are compared, shape (b, n_q).
    """
    output, size = exact(layer), exact_size(layer)
    honest = _honest_errors(layer, format, output, size)
    if format.is_narrow:
        honest = np.maximum(honest, _average_errors(layer, format))
    tolerance = _HONEST_ERRORS * honest
    if not format.is_narrow:
        tolerance = np.maximum(tolerance, _UNITS)
    return Standard(output, size, honest, rows[:, None], tolerance)


def _honest_errors(layer: Computation, format: Format, output: Reals, size: Reals) -> Reals:
    """Return the largest relative error of honest arithmetic in each row, shape (b, h, n_q)."""
    outputs = [arithmetic(layer, format) for arithmetic in ARITHMETICS.values()]
    errors = [np.abs(out - output).max(axis=-1) / size for out in outputs]
    return np.asarray(np.max(errors, axis=0))


def _average_errors(layer: Computation, format: Format) -> Reals:
    """Return the largest honest error of each row on average over slightly different queries.

    A row that sees one or two keys has an error of one number or two. By chance it is next to 0 in
    all arithmetics at once, and eight times that is less than an honest error.
    """
    rng = np.random.default_rng(0)
    total = np.zeros(layer.queries.shape[:-1])
    apart = np.float32(_APART * format.unit)
    for _ in range(_NEIGHBOURS):
        shares = rng.standard_normal(layer.queries.shape, np.float32) * apart
        neighbour = replace(layer, queries=format.rounded(layer.queries * (1 + shares)))
        total += _honest_errors(neighbour, format, exact(neighbour), exact_size(neighbour))
    return np.asarray(total / _NEIGHBOURS)


@dataclass(frozen=True)
class Judgement:
    """What the oracle says of a draw.

    Attributes:
        finding: What it is.
        reason: Why, in words.
        times: The largest error of a compared row in its honest errors.
    """

    finding: Finding
    reason: str
    times: float


def judge(
    promise: Promise, fault: Fault, tampering: Tampering, outputs: Sequence[Reals]
) -> Judgement:
    """Return what the oracle says of outputs.

    Args:
        promise: What is promised.
        fault: What was done to it.
        tampering: What the outputs were computed from, and what is captured.
        outputs: The output of each layer, shape (b, h, n_q, d_v).
    """
    with np.errstate(all="ignore"):
        completed = _completed(promise, tampering)
        standards = [
            standard_of(layer, promise.setting.format, rows)
            for layer, rows in zip(completed.layers, completed.rows, strict=True)
        ]
        times = max(standard.times(out) for standard, out in zip(standards, outputs, strict=True))
        is_wrong = any(
            standard.wrong(out).any() for standard, out in zip(standards, outputs, strict=True)
        )
        if is_wrong:
            return Judgement("wrong", "", times)
        if fault.touches == "output":
            return Judgement("neither", "", times)
        if not any(standard.rows.any() for standard in standards):
            return Judgement("left out", "no row is compared", times)
        if not _shows_multiplier(completed.layers, standards):
            return Judgement("left out", "m could not show", times)
    is_tampered = completed.is_unexplained or bool(tampering.call or tampering.biases)
    if fault.touches == "call" and not is_tampered:
        return Judgement("left out", "padding or packed texts would explain the mask", times)
    return Judgement("call" if fault.touches == "call" else "honest", "", times)


@dataclass(frozen=True, eq=False)
class _Completed:
    """A promise with the padding and the texts that captured masks state.

    Attributes:
        layers: What each layer computes if it is kept.
        rows: Which rows are compared, by layer, shape (b, n_q).
        is_unexplained: Whether a captured mask differs from what is promised.
    """

    layers: tuple[Computation, ...]
    rows: tuple[Truths, ...]
    is_unexplained: bool


def _completed(promise: Promise, tampering: Tampering) -> _Completed:
    if tampering.fill is not None:
        return _Completed(promise.layers, promise.compared, True)
    setting = promise.setting
    layers, compared_rows, is_unexplained = [], [], False
    for number, (layer, captured) in enumerate(zip(promise.layers, tampering.masks, strict=True)):
        seen, rows = layer.seen.copy(), promise.compared[number].copy()
        for sequence in range(setting.batch if captured is not None else 0):
            assert captured is not None
            mask, right = captured[sequence, 0], layer.seen[sequence, 0]
            if (mask == right)[rows[sequence]].all():
                continue
            padding = explained(setting.rules[number], mask)
            if padding is None:
                is_unexplained = True
                continue
            seen[sequence, 0] = mask
            rows[sequence] = compared(mask, padding)
        layers.append(replace(layer, seen=seen))
        compared_rows.append(rows)
    return _Completed(tuple(layers), tuple(compared_rows), is_unexplained)


def _shows_multiplier(layers: Sequence[Computation], standards: Sequence[Standard]) -> bool:
    """Return whether half of m, and twice m, would both be wrong in one head."""
    for layer, standard in zip(layers, standards, strict=True):
        wrong_heads = [
            standard.wrong(exact(replace(layer, multiplier=layer.multiplier * factor))).any(axis=-1)
            for factor in (0.5, 2.0)
        ]
        if (wrong_heads[0] & wrong_heads[1]).any():
            return True
    return False
