"""Every chart of every extreme answer has exactly its size: nothing raises, nothing is too wide."""

from collections.abc import Iterator
from itertools import cycle, product
from typing import get_args

import numpy as np
import pytest

from attn_tui.compute.explore.answer import OverDk, VectorAnswer, over_d_k
from attn_tui.compute.explore.compare import compare
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.logit_map import Wrt
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.old.charts.explore.jacobian import jacobian_map
from attn_tui.old.charts.explore.over_d_k import over_d_k_chart
from attn_tui.old.charts.explore.weights import weights_chart
from attn_tui.old.charts.sides import Quantity
from tests.asking import asking
from tests.old.charts.cases import INF, ask, check_block

VECTORS: dict[str, list[float]] = {
    "worked": [100, 120, 150],
    "largest": [1e308, -1e308, 0],
    "two far below": [8e307, -8e307, -8e307],
    "largest alike": [1e308, 1e308],
    "subnormal": [5e-324, -5e-324, 0, 1e-310],
    "ties": [0, 0],
    "one key": [-3],
    "one huge key": [1e308],
    "all masked": [-INF, -INF],
    "some masked": [0, -INF, 1e4, -INF, -1e4],
    "one unmasked": [-INF, 2],
    "float32 at its end": [88, 89, 3e38, 1],
    "thousand": np.linspace(-50, 50, 1000).tolist(),
    "thousand apart": (np.linspace(-1, 1, 1000) ** 3 * 1e300).tolist(),
}
SCALES = [
    *map(parse_scale, ("none", "inverse-sqrt", "inverse", "temperature:1e-5", "temperature:1e5")),
    Scale("ssmax", sink=0.0),
    Scale("none", softcap=50.0),
    Scale("none", softcap=1e-3, sink=-1e4),
    Scale("temperature", (("T", 1e-300),), 1e300, 1e6),
]
PRECISIONS = [Precision(name, stable) for name in FORMATS for stable in (True, False)]
ASKED = [*product(SCALES, PRECISIONS)][::3]
"""Every third: each rule with some precisions, each precision with some rules."""

SIZES = [
    *((0, 0), (1, 1), (2, 1), (1, 9), (5, 2), (12, 3), (24, 4), (38, 8), (76, 6), (99, 9)),
    *((100, 7), (116, 14), (116, 20), (200, 60), (200, 2), (9, 60), (60, 5)),
]
D_KS = (1, 1024, 65536)
Size = tuple[int, int]


def answers(name: str) -> Iterator[tuple[VectorAnswer, OverDk]]:
    """Return what is known of a vector under every rule and in every precision."""
    wrts: tuple[Wrt, ...] = ("scores", "logits", "scores")
    for (scale, precision), wrt in zip(ASKED, cycle(wrts), strict=False):
        setup = Setup(scale=scale, precision=precision).put(Settings(wrt=wrt))
        answer = ask(VECTORS[name], setup)
        data = over_d_k(asking(answer.vector, setup=setup), 0, D_KS)
        assert data is not None
        yield answer, data


def draw(answer: VectorAnswer, data: OverDk, size: Size, log: bool, key: int) -> None:
    """Draw every chart once and check it."""
    quantities: tuple[Quantity, ...] = get_args(Quantity)
    check_block(weights_chart(answer, *size, log, key), *size)
    for zoomed in (False, True):
        rows = jacobian_map(answer, "scaled", *size, log, (key, 0), zoomed)
        check_block(rows, *size)
    quantity = quantities[key % 3]
    check_block(over_d_k_chart(data, 1024, *size, log, quantity, answer.wrt), *size)


@pytest.mark.parametrize("name", VECTORS)
def test_every_rule_and_precision_can_be_drawn(name: str) -> None:
    sizes, logs = cycle(SIZES), cycle((False, True, True, False, True))
    pinned = None
    for (answer, data), log in zip(answers(name), logs, strict=False):
        size = next(sizes)
        draw(answer, data, size, log, answer.vector.n_keys - 1)
        draw(compare(pinned or answer, answer), data, next(sizes), log, 0)
        pinned = answer


@pytest.mark.parametrize("size", SIZES)
def test_every_size_can_be_drawn(size: Size) -> None:
    for name in ("two far below", "thousand apart", "some masked"):
        answer, data = next(answers(name))
        for log in (False, True):
            draw(answer, data, size, log, 2)
