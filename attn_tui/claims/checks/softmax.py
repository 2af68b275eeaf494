"""Claims about softmax of one row: its derivatives, and what they come to as it saturates."""

from collections.abc import Iterator, Sequence
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from attn_tui.claims.claim import Case, Curve, Evidence, Picture, Stated
from attn_tui.claims.trial import Trial
from attn_tui.library import drawn, gradient, jacobian, softmax, statistics

Numbers = NDArray[np.float64]

ABOUT_0 = 1e-3
"""What texts call a gradient near 0 is below this."""


def central_differences(logits: Numbers, keys: Sequence[int], step: float = 2.0**-17) -> Numbers:
    """Return ∂p_i/∂z_k of some keys k, shape (n, len(keys)), from softmax on both sides of z_k.

    They are off by some 1e-11: half of that is rounding.
    """
    columns = []
    for key in keys:
        there, back = logits.copy(), logits.copy()
        there[key] += step
        back[key] -= step
        columns.append((softmax(there) - softmax(back)) / (there[key] - back[key]))
    return np.stack(columns, axis=1)


MOST_COLUMNS = 8
"""Central differences are taken of so many logits at most."""

_OFF = 1e-9
"""What is off by more than this, a hundred times what central differences are, is another."""


def derivatives(trial: Trial) -> tuple[Numbers, Numbers, Numbers]:
    """Return ∂p_i/∂z_k of a drawn row, scaled: as texts have it, as computed, and measured.

    Each has shape (n, K), for the first K ≤ 8 keys k.
    """
    logits = drawn(trial.d_k, trial.n, trial.seed)[0] / trial.d_k**0.5
    keys = range(min(trial.n, MOST_COLUMNS))
    p = softmax(logits)
    stated = p[:, None] * (np.eye(trial.n, len(keys)) - p[: len(keys)])
    # J is symmetric: its row k is its column k.
    computed = np.stack([gradient(logits, of=key, wrt="logits") for key in keys], axis=1)
    return stated, computed, central_differences(logits, keys)


def compared(where: str, symbol: str, of: Numbers, among: NDArray[np.bool_]) -> Case:
    """Return whether some entries of three matrices agree.

    Args:
        where: Which entries.
        symbol: The first of them.
        of: As stated, computed and measured, shape (3, n, K).
        among: Which, shape (n, K).
    """
    stated, computed, measured = (each[among] for each in of)
    off = (np.abs(stated - measured) > _OFF) | (np.abs(computed - measured) > _OFF)
    name = f"derivatives off by more than {_OFF:.0e}, of {off.size:,}"
    wrong = Evidence(name, float(off.sum()), stated=0.0)
    first = Evidence(
        f"{symbol} by central difference", float(measured[0]), stated=float(stated[0]),
        exact=float(computed[0]),
    )  # fmt: skip
    return Case(where, not off.any(), (wrong, first))


