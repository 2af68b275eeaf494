"""Charts as plain text, to be read in review."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from attn_tui.charts.glyphs import in_ascii
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import VectorAnswer, answer_vector, over_d_k
from attn_tui.compute.explore.attention import Attention, attention
from attn_tui.compute.explore.compare import compare
from attn_tui.compute.explore.precision_lab import Lab, lab
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Products
from attn_tui.old.charts.explore.attention import attention_chart
from attn_tui.old.charts.explore.jacobian import jacobian_map
from attn_tui.old.charts.explore.over_d_k import over_d_k_chart
from attn_tui.old.charts.explore.precision_lab import precision_chart
from attn_tui.old.charts.explore.weights import weights_chart
from attn_tui.report.rows import Row, plain
from tests import golden
from tests.asking import asking
from tests.old.charts.cases import SCORES, ask, case

GOLDEN = Path(__file__).parent / "golden"


def _over(width: int, height: int, log: bool) -> tuple[Row, ...]:
    data = over_d_k(asking(case("worked").vector), 0, D_K.stops)
    assert data is not None
    return over_d_k_chart(data, 1024, width, height, log)


def ascii_of(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return tuple(tuple((in_ascii(text), role) for text, role in row) for row in rows)


def _compared() -> VectorAnswer:
    sunk = Setup(d_k=256, scale=Scale(softcap=50.0, sink=0.0))
    return compare(case("worked"), ask(SCORES["worked"][0], sunk))


def _lab() -> Lab:
    found = lab(asking(case("worked").vector), 0, 1)
    assert found is not None
    return found


def _attention() -> tuple[VectorAnswer, Attention]:
    draw = np.random.default_rng(3).normal
    source = Products(draw(size=(1, 12)), draw(size=(5, 12)), draw(size=(5, 3)))
    experiment = Experiment(source)
    known = attention(experiment, 0)
    assert known is not None
    return answer_vector(experiment, 0), known


CHARTS: dict[str, Callable[[int, int, bool], tuple[Row, ...]]] = {
    "weights": lambda w, h, log: weights_chart(case("worked"), w, h, log),
    "weights_many": lambda w, h, log: weights_chart(case("many"), w, h, log),
    "weights_ascii": lambda w, h, log: ascii_of(weights_chart(case("worked"), w, h, log)),
    "jacobian": lambda w, h, log: jacobian_map(case("worked"), "scaled", w, h, log, (0, 1)),
    "jacobian_many": lambda w, h, log: jacobian_map(case("many"), "scaled", w, h, log, (150, 9)),
    "jacobian_zoomed": lambda w, h, log: jacobian_map(
        case("many"), "scaled", w, h, log, (150, 9), zoomed=True
    ),
    "over_d_k": _over,
    "weights_compared": lambda w, h, log: weights_chart(_compared(), w, h, log, 1),
    "precision": lambda w, h, _: precision_chart(_lab(), w, h),
    "attention": lambda w, h, _: attention_chart(*_attention(), 1, w, h),
}


TABLES = ("precision", "attention")


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_looks_as_reviewed(name: str) -> None:
    blocks = [
        f"--- {width}×{height} {'logarithmic' if log else 'linear'}\n"
        + plain(CHARTS[name](width, height, log))
        for log in ((False,) if name in TABLES else (False, True))
        for width, height in ((116, 14), (76, 6), (38, 8))
    ]
    text = "\n".join(blocks) + "\n"
    golden.compare(GOLDEN / f"{name}.txt", text)
