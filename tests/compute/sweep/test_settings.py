"""What can be asked of a sweep, and what is refused; a published table is read off."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.answer import answer
from attn_tui.compute.sweep.places import check_vectors, places
from attn_tui.compute.sweep.settings import Settings, Statistic, compared


def test_bad_settings_are_named() -> None:
    refused: list[tuple[str, dict[str, Any]]] = [
        ("over", {"over": "seed"}),
        ("n", {"n": 1}),
        ("d_k_range", {"d_k_range": (64, 2)}),
        ("d_k_range", {"d_k_range": (1, 2, 3)}),
        ("rule", {"rules": ("sqrt",)}),
        ("rules", {"rules": ("none", "none")}),
        ("rules", {"rules": ("none",), "ratio": True}),
        ("draws", {"draws": 1}),
        ("seed", {"seed": True}),
        ("points", {"points": 1}),
    ]
    for field, given in refused:
        with pytest.raises(InputError) as caught:
            Settings(**given)
        assert caught.value.field == field
        assert "\n" not in str(caught.value)


ONE_D_K, ONE_N = (4, 4), (8, 8)


def test_vectors_are_counted_where_they_are_drawn() -> None:
    for settings, most in [
        # The limit of all vectors, 2^20, over places and rules, of which there are at least two.
        # Of 27 places about 1 and 2 two are one.
        (Settings(), 2**20 // (26 * 2)),
        (Settings(points=14), 2**20 // (14 * 2)),
        (Settings(d_k_range=(2, 4)), 100_000),
        (Settings(over="n", n_range=ONE_N, d_k_range=(1, 64)), 100_000),
        (Settings(d_k_range=ONE_D_K), 100_000),
        (Settings(view="map"), 2**20 // (12 * 14 * 2)),
        (Settings(view="map", n_range=ONE_N), 2**20 // (14 * 2)),
        (Settings(rules=("none", "inverse", "ssmax"), points=14, ratio=True), 2**20 // (14 * 3)),
        (Settings(rules=("inverse", "ssmax"), points=14, ratio=True), 2**20 // (14 * 3)),
        (Settings(rules=("inverse", "ssmax"), points=14), 2**20 // (14 * 2)),
    ]:
        every = {place for part in places(settings, 64) for place in part}
        assert len(every) * len(compared(settings, Scale())) * most <= 2**20
        check_vectors(replace(settings, draws=most))
        if most < 100_000:
            too_many = replace(settings, draws=most + 1)
            with pytest.raises(InputError, match=f"at most {most:,}"):
                check_vectors(too_many)
            with pytest.raises(InputError):
                next(answer(Experiment(Drawn(4), Setup().put(too_many))))


def test_a_sweep_with_too_many_places_and_rules_for_any_draws_says_so() -> None:
    rules = tuple(f"temperature:T={t}" for t in range(1, 50))
    with pytest.raises(InputError, match="fewer places or rules"):
        check_vectors(Settings(view="map", map_points=200, rules=rules, draws=2))


@pytest.mark.parametrize("qk_norm", [False, True])
def test_a_table_of_128_keys_and_256_dimensions(qk_norm: bool) -> None:
    """Against 400 queries of 128 keys each whose every number is drawn and multiplied."""
    random = np.random.default_rng(3)
    q, k = random.standard_normal((400, 256)), random.standard_normal((400, 128, 256))
    if qk_norm:
        q, k = (x / np.sqrt(np.square(x).mean(axis=-1, keepdims=True)) for x in (q, k))
    s = np.einsum("bd,bnd->bn", q, k)
    settings = Settings(n=128, d_k_range=(256, 256), draws=1000, crossovers=False)
    setup = Setup(256, Scale(qk_norm=qk_norm)).put(settings)
    (*_, found) = answer(Experiment(Drawn(8), setup))
    for rule, m in (("none", 1.0), ("inverse-sqrt", 1 / 16)):
        powers = np.exp(m * (s - s.max(axis=1, keepdims=True)))
        p = powers / powers.sum(axis=1, keepdims=True)
        point = found.points.at(128, 256, rule)
        assert point is not None
        sampled: dict[Statistic, NDArray[np.float64]] = {
            "entropy_bits": -(p * np.log2(p + 1e-300)).sum(axis=1),
            "max_weight": p.max(axis=1),
            "logit_std": (m * s).std(axis=1),
        }
        for name, drawn in sampled.items():
            one = point.statistics[name]
            error = np.hypot(drawn.std() / 20.0, one.mean_standard_error)
            assert abs(one.mean - drawn.mean()) < 4.0 * error
            exact = point.exact(name).mean
            if exact is not None:
                assert abs(exact - drawn.mean()) < 4.0 * drawn.std() / 20.0
        assert np.isnan(point.statistics["query_gradient"].mean) == qk_norm
    assert bool(found.condensation) != qk_norm
