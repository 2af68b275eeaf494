"""The gradients that those of a probed function are compared with, beside central differences."""

import numpy as np
import pytest

from attn_tui.probing.backward import BackwardHead

M, CAP, SCALE, GROUP = 0.4, 2.0, 0.75, 2
SINK = np.array([0.5, -0.5])
STEP = 1e-6


def attended(q: np.ndarray, k: np.ndarray, v: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return the output of capped attention with a sink, of as many keys' heads as queries'."""
    z = np.where(seen, CAP * np.tanh(M * q @ k.swapaxes(2, 3) / CAP), -np.inf)
    raised = np.exp(z)
    total = raised.sum(3, keepdims=True) + np.exp(SINK[:, None, None])
    return np.asarray(SCALE * raised / total @ v)


@pytest.mark.parametrize("part", "qkv")
def test_gradients_are_those_of_small_steps(part: str) -> None:
    rng = np.random.default_rng(0)
    arrays = {
        "q": rng.standard_normal((1, 2, 3, 4)), "k": rng.standard_normal((1, 1, 5, 4)),
        "v": rng.standard_normal((1, 1, 5, 6)),
    }  # fmt: skip
    seen = np.tri(3, 5, 2, dtype=bool)[None, None]
    upstream = rng.standard_normal((1, 2, 3, 6))
    head = BackwardHead(M, CAP, SCALE, seen, None, SINK, GROUP)

    def loss(place: tuple[int, ...], step: float) -> float:
        moved = {name: array.copy() for name, array in arrays.items()}
        moved[part][place] += step
        q, k, v = moved["q"], *(np.repeat(moved[name], GROUP, axis=1) for name in "kv")
        return float((upstream * attended(q, k, v, seen)).sum())

    slopes = [
        (loss(place, STEP) - loss(place, -STEP)) / (2 * STEP)
        for place in np.ndindex(arrays[part].shape)
    ]
    gradients, _ = head.gradients(arrays, upstream)
    assert gradients[part].ravel() == pytest.approx(slopes, abs=1e-8)
