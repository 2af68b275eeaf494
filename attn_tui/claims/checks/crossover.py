"""Claims about typical gradients: where dividing makes them larger, and where smaller."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import exp, log
from typing import Any

from attn_tui.claims.checks.drawn_rows import check_cost, row_logs, share
from attn_tui.claims.claim import Case, Curve, Evidence, Picture, Stated
from attn_tui.claims.trial import Trial
from attn_tui.compute.dead import DEAD
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.scale import parse_scale
from attn_tui.compute.sweep.crossover import Crossover, GradientReadout, crossover
from attn_tui.compute.sweep.places import log_grid
from attn_tui.compute.sweep.points import Points, Sampling
from attn_tui.compute.sweep.readouts import READOUTS, exact
from attn_tui.compute.sweep.settings import Statistic

RULE = "inverse-sqrt"

_RULES = {rule: parse_scale(rule) for rule in ("none", RULE)}

_SEARCH = 82
"""A search costs so many evaluations a row at most."""


@lru_cache(maxsize=32)
def turning_point(n: int, readout: GradientReadout, draws: int, seed: int) -> Crossover:
    """Return d*(n), where removing 1/√d_k begins to make a median gradient smaller.

    Raises:
        InputError: If there are too many rows, or these are no arguments.
    """
    check_cost(n, draws, _SEARCH, 2**14)
    found = crossover(n, readout, seed, draws)
    assert found
    return found


def both_sides(turn: Crossover, apart: int = 4) -> tuple[int, int]:
    """Return a d_k so many times below d* and one as many times above, as far as d_k goes."""
    ends = {"larger": D_K.maximum, "smaller": 2, "crosses": turn.d_k}
    at = ends[turn.side] or D_K.maximum
    return max(2, round(at / apart)), min(D_K.maximum, round(at * apart))


def around(turn: Crossover) -> tuple[int, ...]:
    """Return d_k from one to beyond d*, for a picture."""
    return tuple(log_grid((1, both_sides(turn, 16)[1]), 12))


@lru_cache(maxsize=32)
def points(n: int, d_ks: tuple[int, ...], draws: int, seed: int) -> Points:
    """Return what drawn rows of n keys say at some d_k, unscaled and under 1/√d_k.

    Raises:
        InputError: If there are too many rows.
    """
    check_cost(n, draws, 2 * len(d_ks), max(d_ks))
    sampling = Sampling(_RULES, draws, seed)
    for _ in sampling.steps([(n, d_k) for d_k in d_ks], []):
        pass
    return sampling.points()


def removed(found: Points, n: int, d_k: int, statistic: Statistic) -> Evidence:
    """Return by what factor removing 1/√d_k changes the median of a statistic."""
    ratio = found.ratio(n, d_k, RULE, statistic)
    assert ratio
    factor = exp(ratio.log_median)
    name = f"median {READOUTS[statistic].symbol}, unscaled over scaled"
    return Evidence(name, factor, factor * ratio.log_median_error)


def place_of(turn: Crossover) -> Evidence:
    """Return where a search found the crossover, as evidence; at an end of d_k if nowhere."""
    name = f"d* of the median {READOUTS[turn.readout].symbol}, by {turn.draws:,} draws"
    if turn.d_k is None or turn.low is None or turn.high is None:
        end = D_K.maximum if turn.side == "larger" else turn.divides_from
        return Evidence(f"{name}, beyond the end of d_k at", float(end))
    return Evidence(name, turn.d_k, (turn.high - turn.low) / 3.92)


def factors(trial: Trial, *turns: Crossover) -> Picture:
    """Return the factors of `removed` over d_k as a picture."""
    d_ks = around(turns[0])
    found = points(trial.n, d_ks, trial.draws, trial.seed)
    curves = []
    for turn in turns:
        y = [removed(found, trial.n, d_k, turn.readout).value for d_k in d_ks]
        # A median below float64's numbers has no place on a logarithmic axis.
        seen = [(float(d_k), value) for d_k, value in zip(d_ks, y, strict=True) if value > 0.0]
        xs, ys = zip(*seen, strict=True)
        curves.append(Curve(READOUTS[turn.readout].symbol, xs, ys))
    curves.insert(1, Curve("scaled = 1", (float(d_ks[0]), float(d_ks[-1])), (1.0, 1.0)))
    title = f"median gradient, unscaled over scaled, n = {trial.n:,}"
    return Picture(title, "d_k", tuple(curves), log_x=True, log_y=True, **_marked(turns[0]))


def _marked(turn: Crossover) -> dict[str, Any]:
    """Return how a picture marks d*, with its interval."""
    ends = None if turn.low is None or turn.high is None else (turn.low, turn.high)
    return {"mark": turn.d_k, "ends": ends, "marked": f"d* by {turn.draws:,} draws"}


def _on_both_sides(
    trial: Trial, readouts: Sequence[GradientReadout], enlarges: bool, *others: Statistic
) -> Iterator[Case | Picture]:
    """Yield, below and above d*, whether removing the scale enlarges a median, or else shrinks it.

    Args:
        trial: n, how many rows, and which.
        readouts: Of what.
        enlarges: Whether the claim is that it does.
        others: What unscaled rows are said to have besides.
    """
    turns = [turning_point(trial.n, each, trial.draws, trial.seed) for each in readouts]
    for turn in turns:
        readout = turn.readout
        d_ks = both_sides(turn)
        found = points(trial.n, d_ks, trial.draws, trial.seed)
        for side, d_k in zip(("below", "above"), d_ks, strict=True):
            factor = removed(found, trial.n, d_k, readout)
            unscaled = found.unscaled(trial.n, d_k)
            assert unscaled
            more = [
                Evidence(
                    f"median {READOUTS[each].symbol}, unscaled",
                    unscaled.statistics[each].median,
                    unscaled.statistics[each].median_standard_error,
                )
                for each in others
            ]
            yield Case(
                f"n = {trial.n:,}, d_k = {d_k:,}, {side} d*, {READOUTS[readout].symbol}",
                (factor.value > 1.0) == enlarges,
                (factor, *more, place_of(turn)),
            )
    yield factors(trial, *turns)


def large_d_k(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Compare the median gradient without and with the scale on both sides of d*."""
    yield from _on_both_sides(trial, ("gradient",), False, "logit_std", "max_weight")


