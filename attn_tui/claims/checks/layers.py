"""Claims about layers of attention, and about square matrices of weights."""

from collections.abc import Iterator
from math import exp, nan, sqrt

import numpy as np

from attn_tui.claims.claim import Case, ClaimCurves, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.arrays import Floats
from attn_tui.compute.errors import InputError
from attn_tui.compute.heads.head import Head, row_weights
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.numbers import general, interval
from attn_tui.compute.sample import Number, stream
from attn_tui.compute.scale import Scale


def normals(trial: Trial, key: int, *shape: int) -> Floats:
    """Return standard normal numbers of a trial; different keys give independent numbers."""
    return stream(trial.seed, key).standard_normal(shape)


def check_size(trial: Trial, least: int = 2, **most: int) -> None:
    """Raise InputError if matrices would be too large, or too small to be informative."""
    for name, limit in most.items():
        if not least <= getattr(trial, name) <= limit:
            problem = f"{getattr(trial, name):,} will not do for this claim"
            raise InputError(name, problem, f"{least} to {limit:,}")


def projected(trial: Trial, key: int, gain: float = 1.0) -> Floats:
    """Return a weight matrix, shape (d_k, d_k), that turns unit variances into the gain squared."""
    return normals(trial, key, trial.d_k, trial.d_k) * (gain / sqrt(trial.d_k))


def geometric(name: str, values: Floats) -> Evidence:
    """Return the geometric mean of numbers, shape (draws,), with its error; 0 if one is 0."""
    if not values.all():
        return Evidence(name, 0.0)
    logs = Number.mean(np.log(values).tolist())
    mean = exp(logs.value)
    return Evidence(name, mean, mean * logs.standard_error)


def average(name: str, values: Floats) -> Evidence:
    """Return the mean of numbers, shape (draws,), with its error."""
    return Evidence.of(name, Number.mean(values.tolist()))


LAYERS = 8

ROUNDING = 1e-12
"""Differences between tokens below this are rounding errors of float64."""


def residuals(trial: Trial, scale: Scale, n_keys: int, layers: int) -> Floats:
    """Return ‖X − mean‖_F/‖X‖_F before and after each of several layers of attention alone.

    The mean is the average token, a matrix of rank 1. X is standard normal at first, and the
    entries of W_q, W_k and W_v are normal with variance 1/d_k, drawn anew in each layer.

    Returns:
        Shape (layers + 1, draws).
    """
    shares = np.empty((layers + 1, trial.draws))
    for draw in range(trial.draws):
        tokens = normals(trial, 100 * draw, n_keys, trial.d_k)
        for layer in range(layers + 1):
            spread = tokens - tokens.mean(axis=0)
            shares[layer, draw] = np.linalg.norm(spread) / np.linalg.norm(tokens)
            of_q, of_k, of_v = (
                tokens @ projected(trial, 100 * draw + 3 * layer + part) for part in (1, 2, 3)
            )
            model = HeadModel.of(scale.logit_map(trial.d_k, n_keys))
            tokens = Head(of_q, of_k, of_v, model).output
    return shares


