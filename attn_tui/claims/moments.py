"""Claims about the mean and the variance of q·k."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from attn_tui.claims.claim import Case, Curve, Evidence, Picture, Stated, claim
from attn_tui.claims.opening import dots
from attn_tui.claims.samples import above, agrees, rows_of_scores, sampled, variance_of
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
    return Case(f"{entries}, d_k = {d_k:,}", agrees(mean), (mean, variance))


@claim(
    "S0-14",
    says="For zero-mean entries the expected dot product is d_k.",
    right="E[q·k] = 0: every product averages 0. What equals d_k is the variance.",
    topics=("dot products",),
    formula="E[q·k] = Σ E[q_i]E[k_i] = 0",
    varies={"seed": 1, "d_k": 64, "draws": 100_000},
    opens=dots,
)
def expected_dot_product(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare the mean of many q·k with d_k."""
    yield _mean_is_d_k("normal entries", sampled(dot_law(trial.d_k), trial), trial.d_k)


@claim(
    "S0-24",
    says="Conclusion: the expected value of the dot product is d_k.",
    right="It is 0 at every d_k, whatever the law of independent entries with mean 0. The variance "
    "is d_k, and that is what dividing by √d_k is for.",
    topics=("dot products",),
    formula="E[q·k] = 0, Var(q·k) = d_k",
    varies={"seed": 1, "d_k": 64, "draws": 100_000},
    opens=partial(dots, entries="coins"),
)
def expected_in_conclusion(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare the mean with d_k, for two laws of the entries."""
    yield _mean_is_d_k("normal entries", sampled(dot_law(trial.d_k), trial), trial.d_k)
    coins = dot_law(trial.d_k, "coins")
    yield _mean_is_d_k("entries of +1 or −1", sampled(coins, trial), trial.d_k)


@claim(
    "S0-20",
    says="The expected dot product is 0.",
    right="It is, where q_i and k_i are uncorrelated and one of them averages 0. The same text "
    "says twice that it is d_k, which this contradicts.",
    topics=("dot products",),
    formula="E[q·k] = Σ E[q_i]E[k_i] = 0",
    varies={"seed": 1, "d_k": 64, "draws": 100_000},
    stated={"mean": 0.0},
    opens=dots,
)
def mean_is_nought(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare the mean of many q·k with 0."""
    found = sampled(dot_law(trial.d_k), trial)
    mean = Evidence.of("mean of q·k", found.mean, stated["mean"])
    yield Case(f"normal entries, d_k = {trial.d_k:,}", agrees(mean), (mean,))


@claim(
    "S0-15",
    says="The dot product grows with the dimension.",
    right="Its size does: |q·k| averages about √(2d_k/π), 25.5 at d_k = 1,024. q·k itself "
    "averages 0 at every d_k.",
    topics=("dot products",),
    formula="E|q·k| ≈ √(2d_k/π), E[q·k] = 0",
    condition="for the size of q·k",
    varies={"seed": 1, "draws": 20_000},
    opens=partial(dots, d_k=1024),
)
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
    return rise.exact is not None and rise.exact > 0.0 and rise.is_near(rise.exact)


@claim(
    "S2-3",
    says="The larger the dimension, the larger the dot product.",
    right="The spread is larger: 32 at d_k = 1,024 against 22.6 at 512. The mean stays 0, and of "
    "two products, one at each, that of the larger d_k is the larger in size 61 % of the time.",
    topics=("dot products",),
    formula="sd of q·k = √d_k",
    condition="for the spread of q·k",
    varies={"seed": 1, "draws": 100_000},
    opens=partial(dots, d_k=1024, d_ks=(512, 1024)),
)
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
    yield Case("every single product", agrees(more), (more,))


@claim(
    "S0-16",
    says="The variance of the dot product is proportional to d_k.",
    right="It is: on logarithmic axes the variance over d_k is a line of slope 1. The reason that "
    "the text gives, that the mean is d_k, is wrong.",
    topics=("dot products",),
    formula="Var(q·k) = d_k·Var(q_i k_i)",
    varies={"seed": 1, "draws": 100_000},
    stated={"slope": 1.0},
    opens=partial(dots, d_k=1024),
)
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
    yield Case(f"normal entries, d_k = 1 to {_D_KS[-1]:,}", agrees(slope), (slope, last))
    places = tuple(map(float, _D_KS))
    curves = Curve("drawn", places, tuple(values.tolist())), Curve("d_k", places, places)
    yield Picture("variance of q·k", "d_k", curves, log_x=True, log_y=True)


@claim(
    "S0-18",
    says="A single product q_i·k_i has variance 1.",
    right="It has, where both are independent, average 0 and have variance 1. In general means "
    "play a part too.",
    topics=("dot products",),
    formula="Var(xy) = v_x v_y + v_x μ_y² + v_y μ_x²",
    varies={"seed": 1, "draws": 100_000},
    stated={"variance": 1.0},
    opens=partial(dots, d_k=1),
)
def one_product(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Draw single products of normal and of uniform entries."""
    laws: tuple[Entries, ...] = "normal", "uniform"
    for entries in laws:
        found = sampled(dot_law(1, entries), trial)
        variance = Evidence.of("variance of q_i·k_i", found.variance, stated["variance"])
        yield Case(f"{entries} entries of variance 1", agrees(variance), (variance,))


@claim(
    "S0-23",
    says="The variance of the dot product is d_k.",
    right="It is, for independent entries of mean 0 and variance 1: each of the d_k products adds "
    "1.",
    topics=("dot products",),
    formula="Var(q·k) = Σ Var(q_i k_i) = d_k",
    varies={"seed": 1, "draws": 100_000},
    opens=partial(dots, d_ks=_D_KS),
)
def variance_is_d_k(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare the drawn variance with d_k at several."""
    for d_k, found in _over_d_k(trial).items():
        variance = Evidence.of("variance of q·k", found.variance, stated=float(d_k))
        yield Case(f"d_k = {d_k:,}", agrees(variance), (variance,))


def _moments(where: str, found: Readouts, d_k: int) -> Case:
    variance = Evidence.of("variance of q·k", found.variance, stated=float(d_k))
    mean = Evidence.of("mean of q·k", found.mean, stated=0.0)
    return Case(where, agrees(variance) and agrees(mean), (variance, mean))


@claim(
    "S2-2",
    says="With entries of mean 0 and variance 1 the dot product, a sum of d terms, has mean 0 and "
    "variance d.",
    right="It has, where the entries are independent; d is the dimension of one head, d_k.",
    topics=("dot products",),
    formula="E[q·k] = 0, Var(q·k) = d_k",
    varies={"seed": 1, "d_k": 512, "draws": 100_000},
    opens=dots,
)
def sum_of_terms(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare mean and variance of many q·k with 0 and d_k."""
    found = sampled(dot_law(trial.d_k), trial)
    yield _moments(f"normal entries, d_k = {trial.d_k:,}", found, trial.d_k)


@claim(
    "L-1",
    source="Vaswani et al. 2017, arXiv 1706.03762, footnote 4",
    says="If the components of q and k are independent with mean 0 and variance 1, q·k has mean 0 "
    "and variance d_k.",
    right="Exactly so, whatever the law of the components is.",
    topics=("dot products",),
    formula="E[q·k] = 0, Var(q·k) = d_k",
    varies={"seed": 1, "d_k": 64, "draws": 100_000},
    opens=dots,
)
def footnote(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare mean and variance with 0 and d_k, for two laws of the entries."""
    yield _moments("normal entries", sampled(dot_law(trial.d_k), trial), trial.d_k)
    coins = sampled(dot_law(trial.d_k, "coins"), trial)
    yield _moments("entries of +1 or −1", coins, trial.d_k)


@claim(
    "S2-9",
    says="The variances of independent terms add.",
    right="They do, whatever the means are. Being uncorrelated is enough: the scores of one row "
    "share q and depend on each other, and their variances add all the same.",
    topics=("dot products",),
    formula="Var(Σx_i) = ΣVar(x_i) + Σ_(i≠j) Cov(x_i, x_j)",
    varies={"seed": 1, "d_k": 64, "draws": 20_000},
    opens=partial(dots, entries="die"),
)
def variances_add(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Add up products of normal entries, products of dice and scores of one row."""
    sums: tuple[tuple[Entries, int], ...] = ("normal", 2), ("normal", trial.d_k), ("die", 3)
    for entries, terms in sums:
        found = sampled(dot_law(terms, entries), trial).variance
        name = f"variance of the sum of {terms:,} products"
        added = Evidence.of(name, found, stated=terms * dot_law(1, entries).variance)
        words = "of two dice" if entries == "die" else "of normal entries"
        yield Case(f"independent products {words}", agrees(added), (added,))
    law, n = dot_law(trial.d_k), 8
    rows = rows_of_scores(trial.d_k, n, trial).sum(axis=1)
    # Given q the sum is normal too, with n times the variance of one score.
    drawn = variance_of(rows, law.kurtosis, n * law.variance)
    added = Evidence.of(f"variance of the sum of {n} scores", drawn, stated=float(n * trial.d_k))
    yield Case("scores of one row: uncorrelated, not independent", agrees(added), (added,))
