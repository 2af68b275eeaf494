"""Claims about how q·k is distributed: its law, its tails, dice and coins."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import exp, inf, sqrt

import numpy as np

from attn_tui.claims.checks.samples import rows_of_scores, sampled, variance_of
from attn_tui.claims.claim import Case, Curve, Evidence, Picture, Stated
from attn_tui.claims.trial import Trial
from attn_tui.compute.dots.draws import Streams, draw_entries
from attn_tui.compute.law.entries import LAWS, Pair
from attn_tui.compute.law.lattice import Lattice
from attn_tui.compute.law.names import Entries
from attn_tui.compute.law.variance_gamma import outside
from attn_tui.compute.number import Number
from attn_tui.compute.scale import NONE, Scale
from attn_tui.library import dot_law


def beyond(bound: float, d_k: int) -> float:
    """Return the exact probability that |q·k| of normal entries is more than a bound.

    >>> round(beyond(50.0, 1024), 3)
    0.118
    """
    return outside(bound, d_k)


def _normality(trial: Trial, stated: Stated, scale: Scale, name: str) -> Iterator[Case | Picture]:
    """Hold the law of m·q·k against the normal one of the same mean and variance."""
    law, m = dot_law(trial.d_k), scale.multiplier(trial.d_k, 1)
    found = sampled(law, trial).scaled(m)
    kurtosis = Evidence.of(f"kurtosis of {name}", found.kurtosis, stated["kurtosis"])
    variance = Evidence.of(f"variance of {name}", found.variance, m**2 * trial.d_k)
    inside = Evidence.of("share within ±2 standard deviations", found.coverage, stated["inside"])
    yield Case(f"d_k = {trial.d_k:,}", kurtosis.is_as_stated, (kurtosis, variance, inside))
    # Not at 0, where the density of a single product is infinite.
    steps = np.linspace(-5.0, 5.0, 61, dtype=np.float64) + 1e-3
    x = law.standard_deviation * steps
    exact, normal = law.density(x), law.normal_density(x)
    if exact is not None:
        places = tuple((m * x).tolist())
        curves = (
            Curve("exact", places, tuple((exact / m).tolist())),
            Curve("normal", places, tuple((normal / m).tolist())),
        )
        yield Picture(f"density of {name}, d_k = {trial.d_k:,}", name, curves, log_y=True)


def scaled_is_normal(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Compare the kurtosis of q·k/√d_k with 3."""
    yield from _normality(trial, stated, Scale(), "q·k/√d_k")


