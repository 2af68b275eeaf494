"""Claims that texts make by worked examples."""

from dataclasses import replace

import numpy as np

from attn_tui.claims.checks.listings import as_listed
from tests.claims.breaking import Broken

_UNIT = 2.0**-23


def _even(evaluate):  # type: ignore[no-untyped-def]
    """Return the softmax of scores that are all the same."""
    return lambda scores, *given: evaluate(0.0 * scores, *given)


def _larger(statistics):  # type: ignore[no-untyped-def]
    """Return norms that are larger under any rule than under none."""

    def broken(scores, d_k, scale):  # type: ignore[no-untyped-def]
        found = statistics(scores, d_k, scale)
        return replace(found, frobenius=1.0 if scale == "none" else 2.0)

    return broken


BROKEN = {
    "S2-13": Broken(stated={"p_1": 0.1}),
    "S2-16": Broken(stated={"scaled p_1": 0.2446}),
    "S2-18": Broken(stated={"∂p_0/∂s_1": -1.8e-35}),
    "S2-19": Broken(stated={"∂p_0/∂s_0": 0.1137707}),
    "S2-20": Broken("listings:statistics", _larger),
    "S2-27": Broken(stated={"share": 0.5}),
    "L-5": Broken("listings:evaluate", _even),
    "L-26": Broken("listings:softmax", lambda softmax: lambda z: np.asarray(z) / 20.0),
}


def test_a_listing_may_be_off_by_a_few_units_in_the_last_place() -> None:
    printed, exact = {"p_0": 0.1, "p_1": 0.9}, np.array([0.1, 0.9])
    for units, holds in ((3, True), (8, False)):
        found = exact * (1.0 + units * _UNIT)
        assert as_listed("somewhere", "p_{}", found, exact, printed).holds is holds
