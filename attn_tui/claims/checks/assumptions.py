"""Claims about the assumptions behind the variance d_k, and about the effect of dividing."""

from collections.abc import Iterator, Mapping
from math import sqrt

import numpy as np

from attn_tui.claims.checks.moments import RHO
from attn_tui.claims.checks.samples import over, power, sampled, variance_of
from attn_tui.claims.claim import Case, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.arrays import Floats
from attn_tui.compute.dots.draws import Streams
from attn_tui.compute.dots.moments import Readouts
from attn_tui.compute.law import Entries
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.numbers import general
from attn_tui.compute.sample import Number
from attn_tui.compute.scale import Scale
from attn_tui.library import dot_law


def mean_square(law: DotLaw, trial: Trial) -> Number:
    """Return E[(q·k)²] as sampled, with its exact value."""
    readouts, mean, sd = sampled(law, trial), law.mean, law.standard_deviation
    third, fourth = law.moments[3], law.moments[4]
    spread = (2.0 * mean * sd) ** 2 + 4.0 * mean * sd**3 * third + sd**4 * (fourth - 1.0)
    value = readouts.variance.value * (1.0 - 1.0 / trial.draws) + readouts.mean.value**2
    return Number(value, sqrt(spread / trial.draws), law.variance + mean**2)


