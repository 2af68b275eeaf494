"""The numbers that articles print, computed as they were: in float32."""

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.precision import Precision
from attn_tui.compute.setup import Setup
from attn_tui.compute.vector import Vector
from tests.asking import answer_to
from tests.pairs import with_rows

from .plain import softmax


def answered(name: str) -> VectorAnswer:
    vector = Vector("a", np.array([100.0, 120.0, 150.0]))
    return answer_to(vector, Setup(d_k=1024, precision=Precision(name)))


def assert_within_ulps(computed: NDArray[np.floating], printed: list[float]) -> None:
    in_float32 = np.array(printed, dtype=np.float32)
    np.testing.assert_array_max_ulp(computed.astype(np.float32), in_float32, maxulp=4)


def test_the_worked_example_in_float32() -> None:
    found = answered("float32")
    assert_within_ulps(
        found.unscaled.weights(), [1.9287498933537385e-22, 9.357622912219837e-14, 1.0]
    )
    assert_within_ulps(
        found.unscaled.gradient(0, "scores"),
        [1.9287498933537385e-22, -1.8048514720778033e-35, -1.9287498933537385e-22],
    )
    assert_within_ulps(
        found.scaled.weights(), [0.13090753555297852, 0.24456748366355896, 0.6245249509811401]
    )
    assert_within_ulps(
        found.scaled.gradient(0, "scores"),
        [0.0035553360357880592, -0.0010004914365708828, -0.002554844366386533],
    )


def test_the_worked_example_in_float64() -> None:
    found = answered("float64")
    np.testing.assert_allclose(
        found.unscaled.weights(), [1.9287498479637375e-22, 9.357622968839299e-14, 1.0], rtol=1e-13
    )
    np.testing.assert_allclose(found.scaled.weights(), [0.1309, 0.2446, 0.6245], atol=5e-5)
    assert found.scaled.multiplier == 0.03125


@with_rows(
    ("scores", "printed", "tolerance"),
    [
        ([10, 20, 30], [2.06e-9, 4.54e-5, 0.99995], 5e-3),
        ([-1, 0, 1], [0.09003058, 0.24472848, 0.66524094], 2e-7),
        ([-2, 0, 0.5], [0.0486, 0.3592, 0.5922], 1e-3),
        ([1, 0], [0.731, 0.269], 5e-4),
    ],
)
def test_softmax_prints_what_articles_print(
    scores: list[float], printed: list[float], tolerance: float
) -> None:
    for name in ("float32", "float64"):
        found = softmax(scores, 1.0, Precision(name))
        np.testing.assert_allclose(found, printed, rtol=tolerance)
