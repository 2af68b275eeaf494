import mpmath
import numpy as np

from attn_tui.compute.exact_softmax import exact_weights
from attn_tui.compute.logit_map import LogitMap
from tests.pairs import each_once, with_rows

MAPS = [
    LogitMap(1.0),
    LogitMap(0.044194173824159216),
    LogitMap(0.0),
    LogitMap(1.0, softcap=50.0),
    LogitMap(0.3, softcap=1e-3),
    LogitMap(2.0, softcap=1e300),
    LogitMap(1.0, sink=0.0),
    LogitMap(0.125, softcap=30.0, sink=11.5),
    LogitMap(1e-300, sink=-3.0),
    LogitMap(1e300, softcap=5.0, sink=1e308),
]

SCORES = [
    [100.0, 120.0, 150.0],
    [0.1, 0.2, 0.3, -np.inf],
    [744.0, 0.0, 1.0],
    [1e8, 1e8 + 1.5, 1e8 - 3.0],
    [1e308, -1e308, 9.9e307, 1e308],
    [0.0, 0.0, 5e-324],
    [1e4, 9_999.5, 9_300.0, 0.0],
    [1e40, 1e40, -1e40],
    [-0.7],
]


@with_rows(("map", "scores"), each_once(MAPS, SCORES))
def test_exact_weights_are_what_float64_rounds_the_true_ones_to(
    map: LogitMap, scores: list[float]
) -> None:
    found = exact_weights(np.array(scores), map)
    assert found is not None
    with mpmath.workdps(700):
        logits = [mpmath.mpf(map.multiplier) * s for s in scores if s > -np.inf]
        if map.softcap is not None:
            cap = mpmath.mpf(map.softcap)
            logits = [cap * mpmath.tanh(z / cap) for z in logits]
        every = logits if map.sink is None else [*logits, mpmath.mpf(map.sink)]
        total = mpmath.fsum(mpmath.exp(z - max(every)) for z in every)
        true = iter([mpmath.exp(z - max(every)) / total for z in logits])
        expected = [float(next(true)) if s > -np.inf else 0.0 for s in scores]
    assert found.tolist() == expected


def test_exact_weights_of_many_keys() -> None:
    scores = 8.0 * np.random.default_rng(5).standard_normal(5_000)
    with mpmath.workdps(50):
        powers = [mpmath.exp(s) for s in scores.tolist()]
        total = mpmath.fsum(powers)
        expected = [float(power / total) for power in powers]
    found = exact_weights(scores, LogitMap(1.0))
    assert found is not None
    assert found.tolist() == expected


@with_rows("answers", [[True], [False, True], [False] * 3 + [True]])
def test_many_keys_can_be_stopped(answers: list[bool]) -> None:
    waiting = iter(answers)
    assert exact_weights(np.zeros(5_000), LogitMap(1.0), stop=lambda: next(waiting)) is None
    assert not list(waiting)