def derivative(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare the formula with central differences."""
    found = np.array(derivatives(trial))
    every = np.ones(found.shape[1:], bool)
    yield compared(f"a drawn row of {trial.n:,} keys, scaled", "∂p_0/∂z_0", found, every)


def two_derivatives(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare each formula with central differences."""
    found = np.array(derivatives(trial))
    own = np.eye(*found.shape[1:]) == 1.0
    yield compared(f"by its own logit, n = {trial.n:,}", "∂p_0/∂z_0", found, own)
    yield compared(f"by another logit, n = {trial.n:,}", "∂p_0/∂z_1", found, ~own)


def large_logit(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Look at logits that lead, the more the nearer to 1, and beside them at one that does not."""
    alone = Evidence("p_0 at (1000, 1000, 1000)", float(softmax([1000.0] * 3)[0]), exact=1.0 / 3.0)
    for logits in ((10.0, 0.0, 0.0), (1010.0, 1000.0, 1000.0)):
        exact = 1.0 / (1.0 + 2.0 * exp(-10.0))
        weight = Evidence("p_0", float(softmax(logits)[0]), stated=stated["p_0"], exact=exact)
        where = "z = ({:g}, {:g}, {:g})".format(*logits)
        yield Case(where, weight.is_near(stated["p_0"], within=ABOUT_0), (weight, alone))


_SMALL = (-50.0, 0.0, 0.0)


def small_logit(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare the small logit's row and column with the rest."""
    entries = jacobian(_SMALL, wrt="logits")
    own = float(max(np.abs(entries[0]).max(), np.abs(entries[:, 0]).max()))
    rest = float(np.linalg.norm(entries[1:, 1:]))
    exact = 2 * exp(-50) / (2 + exp(-50)) ** 2
    largest = Evidence("largest entry of row and column 0 of ∂p/∂z", own, exact=exact)
    others = Evidence("‖∂p/∂z‖_F of the other rows and columns", rest, exact=0.5)
    yield Case("z = (−50, 0, 0), row and column 0", own < ABOUT_0, (largest,))
    yield Case("z = (−50, 0, 0), keys 1 and 2", rest < ABOUT_0, (others,))


def score_far_below(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Look at both derivatives of the key that is far below, and of another."""
    entries = jacobian(_SMALL, wrt="logits")
    small = exp(-50) / (2 + exp(-50))
    for key, other, p, p_other in ((0, 1, small, 0.5), (1, 2, 0.5, 0.5)):
        own, across = float(entries[key, key]), float(entries[key, other])
        yield Case(
            f"z = (−50, 0, 0), weight of key {key}",
            max(abs(own), abs(across)) < ABOUT_0,
            (
                Evidence(f"∂p_{key}/∂z_{key}", own, stated=0.0, exact=p * (1 - p)),
                Evidence(f"∂p_{key}/∂z_{other}", across, stated=0.0, exact=-p * p_other),
            ),
        )


def leading(n_keys: int, lead: float) -> Numbers:
    """Return logits whose first weight is 1/(1 + e^−lead), and whose others are equal."""
    logits = np.zeros(n_keys)
    logits[0] = log(n_keys - 1) + lead
    return logits


_LEADS, _ROUNDING = (2.0, 7.0, 14.0, 40.0), 1.0 + 1e-9


def concentrated(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Let one key lead by more and more."""
    for lead in _LEADS:
        found = statistics(leading(trial.n, lead), wrt="logits")
        most = 2.0 * exp(-lead) / (1.0 + exp(-lead))
        evidence = (
            Evidence("‖∂p/∂z‖_F", found.frobenius),
            Evidence("tr ∂p/∂z = 1 − Σp²", found.trace),
            Evidence("2(1 − max p)", most),
        )
        holds = found.frobenius <= found.trace * _ROUNDING and found.trace <= most * _ROUNDING
        where = f"n = {trial.n:,}, e^{lead:g} times the weight of all others on one key"
        yield Case(where, holds, evidence)
    leads = np.linspace(-10.0, 20.0, 61)
    rows = [statistics(leading(trial.n, lead), wrt="logits") for lead in leads.tolist()]
    yield Picture(
        f"∂p/∂z, one key ahead of {trial.n - 1:,} equal ones",
        "ln of the leading weight over the sum of the others",
        (
            Curve("‖∂p/∂z‖_F", tuple(leads.tolist()), tuple(each.frobenius for each in rows)),
            Curve("tr ∂p/∂z", tuple(leads.tolist()), tuple(each.trace for each in rows)),
        ),
        log_y=True,
    )


def dominant_score(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Look at both derivatives as a key leads by more and more."""
    for lead in _LEADS:
        entries = gradient(leading(trial.n, lead), of=0, wrt="logits")
        own, across = float(entries[0]), float(entries[1])
        exact = exp(-lead) / (1.0 + exp(-lead)) ** 2
        yield Case(
            f"n = {trial.n:,}, e^{lead:g} times the weight of all others on key 0",
            max(own, -across) <= exp(-lead) * _ROUNDING,
            (
                Evidence("∂p_0/∂z_0", own, exact=exact),
                Evidence("∂p_0/∂z_1", across, exact=-exact / (trial.n - 1)),
            ),
        )


def near_0(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Look for a gradient that is smaller far from 0, and for a large one at 0."""
    near, far, apart = (
        statistics(logits, wrt="logits").spectral
        for logits in ([0.0, 0.0], [1000.0, 1000.0], [0.0, 1000.0])
    )
    sizes = [
        Evidence(f"‖∂p/∂z‖_2 at {at}", value, exact=exact)
        for at, value, exact in (
            ("(0, 0)", near, 0.5), ("(1000, 1000)", far, 0.5), ("(0, 1000)", apart, None)
        )
    ]  # fmt: skip
    yield Case("both inputs far from 0", far < near * (1 - 1e-9), (sizes[1], sizes[0]))
    yield Case("one input at 0, one far", apart > ABOUT_0, (sizes[2],))
