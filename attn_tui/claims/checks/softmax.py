"""Claims about softmax of one row: its derivatives, and how they behave as it saturates."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import exp, log

import numpy as np

from attn_tui.claims.claim import Case, ClaimCurves, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.arrays import Floats
from attn_tui.compute.numbers import general
from attn_tui.library import drawn, gradient, jacobian, softmax, statistics

ABOUT_0 = 1e-3
"""A gradient below this counts as what texts call near 0."""

MOST_COLUMNS = 8
"""The most logits for which central differences are taken."""

_OFF = 1e-9
"""A larger error than this, a hundred times that of central differences, is a mismatch."""


def central_differences(logits: Floats, keys: Sequence[int], step: float = 2.0**-17) -> Floats:
    """Return ∂p_i/∂z_k of some keys k, shape (n, len(keys)), from softmax on both sides of z_k.

    Their error is about 1e-11, half of it from rounding.
    """
    columns = []
    for key in keys:
        there, back = logits.copy(), logits.copy()
        there[key] += step
        back[key] -= step
        columns.append((softmax(there) - softmax(back)) / (there[key] - back[key]))
    return np.stack(columns, axis=1)


def derivatives(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare the formulas with central differences, by a weight's own logit and by others."""
    logits = drawn(trial.d_k, trial.n, trial.seed)[0] / trial.d_k**0.5
    keys = range(min(trial.n, MOST_COLUMNS))
    p = softmax(logits)
    diagonal = np.eye(trial.n, len(keys), dtype=bool)
    by_formula = p[:, None] * (diagonal - p[: len(keys)])
    # J is symmetric: its row k is its column k.
    computed = np.stack([gradient(logits, of=key, wrt="logits") for key in keys], axis=1)
    measured = central_differences(logits, keys)
    off = (np.abs(by_formula - measured) > _OFF) | (np.abs(computed - measured) > _OFF)
    for where, key, some in (("its own logit", 0, diagonal), ("another logit", 1, ~diagonal)):
        name = f"derivatives off by more than {general(_OFF)}, of {some.sum():,}"
        wrong = Evidence(name, float(off[some].sum()), stated=0.0)
        entry = (0, key)
        first = Evidence(
            f"∂p_0/∂z_{key} by central difference", float(measured[entry]),
            stated=float(by_formula[entry]), exact=float(computed[entry]),
        )  # fmt: skip
        yield Case(f"by {where}, n = {trial.n:,}", not off[some].any(), (wrong, first))


def large_logit(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Check a logit that leads by 10, in small and in large logits; and equal large logits."""
    alone = Evidence("p_0 at (1000, 1000, 1000)", float(softmax([1000.0] * 3)[0]), exact=1.0 / 3.0)
    for logits in ((10.0, 0.0, 0.0), (1010.0, 1000.0, 1000.0)):
        exact = 1.0 / (1.0 + 2.0 * exp(-10.0))
        weight = Evidence("p_0", float(softmax(logits)[0]), stated=stated["p_0"], exact=exact)
        where = f"z = ({', '.join(map(general, logits))})"
        yield Case(where, weight.is_close(stated["p_0"], within=ABOUT_0), (weight, alone))


def small_logit(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare the row and column of a small logit with the rest."""
    entries = jacobian((-50.0, 0.0, 0.0), wrt="logits")
    largest_entry = float(max(np.abs(entries[0]).max(), np.abs(entries[:, 0]).max()))
    rest = float(np.linalg.norm(entries[1:, 1:]))
    exact = 2 * exp(-50) / (2 + exp(-50)) ** 2
    largest = Evidence("largest entry of row and column 0 of ∂p/∂z", largest_entry, exact=exact)
    others = Evidence("‖∂p/∂z‖_F of the other rows and columns", rest, exact=0.5)
    yield Case("z = (−50, 0, 0), row and column 0", largest_entry < ABOUT_0, (largest,))
    yield Case("z = (−50, 0, 0), keys 1 and 2", rest < ABOUT_0, (others,))


def leading(n_keys: int, lead: float) -> Floats:
    """Return logits, shape (n_keys,), with first weight 1/(1 + e^−lead) and equal others."""
    logits = np.zeros(n_keys)
    logits[0] = log(n_keys - 1) + lead
    return logits


def concentrated(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Let one key lead by an increasing margin."""
    rounding = 1.0 + 1e-9
    for lead in (2.0, 7.0, 14.0, 40.0):
        logits = leading(trial.n, lead)
        row = statistics(logits, wrt="logits")
        diagonal, across, *_ = gradient(logits, of=0, wrt="logits").tolist()
        most, exact = 2.0 * exp(-lead) / (1.0 + exp(-lead)), exp(-lead) / (1.0 + exp(-lead)) ** 2
        evidence = (
            Evidence("‖∂p/∂z‖_F", row.frobenius),
            Evidence("tr ∂p/∂z = 1 − Σp²", row.trace),
            Evidence("2(1 − max p)", most),
            Evidence("∂p_0/∂z_0", diagonal, exact=exact),
            Evidence("∂p_0/∂z_1", across, exact=-exact / (trial.n - 1)),
        )
        sizes = (max(diagonal, -across), row.frobenius, row.trace, most)
        holds = all(less <= more * rounding for less, more in pairwise(sizes))
        where = f"n = {trial.n:,}, e^{general(lead)} times the weight of all others on key 0"
        yield Case(where, holds, evidence)
    leads = np.linspace(-10.0, 20.0, 61)
    rows = [statistics(leading(trial.n, lead), wrt="logits") for lead in leads.tolist()]
    curves = {
        "‖∂p/∂z‖_F": [row.frobenius for row in rows],
        "tr ∂p/∂z": [row.trace for row in rows],
    }
    title = f"∂p/∂z, one key ahead of {trial.n - 1:,} equal ones"
    yield ClaimCurves(
        title, "ln of the leading weight over the sum of the others", leads, curves, "y"
    )


def near_0(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Look for a gradient that is smaller far from 0, and for a large one at 0."""
    small, large, apart = (
        Evidence(
            f"‖∂p/∂z‖_2 at ({', '.join(map(general, logits))})",
            statistics(logits, wrt="logits").spectral,
            exact=exact,
        )
        for logits, exact in (((0.0, 0.0), 0.5), ((1000.0, 1000.0), 0.5), ((0.0, 1000.0), None))
    )
    yield Case("both inputs far from 0", large.value < small.value * (1.0 - 1e-9), (large, small))
    yield Case("one input at 0, one far", apart.value > ABOUT_0, (apart,))
