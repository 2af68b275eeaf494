"""A key that leads: its scores and its weight, against simulation, 50 digits and closed forms."""

from dataclasses import replace
from math import exp, sqrt
from typing import Any

import mpmath
import numpy as np
import pytest

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.lead import among_equals, lead_logits
from attn_tui.compute.scale import LogitMap, Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.answer import answer
from attn_tui.compute.sweep.draws import QUERY, Unit, unit_logs
from attn_tui.compute.sweep.points import Point
from attn_tui.compute.sweep.readouts import ROWS
from attn_tui.compute.sweep.settings import Settings

ONE_PLACE = Settings(n=64, d_k_range=(64, 64), draws=4000, crossovers=False)


def points(settings: Settings = ONE_PLACE, **setup: Any) -> tuple[Point, ...]:
    asked = Experiment(Drawn(settings.n), Setup(64, **setup).put(settings))
    (*_, last) = answer(asked)
    return last.points


def scores(setup: Setup, seed: int = 3) -> list[float]:
    listed: list[float] = Drawn(50, seed).vectors(setup)[0].scores.tolist()
    return listed


def test_a_lead_moves_key_0_alone_and_none_leaves_every_bit() -> None:
    plain, led = Setup(64), Setup(64, lead=5.0)
    assert scores(replace(plain, lead=0.0)) == scores(plain)
    assert scores(led)[1:] == scores(plain)[1:]
    norm = Drawn(50, 3).query_norm(64, 0)
    assert scores(led)[0] - scores(plain)[0] == pytest.approx(5.0 * norm)
    spread = replace(led, sigma_q=2.0, sigma_k=0.25)
    assert scores(spread) == [score / 2.0 for score in scores(led)]
    at_128 = Drawn(50, 3).scores_at(np.array(scores(led)), 0, led, 128)
    assert at_128 == pytest.approx(scores(replace(led, d_k=128)))


def test_a_normalised_key_leads_by_its_cosine_which_has_a_largest() -> None:
    normalised = Setup(64, Scale(qk_norm=True))
    led = replace(normalised, lead=5.0)
    assert scores(led)[1:] == scores(normalised)[1:]
    assert scores(led)[0] > scores(normalised)[0]
    assert scores(replace(led, lead=1000.0))[0] == pytest.approx(64.0, rel=1e-3)
    moved = Drawn(50, 3).scores_at(np.array(scores(led)), 0, led, 128)
    assert moved.tolist() == scores(replace(led, d_k=128))


def test_the_closed_form_is_that_of_fifty_digits_and_overflows_nowhere() -> None:
    for logit, n, sink in ((5.0, 64, None), (0.0, 2, 0.0), (40.0, 100_000, 3.0), (-3.0, 7, -50.0)):
        with mpmath.workdps(50):
            top = mpmath.e**logit
            expected = top / (top + n - 1 + (0 if sink is None else mpmath.e**sink))
        assert among_equals(logit, n, sink) == pytest.approx(float(expected), rel=1e-14)
    assert among_equals(1e6, 64) == 1.0
    assert among_equals(-1e6, 64) == among_equals(0.0, 64, 1e6) == 0.0


def test_under_the_usual_rule_a_lead_is_in_logits() -> None:
    usual = Scale().logit_map(64, 64)
    assert lead_logits(5.0, 64, usual) == 5.0
    assert lead_logits(5.0, 64, LogitMap(1.0)) == 40.0
    assert lead_logits(5.0, 64, usual, spread=0.5) == 2.5
    assert lead_logits(40.0, 64, replace(usual, softcap=20.0)) < 20.0
    # A cosine is at most 1: with g = 8 at d_k = 64 a key leads by at most 8 logits.
    cosine = parse_scale("cosine:g=8").logit_map(64, 64)
    assert lead_logits(5.0, 64, cosine, normalises=True) == pytest.approx(
        8.0 * 5.0 / sqrt(25.0 + 63.0)
    )
    assert lead_logits(0.0, 1, cosine, normalises=True) == 0.0


def simulated(rule: str, lead: float, n: int, d_k: int, sink: float | None) -> np.ndarray:
    """Draw q and K in full, and return the weight of a key 0 that leans toward q."""
    random, count = np.random.default_rng(11), 4000
    q, keys = random.standard_normal((count, d_k)), random.standard_normal((count, n, d_k))
    keys[:, 0] += lead * q / np.linalg.norm(q, axis=1, keepdims=True)
    if rule == "cosine":
        q *= sqrt(d_k) / np.linalg.norm(q, axis=1, keepdims=True)
        keys *= sqrt(d_k) / np.linalg.norm(keys, axis=2, keepdims=True)
    m = {"none": 1.0, "inverse-sqrt": d_k**-0.5, "inverse": 1.0 / d_k, "cosine": 8.0 / d_k}[rule]
    z = m * np.einsum("bd,bnd->bn", q, keys)
    others = np.exp(z[:, 1:] - z[:, :1]).sum(axis=1)
    if sink is not None:
        others += np.exp(sink - z[:, 0])
    return np.asarray(1.0 / (1.0 + others))