def rank_collapse(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Pass random tokens through layers of attention with and without a scale."""
    check_size(trial, d_k=256, n=256, draws=32)
    curves, name = {}, "‖X − mean‖_F/‖X‖_F"
    for side, rule, words in (
        ("scaled", "inverse-sqrt", "1/√d_k"),
        ("unscaled", "none", "no scale"),
    ):
        shares = residuals(trial, Scale(rule), trial.n, LAYERS)
        means = [geometric(f"{name} after layer {layer}", shares[layer]) for layer in (3, 2, 1)]
        where = f"{words}, n = {trial.n:,}, d_k = {trial.d_k:,}"
        yield Case(where, means[0].value < 1e-3, tuple(means))
        curves[side] = [
            exp(np.log(share).mean()) if share.min() > ROUNDING else nan for share in shares
        ]
    title = f"what is left of the differences between tokens, {name}"
    yield ClaimCurves(title, "layers", range(LAYERS + 1), curves, log="y")


def concentration(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Compute the norms of a square matrix of weights and of J, for logits of rising spread."""
    check_size(trial, n=512, draws=32)
    stds = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
    draws = [normals(trial, draw, trial.n, trial.n) for draw in range(trial.draws)]
    sizes = np.array([[norms(row_weights(std * z)) for std in stds] for z in draws])
    of_weights, by_logits = sizes.T
    for low, high in ((0, 4), (4, 6)):
        where = f"at σ = {general(stds[high])}"
        over = f"{where} over that at σ = {general(stds[low])}"
        grown = by_logits[high] / by_logits[low]
        evidence = (
            average(f"mean ‖J‖_F {over}", grown),
            average(f"mean ‖A‖₂ {over}", of_weights[high] / of_weights[low]),
            average(f"mean ‖A‖₂ {where}", of_weights[high]),
            average(f"mean ‖J‖_F {where}", by_logits[high]),
        )
        holds = evidence[0].value > 1.0 and evidence[1].value > 1.0
        yield Case(f"n = {trial.n:,}, σ = {interval(stds[low], stds[high])}", holds, evidence)
    curves = {"‖A‖₂": of_weights.mean(axis=1), "mean ‖J‖_F": by_logits.mean(axis=1)}
    title, x = "norms of the weights and of their gradient by the logits", "σ of the logits"
    yield ClaimCurves(title, x, stds, curves, log="xy")


def norms(weights: Floats) -> tuple[float, float]:
    """Return ‖A‖₂ of a square matrix of weights, and the mean of ‖J‖_F over its rows."""
    square, cube = (weights**2).sum(axis=1), (weights**3).sum(axis=1)
    sizes = np.sqrt(np.maximum(square - 2.0 * cube + square**2, 0.0))
    return spectral_norm(weights), float(sizes.mean())


def spectral_norm(weights: Floats) -> float:
    """Return ‖A‖₂ of a matrix of weights to eight digits, by power iteration on AᵀA.

    No entry is negative, so the iteration never misses the leading vector (Perron and Frobenius).
    """
    along, norm = weights.sum(axis=0), 0.0
    for _ in range(1000):
        along = weights.T @ (weights @ along)
        before, norm = norm, float(np.linalg.norm(along))
        along /= norm
        if abs(norm - before) <= 1e-11 * norm:
            break
    return sqrt(norm)


def singular_values(matrix: Floats) -> Floats:
    """Return the singular values of a matrix, largest first, to within 1e-8 of the largest.

    They are roots of the eigenvalues of AᵀA, at a fifth of the cost of a decomposition.
    """
    squares = np.linalg.eigvalsh(matrix.T @ matrix)[::-1]
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def spectral_gap(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Compare the singular values of random weights with the edge of their bulk."""
    check_size(trial, least=32, n=1024)
    n = trial.n
    values = singular_values(row_weights(normals(trial, 0, n, n)))
    # A few values lie outside the bulk, whose edge is blurred by n^(−2/3).
    inside = 1 + max(1, n // 100)
    edge = 2.0 * sqrt((exp(1.0) - 1.0) / n)
    first = Evidence("largest singular value", float(values[0]), exact=1.0)
    second = Evidence("second singular value", float(values[1]))
    bulk = Evidence(f"singular value {inside}", float(values[inside - 1]), exact=edge)
    is_one = first.is_close(1.0, within=10.0 / n) and second.value < 0.75 * first.value
    holds = is_one and bulk.is_close(edge, within=5.0 * n ** (-2.0 / 3.0))
    yield Case(f"independent normal logits, σ = 1, n = {n:,}", holds, (first, second, bulk))
    places = range(1, min(n, 100) + 1)
    largest, bulk_edge = values[: len(places)], np.full(len(places), edge)
    curves = {"singular values": largest, "edge of the bulk": bulk_edge}
    title = f"singular values of {n:,} × {n:,} random weights"
    yield ClaimCurves(title, "place, from the largest", places, curves, log="xy")
