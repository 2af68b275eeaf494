"""Claims about number formats: what overflows and what rounding does."""

from dataclasses import replace

import numpy as np
import pytest

from attn_tui.claims.checks.precision import halves
from attn_tui.claims.trial import Trial
from attn_tui.compute.errors import InputError
from tests.claims.breaking import Broken


def _always_stable(listed):  # type: ignore[no-untyped-def]
    """Subtract the largest whatever is asked."""
    return lambda scale, precision: listed(scale, replace(precision, stable=True))


def _level(row_logs):  # type: ignore[no-untyped-def]
    """No weight of any row is more than another."""
    return lambda *given: {place: 0.0 * logs - 2.0 for place, logs in row_logs(*given).items()}


def _not_after(halves):  # type: ignore[no-untyped-def]
    """Round nothing where both are divided before."""

    def broken(trial, size=1.0):  # type: ignore[no-untyped-def]
        found = halves(trial, size)
        return replace(found, before=found.exact)

    return broken


BROKEN = {
    "S0-12": Broken("precision:listed", _always_stable, also=Broken("precision:row_logs", _level)),
    "L-24": Broken("precision:halves", _not_after),
}


def test_a_product_is_that_of_half_precision() -> None:
    found = halves(Trial(d_k=1, draws=50))
    np.testing.assert_array_equal(found.after, found.exact.astype(np.float16))
    np.testing.assert_array_equal(found.before, found.after)


def test_powers_of_two_are_divided_by_exactly() -> None:
    found = halves(Trial(d_k=256, draws=200))
    np.testing.assert_array_equal(found.before, found.after)


def test_too_many_entries_are_refused() -> None:
    with pytest.raises(InputError, match="at most 512"):
        halves(Trial(d_k=65_536, draws=513))
