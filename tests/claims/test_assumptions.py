"""Claims about what the variance d_k takes, and about what dividing then does."""

from typing import Any

import numpy as np
import pytest

from attn_tui.claims.checks.assumptions import initial_queries, mean_square
from attn_tui.claims.trial import Trial
from attn_tui.library import dot_law
from tests.claims.breaking import Broken
from tests.claims.test_moments import TWICE
from tests.pairs import with_rows


def without(**held: Any) -> Any:
    """Return what makes of `dot_law` one that does not hear of something."""
    return lambda dot_law: lambda *given, **asked: dot_law(*given, **{**asked, **held})


BROKEN = {
    "S0-13": Broken("assumptions:dot_law", without(correlation=0.0)),
    "S0-21": Broken("assumptions:dot_law", without(correlation=0.0, tied=False)),
    "S0-22": Broken("assumptions:dot_law", without(tied=False)),
    "S2-8": Broken("assumptions:sampled", TWICE),
    "S2-23": Broken(stated={"variance": 5.0}),
    "S2-26": Broken("assumptions:sampled", TWICE),
    "S0-25": Broken("assumptions:multiplier", lambda m: lambda rule, d_k: 1.0),
    "S2-14": Broken("assumptions:multiplier", lambda m: lambda rule, d_k: 1.0 / d_k),
    "S0-11": Broken("assumptions:multiplier", lambda m: lambda rule, d_k: 1.0),
    "L-4": Broken("assumptions:multiplier", lambda m: lambda rule, d_k: 1.0 / d_k),
    "L-22": Broken("assumptions:dot_law", without(correlation=0.0)),
}


@with_rows(("rho", "tied"), [(0.0, False), (0.0, True), (0.5, False)])
def test_the_mean_square_against_entries_drawn_one_by_one(rho: float, tied: bool) -> None:
    d_k, rng = 4, np.random.default_rng(3)
    x, y = rng.standard_normal((2, 400_000, 1 if tied else d_k))
    dots = (x * (rho * x + np.sqrt(1.0 - rho**2) * y)).sum(axis=1) * (d_k if tied else 1)
    squares = np.square(dots)
    found = mean_square(dot_law(d_k, correlation=rho, tied=tied), Trial(draws=100_000))
    assert found.exact == pytest.approx(squares.mean(), rel=0.03)
    assert found.value == pytest.approx(found.exact, abs=5 * found.standard_error)
    assert found.standard_error == pytest.approx(squares.std() / np.sqrt(100_000), rel=0.06)


def test_initial_queries_are_rows_of_weights_times_a_normalised_input() -> None:
    entries = initial_queries(1, 256, 0.02, 9000)
    assert entries.shape == (9000,)
    assert entries.mean() == pytest.approx(0.0, abs=0.02)
    assert entries.var() == pytest.approx(256 * 0.02**2, rel=0.06)
    assert not np.array_equal(entries, initial_queries(2, 256, 0.02, 9000))
