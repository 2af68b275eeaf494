"""Claims about typical gradients: where dividing enlarges them, and where it shrinks them."""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from math import exp, log

from attn_tui.claims.checks.samples import SIDES, check_cost, row_logs, share
from attn_tui.claims.claim import Case, ClaimCurves, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.errors import InputError
from attn_tui.compute.heads.statistic import DEAD
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.numbers import general
from attn_tui.compute.scale import NONE, Scale
from attn_tui.compute.sweep.crossover import Crossing, GradientReadout, crossover
from attn_tui.compute.sweep.points import Points, Sampling, log_grid
from attn_tui.compute.sweep.readouts import READOUTS, exact
from attn_tui.compute.sweep.settings import SweepStatistic

_SEARCH = 82
"""The most evaluations of each row in a search."""


@lru_cache(maxsize=32)
def turning_point(n: int, readout: GradientReadout, draws: int, seed: int) -> Crossing:
    """Return d*(n), the d_k above which removing 1/√d_k shrinks a median gradient.

    Raises:
        InputError: If there are too many rows, or too few to tell.
    """
    check_cost(n, draws, _SEARCH, 2**14)
    turn = crossover(n, readout, seed, draws)
    if turn is None or turn.at is None:
        raise InputError("draws", f"{draws:,} rows of {n:,} keys do not tell", "more")
    return turn


def both_sides(turn: Crossing, apart: int = 4) -> tuple[int, int]:
    """Return a d_k below d* and one above, both apart by a factor, within the range of d_k."""
    assert turn.at
    return max(2, round(turn.at / apart)), min(D_K.maximum, round(turn.at * apart))


def around(turn: Crossing) -> tuple[int, ...]:
    """Return values of d_k from 1 to beyond d*, for a picture."""
    return tuple(log_grid((1, both_sides(turn, 16)[1]), 12))


@lru_cache(maxsize=32)
def points(trial: Trial, d_ks: tuple[int, ...]) -> Points:
    """Return the statistics of drawn rows with n keys at some d_k, unscaled and under 1/√d_k.

    Raises:
        InputError: If there are too many rows.
    """
    check_cost(trial.n, trial.draws, 2 * len(d_ks), max(d_ks))
    sampling = Sampling([*SIDES.values()], trial.draws, trial.seed)
    for _ in sampling.steps([(trial.n, d_k) for d_k in d_ks], []):
        pass
    return sampling.points()


def removed(rows: Points, n: int, d_k: int, statistic: SweepStatistic) -> Evidence:
    """Return the factor by which removing 1/√d_k changes the median of a statistic."""
    ratio = rows.ratio(n, d_k, SIDES["scaled"], statistic)
    assert ratio
    factor = exp(ratio.log_median)
    name = f"median {READOUTS[statistic].symbol}, unscaled over scaled"
    return Evidence(name, factor, factor * ratio.log_median_error)


def ends_of(turn: Crossing) -> tuple[float, float]:
    """Return the ends of the 95 % interval of d*."""
    # 1/√d_k divides from d_k = 2 on.
    return turn.low or 2.0, turn.high or float(D_K.maximum)


def place_of(turn: Crossing, trial: Trial, readout: GradientReadout = "gradient") -> Evidence:
    """Return d*, as found by a search, as evidence."""
    assert turn.at
    low, high = ends_of(turn)
    name = f"d* of the median {READOUTS[readout].symbol}, by {trial.draws:,} draws"
    return Evidence(name, turn.at, (high - low) / 3.92)


def marked(turn: Crossing, trial: Trial) -> partial[ClaimCurves]:
    """Return a constructor of pictures over d_k that mark d* with its interval."""
    words = f"d* by {trial.draws:,} draws"
    return partial(ClaimCurves, mark=turn.at, ends=ends_of(turn), marked=words)


