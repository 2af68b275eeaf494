"""Claims about the mean and the variance of q·k."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attn_tui.claims.checks.samples import above, over, rows_of_scores, sampled, variance_of
from attn_tui.claims.claim import Evidence, try_claim
from attn_tui.claims.headline import headline
from attn_tui.claims.ledger import find
from attn_tui.claims.report import report
from attn_tui.claims.trial import Trial
from attn_tui.compute.number import Number
from attn_tui.library import dot_law
from attn_tui.report.text import text
from tests.claims.breaking import Broken


def read_as(**changed: Callable[[Any], Number]) -> Callable[[Any], Any]:
    """Return what makes of `sampled` one that says something else, by d_k."""

    def broken(sampled: Any) -> Any:
        def read(law: Any, trial: Any) -> Any:
            values = {name: change(law.d_k) for name, change in changed.items()}
            return replace(sampled(law, trial), **values)

        return read

    return broken


D_K = read_as(mean=lambda d_k: Number(float(d_k), 0.1))
TWICE = read_as(variance=lambda d_k: Number(2.0 * d_k, 0.01 * d_k))
SQUARE = read_as(variance=lambda d_k: Number(float(d_k) ** 2, 0.01 * d_k**2, float(d_k) ** 2))

BROKEN = {
    "S0-14": Broken("moments:sampled", D_K),
    "S0-24": Broken("moments:sampled", D_K),
    "S0-20": Broken("moments:sampled", D_K),
    "S0-15": Broken("moments:sampled", read_as(mean_size=lambda d_k: Number(1.0, 0.1, 1.0))),
    "S2-3": Broken(
        "moments:sampled", read_as(standard_deviation=lambda d_k: Number(1.0, 0.1, 1.0))
    ),
    "S0-16": Broken("moments:sampled", SQUARE),
    "S0-18": Broken("moments:sampled", TWICE),
    "S0-23": Broken("moments:sampled", SQUARE),
    "S2-2": Broken("moments:sampled", TWICE),
    "L-1": Broken("moments:sampled", D_K),
    "S2-9": Broken("moments:sampled", TWICE),
}


def test_rows_share_their_query_and_nothing_else() -> None:
    rows = rows_of_scores(4, 3, Trial(draws=200_000))
    assert rows.shape == (200_000, 3)
    covariance = np.cov(rows.T)
    assert covariance == pytest.approx(4.0 * np.eye(3), abs=0.08)
    squares = np.corrcoef(np.square(rows[:, 0]), np.square(rows[:, 1]))
    assert squares[0, 1] == pytest.approx(1.0 / 7.0, abs=0.02)


def test_draws_at_two_d_k_are_independent() -> None:
    trial = Trial(draws=2)
    one, two = (sampled(dot_law(d_k), trial) for d_k in (100, 101))
    assert one.mean.value / 10.0 != pytest.approx(two.mean.value / 10.0, rel=0.05)


def test_the_variance_of_a_sample_scatters_as_its_error_says() -> None:
    rng = np.random.default_rng(1)
    found = [variance_of(rng.standard_normal(50) * 3.0, 3.0, 9.0) for _ in range(4000)]
    assert np.std([each.value for each in found]) == pytest.approx(
        found[0].standard_error, rel=0.05
    )


def test_what_is_exact_decides_and_draws_where_nothing_is() -> None:
    assert Evidence("", 1.01, 0.01, stated=1.0).is_as_stated
    assert not Evidence("", 1.1, 0.01, stated=1.0).is_as_stated
    assert not Evidence("", 1.0, 0.01).is_as_stated
    # Draws only illustrate what is known: neither those that agree nor those that do not decide.
    assert not Evidence("", 1.01, 0.01, stated=1.0, exact=1.001).is_as_stated
    assert Evidence("", 1.1, 0.01, stated=1.0, exact=1.0).is_as_stated


def test_errors_of_ratios_and_differences() -> None:
    rng = np.random.default_rng(2)
    one, two = Number(8.0, 0.1, 8.0), Number(2.0, 0.05, 2.0)
    drawn = rng.normal(8.0, 0.1, 100_000), rng.normal(2.0, 0.05, 100_000)
    ratio, rise = over("", one, two), above("", one, two)
    assert (ratio.value, ratio.exact, rise.value, rise.exact) == (4.0, 4.0, 6.0, 6.0)
    assert ratio.standard_error == pytest.approx(np.std(drawn[0] / drawn[1]), rel=0.02)
    assert rise.standard_error == pytest.approx(np.std(drawn[0] - drawn[1]), rel=0.02)


def test_two_draws_change_no_verdict_where_the_exact_value_is_known() -> None:
    for name in ["S0-14", "S0-22", "S0-23", "S1-5", "S1-6", "S2-8", "S2-11"]:
        claim = find(name)
        assert try_claim(claim, replace(claim.trial, draws=2)).verdict == claim.verdict


def test_a_law_that_is_nearly_normal_is_not_normal() -> None:
    claim = find("S1-5")
    assert try_claim(claim, replace(claim.trial, d_k=65_536)).verdict == "false"


def test_few_draws_decide_nothing_that_is_not_known_exactly() -> None:
    for name in ["S0-2", "S1-13", "S1-16", "S2-3", "S2-31", "L-3", "L-24"]:
        claim = find(name)
        few = try_claim(claim, replace(claim.trial, draws=10))
        assert few.verdict == "undecided"
        assert not few.condition
        assert "10 draws cannot decide it" in headline(claim, few)
        assert "in these draws" in "".join(text(report([(few, 0.0)], 1)))
        assert replace(few, trial=replace(claim.trial, draws=100)).verdict != "undecided"
