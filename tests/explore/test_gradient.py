"""The gradient as a table, and the Jacobian as a map."""

from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from attn_tui.charts.colour import oklab, ramp
from attn_tui.compute.explore.answer import compare
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.numbers import factor, scientific
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Vector
from attn_tui.explore.gradient import GradientTable, Jacobians, capped, norm_change, title
from tests.asking import answer_to
from tests.explore.questions import COLOURS, vector_of, words


def test_the_gradient_is_that_of_the_answer_with_the_factor() -> None:
    setup = Setup(1024).put(Settings(of=1))
    vector = answer_to(Vector("", np.array([100.0, 120.0, 150.0, -inf])), setup)
    cells = GradientTable(vector, np.arange(4), 2).draw(60, 9, COLOURS)
    lines = words(cells)
    assert lines[0] == ["key", "unscaled", "scaled", "change"]
    for key in range(4):
        logs = [
            float(side.log_gradient(1, vector.wrt, np.array([key]))[0]) for side in vector.sides
        ]
        values = [float(side.gradient(1, vector.wrt, np.array([key]))[0]) for side in vector.sides]
        expected = [scientific(*pair) for pair in zip(values, logs, strict=True)]
        expected.append("–" if key == 3 else factor(logs[1] - logs[0]))
        assert lines[1 + key][-4:] == [f"{key}", *expected]
    assert lines[3][0] == "▸"


def test_beside_a_pinned_answer_a_key_that_it_has_not_has_no_gradient() -> None:
    """A 0 there would be read as a gradient that vanished."""
    pinned, now = (
        answer_to(Vector("", np.array(scores)), Setup(64))
        for scores in ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 10.0])
    )
    for of, lacking in ((3, [True] * 4), (0, [False, False, False, True])):
        both = replace(compare(pinned, now), of=of)
        lines = words(GradientTable(both, np.arange(4), of).draw(60, 5, COLOURS))
        assert lines[0] == ["key", "pinned", "now", "change"]
        assert [line[-3] == "–" for line in lines[1:]] == lacking


def test_with_an_answer_it_is_that_of_the_loss() -> None:
    scores = np.array([100.0, 120.0, 150.0, -inf])
    for target, key, heading in (
        (0, 0, "Gradient ∂L/∂z, L = −ln p₀"), (3, 3, "Gradient ∂L/∂z, L = ∞"),
    ):  # fmt: skip
        setup = Setup(1024).put(Settings(wrt="logits", target=target))
        vector = answer_to(Vector("", scores), setup)
        assert title(vector) == heading
        lines = words(GradientTable(vector, np.arange(4), 2).draw(60, 9, COLOURS))
        assert lines[1 + key][-3:-1] == ["−1.00e0", "−8.69e-1" if key == 0 else "−1.00e0"]
        assert norm_change(vector).startswith("‖∂L/∂z‖ ×")


def test_nothing_is_said_to_be_infinitely_many_times_0() -> None:
    setup = Setup(64, precision=Precision("float16"))
    vector = answer_to(Vector("", np.array([100.0, 120.0, 150.0])), setup)
    lines = words(GradientTable(vector, np.arange(3), 2).draw(60, 4, COLOURS))
    assert [line[-1] for line in lines[1:]] == ["–"] * 3
    assert [line[-3] for line in lines[1:]] == ["0"] * 3


def test_it_says_how_much_of_the_slope_a_soft_cap_leaves() -> None:
    vector = Vector("", np.array([50.0, 100.0, 150.0, -inf]))
    setup = Setup(1, Scale(softcap=50.0))
    # 1 − tanh²(3), as in the example of a soft cap.
    for settings, text in (
        (Settings(2), "capped: ∂z₂/∂s₂ is 1 % of m"),
        (Settings(0), "capped: ∂z₀/∂s₀ is 42 % of m"),
        (Settings(2, "logits"), ""), (Settings(3), ""),
    ):  # fmt: skip
        assert capped(answer_to(vector, setup.put(settings))) == text
    assert capped(answer_to(vector, Setup(1))) == ""
    assert capped(answer_to(Vector("", np.zeros(1)), Setup(1, Scale("ssmax", softcap=50.0)))) == ""


