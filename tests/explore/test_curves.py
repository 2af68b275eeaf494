"""Curves over d_k."""

from collections.abc import Callable
from math import inf

import numpy as np
import pytest

from attn_tui.charts.figure import Figure
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Vector
from attn_tui.explore.answer import ShownVector, answer
from attn_tui.explore.curves import gradient_figure, keys_figure, weights_figure
from tests.asking import asking
from tests.explore.questions import COLOURS, QUESTIONS, answer_of
from tests.pairs import covering

FIGURES: dict[str, Callable[[ShownVector], Figure]] = {
    "weights": weights_figure, "gradient": gradient_figure, "keys": keys_figure,
}  # fmt: skip


def test_curves_and_dots_are_the_numbers_of_the_answer() -> None:
    last = answer_of("usual", 1000)
    known = last.over
    assert known
    unscaled, scaled = last.vector.sides
    keys = known.keys[:3]
    expected = {
        "weights": (unscaled.weights(keys).tolist(), scaled.weights(keys).tolist()),
        "gradient": tuple([side.norms["scores"].frobenius] for side in (unscaled, scaled)),
        "keys": tuple([side.effective_keys] for side in (unscaled, scaled)),
    }
    curves = {
        "weights": known.weights,
        "gradient": known.gradient[None],
        "keys": np.exp(known.entropy)[None],
    }
    for name, figure_of in FIGURES.items():
        figure = figure_of(last)
        # Dots are at the present d_k, even if it lies between two drawn ones.
        assert figure.mark == (1000.0, "1,000")
        for kind, values in zip(("unscaled", "scaled"), expected[name], strict=True):
            assert [value for value, of in figure.dots if of == kind] == values
        flat = [curve.y for curve in figure.curves if curve.kind == "unscaled"]
        assert {len(set(line.tolist())) for line in flat} == {1}
        drawn = [curve.y for curve in figure.curves if curve.kind == "scaled"]
        np.testing.assert_allclose(drawn, curves[name])


@pytest.mark.parametrize(("name", "which"), covering(QUESTIONS, FIGURES))
def test_what_is_drawn_over_d_k_has_room_on_its_axis_and_ticks_that_can_be_read(
    name: str, which: str
) -> None:
    figure = FIGURES[which](answer_of(name))
    low, high = figure.y.low, figure.y.high
    assert low == 0.0
    assert 0.0 < high < inf
    for curve in figure.curves:
        finite = curve.y[np.isfinite(curve.y)]
        assert (finite <= high * 1.0001).all()
        assert (finite >= 0.0).all()
    for value, text in figure.y.ticks:
        told = float(text.replace(",", "").removesuffix(" %")) * (0.01 if "%" in text else 1.0)
        assert told == pytest.approx(value, rel=0.01)
        assert "e+" not in text
    for columns, lines in ((30, 6), (60, 12)):
        assert figure.draw(columns, lines, COLOURS).text()


def test_the_gradient_of_every_d_k_is_drawn_however_small_it_is() -> None:
    # The largest is about 10⁻¹¹: an axis from 0 to 1 would show a flat line.
    vector = Vector("", np.array([0.0, 5_000.0]))
    *_, last = answer(asking(vector, setup=Setup(64)), 0)
    figure = FIGURES["gradient"](last)
    assert figure.y.high < 1e-8
    assert max(float(curve.y.max()) for curve in figure.curves) > 0.9 * figure.y.high
