"""Claims about the mean and the variance of q·k."""

from collections.abc import Iterator, Mapping

import numpy as np

from attn_tui.claims.checks.samples import (
    above,
    power,
    rows_of_scores,
    sampled,
    share,
    variance_of,
)
from attn_tui.claims.claim import Case, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.law import Entries
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.numbers import general
from attn_tui.library import dot_law

_D_KS = (1, 4, 16, 64, 256, 1024)
"""The d_k at which moments are computed."""

RHO = 0.3
"""The correlation of q_i and k_i that represents the effect of training."""

_ENTRIES: Mapping[Entries, str] = {"normal": "normal entries", "coins": "entries of ±1"}


def average(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare the mean of q·k with the stated multiple of d_k, for two laws of the entries."""
    for entries, words in _ENTRIES.items():
        readouts = sampled(dot_law(trial.d_k, entries), trial)
        mean = Evidence.of("mean of q·k", readouts.mean, stated["mean over d_k"] * trial.d_k)
        variance = Evidence.of("variance of q·k", readouts.variance)
        yield Case.as_stated(f"{words}, d_k = {trial.d_k:,}", mean, variance)


def _both(where: str, law: DotLaw, trial: Trial) -> Case:
    """Return the case of whether mean and variance of q·k are 0 and d_k."""
    readouts = sampled(law, trial)
    mean = Evidence.of("mean of q·k", readouts.mean, stated=0.0)
    variance = Evidence.of("variance of q·k", readouts.variance, stated=float(law.d_k))
    return Case(where, mean.is_as_stated and variance.is_as_stated, (mean, variance))


def mean_and_variance(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare mean and variance with 0 and d_k, for two laws of the entries."""
    for entries, words in _ENTRIES.items():
        yield _both(f"{words}, d_k = {trial.d_k:,}", dot_law(trial.d_k, entries), trial)


def independent(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare mean and variance with those of independence, with and without a correlation."""
    for rho in (0.0, RHO):
        yield _both(f"ρ(q_i, k_i) = {general(rho)}", dot_law(trial.d_k, correlation=rho), trial)


def grows(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare the means of q·k and |q·k| at the least and the largest d_k."""
    first, last = (sampled(dot_law(d_k), trial) for d_k in (_D_KS[0], _D_KS[-1]))
    ends, there = f"from d_k = {_D_KS[0]} to {_D_KS[-1]:,}", f"at d_k = {_D_KS[-1]:,}"
    for where, name, low, high in (
        ("the size |q·k|", "mean of |q·k|", first.mean_size, last.mean_size),
        ("q·k itself", "mean of q·k", first.mean, last.mean),
    ):
        rise = above(f"rise of the {name} {ends}", high, low)
        yield Case(where, rise.decisive > 0.0, (rise, Evidence.of(f"{name} {there}", high)))


def larger(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare spread, mean and single products at two d_k."""
    low, high = (sampled(dot_law(d_k), trial) for d_k in (512, 1024))
    for where, name, one, two in (
        ("the spread", "standard deviation", low.standard_deviation, high.standard_deviation),
        ("the mean", "mean", low.mean, high.mean),
    ):
        rise = above(f"rise of the {name}, 512 to 1,024", two, one)
        yield Case(where, rise.decisive > 0.0, (rise,))
    small, large = (np.abs(rows_of_scores(d_k, 1, trial)) for d_k in (512, 1024))
    name = "share of pairs with larger |q·k| at 1,024"
    yield Case.as_stated("every single product", Evidence.of(name, share(large > small), 1.0))


def proportional(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compute the power of d_k by which the variance grows from the least d_k to the largest."""
    ends = _D_KS[0], _D_KS[-1]
    variances = [sampled(dot_law(d_k), trial).variance for d_k in ends]
    slope = power("power of d_k in Var(q·k)", ends, variances, stated["slope"])
    last = Evidence.of(f"variance of q·k at d_k = {_D_KS[-1]:,}", variances[-1])
    yield Case.as_stated("normal entries", slope, last)


def one_product(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Draw single products of normal and of uniform entries."""
    laws: tuple[Entries, ...] = "normal", "uniform"
    for entries in laws:
        drawn = sampled(dot_law(1, entries), trial).variance
        variance = Evidence.of("variance of q_i·k_i", drawn, stated["variance"])
        yield Case.as_stated(f"{entries} entries of variance 1", variance)


def variance_is_d_k(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare the sampled variance with d_k, at several d_k."""
    for d_k in _D_KS:
        drawn = sampled(dot_law(d_k), trial).variance
        variance = Evidence.of("variance of q·k", drawn, stated=float(d_k))
        yield Case.as_stated(f"d_k = {d_k:,}", variance)


def variances_add(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Sum products of normal entries, products of dice, and scores of one row."""
    sums: tuple[tuple[Entries, int, str], ...] = (
        ("normal", 2, "of normal entries"),
        ("normal", trial.d_k, "of normal entries"),
        ("die", 3, "of two dice"),
    )
    for entries, terms, words in sums:
        drawn = sampled(dot_law(terms, entries), trial).variance
        alone = dot_law(1, entries).variance
        added = Evidence.of(f"variance of the sum of {terms:,} products", drawn, terms * alone)
        yield Case.as_stated(f"independent products {words}", added)
    law, n = dot_law(trial.d_k), 8
    rows = rows_of_scores(trial.d_k, n, trial).sum(axis=1)
    # Given q the sum is normal too, with n times the variance of one score.
    drawn = variance_of(rows, law.kurtosis, n * law.variance)
    added = Evidence.of(f"variance of the sum of {n} scores", drawn, stated=float(n * trial.d_k))
    yield Case.as_stated("scores of one row: uncorrelated, not independent", added)
