"""Claims about the distribution of q·k: its law and tails, and dice and coins."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from math import exp, inf, sqrt

import numpy as np

from attn_tui.claims.checks.samples import rows_of_scores, sampled, variance_of
from attn_tui.claims.claim import Case, ClaimCurves, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.law import Entries
from attn_tui.compute.law.dot_law import Lattice
from attn_tui.compute.law.entries import LAWS
from attn_tui.compute.law.variance_gamma import outside
from attn_tui.compute.numbers import general, whole
from attn_tui.compute.sample import Number
from attn_tui.library import dot_law


def normal(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Compare the law of q·k, scaled or not, with the normal law of the same variance."""
    law, d_k = dot_law(trial.d_k), trial.d_k
    readouts = sampled(law, trial)
    yield Case.as_stated(
        f"d_k = {d_k:,}",
        Evidence.of("kurtosis of q·k, scaled or not", readouts.kurtosis, stated["kurtosis"]),
        Evidence.of("variance of q·k", readouts.variance, float(d_k)),
        Evidence.of("variance of q·k/√d_k", readouts.variance.times(1.0 / d_k), 1.0),
        Evidence.of("share within ±2 standard deviations", readouts.coverage, stated["inside"]),
    )
    # Not at 0, where the density of a single product is infinite.
    x = law.standard_deviation * (np.linspace(-5.0, 5.0, 61) + 1e-3)
    exact = law.density(x)
    if exact is not None:
        curves = {"exact": exact, "normal": law.normal_density(x)}
        yield ClaimCurves(f"density of q·k, d_k = {d_k:,}", "q·k", x, curves, log="y")


