"""A whole head beside mpmath, one row at a time."""

from math import inf

import mpmath
import numpy as np
import pytest

from attn_tui.compute.head import Head, row_weights
from attn_tui.compute.logit_map import PLAIN, LogitMap
from tests.pairs import each_once, with_rows

MAPS = [LogitMap(0.5), LogitMap(0.5, softcap=2.0), LogitMap(0.5, sink=0.7), LogitMap(30.0)]


def head(map: LogitMap = PLAIN, causal: bool = False) -> Head:
    draw = np.random.default_rng(7).standard_normal
    return Head(draw((5, 4)), draw((5, 4)), draw((5, 3)), map, causal)


@with_rows(("causal", "map"), each_once([False, True], MAPS, least=6))
def test_weights_and_output_are_those_of_mpmath(map: LogitMap, causal: bool) -> None:
    found = head(map, causal)
    for i, query in enumerate(found.queries):
        seen = i + 1 if causal else len(found.keys)
        scores = [mpmath.fdot(query, key) for key in found.keys[:seen]]
        m, cap = map.multiplier, map.softcap
        z = [m * s if cap is None else cap * mpmath.tanh(m * s / cap) for s in scores]
        powers = [mpmath.exp(each) for each in z]
        total = mpmath.fsum(powers) + (0 if map.sink is None else mpmath.exp(map.sink))
        weights = [float(power / total) for power in powers] + [0.0] * (len(found.keys) - seen)
        assert found.weights[i] == pytest.approx(weights, rel=1e-12)
        assert found.output[i] == pytest.approx(np.array(weights) @ found.values, rel=1e-9)


def test_a_row_of_masked_keys_has_no_weight() -> None:
    none = np.full((1, 2), -inf)
    assert row_weights(none).tolist() == [[0.0, 0.0]]
