"""Claims about softmax of one row: its derivatives, and what they come to as it saturates."""

from dataclasses import replace

import numpy as np
import pytest

from attn_tui.claims.checks.softmax import central_differences, leading
from attn_tui.library import jacobian, softmax
from tests.claims.breaking import Broken
from tests.pairs import with_rows


def _off(gradient):  # type: ignore[no-untyped-def]
    """Return derivatives that are one part in a thousand too large."""
    return lambda *given, **asked: 1.001 * gradient(*given, **asked)


def _none(function):  # type: ignore[no-untyped-def]
    """Return nothing but 0."""
    return lambda *given, **asked: 0.0 * function(*given, **asked)


def _large(statistics):  # type: ignore[no-untyped-def]
    """Return the norm of two equal weights, whatever the logits are."""
    return lambda *given, **asked: replace(statistics(*given, **asked), frobenius=0.5)


def _dying(statistics):  # type: ignore[no-untyped-def]
    """Return a norm that falls with the size of the logits."""
    return lambda z, **asked: replace(statistics(z, **asked), spectral=1.0 / (2.0 + max(z)))


BROKEN = {
    "S0-5": Broken("softmax:gradient", _off),
    "S1-8": Broken("softmax:softmax", lambda softmax: lambda z: softmax(1.01 * np.asarray(z))),
    "S0-6": Broken(stated={"p_0": 0.5}),
    "S0-8": Broken("softmax:jacobian", _none),
    "S1-10": Broken("softmax:jacobian", _none),
    "S0-9": Broken("softmax:statistics", _large),
    "S1-9": Broken("softmax:gradient", _off),
    "L-25": Broken("softmax:statistics", _dying),
}


def test_central_differences_are_of_softmax() -> None:
    logits = np.array([-1.0, 0.5, 0.0, 2.0])
    whole = jacobian(logits, wrt="logits")
    np.testing.assert_allclose(central_differences(logits, [0, 3]), whole[:, [0, 3]], atol=1e-10)


@with_rows("n_keys", [2, 64, 100_000])
def test_a_key_leads_all_the_others_together(n_keys: int) -> None:
    weights = softmax(leading(n_keys, 3.0))
    assert weights[0] == pytest.approx(np.exp(3.0) * weights[1:].sum())
