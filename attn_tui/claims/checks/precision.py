"""Claims about number formats: overflow and the effects of rounding."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from attn_tui.claims.checks.listings import listed
from attn_tui.claims.checks.samples import SATURATED, SIDES, medians, share, sides
from attn_tui.claims.claim import Case, ClaimCurves, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.arrays import Floats, rounded
from attn_tui.compute.errors import InputError
from attn_tui.compute.heads.head import row_weights
from attn_tui.compute.numbers import general
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.sample import Number, stream
from attn_tui.library import drawn, softmax


def out_of_range(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Check drawn weights, and compute softmax of large scores both ways in every format."""
    unscaled, scaled = medians("max p", sides(trial, "max_weight"))
    is_extreme = unscaled.value > SATURATED > scaled.value
    where = f"the weights of drawn rows, n = {trial.n:,}, d_k = {trial.d_k:,}"
    yield Case(where, is_extreme, (unscaled, scaled))
    for method, naive, formats in (
        ("e^z as it is", True, FORMATS),
        ("the largest subtracted", False, FORMATS[1:]),
    ):
        for name in formats:
            weights = {
                side: listed(scale, Precision(name, naive)).weights()
                for side, scale in SIDES.items()
            }
            unscaled, scaled = (
                Evidence(f"{side} weights that are NaN, of three", float(np.isnan(p).sum()))
                for side, p in weights.items()
            )
            holds = unscaled.value > 0.0 and scaled.value == 0.0
            yield Case(f"(100, 120, 150) in {name}, {method}", holds, (unscaled, scaled))


_AT_ONCE, _MOST = 1 << 20, 1 << 25
"""The most entries of q drawn at a time, and the most in all."""

_SPREAD = 2.0**15
"""A standard deviation at which one product in 22 overflows float16."""


@dataclass(frozen=True, eq=False)
class Halves:
    """Logits of drawn q and k of float16 entries, computed in float16 with sums in float32.

    Attributes:
        exact: q·k/√d_k of these entries, shape (N,).
        after: The logits with the product divided by √d_k, shape (N,).
        before: The logits with q and k each divided by ⁴√d_k first, shape (N,).
        first: The logits with q alone divided by √d_k first, shape (N,).
    """

    exact: Floats
    after: Floats
    before: Floats
    first: Floats


def halves(trial: Trial, size: float = 1.0) -> Halves:
    """Return logits of drawn q and k whose normal entries have a standard deviation.

    Raises:
        InputError: If there are too many.
    """
    if trial.draws * trial.d_k > _MOST:
        problem = f"{trial.draws:,} of q with {trial.d_k:,} entries are too many"
        raise InputError("draws", problem, f"at most {_MOST // trial.d_k:,}")
    random, rows = stream(trial.seed), max(1, _AT_ONCE // trial.d_k)
    parts = []
    for start in range(0, trial.draws, rows):
        shape = 2, min(rows, trial.draws - start), trial.d_k
        q, k = rounded(size * random.standard_normal(shape), "float16")
        root = float(trial.d_k) ** -0.25
        after = rounded(_product(q, k) * root**2, "float16")
        before = _product(rounded(q * root, "float16"), rounded(k * root, "float16"))
        first = _product(rounded(q * root**2, "float16"), k)
        parts.append((np.vecdot(q, k) / sqrt(trial.d_k), after, before, first))
    return Halves(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _product(q: Floats, k: Floats) -> Floats:
    single = np.vecdot(q.astype(np.float32), k.astype(np.float32))
    return rounded(single.astype(np.float64), "float16")


_FEW = 1000
"""The most q·k drawn for each d_k in a picture."""


def fourth_root(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Compare both ways: by overflow for large entries, and by rounding for usual ones."""
    size, where = sqrt(_SPREAD / sqrt(trial.d_k)), f"d_k = {trial.d_k:,}, entries of"
    large, usual = halves(trial, size), halves(trial)
    lost = [
        Evidence.of(f"share of logits that overflow, divided {how}", share(np.isinf(logits)))
        for how, logits in (
            ("before", large.before),
            ("after", large.after),
            ("from q first", large.first),
        )
    ]
    fewer = lost[0].value < lost[1].value
    yield Case(f"{where} standard deviation {general(size, 3)}", fewer, tuple(lost))
    errors = [
        Evidence.of(f"rms error of a logit, divided {how}", _rms(logits - usual.exact))
        for how, logits in (
            ("before", usual.before),
            ("after", usual.after),
            ("from q first", usual.first),
        )
    ]
    smaller = errors[0].value < errors[1].value
    yield Case(f"{where} standard deviation 1", smaller, tuple(errors))
    few, d_ks = replace(trial, draws=min(trial.draws, _FEW)), [2**power for power in range(2, 12)]
    samples = [halves(replace(few, d_k=d_k)) for d_k in d_ks]
    curves = {
        "divided before": [_rms(logits.before - logits.exact).value for logits in samples],
        "divided after": [_rms(logits.after - logits.exact).value for logits in samples],
    }
    title = "root mean square error of a logit in float16"
    yield ClaimCurves(title, "d_k", d_ks, curves, log="xy")


def as_float(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Take softmax of 16-bit logits as they are and as float32, and of some that overflowed."""
    logits = rounded(drawn(trial.d_k, trial.n, trial.seed)[0] / sqrt(trial.d_k), "bfloat16")
    plain = softmax(logits, precision=Precision("bfloat16"))
    upcast = softmax(logits, precision=Precision("float32"))
    back = rounded(upcast, "bfloat16")
    apart = Evidence(
        f"weights that differ, of {trial.n:,}", float((plain != back).sum()), stated=0.0
    )
    yield Case("cast back to bfloat16", apart.value == 0.0, (apart,))
    error = float(np.abs(plain - upcast).max() / upcast.max())
    name = "largest difference, as a share of the largest weight"
    yield Case("kept in float32", error == 0.0, (Evidence(name, error, stated=0.0),))
    with np.errstate(invalid="ignore", over="ignore"):
        lost = row_weights(rounded(np.array([[70_000.0, 0.0, 0.0]]), "float16"))
    nan = Evidence("weights that are NaN, of three", float(np.isnan(lost).sum()), stated=3.0)
    yield Case("scores of 70,000 that were float16 before", nan.is_as_stated, (nan,))


def _rms(errors: Floats) -> Number:
    """Return the root mean square of errors, with its own standard error to first order."""
    square = Number.mean(np.square(errors).tolist())
    root = sqrt(square.value)
    return Number(root, square.standard_error / (2.0 * root) if root else 0.0)