@pytest.mark.parametrize("rule", ["none", "inverse-sqrt", "inverse", "cosine"])
@pytest.mark.parametrize("sink", [None, 2.0])
def test_the_weight_of_a_leading_key_is_that_of_q_and_k_drawn_in_full(
    rule: str, sink: float | None
) -> None:
    settings = replace(ONE_PLACE, n=12, d_k_range=(16, 16), rules=(rule,))
    (ours,) = points(settings, lead=2.0, scale=Scale(sink=sink))
    direct, drawn = simulated(rule, 2.0, 12, 16, sink), ours.statistics["lead_weight"]
    error = sqrt(direct.var() / direct.size + drawn.mean_standard_error**2)
    assert abs(direct.mean() - drawn.mean) < 4.0 * error
    assert abs(np.median(direct) - drawn.median) < 6.0 * drawn.median_standard_error
    assert ours.exact("lead_weight").mean is None
    assert ours.exact("entropy").mean is None


@pytest.mark.slow
def test_the_weight_beside_one_other_key_has_the_mean_of_its_integral() -> None:
    """Given q, the gap of two logits is normal about m‖q‖g, with variance 2m²‖q‖²."""
    settings = replace(ONE_PLACE, n=2, d_k_range=(4, 4), rules=("inverse-sqrt",))
    (ours,) = points(settings, lead=1.5)

    def at(r: Any) -> Any:
        gap, width = r * 0.75, r / mpmath.sqrt(2)
        weight = mpmath.quad(
            lambda x: mpmath.npdf(x) / (1 + mpmath.exp(-(gap + width * x))), [-8, 0, 8]
        )
        return weight * r**3 * mpmath.exp(-r * r / 2) / 2

    with mpmath.workdps(10):
        expected = float(mpmath.quad(at, [0, 2, 9], maxdegree=4))
    drawn = ours.statistics["lead_weight"]
    assert abs(drawn.mean - expected) < 4.0 * drawn.mean_standard_error


def test_a_key_that_does_not_lead_has_an_equal_share_on_average() -> None:
    for point in points(lead=0.0):
        drawn, exact = point.statistics["lead_weight"], point.exact("lead_weight").mean
        assert exact == point.equal_others == 1.0 / 64
        assert abs(drawn.mean - exact) < 4.0 * drawn.mean_standard_error


def test_noise_takes_from_a_leading_key_and_length_does_too() -> None:
    """The picture: e^5/(e^5 + 63) is .70 of equal others; of drawn ones it is less, and fades."""
    few, many = (points(replace(ONE_PLACE, n=n, draws=400), lead=5.0)[1] for n in (64, 1024))
    assert few.equal_others == pytest.approx(exp(5.0) / (exp(5.0) + 63.0))
    assert few.statistics["lead_weight"].median < few.equal_others
    assert many.statistics["lead_weight"].median < 0.3 * few.statistics["lead_weight"].median
    (beside_sink,) = points(
        replace(ONE_PLACE, draws=400, rules=("inverse-sqrt",)), lead=5.0, scale=Scale(sink=5.0)
    )
    assert beside_sink.equal_others < few.equal_others
    assert beside_sink.statistics["lead_weight"].median < few.statistics["lead_weight"].median
    assert beside_sink.statistics["max_weight"] == few.statistics["max_weight"]


@pytest.mark.parametrize("sink", [None, -2.0])
def test_the_weight_is_known_from_its_logarithm_where_it_underflows(sink: float | None) -> None:
    unit, m = Unit(3, 40, 0, 32), 600.0
    logs = unit_logs(unit, 9, m, lead=0.5, sink=sink)[ROWS["lead_weight"]]
    norms = np.sqrt(unit.chi_square(QUERY, 9))
    setup, draw = Setup(9, lead=0.5), Drawn(40, 3, 32)
    for index in (0, 7, 31):
        z = m * draw.vectors(setup)[index].scores
        assert norms[index] == pytest.approx(draw.query_norm(9, index))
        with mpmath.workdps(50):
            others = [mpmath.e ** mpmath.mpf(x) for x in z.tolist()]
            others += [] if sink is None else [mpmath.e ** mpmath.mpf(sink)]
            expected = mpmath.log(mpmath.e ** mpmath.mpf(float(z[0])) / mpmath.fsum(others))
        assert logs[index] == pytest.approx(float(expected), rel=1e-9, abs=1e-12)
    assert logs.min() < -1000.0
