"""Charts as plain text, to be read in review; with GOLDEN=1 set the files are written anew."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from attn_tui.charts.jacobian import jacobian_map
from attn_tui.charts.over_d_k import over_d_k_chart
from attn_tui.charts.rows import Row, plain
from attn_tui.charts.weights import weights_chart
from attn_tui.compute.explore import over_d_k
from attn_tui.compute.log_scale import D_K
from tests.asking import asking
from tests.charts.cases import case

GOLDEN = Path(__file__).parent / "golden"


def _over(width: int, height: int, log: bool) -> tuple[Row, ...]:
    data = over_d_k(asking(case("worked").vector), 0, D_K.stops)
    assert data is not None
    return over_d_k_chart(data, 1024, width, height, log)


CHARTS: dict[str, Callable[[int, int, bool], tuple[Row, ...]]] = {
    "weights": lambda w, h, log: weights_chart(case("worked"), w, h, log),
    "weights_many": lambda w, h, log: weights_chart(case("many"), w, h, log),
    "weights_ascii": lambda w, h, log: weights_chart(case("worked"), w, h, log, ascii=True),
    "jacobian": lambda w, h, log: jacobian_map(case("worked"), "scaled", w, h, log, (0, 1)),
    "jacobian_many": lambda w, h, log: jacobian_map(case("many"), "scaled", w, h, log, (150, 9)),
    "jacobian_zoomed": lambda w, h, log: jacobian_map(
        case("many"), "scaled", w, h, log, (150, 9), zoomed=True
    ),
    "over_d_k": _over,
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_looks_as_reviewed(name: str) -> None:
    blocks = [
        f"--- {width}×{height} {'logarithmic' if log else 'linear'}\n"
        + plain(CHARTS[name](width, height, log))
        for log in (False, True)
        for width, height in ((116, 14), (76, 6), (38, 8))
    ]
    text = "\n".join(blocks) + "\n"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text