def prevents_exploding(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Look on both sides of d* whether removing the scale enlarges either gradient."""
    yield from _on_both_sides(trial, ("gradient", "query_gradient"), True)


def dropping_the_root(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Look on both sides of d* whether removing the scale shrinks the median gradient."""
    yield from _on_both_sides(trial, ("gradient",), False, "gradient")


def extremely_small(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Compare medians on both sides of d*, and means above it, which are exact."""
    turn = turning_point(trial.n, "gradient", trial.draws, trial.seed)
    below, above = both_sides(turn)
    found = points(trial.n, (below, above), trial.draws, trial.seed)
    for d_k in (below, above):
        factor = removed(found, trial.n, d_k, "gradient")
        where = f"median, n = {trial.n:,}, d_k = {d_k:,}"
        yield Case(where, factor.value < 1.0, (factor, place_of(turn)))
    unscaled, scaled = (_mean_trace(trial.n, above, rule) for rule in _RULES)
    means = (
        Evidence("mean tr ∂p/∂s, unscaled over scaled, by quadrature", unscaled / scaled),
        Evidence("mean tr ∂p/∂s, unscaled", unscaled),
    )
    yield Case(f"mean, n = {trial.n:,}, d_k = {above:,}", unscaled < scaled, means)
    d_ks = around(turn)[1:]
    drawn = points(trial.n, d_ks, trial.draws, trial.seed)
    curves = []
    for rule in _RULES:
        x, name = tuple(map(float, d_ks)), "unscaled" if rule == "none" else "scaled"
        curves.append(Curve(f"mean, {name}", x, tuple(_mean_trace(trial.n, d, rule) for d in d_ks)))
        medians = tuple(
            point.multiplier * point.statistics["trace"].median for point in drawn.under(rule)
        )
        curves.append(Curve(f"median, {name}", x, medians))
    title = f"tr ∂p/∂s, n = {trial.n:,}"
    yield Picture(title, "d_k", tuple(curves), log_x=True, log_y=True, **_marked(turn))


def _mean_trace(n: int, d_k: int, rule: str) -> float:
    """Return E[tr ∂p/∂s] over drawn rows."""
    multiplier = _RULES[rule].multiplier(d_k, n)
    mean = exact("trace", n, d_k, multiplier).mean
    assert mean is not None
    return multiplier * mean


def poor_convergence(trial: Trial, stated: Stated) -> Iterator[Case | Picture]:
    """Count rows whose gradient is dead, on both sides of d*."""
    turn = turning_point(trial.n, "gradient", trial.draws, trial.seed)
    (low, high), (middle, _) = both_sides(turn, 16), both_sides(turn, 2)
    at = [] if turn.d_k is None else [round(turn.d_k)]
    d_ks = sorted({low, middle, *at, high})
    shown = tuple(sorted({*d_ks, *around(turn)}))
    rows = row_logs(trial, "jacobian", [*_RULES], shown)
    dead = {place: share(logs < log(DEAD)) for place, logs in rows.items()}
    for d_k in d_ks:
        unscaled, scaled = (
            Evidence.of(f"share of rows with a dead gradient, {name}", dead[rule, d_k])
            for name, rule in (("unscaled", "none"), ("scaled", RULE))
        )
        holds = unscaled.value > 0.5 > scaled.value
        yield Case(f"n = {trial.n:,}, d_k = {d_k:,}", holds, (unscaled, scaled, place_of(turn)))
    places = tuple(map(float, shown))
    curves = tuple(
        Curve(name, places, tuple(dead[rule, d_k].value for d_k in shown))
        for name, rule in (("unscaled", "none"), ("scaled", RULE))
    )
    title = f"share of rows with ‖∂p/∂z‖_F below {DEAD:g}, n = {trial.n:,}"
    yield Picture(title, "d_k", curves, log_x=True, **_marked(turn))
