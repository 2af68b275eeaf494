"""Crossovers against exact medians of two keys and a brute-force sweep; refused input."""

from itertools import product
from math import log
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.sweep.crossover import (
    GRADIENTS,
    Crossing,
    crossover,
    crossovers,
    divides_from,
    last_fall,
    search_cost,
)
from attn_tui.compute.sweep.readouts import exact
from attn_tui.compute.sweep.settings import Settings


def exact_fall(d_k: int, rule: str = "inverse-sqrt") -> float:
    """Return ln of the ratio of the exact medians of ‖∂p/∂s‖_F at two keys."""
    multipliers = 1.0, parse_scale(rule).multiplier(d_k, 2)
    unscaled, scaled = (exact("gradient", 2, d_k, m).median for m in multipliers)
    assert unscaled is not None
    assert scaled is not None
    return log(unscaled / scaled)


@pytest.mark.slow
def test_at_two_keys_the_crossover_is_where_the_exact_medians_meet() -> None:
    d_k = next(d for d in range(3, 40) if exact_fall(d) <= 0.0)
    assert d_k == 8
    truth = d_k - 1 + exact_fall(d_k - 1) / (exact_fall(d_k - 1) - exact_fall(d_k))
    inside = 0
    for seed in range(1, 7):
        result = crossover(2, "gradient", seed=seed, draws=1500)
        assert result is not None
        assert result.low is not None
        assert result.high is not None
        inside += result.low <= truth <= result.high
        assert result.at == pytest.approx(truth, rel=0.25)
    assert inside >= 4


def brute_force(n: int, d_k: int, draws: int, random: np.random.Generator) -> dict[str, float]:
    """Return ln of the ratio of medians of each readout, from q, K and V drawn in full."""
    logs = np.empty((3, 2, draws))
    for draw in range(draws):
        q, keys = random.standard_normal(d_k), random.standard_normal((n, d_k))
        v, s = random.standard_normal(n), keys @ q
        for side, m in enumerate((1.0, d_k**-0.5)):
            p = np.exp(m * (s - s.max()))
            p /= p.sum()
            size = np.linalg.norm(np.diag(p) - np.outer(p, p))
            through = np.linalg.norm(keys.T @ (p * (v - p @ v)))
            logs[:, side, draw] = np.log(np.array([m * size, size, m * through]) + 1e-300)
    medians = np.median(logs, axis=2)
    falls = (medians[:, 0] - medians[:, 1]).tolist()
    return dict(zip(("gradient", "jacobian", "query_gradient"), falls, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("n", [8, 32])
def test_crossovers_are_where_a_brute_force_sweep_has_them(n: int) -> None:
    random = np.random.default_rng(n)
    for readout in ("gradient", "jacobian", "query_gradient"):
        result = crossover(n, readout, seed=3, draws=1500)
        assert result is not None
        assert result.direction == "falls"
        assert result.low is not None
        assert result.high is not None
        assert result.at is not None
        assert result.low <= result.at <= result.high < 1.6 * result.low
        assert brute_force(n, round(result.low / 1.3), 800, random)[readout] > 0.0
        assert brute_force(n, round(result.high * 1.3), 800, random)[readout] < 0.0


@pytest.mark.slow
def test_a_crossover_at_two_keys_is_about_where_the_medians_meet() -> None:
    result = crossover(2, draws=600)
    assert result is not None
    assert result.at == pytest.approx(7.5, rel=0.35)
    assert result == crossover(2, draws=600)
    assert crossover(2, draws=600, stop=lambda: True) is None


def test_what_never_crosses_says_which_is_larger() -> None:
    result = crossover(2, "jacobian", draws=64)
    assert result is not None
    assert result == Crossing(None, None, None, "smaller")
    flat = crossover(5, "gradient", draws=64, rule="temperature:1e300")
    assert flat is not None
    assert (flat.direction, flat.at) == ("larger", None)


def test_the_last_fall_counts() -> None:
    assert last_fall([1, 2, 4, 8], np.array([1.0, -1.0, 1.0, -1.0])) == pytest.approx(4 * 2**0.5)
    assert last_fall([1, 2], np.array([-1.0, 1.0])) is None
    assert last_fall([], np.array([])) is None


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "first"), [("inverse", 2), ("mup:d0=4", 3), ("ssmax:a=4", 8)])
def test_a_crossover_is_looked_for_where_the_rule_divides(rule: str, first: int) -> None:
    scale = parse_scale(rule)
    assert scale.multiplier(first, 2) < 1.0
    assert first == 2 or scale.multiplier(first - 1, 2) >= 1.0
    result = crossover(2, rule=rule, draws=1500)
    assert result is not None
    assert divides_from(scale, 2) == first
    low, high = result.low or first, result.high or first
    assert (result.direction == "smaller") == (result.at is None)
    assert all(exact_fall(d_k, rule) > 0.0 for d_k in range(first, round(low)))
    assert all(exact_fall(d_k, rule) < 0.0 for d_k in range(round(high) + 1, 200))


@pytest.mark.slow
def test_crossovers_come_one_rule_after_the_other_as_each_would_alone() -> None:
    pairs = [(8, Scale()), (8, parse_scale("mup:d0=64"))]
    steps = list(crossovers(pairs, Settings(seed=3, draws=600)))
    spent = [done for done, _ in steps]
    assert spent == sorted(spent)
    assert spent[-1] == sum(search_cost(n, 600) for n, _ in pairs)
    assert list(dict.fromkeys(len(known) for _, known in steps)) == [0, 4, 8]
    for (n, scale), readout in product(pairs, GRADIENTS):
        searched = crossover(n, readout, 3, 600, rule=scale.text)
        assert steps[-1][1][n, readout, scale] == searched


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("n", {"n": 1}),
        ("readout", {"n": 2, "readout": "entropy"}),
        ("seed", {"n": 2, "seed": 1.5}),
        ("draws", {"n": 2, "draws": 1}),
        ("rule", {"n": 2, "rule": "cubic"}),
        ("rules", {"n": 2, "rule": "cosine:g=0.1"}),
        ("rules", {"n": 64, "rule": "none"}),
        ("rules", {"n": 64, "rule": "fixed:a=0.5"}),
    ],
)
def test_bad_input_is_named(field: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        crossover(**arguments)
    assert caught.value.field == field
    if field == "rules" and not parse_scale(arguments["rule"]).normalises:
        assert divides_from(parse_scale(arguments["rule"]), 64) is None


@pytest.mark.slow
def test_the_interval_is_as_wide_as_seeds_differ() -> None:
    """Were it narrower, one trial would contradict the next; 20,000 draws leave 7.2 to 7.9."""
    found = [crossover(2, "gradient", seed, 200) for seed in range(10)]
    ends = [(each.at, each.low, each.high) for each in found if each is not None]
    logs = np.log(np.array(ends, np.float64))
    error = (logs[:, 2] - logs[:, 1]).mean() / (2 * 1.96)
    assert 0.5 < error / logs[:, 0].std(ddof=1) < 2.0
    assert ((logs[:, 1] <= np.log(7.5)) & (np.log(7.5) <= logs[:, 2])).sum() >= 8
