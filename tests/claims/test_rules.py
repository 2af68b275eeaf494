"""Claims about scale rules, caps, sinks and norms."""

import numpy as np
import pytest

from attn_tui.claims.checks.rules import one_above, one_ahead
from attn_tui.library import softmax
from tests.claims.breaking import Broken

EVEN = Broken("rules:softmax", lambda softmax: lambda z, *scale: softmax(0.0 * np.array(z)))

BROKEN: dict[str, Broken] = {
    "L-6": EVEN,
    "L-7": EVEN,
    "L-8": Broken(stated={"cap": 1.0}),
    "L-10": Broken(
        "rules:DrawnWeights.max_weight", lambda whole: lambda drawn: 0.5 * drawn.trace()
    ),
    "L-19": Broken("rules:softmax", lambda softmax: lambda z, scale=None: softmax(z)),
    "L-23": Broken(stated={"slope": 0.2}),
}


@pytest.mark.parametrize("top", [0.5, 20.0])
def test_the_largest_weight_is_that_of_one_key_above_all_others(top: float) -> None:
    weights = softmax(one_above(top, 1024))
    assert weights[0] == pytest.approx(one_ahead(top, 1024), rel=1e-12)