def differences(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compute the variance of the difference of two scores of a row, at rising d_k."""
    before = 0.0
    for d_k in (4, 64, 1024):
        law, pairs = dot_law(d_k), rows_of_scores(d_k, 2, trial)
        # Given q the difference is normal, as a score is, with twice the variance.
        drawn = variance_of(pairs[:, 0] - pairs[:, 1], law.kurtosis, 2.0 * law.variance)
        apart = Evidence.of("variance of s_1 − s_2", drawn, stated=2.0 * d_k)
        products = Number.mean((np.prod(pairs, axis=1) / law.variance).tolist())
        squares = np.prod(np.square(pairs) - law.variance, axis=1)
        together = Number.mean((squares / law.variance**2 / (law.kurtosis - 1.0)).tolist())
        of_squares = Number(together.value, together.standard_error, 1.0 / (d_k + 3))
        evidence = (
            apart,
            Evidence.of("correlation of s_1 and s_2", products, 0.0),
            Evidence.of("correlation of their squares", of_squares),
        )
        yield Case(f"d_k = {d_k:,}", apart.is_as_stated and 2.0 * law.variance > before, evidence)
        before = 2.0 * law.variance


def sum_law(entries: Entries, terms: int) -> Lattice:
    """Return the exact law of the sum of this many dice, or coins worth +1 or −1."""
    law = LAWS[entries]
    values = [Fraction(law.mean + deviation) for deviation in law.deviations.tolist()]
    one = Lattice.of(values, law.weights)
    summed = one and one.summed(terms)
    assert summed is not None
    return summed


def _mean_and_deviation(law: Lattice) -> tuple[float, float]:
    mean = float(law.weights @ law.values)
    return mean, sqrt(float(law.weights @ np.square(law.values - mean)))


def like_dice(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare mean and spread of sums of dice and of coins with those of q·k."""
    spread = dot_law(trial.d_k).standard_deviation
    words: Mapping[Entries, str] = {"die": "dice", "coins": "coins of +1 and −1"}
    for entries, called in words.items():
        law = sum_law(entries, trial.d_k)
        mean, deviation = _mean_and_deviation(law)
        # The law is computed by Fourier transforms, which turn a mean of 0 into 1e-16.
        drift = round(mean / deviation, 12)
        middle = Evidence(
            "mean of the sum in its standard deviations", drift, stated=stated["mean"]
        )
        width = Evidence("standard deviation of the sum", deviation, stated=spread)
        least = Evidence("least sum that is likely at all", float(law.values[0]))
        most = Evidence("largest", float(law.values[-1]))
        holds = middle.is_as_stated and width.is_as_stated
        yield Case(f"{trial.d_k:,} {called}", holds, (middle, width, least, most))


def table(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare each row with two standard deviations, and the heading with two variances."""
    for d_k in (2, 4, 512, 1024):
        law, claimed = dot_law(d_k), stated[f"d = {d_k}"]
        two = Evidence(
            "two standard deviations of q·k", 2.0 * law.standard_deviation, stated=claimed
        )
        inside = Evidence.of("share inside", sampled(law, trial).coverage)
        # The table has one decimal, cut rather than rounded.
        holds = 0.0 <= two.value - claimed < 0.1
        yield Case(f"as ±2 standard deviations, d_k = {d_k:,}", holds, (two, inside))
    variance = dot_law(1024).variance
    two = Evidence("two variances of q·k", 2.0 * variance, stated=stated["d = 1024"])
    yield Case.as_stated("as ±2 variances, d_k = 1,024", two)


def at_most(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Count the q·k beyond two standard deviations in two dimensions."""
    law = dot_law(2)
    inside = sampled(law, trial).coverage
    beyond = Number(1.0 - inside.value, inside.standard_error, exp(-law.bound))
    share = Evidence.of("share of |q·k| beyond 2√2", beyond, stated["outside"])
    tail = Evidence("share beyond 10, exactly", outside(10.0, 2), exact=exp(-10.0))
    yield Case.as_stated("d_k = 2", share, tail)


def frequent(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compute the exact chance of |q·k| above 50 and above 60."""
    d_k = int(stated["d"])
    for bound in (50.0, 60.0):
        share = Evidence(f"chance of |q·k| > {general(bound)}", outside(bound, d_k))
        against = f"against a chance of {general(stated['frequent'])}"
        where = f"±{general(bound)} at d_k = {d_k:,}, {against}"
        yield Case(where, share.value >= stated["frequent"], (share,))


def simulated(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compute the exact chances of the stated sizes and differences."""
    d_k = int(stated["d"])
    # Given q, a difference is normal like a score, and √2 times as large.
    for where, name, bound, stretch in (
        ("the sizes", "|q·k| > 150", 150.0, 1.0),
        ("the differences", "|s_j − s_l| > 50", 50.0, sqrt(2.0)),
    ):
        chance = Evidence(f"chance of {name}", outside(bound / stretch, d_k))
        deviation = stretch * dot_law(d_k).standard_deviation
        sigmas = Evidence(f"{general(bound)} in standard deviations", bound / deviation)
        against = f"{where}, against a chance of {general(stated['plausible'])}"
        yield Case(against, chance.value >= stated["plausible"], (chance, sigmas))


def large_values(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compute the exact chance of |q·k| above 10, by d_k."""
    chances = {d_k: outside(10.0, d_k) for d_k in (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)}
    rising = all(one < two for one, two in pairwise(chances.values()))
    name = "chance of |q·k| > 10 at d_k = "
    growth = chances[64] / chances[2] if chances[2] else inf
    evidence = [Evidence(f"{name}{d_k:,}", chances[d_k]) for d_k in (2, 16, 64, 1024)]
    holds = rising and growth >= stated["sharply"]
    ratio = Evidence(f"{name}64 over that at 2", growth)
    yield Case("d_k = 2 to 1,024", holds, (ratio, *evidence))


def many_dice(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Compute the exact law of the sum of the stated number of dice."""
    count, least = int(stated["dice"]), stated["thousands"]
    law = sum_law("die", count)
    mean, deviation = _mean_and_deviation(law)
    chance = float(law.weights[law.values >= least].sum())
    evidence = (
        Evidence(f"chance of a sum of {whole(least)} or more", chance),
        Evidence("mean of the sum", mean, exact=3.5 * count),
        Evidence("standard deviation of the sum", deviation, exact=sqrt(count * 35.0 / 12.0)),
    )
    yield Case(f"{count:,} dice", chance > 0.5, evidence)
    some = np.flatnonzero(np.abs(law.values - mean) <= 4.0 * deviation)[::4]
    title = f"probability of the sum of {count:,} dice"
    yield ClaimCurves(title, "sum", law.values[some], {"sum": law.weights[some]})


def fluctuation(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare the spread of sums of dice with that of one die, and with their own mean."""
    count = int(stated["dice"])
    one_mean, one_deviation = _mean_and_deviation(sum_law("die", 1))
    mean, deviation = _mean_and_deviation(sum_law("die", count))
    where, times = f"{count:,} dice", deviation / one_deviation
    name = f"standard deviation of the sum of {where} over that of one"
    growth = Evidence(name, times, exact=sqrt(count))
    spread = Evidence("standard deviation of the sum", deviation, exact=sqrt(count * 35.0 / 12.0))
    yield Case(f"{where}, in points", growth.value >= stated["extremely"], (growth, spread))
    share = Evidence("standard deviation over the mean of the sum", deviation / mean)
    alone = Evidence("the same of one die", one_deviation / one_mean)
    middle = Evidence("mean of the sum", mean, exact=3.5 * count)
    yield Case(f"{where}, beside their mean", share.value >= alone.value, (share, alone, middle))
