"""Curves over d_k."""

from collections.abc import Callable
from math import inf

import numpy as np
import pytest

from attn_tui.charts.figure import Figure
from attn_tui.compute.explore.answer import OverDk
from attn_tui.compute.setup import Setup
from attn_tui.compute.vector import Vector
from attn_tui.explore.answer import Answer, answer
from attn_tui.explore.curves import gradient_figure, keys_figure, weights_figure
from tests.asking import asking
from tests.explore.questions import COLOURS, QUESTIONS, answer_of
from tests.pairs import each_once, with_rows

FIGURES: dict[str, Callable[[Answer], Figure]] = {
    "weights": lambda answer: weights_figure(answer.vector, over(answer), answer.d_k),
    "gradient": lambda answer: gradient_figure(answer.vector, over(answer), answer.d_k),
    "keys": lambda answer: keys_figure(answer.vector, over(answer), answer.d_k),
}


def over(answer: Answer) -> OverDk:
    assert answer.over is not None
    return answer.over


@with_rows("d_k", [1, 1000])
def test_dots_are_the_numbers_of_the_present_d_k_even_between_two_that_are_drawn(d_k: int) -> None:
    last = answer_of("usual", d_k)
    unscaled, scaled = last.vector.sides
    keys = over(last).keys[:3]
    expected = {
        "weights": (unscaled.weights(keys).tolist(), scaled.weights(keys).tolist()),
        "gradient": tuple([side.norms["scores"].frobenius] for side in (unscaled, scaled)),
        "keys": tuple([side.effective_keys] for side in (unscaled, scaled)),
    }
    for name, figure_of in FIGURES.items():
        figure = figure_of(last)
        for kind, values in zip(("unscaled", "scaled"), expected[name], strict=True):
            assert [value for value, of in figure.dots if of == kind] == values
        assert figure.mark == (float(d_k), f"{d_k:,}")


def test_curves_are_those_of_the_answer_and_the_unscaled_ones_are_flat() -> None:
    last = answer_of("usual")
    known = over(last)
    shown = {name: figure_of(last) for name, figure_of in FIGURES.items()}
    scaled = {
        name: [c for c in chart.curves if c.kind == "scaled"] for name, chart in shown.items()
    }
    assert [curve.y.tolist() for curve in scaled["weights"]] == known.weights.tolist()
    assert [curve.name for curve in scaled["weights"]] == ["key 2", "key 1", "key 0"]
    assert scaled["gradient"][0].y.tolist() == known.frobenius.tolist()
    assert scaled["keys"][0].y == pytest.approx(np.exp(known.entropy))
    for chart in shown.values():
        flat = [curve for curve in chart.curves if curve.kind == "unscaled"]
        assert flat
        for curve in flat:
            assert len(set(curve.y.tolist())) == 1


@with_rows(("name", "which"), each_once(QUESTIONS, FIGURES))
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
    # The largest is some 10⁻¹¹: an axis from 0 to 1 would show a flat line.
    vector = Vector("", np.array([0.0, 5_000.0]))
    *_, last = answer(asking(vector, setup=Setup(64)), 0)
    figure = FIGURES["gradient"](last)
    assert figure.y.high < 1e-8
    assert max(float(curve.y.max()) for curve in figure.curves) > 0.9 * figure.y.high
