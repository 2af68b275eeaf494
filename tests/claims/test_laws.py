"""Claims about how q·k is distributed: its law, its tails, dice and coins."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from attn_tui.claims.checks.laws import beyond, sum_law
from attn_tui.compute.law.names import Entries
from attn_tui.compute.number import Number
from tests.claims.breaking import Broken
from tests.claims.test_moments import read_as
from tests.pairs import with_rows

NORMAL = read_as(kurtosis=lambda d_k: Number(3.0, 0.01, 3.0))


def normal_tail(tail: Any) -> Any:
    """Return what takes the place of `beyond` for a law that does not know of d_k."""
    return lambda bound, d_k: 2.0 * float(stats.norm.sf(bound))


BROKEN = {
    "S1-5": Broken("laws:sampled", NORMAL),
    "S1-6": Broken("laws:sampled", NORMAL),
    "S1-7": Broken("laws:dot_law", lambda dot_law: lambda d_k: dot_law(64)),
    "S2-4": Broken("laws:sum_law", lambda law: lambda entries, terms: law("die", terms)),
    "S2-5": Broken(stated={"variance": 35.0 / 12.0}),
    "S2-10": Broken(stated={f"d = {d_k}": 1.0 for d_k in (2, 4, 512, 1024)}),
    "S2-11": Broken(stated={"outside": float(np.exp(-np.sqrt(8.0)))}),
    "S2-12": Broken("laws:beyond", normal_tail),
    "S2-17": Broken("laws:beyond", normal_tail),
    "S2-24": Broken(
        "laws:sum_law",
        lambda law: (
            lambda entries, terms: replace(
                law(entries, terms), start=law(entries, terms).start - 3.5 * terms
            )
        ),
    ),
    "S2-25": Broken("laws:beyond", normal_tail),
    "S2-28": Broken(stated={"extremely": 100.0}),
}


@with_rows(("bound", "d_k"), [(2.5, 1), (10.0, 2), (50.0, 64), (150.0, 1024)])
def test_tails_against_a_normal_law_mixed_over_query_lengths(bound: float, d_k: int) -> None:
    def given(square: float) -> float:
        return 2.0 * float(stats.norm.sf(bound / np.sqrt(square)) * stats.chi2.pdf(square, d_k))

    middle = max(float(d_k), bound)
    ends = [middle * 2.0**step for step in range(-8, 5)]
    parts = zip([0.0, *ends], [*ends, np.inf], strict=True)
    exact = sum(integrate.quad(given, *part, epsabs=0.0, epsrel=1e-11)[0] for part in parts)
    assert beyond(bound, d_k) == pytest.approx(exact, rel=1e-7)


@pytest.mark.parametrize(
    ("entries", "faces"), [("die", [1, 2, 3, 4, 5, 6]), ("coins", [-1, 1])]
)  # fmt: skip
def test_sums_against_every_outcome(entries: Entries, faces: list[int]) -> None:
    sums = [sum(each) for each in product(faces, repeat=4)]
    values, counts = np.unique(sums, return_counts=True)
    law = sum_law(entries, 4)
    assert np.array_equal(law.values, values)
    assert law.weights == pytest.approx(counts / len(sums), rel=1e-12)


def test_a_chance_far_below_the_last_digit_of_1_is_known() -> None:
    # mpmath, 30 digits: 2·∫f from 150 on, f the density at d_k = 4.
    assert beyond(150.0, 4) == pytest.approx(5.45307326795e-64, rel=1e-6)