def mean_square_of_sum(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare the mean of (q·k)² with the formula, for independent and dependent components."""
    d_k = trial.d_k
    for where, rho, tied in (
        ("independent components", 0.0, False),
        ("tied components: all q_i one number, all k_i another", 0.0, True),
        (f"ρ(q_i, k_i) = {general(RHO)}", RHO, False),
    ):
        law = dot_law(d_k, correlation=rho, tied=tied)
        entry, one = law.pair.law.variance, law.product.mean
        formula = d_k * entry**2 + d_k * (d_k - 1) * one**2
        evidence = Evidence.of("mean of (q·k)²", mean_square(law, trial), stated=formula)
        yield Case.as_stated(where, evidence)


def cross_terms(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compute Var(q·k) less the variances of its products, for tied components."""
    d_k = trial.d_k
    law = dot_law(d_k, tied=True)
    readouts, uncorrelated = sampled(law, trial), d_k * law.product.variance
    rest = Number(
        readouts.variance.value - uncorrelated,
        readouts.variance.standard_error,
        law.variance - uncorrelated,
    )
    name = "cross terms: Var(q·k) less d_k·Var(q_i k_i)"
    cross = Evidence.of(name, rest, stated["cross terms"])
    premise = Evidence.of("mean of q_i·k_j for i ≠ j", readouts.mean.times(1.0 / d_k), 0.0)
    yield Case("tied components", cross.is_as_stated or not premise.is_as_stated, (cross, premise))


def _of_squares(law: DotLaw) -> float:
    """Return E[x²]E[y²] − (E[x]E[y])² of the two numbers that a law multiplies."""
    (x, y), variance = law.pair.means, law.pair.law.variance
    return (variance + x**2) * (variance + y**2) - (x * y) ** 2


def variance_of_product(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare the variance of a product of two normal numbers, and of two dice, with v_x·v_y."""
    words: Mapping[Entries, str] = {"normal": "normal numbers, mean 0", "die": "dice, mean 3.5"}
    for entries, where in words.items():
        law = dot_law(1, entries)
        simple = law.pair.law.variance**2
        drawn = Evidence.of("variance of the product", sampled(law, trial).variance, simple)
        yield Case.as_stated(where, drawn, Evidence("E[x²]E[y²] − (E[x]E[y])²", _of_squares(law)))


def exact_variance_of_product(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare the variance of products, whatever the means, with E[x²]E[y²] − (E[x]E[y])²."""
    for where, law in (
        ("dice", dot_law(1, "die")),
        ("coins of +1 and −1", dot_law(1, "coins")),
        ("normal numbers of means 1 and −2", dot_law(1, mean_q=1.0, mean_k=-2.0)),
    ):
        drawn = sampled(law, trial).variance
        yield Case.as_stated(where, Evidence.of("variance of the product", drawn, _of_squares(law)))


def initial_queries(seed: int, d_model: int, std: float, count: int) -> Floats:
    """Return entries of q = W·x, shape (count,), for one x of mean 0 and variance 1.

    Each is a row of W times x; entries of W are normal with standard deviation ``std``.
    """
    streams = Streams(seed, d_model)
    x = streams[0].standard_normal(d_model)
    rows = std * streams[1].standard_normal((count, d_model))
    entries: Floats = rows @ ((x - x.mean()) / x.std())
    return entries


def initialisation(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Draw weights in two ways, and compute the variance of the queries they produce."""
    for where, d_model, std in (
        ("weights of variance 1/d_model, d_model = 768", 768, 768**-0.5),
        ("weights of standard deviation 0.02, d_model = 768", 768, 0.02),
        ("weights of standard deviation 0.02, d_model = 4,096", 4096, 0.02),
    ):
        entries = initial_queries(trial.seed, d_model, std, 500)
        drawn = variance_of(entries, 3.0, exact=d_model * std**2)
        yield Case.as_stated(where, Evidence.of("variance of q_i", drawn, stated["variance"]))


def multiplier(rule: str, d_k: int) -> float:
    """Return m of a rule that does not depend on the number of keys."""
    return Scale(rule).multiplier(d_k, 1)


def _divided(d_k: int, readouts: Readouts) -> Readouts:
    return readouts.scaled(multiplier("inverse-sqrt", d_k))


def deviation_of_scaled(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compute the standard deviation under three rules, at several d_k."""
    for d_k in (4, 64, 1024):
        readouts = sampled(dot_law(d_k), trial)
        scaled, name = _divided(d_k, readouts).standard_deviation, "standard deviation of q·k"
        flat = readouts.scaled(multiplier("inverse", d_k)).standard_deviation
        yield Case.as_stated(
            f"d_k = {d_k:,}",
            Evidence.of(f"{name}/√d_k", scaled, stated["standard deviation"]),
            Evidence.of(name, readouts.standard_deviation),
            Evidence.of(f"{name}/d_k", flat),
        )


def variance_of_scaled(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compute the variance before and after dividing."""
    readouts = sampled(dot_law(trial.d_k), trial)
    after = _divided(trial.d_k, readouts).variance
    scaled = Evidence.of("variance of q·k/√d_k", after, stated["variance"])
    before = Evidence.of("variance of q·k", readouts.variance)
    yield Case.as_stated(f"d_k = {trial.d_k:,}", scaled, before)


def balance(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compare spreads at two d_k, and the share of one large component, before and after."""
    few, many = (sampled(dot_law(d_k), trial) for d_k in (16, 1024))
    after = over(
        "σ of q·k/√d_k at d_k = 1,024 over d_k = 16",
        _divided(1024, many).standard_deviation,
        _divided(16, few).standard_deviation,
        stated["ratio"],
    )
    before = over("the same of q·k", many.standard_deviation, few.standard_deviation)
    yield Case.as_stated("inputs of different d_k", after, before)
    variances = np.ones(trial.d_k)
    variances[0] = 3.0**4
    scaled = multiplier("inverse-sqrt", trial.d_k) ** 2 * variances
    of_first, exact = (float(parts[0] / parts.sum()) for parts in (scaled, variances))
    name = "share of q_0·k_0 in the variance of m·q·k"
    share = Evidence(name, of_first, stated=1.0 / trial.d_k, exact=exact)
    yield Case.as_stated("the elements of one input, q_0 and k_0 three times as large", share)


def whatever_length(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compute the variance at two lengths, with a correlation and with a gain."""
    long = min(16 * trial.d_k, 65_536)
    for where, d_k, rho, gain in (
        (f"independent entries, d_k = {trial.d_k:,}", trial.d_k, 0.0, 1.0),
        (f"independent entries, d_k = {long:,}", long, 0.0, 1.0),
        (f"ρ(q_i, k_i) = {general(RHO)}", trial.d_k, RHO, 1.0),
        ("a gain of 2 on q", trial.d_k, 0.0, 2.0),
    ):
        scaled = _divided(d_k, sampled(dot_law(d_k, correlation=rho), trial)).variance
        variance = Evidence.of("variance of q·k/√d_k", scaled.times(gain**2), stated["variance"])
        yield Case.as_stated(where, variance)


def grows_as_d_k(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compute the power of d_k by which E|q·k| grows, with and without a correlation."""
    ends = 64, 4096
    for rho in (RHO, 0.0):
        sizes = [sampled(dot_law(d_k, correlation=rho), trial).mean_size for d_k in ends]
        grown = power("power of d_k in E|q·k|", ends, sizes, stated["power"])
        left = sizes[1].times(multiplier("inverse", ends[1]))
        holds = Evidence("", grown.decisive).is_close(grown.stated, within=0.05)
        over_d_k = Evidence.of(f"mean of |q·k/d_k| at d_k = {ends[1]:,}", left)
        yield Case(f"ρ(q_i, k_i) = {general(rho)}", holds, (grown, over_d_k))