def unscaled_is_normal(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Compare the kurtosis of q·k with 3."""
    yield from _normality(trial, stated, NONE, "q·k")


def differences(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Take the variance of the difference of two scores of one row, at rising d_k."""
    before, found = 0.0, []
    for d_k in (4, 64, 1024):
        law, pairs = dot_law(d_k), rows_of_scores(d_k, 2, trial)
        # Given q the difference is normal, as a score is, with twice the variance.
        drawn = variance_of(pairs[:, 0] - pairs[:, 1], law.kurtosis, 2.0 * law.variance)
        apart = Evidence.of("variance of s_1 − s_2", drawn, stated=2.0 * d_k)
        plain = np.prod(pairs, axis=1) / law.variance
        squares = np.prod(np.square(pairs) - law.variance, axis=1)
        scale = law.variance**2 * (law.kurtosis - 1.0)
        together = Number.mean((squares / scale).tolist())
        evidence = (
            apart,
            Evidence.of("correlation of s_1 and s_2", Number.mean(plain.tolist()), 0.0),
            Evidence(
                "correlation of their squares",
                together.value,
                together.standard_error,
                exact=1.0 / (d_k + 3),
            ),
        )
        yield Case(f"d_k = {d_k:,}", apart.is_as_stated and 2.0 * law.variance > before, evidence)
        before = 2.0 * law.variance
        found.append(apart.value)
    x = (4.0, 64.0, 1024.0)
    curves = Curve("drawn", x, tuple(found)), Curve("2d_k", x, tuple(2.0 * d_k for d_k in x))
    yield Picture("variance of s_1 − s_2", "d_k", curves, log_x=True, log_y=True)


def sum_law(entries: Entries, terms: int) -> Lattice:
    """Return the exact law of the sum of so many coins, +1 or −1 each, or dice."""
    law = LAWS[entries]
    values = [Fraction(law.mean + each) for each in law.deviations.tolist()]
    one = Lattice.of(values, law.weights)
    whole = one and one.summed(terms)
    assert whole is not None
    return whole


def _mean_and_deviation(law: Lattice) -> tuple[float, float]:
    mean = float(law.weights @ law.values)
    return mean, sqrt(float(law.weights @ np.square(law.values - mean)))


def like_dice(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Hold mean and spread of the sums of dice and of coins against those of q·k."""
    law = dot_law(trial.d_k)
    words: dict[Entries, str] = {"die": "dice", "coins": "coins of +1 and −1"}
    for entries, called in words.items():
        found = sum_law(entries, trial.d_k)
        mean, deviation = _mean_and_deviation(found)
        # The law is added up by Fourier transforms, which leave 1e-16 of a mean of 0.
        drift = round(mean / deviation, 12)
        ends = [float(each) for each in found.values[[0, -1]]]
        evidence = (
            Evidence("mean of the sum in its standard deviations", drift, stated=stated["mean"]),
            Evidence("standard deviation of the sum", deviation, stated=law.standard_deviation),
            Evidence("least sum that is likely at all", ends[0]),
            Evidence("largest", ends[1]),
        )
        holds = evidence[0].is_as_stated and evidence[1].is_as_stated
        yield Case(f"{trial.d_k:,} {called}", holds, evidence)


def variance_of_die(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Roll dice, and take their variance."""
    law = LAWS["die"]
    rolls, _ = draw_entries(Pair("die"), Streams(trial.seed), (trial.draws,))
    drawn = variance_of(rolls, law.fourth / law.variance**2, law.variance)
    found = Evidence.of("variance of one die", drawn, stated["variance"])
    mean = Evidence(
        "mean of one die",
        law.mean + float(rolls.mean()),
        sqrt(law.variance / trial.draws),
        exact=law.mean,
    )
    yield Case("a fair die, 1 to 6", found.is_as_stated, (found, mean))
    faces = tuple((law.mean + law.deviations).tolist())
    shares = tuple(float(np.isclose(rolls, face).mean()) for face in law.deviations)
    exact = Curve("exact", faces, tuple(law.weights.tolist()))
    yield Picture("share of rolls", "face", (Curve("rolled", faces, shares), exact))


_TABLE = {2: 2.8, 4: 4.0, 512: 45.2, 1024: 64.0}


def table(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Hold each row against two standard deviations, and the heading against two variances."""
    for d_k in _TABLE:
        law, given = dot_law(d_k), stated[f"d = {d_k}"]
        two = Evidence("two standard deviations of q·k", 2.0 * law.standard_deviation, stated=given)
        inside = Evidence.of("share inside", sampled(law, trial).coverage)
        # The table has one decimal, and cuts.
        yield Case(
            f"as ±2 standard deviations, d_k = {d_k:,}",
            0.0 <= two.value - given < 0.1,
            (two, inside),
        )
    law = dot_law(1024)
    two = Evidence("two variances of q·k", 2.0 * law.variance, stated=stated["d = 1024"])
    yield Case("as ±2 variances, d_k = 1,024", two.is_as_stated, (two,))


def at_most(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Count what lies beyond two standard deviations in two dimensions."""
    law = dot_law(2)
    inside = sampled(law, trial).coverage
    outside = Evidence(
        "share of |q·k| beyond 2√2",
        1.0 - inside.value,
        inside.standard_error,
        stated["outside"],
        exp(-law.bound),
    )
    tail = Evidence("share beyond 10, exactly", beyond(10.0, 2), exact=exp(-10.0))
    yield Case("d_k = 2", outside.is_as_stated, (outside, tail))


def frequent(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Take the exact chance of more than 50 and of more than 60."""
    d_k = int(stated["d"])
    for bound in (50.0, 60.0):
        share = Evidence(f"chance of |q·k| > {bound:g}", beyond(bound, d_k))
        where = f"±{bound:g} at d_k = {d_k:,}, against a chance of {stated['frequent']:g}"
        yield Case(where, share.value >= stated["frequent"], (share,))


def simulated(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Take the exact chances of such sizes, and of such differences."""
    least, most, d_k = 100.0, 150.0, int(stated["d"])
    # Given q a difference is normal as a score is, and √2 times as large.
    for where, name, bound, stretch in (
        ("the sizes", "|q·k| > 150", most, 1.0),
        ("the differences", "|s_j − s_l| > 50", most - least, sqrt(2.0)),
    ):
        chance = Evidence(f"chance of {name}", beyond(bound / stretch, d_k))
        deviation = stretch * dot_law(d_k).standard_deviation
        sigmas = Evidence(f"{bound:g} in standard deviations", bound / deviation)
        against = f"{where}, against a chance of {stated['plausible']:g}"
        yield Case(against, chance.value >= stated["plausible"], (chance, sigmas))


def many_dice(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Take the exact law of the sum of so many dice."""
    count, least = int(stated["dice"]), stated["thousands"]
    law = sum_law("die", count)
    mean, deviation = _mean_and_deviation(law)
    chance = float(law.weights[law.values >= least].sum())
    evidence = (
        Evidence(f"chance of a sum of {least:,.0f} or more", chance),
        Evidence("mean of the sum", mean, exact=3.5 * count),
        Evidence("standard deviation of the sum", deviation, exact=sqrt(count * 35.0 / 12.0)),
    )
    yield Case(f"{count:,} dice", chance > 0.5, evidence)
    near = np.abs(law.values - mean) <= 4.0 * deviation
    x, y = law.values[near], law.weights[near]
    step = max(1, x.size // 100)
    curve = Curve("sum", tuple(x[::step].tolist()), tuple(y[::step].tolist()))
    yield Picture(f"probability of the sum of {count:,} dice", "sum", (curve,))


def fluctuation(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Hold the spread of sums of dice against that of one die, and against their own mean."""
    counts = (1, 4, 16, 64, 256, int(stated["dice"]))
    moments = [_mean_and_deviation(sum_law("die", count)) for count in counts]
    (one, of_one), (mean, deviation) = moments[0], moments[-1]
    where = f"{counts[-1]:,} dice"
    growth = Evidence(
        f"standard deviation of the sum of {where} over that of one", deviation / of_one,
        exact=sqrt(counts[-1]),
    )  # fmt: skip
    spread = Evidence("standard deviation of the sum", deviation, exact=sqrt(counts[-1] * 35 / 12))
    yield Case(f"{where}, in points", growth.value >= stated["extremely"], (growth, spread))
    share = Evidence("standard deviation over the mean of the sum", deviation / mean)
    alone = Evidence("the same of one die", of_one / one)
    middle = Evidence("mean of the sum", mean, exact=3.5 * counts[-1])
    yield Case(f"{where}, beside their mean", share.value >= alone.value, (share, alone, middle))
    curves = (
        Curve.of("mean", counts, [mean for mean, _ in moments]),
        Curve.of("standard deviation", counts, [deviation for _, deviation in moments]),
    )
    yield Picture("sum of dice", "dice", curves, log_x=True, log_y=True)


def large_values(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Take the exact chance of more than 10 in size over d_k."""
    d_ks = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
    chances = [beyond(10.0, d_k) for d_k in d_ks]
    rising = all(one < two for one, two in pairwise(chances))
    shown = tuple(
        Evidence(f"chance of |q·k| > 10 at d_k = {d_k:,}", chances[d_ks.index(d_k)])
        for d_k in (2, 16, 64, 1024)
    )
    growth = chances[5] / chances[0] if chances[0] else inf
    sharp = Evidence("chance of |q·k| > 10 at d_k = 64 over that at 2", growth)
    yield Case("d_k = 2 to 1,024", rising and growth >= stated["sharply"], (sharp, *shown))
    curve = Curve("|q·k| > 10", tuple(map(float, d_ks)), tuple(chances))
    yield Picture("chance of |q·k| > 10", "d_k", (curve,), log_x=True, log_y=True)
