"""Claims about the mean and the variance of q·k."""

from collections.abc import Iterator

import numpy as np

from attn_tui.claims.checks.samples import above, rows_of_scores, sampled, variance_of
from attn_tui.claims.claim import Case, Curve, Evidence, Picture, Stated
from attn_tui.claims.trial import Trial
from attn_tui.compute.dots.moments import Readouts
from attn_tui.compute.law.names import Entries
from attn_tui.library import dot_law

_D_KS = (1, 4, 16, 64, 256, 1024)
"""Where the moments are taken over d_k."""


def _over_d_k(trial: Trial) -> dict[int, Readouts]:
    return {d_k: sampled(dot_law(d_k), trial) for d_k in _D_KS}


def _mean_is_d_k(entries: str, found: Readouts, d_k: int) -> Case:
    mean = Evidence.of("mean of q·k", found.mean, stated=float(d_k))
    variance = Evidence.of("variance of q·k", found.variance)
    return Case(f"{entries}, d_k = {d_k:,}", mean.is_as_stated, (mean, variance))


def expected_dot_product(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare the mean of many q·k with d_k."""
    yield _mean_is_d_k("normal entries", sampled(dot_law(trial.d_k), trial), trial.d_k)


def expected_in_conclusion(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare the mean with d_k, for two laws of the entries."""
    yield _mean_is_d_k("normal entries", sampled(dot_law(trial.d_k), trial), trial.d_k)
    coins = dot_law(trial.d_k, "coins")
    yield _mean_is_d_k("entries of +1 or −1", sampled(coins, trial), trial.d_k)


def mean_is_nought(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare the mean of many q·k with 0."""
    found = sampled(dot_law(trial.d_k), trial)
    mean = Evidence.of("mean of q·k", found.mean, stated["mean"])
    yield Case(f"normal entries, d_k = {trial.d_k:,}", mean.is_as_stated, (mean,))


def grows(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Follow the mean of q·k and of |q·k| from the least d_k to the largest."""
    found = _over_d_k(trial)
    first, last = found[_D_KS[0]], found[_D_KS[-1]]
    ends = f"from d_k = {_D_KS[0]} to {_D_KS[-1]:,}"
    size = above(f"rise of the mean of |q·k| {ends}", last.mean_size, first.mean_size)
    mean = above(f"rise of the mean of q·k {ends}", last.mean, first.mean)
    large = Evidence.of(f"mean of |q·k| at d_k = {_D_KS[-1]:,}", last.mean_size)
    at_last = Evidence.of(f"mean of q·k at d_k = {_D_KS[-1]:,}", last.mean)
    yield Case("the size |q·k|", _rises(size), (size, large))
    yield Case("q·k itself", _rises(mean), (mean, at_last))
    x = tuple(map(float, _D_KS))
    yield Picture(
        "mean of q·k and of |q·k|, drawn",
        "d_k",
        (
            Curve("|q·k|", x, tuple(each.mean_size.value for each in found.values())),
            Curve("q·k", x, tuple(each.mean.value for each in found.values())),
        ),
        log_x=True,
    )


def _rises(rise: Evidence) -> bool:
    return rise.decisive > 0.0


def larger(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare spread, mean and single products at two d_k."""
    one, two = (sampled(dot_law(d_k), trial) for d_k in (512, 1024))
    step = "from d_k = 512 to 1,024"
    spread = above(
        f"rise of the standard deviation of q·k {step}",
        two.standard_deviation,
        one.standard_deviation,
    )
    yield Case("the spread", _rises(spread), (spread,))
    mean = above(f"rise of the mean of q·k {step}", two.mean, one.mean)
    yield Case("the mean", _rises(mean), (mean,))
    small, large = (np.abs(rows_of_scores(d_k, 1, trial)) for d_k in (512, 1024))
    share = float((large > small).mean())
    error = float(np.sqrt(max(share * (1.0 - share), 1.0 / trial.draws) / trial.draws))
    more = Evidence("share of pairs with the larger |q·k| at d_k = 1,024", share, error, 1.0)
    yield Case("every single product", more.is_as_stated, (more,))


def proportional(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Fit a line to the logarithm of the drawn variance over that of d_k."""
    found = [each.variance for each in _over_d_k(trial).values()]
    x = np.log(np.array(_D_KS, dtype=float))
    pull = (x - x.mean()) / np.square(x - x.mean()).sum()
    exact = np.array([each.exact for each in found], dtype=float)
    errors = np.array([each.standard_error for each in found]) / exact
    values = np.array([each.value for each in found])
    slope = Evidence(
        "slope of ln Var(q·k) over ln d_k",
        float(pull @ np.log(values)),
        float(np.sqrt(np.square(pull * errors).sum())),
        stated["slope"],
        float(pull @ np.log(exact)),
    )
    last = Evidence.of(f"variance of q·k at d_k = {_D_KS[-1]:,}", found[-1])
    yield Case(f"normal entries, d_k = 1 to {_D_KS[-1]:,}", slope.is_as_stated, (slope, last))
    places = tuple(map(float, _D_KS))
    curves = Curve("drawn", places, tuple(values.tolist())), Curve("d_k", places, places)
    yield Picture("variance of q·k", "d_k", curves, log_x=True, log_y=True)


def one_product(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Draw single products of normal and of uniform entries."""
    laws: tuple[Entries, ...] = "normal", "uniform"
    for entries in laws:
        found = sampled(dot_law(1, entries), trial)
        variance = Evidence.of("variance of q_i·k_i", found.variance, stated["variance"])
        yield Case(f"{entries} entries of variance 1", variance.is_as_stated, (variance,))


def variance_is_d_k(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare the drawn variance with d_k at several."""
    for d_k, found in _over_d_k(trial).items():
        variance = Evidence.of("variance of q·k", found.variance, stated=float(d_k))
        yield Case(f"d_k = {d_k:,}", variance.is_as_stated, (variance,))


def _moments(where: str, found: Readouts, d_k: int) -> Case:
    variance = Evidence.of("variance of q·k", found.variance, stated=float(d_k))
    mean = Evidence.of("mean of q·k", found.mean, stated=0.0)
    return Case(where, variance.is_as_stated and mean.is_as_stated, (variance, mean))


def sum_of_terms(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare mean and variance of many q·k with 0 and d_k."""
    found = sampled(dot_law(trial.d_k), trial)
    yield _moments(f"normal entries, d_k = {trial.d_k:,}", found, trial.d_k)


def footnote(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare mean and variance with 0 and d_k, for two laws of the entries."""
    yield _moments("normal entries", sampled(dot_law(trial.d_k), trial), trial.d_k)
    coins = sampled(dot_law(trial.d_k, "coins"), trial)
    yield _moments("entries of +1 or −1", coins, trial.d_k)


def variances_add(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Add up products of normal entries, products of dice and scores of one row."""
    sums: tuple[tuple[Entries, int], ...] = ("normal", 2), ("normal", trial.d_k), ("die", 3)
    for entries, terms in sums:
        found = sampled(dot_law(terms, entries), trial).variance
        name = f"variance of the sum of {terms:,} products"
        added = Evidence.of(name, found, stated=terms * dot_law(1, entries).variance)
        words = "of two dice" if entries == "die" else "of normal entries"
        yield Case(f"independent products {words}", added.is_as_stated, (added,))
    law, n = dot_law(trial.d_k), 8
    rows = rows_of_scores(trial.d_k, n, trial).sum(axis=1)
    # Given q the sum is normal too, with n times the variance of one score.
    drawn = variance_of(rows, law.kurtosis, n * law.variance)
    added = Evidence.of(f"variance of the sum of {n} scores", drawn, stated=float(n * trial.d_k))
    yield Case("scores of one row: uncorrelated, not independent", added.is_as_stated, (added,))
