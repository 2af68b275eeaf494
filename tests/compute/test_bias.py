"""What is added to logits, whatever the scale, against mpmath."""

from itertools import product

import mpmath
import numpy as np

from attn_tui.compute.evaluation import evaluate
from attn_tui.compute.exact_softmax import exact_weights
from attn_tui.compute.logit_map import LogitMap
from attn_tui.compute.precision import Precision
from tests.compute import exact
from tests.pairs import each_once, with_rows

SCORES = np.array([300.0, 299.0, -np.inf, 12.5, 280.0, 0.0])
BIAS = np.array([-3.0, 0.25, 0.0, 40.0, 8.0, -1.5])
MAPS = [LogitMap(m, cap, sink) for m, cap, sink in product((1.0, 0.125), (None, 50.0), (None, 30))]


def shares(map: LogitMap) -> np.ndarray:
    with mpmath.workdps(50):
        logits = exact.logits(SCORES.tolist(), map)
        z = [each + mpmath.mpf(b) for each, b in zip(logits, BIAS.tolist(), strict=True)]
        powers = [mpmath.exp(each) for each in z]
        total = sum(powers) + (0 if map.sink is None else mpmath.exp(map.sink))
        return np.array([float(power / total) for power in powers])


@with_rows("map", MAPS)
def test_weights_with_a_bias_are_exact(map: LogitMap) -> None:
    p = shares(map)
    weights = exact_weights(SCORES, map, BIAS)
    assert weights is not None
    np.testing.assert_allclose(weights, p, rtol=2e-16)
    for stable in (True, False):
        side = evaluate(SCORES, map, Precision(stable=stable), BIAS)
        np.testing.assert_allclose(side.weights(), p, rtol=1e-12)
        np.testing.assert_allclose(side.log_weights()[p > 0], np.log(p[p > 0]), rtol=1e-11)
        assert side.max_weight == side.weights()[side.ends[0]]
        jacobian = (np.diag(p) - np.outer(p, p)) * side.slopes()
        np.testing.assert_allclose(side.frobenius("scores")[0], np.linalg.norm(jacobian), rtol=1e-9)


@with_rows(("name", "map"), each_once(["float32", "bfloat16", "float16"], MAPS[4:]))
def test_a_bias_is_rounded_like_logits(name: str, map: LogitMap) -> None:
    side = evaluate(SCORES, map, Precision(format=name), BIAS)
    scale = {"float32": 1e-5, "float16": 0.05, "bfloat16": 0.3}[name]
    np.testing.assert_allclose(side.weights(), shares(map), atol=scale)
    assert side.weights()[2] == 0.0


def test_a_padded_key_has_no_bias() -> None:
    side = evaluate(SCORES, MAPS[0], Precision(), BIAS).padded(9)
    assert side.logits()[6:].tolist() == [-np.inf] * 3
    np.testing.assert_allclose(side.weights()[:6], shares(MAPS[0]), rtol=1e-12)