def test_the_factor_of_the_headline_stands_beside_the_table() -> None:
    def size(logits: NDArray[np.float64], m: float) -> float:
        p = softmax(logits)
        return float(np.linalg.norm(m * (np.diag(p) - np.outer(p, p))))

    scores = np.array([1.0, 2.0, 3.0, 10.0])
    factor = size(scores / 8.0, 1 / 8) / size(scores, 1.0)
    answer = answer_to(Vector("", scores), Setup(64))
    assert norm_change(answer) == f"‖∂p/∂s‖ ×{factor:.3g}"
    setup = Setup(64).put(Settings(0))
    assert norm_change(answer_to(Vector("", scores), setup)).startswith("‖∂p₀/∂s‖ ×")
    assert norm_change(answer_to(Vector("", np.zeros(1)), Setup(64))) == ""


def test_no_number_of_the_gradient_is_cut_or_replaced_by_dots_at_any_width() -> None:
    for name in ("usual", "far apart", "NaN"):
        vector = vector_of(name)
        keys = np.arange(min(vector.vector.n_keys, 5))
        numbers = {"0", "–", "NaN"}
        for key in keys:
            position = np.array([key])
            pairs = [
                (
                    float(side.gradient(vector.of, vector.wrt, position)[0]),
                    float(side.log_gradient(vector.of, vector.wrt, position)[0]),
                )
                for side in vector.sides
            ]
            for width in range(4, 20):
                numbers |= {scientific(*pair, width=width) for pair in pairs}
                numbers.add(
                    factor(pairs[1][1] - pairs[0][1] if pairs[0][1] > -inf else 0.0, width=width)
                )
        whole = (numbers - {"…"}) | {"▸", "key", "unscaled", "scaled", "change"}
        whole |= {f"{key}" for key in range(5)}
        for columns in (8, 14, 22, 34, 45, 60, 119):
            lines = words(GradientTable(vector, keys, vector.of).draw(columns, 7, COLOURS))
            assert {word for line in lines[: len(keys) + 1] for word in line} <= whole, columns
            # The longest, 10^−4.3e+299, has twelve characters.
            if columns >= 34:
                assert {"unscaled", "scaled"} <= set(lines[0])
        assert lines[0] == ["key", "unscaled", "scaled", "change"]


# The Jacobian


def test_a_weight_rises_with_its_own_score_and_falls_with_others_in_colour() -> None:
    vector = vector_of("usual")
    n_keys = vector.vector.n_keys
    larger = [oklab_green(colour) for colour in ramp("larger", COLOURS["background"])]
    assert min(larger) < 0.0
    chart = Jacobians(vector, np.arange(n_keys))
    # To the left stands i with two blanks, and below j.
    left, width = 3, 3 + 2 * n_keys
    cells = chart.draw(2 + 2 * width, 1 + n_keys + 1, COLOURS)
    for start, side in ((left, vector.unscaled), (left + 2 + width, vector.scaled)):
        logs = side.log_jacobian(np.arange(n_keys), np.arange(n_keys), "scores")
        for row in range(n_keys):
            for column in range(n_keys):
                colour = cells.backgrounds[1 + row, start + 2 * column]
                if logs[row, column] > logs.max() - 2.0:
                    assert (oklab_green(colour) < 0.0) == (row == column)


def test_a_small_jacobian_has_its_name_and_its_axes() -> None:
    vector = vector_of("usual")
    table = GradientTable(vector, np.arange(3), 2).draw(36, 9, COLOURS)
    lines = table.text().split("\n")
    assert lines[4].count("∂p_i/∂s_j ±") == 2
    assert [line.split()[0] for line in lines[5:8]] == ["0", "1", "2"]
    assert lines[8].split() == ["i\\j", "0", "1", "2"] * 2


def oklab_green(colour: str) -> float:
    """Return where a colour lies between green (below 0) and red (above)."""
    return float(oklab(colour)[1])