def _on_both_sides(
    trial: Trial, readouts: Sequence[GradientReadout], enlarges: bool, *others: SweepStatistic
) -> Iterator[Case | ClaimCurves]:
    """Yield, below and above d*, whether removing the scale changes medians as claimed.

    Args:
        trial: The number of keys, the number of rows and the seed.
        readouts: The gradients whose medians are compared.
        enlarges: Whether the claim is that removing the scale enlarges them, not shrinks them.
        others: Further statistics of unscaled rows to report.
    """
    turns = [turning_point(trial.n, gradient, trial.draws, trial.seed) for gradient in readouts]
    for readout, turn in zip(readouts, turns, strict=True):
        d_ks = both_sides(turn)
        rows = points(trial, d_ks)
        for side, d_k in zip(("below", "above"), d_ks, strict=True):
            factor = removed(rows, trial.n, d_k, readout)
            unscaled = rows.at(trial.n, d_k, NONE)
            assert unscaled
            evidence = [factor]
            for statistic in others:
                median = unscaled.statistics[statistic]
                name = f"median {READOUTS[statistic].symbol}, unscaled"
                evidence.append(Evidence(name, median.median, median.median_standard_error))
            where = f"n = {trial.n:,}, d_k = {d_k:,}, {side} d*, {READOUTS[readout].symbol}"
            holds = (factor.value > 1.0) == enlarges
            yield Case(where, holds, (*evidence, place_of(turn, trial, readout)))
    places = around(turns[0])
    rows = points(trial, places)
    curves = {"scaled = 1": [1.0] * len(places)}
    for readout in readouts:
        factors = [removed(rows, trial.n, d_k, readout).value for d_k in places]
        curves[READOUTS[readout].symbol] = factors
    title = f"median gradient, unscaled over scaled, n = {trial.n:,}"
    yield marked(turns[0], trial)(title, "d_k", places, curves, log="xy")


def makes_vanish(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Check on both sides of d* whether removing the scale shrinks the median gradient."""
    others: tuple[SweepStatistic, ...] = "logit_std", "max_weight", "gradient"
    yield from _on_both_sides(trial, ("gradient",), False, *others)


def prevents_exploding(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Check on both sides of d* whether removing the scale enlarges either gradient."""
    yield from _on_both_sides(trial, ("gradient", "query_gradient"), True)


def extremely_small(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Compare medians on both sides of d*, and exact means above it."""
    turn = turning_point(trial.n, "gradient", trial.draws, trial.seed)
    below, above = both_sides(turn)
    rows = points(trial, (below, above))
    for d_k in (below, above):
        factor = removed(rows, trial.n, d_k, "gradient")
        where = f"median, n = {trial.n:,}, d_k = {d_k:,}"
        yield Case(where, factor.value < 1.0, (factor, place_of(turn, trial)))
    unscaled, scaled = (_mean_trace(trial.n, above, rule) for rule in SIDES.values())
    means = (
        Evidence("mean tr ∂p/∂s, unscaled over scaled, by quadrature", unscaled / scaled),
        Evidence("mean tr ∂p/∂s, unscaled", unscaled),
    )
    yield Case(f"mean, n = {trial.n:,}, d_k = {above:,}", unscaled < scaled, means)
    d_ks, curves = around(turn)[1:], {}
    for side, rule in SIDES.items():
        curves[f"mean, {side}"] = [_mean_trace(trial.n, d_k, rule) for d_k in d_ks]
        curves[f"median, {side}"] = [
            point.multiplier * point.statistics["trace"].median
            for point in points(trial, d_ks).under(rule)
        ]
    yield marked(turn, trial)(f"tr ∂p/∂s, n = {trial.n:,}", "d_k", d_ks, curves, log="xy")


def _mean_trace(n: int, d_k: int, rule: Scale) -> float:
    """Return E[tr ∂p/∂s] over drawn rows."""
    multiplier = rule.multiplier(d_k, n)
    mean = exact("trace", n, d_k, multiplier).mean
    assert mean is not None
    return multiplier * mean


def poor_convergence(trial: Trial, stated: StatedNumbers) -> Iterator[Case | ClaimCurves]:
    """Count the rows with a dead gradient on both sides of d*."""
    turn = turning_point(trial.n, "gradient", trial.draws, trial.seed)
    (low, high), (middle, _), (turning, _) = (both_sides(turn, apart) for apart in (16, 2, 1))
    d_ks = sorted({low, middle, turning, high})
    grid = sorted({*d_ks, *around(turn)})
    rows = row_logs(trial, "jacobian", [*SIDES.values()], grid)
    dead = {place: share(logs < log(DEAD)) for place, logs in rows.items()}
    for d_k in d_ks:
        unscaled, scaled = (
            Evidence.of(f"share of rows with a dead gradient, {side}", dead[rule, d_k])
            for side, rule in SIDES.items()
        )
        holds = unscaled.value > 0.5 > scaled.value
        evidence = unscaled, scaled, place_of(turn, trial)
        yield Case(f"n = {trial.n:,}, d_k = {d_k:,}", holds, evidence)
    curves = {side: [dead[rule, d_k].value for d_k in grid] for side, rule in SIDES.items()}
    title = f"share of rows with ‖∂p/∂z‖_F below {general(DEAD)}, n = {trial.n:,}"
    yield marked(turn, trial)(title, "d_k", grid, curves, log="x")
