from itertools import pairwise
from math import log

import mpmath
import numpy as np
import pytest

from attn_tui.compute.sweep.summary import Summary, summarise
from tests.pairs import with_rows

DRAWS = np.array([0.5, 1.0, 2.0, 0.25])


def by_hand(shift: float) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Return the mean and its standard error of draws times e^shift, to 50 digits."""
    with mpmath.workdps(50):
        values = [mpmath.mpf(x) * mpmath.exp(shift) for x in DRAWS.tolist()]
        mean = mpmath.fsum(values) / len(values)
        spread = mpmath.fsum((x - mean) ** 2 for x in values) / (len(values) - 1)
        return mean, mpmath.sqrt(spread / len(values))


def agrees(found: Summary, shift: float) -> None:
    mean, error = by_hand(shift)
    assert found.mean == pytest.approx(float(mean), rel=1e-12, abs=5e-324)
    assert found.mean_standard_error == pytest.approx(float(error), rel=1e-12, abs=5e-324)
    assert found.log_mean == pytest.approx(float(mpmath.log(mean)), rel=1e-14)
    assert found.log_mean_standard_error == pytest.approx(float(mpmath.log(error)), rel=1e-14)


def test_means_and_their_errors_outlive_the_numbers_of_float64() -> None:
    for shift in [0.0, -200.0, -400.0, -709.0, -712.0, -740.0, -5000.0, 400.0]:
        (found,) = summarise(np.log(DRAWS)[None] + shift)
        agrees(found, shift)


@with_rows(("first", "by"), pairwise([0.0, -720.0, 715.0, -5000.0]))
def test_a_summary_times_a_number_is_that_of_the_draws_times_it(first: float, by: float) -> None:
    (found,) = summarise(np.log(DRAWS)[None] + first)
    for part in (by / 8,) * 8:
        found = found.times(float(np.exp(part)))
    agrees(found, first + by)


def test_rows_of_any_size_stand_beside_each_other() -> None:
    logs = np.array([[0.0, log(3.0)], [-900.0, -900.0], [-np.inf, -np.inf], [np.nan, np.nan]])
    usual, tiny, none, unknown = summarise(logs)
    assert (usual.mean, usual.mean_standard_error) == pytest.approx((2.0, 1.0))
    assert (tiny.mean, tiny.log_mean, tiny.mean_standard_error) == (0.0, -900.0, 0.0)
    assert (none.mean, none.log_mean) == (0.0, -np.inf)
    assert np.isnan([unknown.mean, unknown.log_mean, unknown.mean_standard_error]).all()
