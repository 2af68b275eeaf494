"""What Explore draws: the numbers of the answer, whole, and bars as long as they are large."""

import sys
from collections.abc import Callable
from math import inf
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Depth, Palette, oklab, ramp
from attn_tui.charts.figure import Figure
from attn_tui.charts.glyphs import FILLS, LESS, MORE, in_ascii
from attn_tui.compute.explore.answer import OverDk, VectorAnswer, answer_vector
from attn_tui.compute.explore.compare import compare
from attn_tui.compute.explore.precision_lab import lab
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.vector import Vector
from attn_tui.explore.answer import Answer, answer
from attn_tui.explore.charts import (
    EIGHTHS,
    FEW,
    GradientTable,
    Jacobians,
    WeightBars,
    draw_bar,
    gradient_figure,
    keys_figure,
    weights_figure,
)
from attn_tui.explore.lab import lab_table
from attn_tui.explore.vectors import vectors_table
from attn_tui.files.draft import Draft, parse
from attn_tui.report.numbers import fitted, in_percent, ratio, scientific
from tests.asking import answer_to, asking

COLOURS = Palette(
    {
        "unscaled": "#e29d04", "scaled": "#4795ed", "text": "#e6e8ee", "muted": "#7a7d86",
        "accent": "#b9a3ff", "background": "#0e1016",
    }
)  # fmt: skip

HEADS = ("unscaled", "divided by 32")

NAIVE = Precision("float16", stable=False, arithmetic="stepwise")

QUESTIONS = {
    "usual": (Vector("", np.array([100.0, 120.0, 150.0])), Setup()),
    "masked": (Vector("", np.array([3.14159265, -inf, 2.0, 1e-9, -inf])), Setup(64)),
    "all masked": (Vector("", np.array([-inf, -inf])), Setup(64)),
    "one key": (Vector("", np.array([-7.25])), Setup(64)),
    "far apart": (Vector("", np.array([0.0, 2e4, -1e300])), Setup(64)),
    "NaN": (Vector("", np.array([100.0, 120.0, 150.0])), Setup(1024, precision=NAIVE)),
    "a sink": (Vector("", np.array([1.0, 2.0])), Setup(64, Scale(sink=3.0))),
    "many": (Vector("", np.linspace(-9.0, 9.0, 2_000)), Setup(64)),
    "equal": (Vector("", np.zeros(40)), Setup(64)),
}


def vector_of(name: str) -> VectorAnswer:
    vector, setup = QUESTIONS[name]
    return answer_to(vector, setup)


def answer_of(name: str, d_k: int | None = None) -> Answer:
    vector, setup = QUESTIONS[name]
    if d_k is not None:
        setup = Setup(d_k, setup.scale, setup.precision)
    *_, last = answer(asking(vector, setup=setup), 0)
    return last


def words(cells: Cells) -> list[list[str]]:
    """Return what is written in each line, without bars."""
    bars = str.maketrans(dict.fromkeys(EIGHTHS[1:], " "))
    text = cells.text().translate(bars)
    return [line.replace(" %", "%").split() for line in text.split("\n")]


def bar_lengths(cells: Cells, line: int, kind: str) -> int:
    """Return how many eighths of cells are filled in the colours of one side."""
    colours = set(ramp(kind, COLOURS["background"]))
    full = 8 * sum(behind in colours for behind in cells.backgrounds[line])
    part = [
        EIGHTHS.index(character)
        for character, colour in zip(cells.characters[line], cells.colours[line], strict=True)
        if character in EIGHTHS[1:] and colour in colours
    ]
    return full + sum(part)


# Bars


@pytest.mark.parametrize("name", ["usual", "masked", "one key", "a sink", "far apart", "NaN"])
def test_every_key_has_its_score_and_its_weights_beside_its_bars(name: str) -> None:
    vector = vector_of(name)
    cells = WeightBars(vector, vector.leader, HEADS).draw(90, 12, COLOURS)
    lines = [line for line in words(cells)[1:] if line]
    assert len(lines) == vector.vector.n_keys
    for key, line in enumerate(lines):
        assert line[0] == ("▸" if key == vector.leader else f"{key}")
        key_and_score = line[1:3] if key == vector.leader else line[:2]
        score = vector.vector.scores[key]
        masked = score == -inf
        assert key_and_score == [f"{key}", "masked" if masked else fitted(float(score), 8)]
        expected = ["–", "–"]
        if not masked:
            pairs = [side.pairs(np.array([key]))[0] for side in vector.sides]
            expected = [in_percent(*pair).replace(" %", "%") for pair in pairs]
        assert line[-2:] == expected


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_number_of_a_weight_is_cut_at_any_size(name: str) -> None:
    vector = vector_of(name)
    chart = WeightBars(vector, vector.leader, HEADS)
    scores = [fitted(float(score), 8) for score in vector.vector.scores]
    whole = {"▸", "key", "score", "masked", "–", "unscaled", "scaled", "divided", "by", "32"}
    whole |= {f"{key:,}" for key in range(len(scores))} | set(scores)
    for side in vector.sides:
        whole |= {in_percent(*pair).replace(" %", "%") for pair in side.pairs()}
    for columns in range(30, 121):
        lines = words(chart.draw(columns, 7, COLOURS))
        assert {word for line in lines for word in line} <= whole, columns
        # Both sides of every key are there, whatever is left out.
        for line in lines[1:]:
            assert not line or len([word for word in line if word[-1] in "%–N"]) == 2, columns


def test_heads_are_whole_or_in_one_word() -> None:
    heads = ("unscaled", "divided by 1,024 and capped at 123 million")
    vector = vector_of("usual")
    for columns in range(12, 160):
        first = WeightBars(vector, 2, heads).draw(columns, 5, COLOURS).text().split("\n")[0]
        rest = first.replace("key", "").replace("score", "").split("unscaled")[-1].strip()
        assert rest in ("", "scaled", heads[1])
        if columns >= 30:
            assert rest


def test_a_bar_is_as_long_as_its_weight_is_large() -> None:
    vector = answer_to(Vector("", np.log([0.5, 0.25, 0.125, 0.125])), Setup(1024, Scale("none")))
    cells = WeightBars(vector, 0, HEADS).draw(100, 13, COLOURS)
    for kind in ("unscaled", "scaled"):
        lengths = [bar_lengths(cells, line, kind) for line in (1, 4, 7, 10)]
        assert lengths[0] == pytest.approx(2 * lengths[1], abs=2)
        assert lengths[0] == pytest.approx(4 * lengths[2], abs=4)
        assert lengths[2] == lengths[3]


@settings(max_examples=80, derandomize=True)
@given(st.floats(0.0, 1.0), st.integers(1, 80))
def test_a_bar_is_right_to_an_eighth_of_a_cell(share: float, width: int) -> None:
    cells = Cells(width + 4, 1)
    draw_bar(cells, 0, slice(2, 2 + width), share, "scaled", COLOURS)
    length = bar_lengths(cells, 0, "scaled")
    exact = 8 * width * share
    assert abs(length - exact) <= 0.5 or (length == 1 and 0.0 < exact < 1.0)
    # The rest is a track, so that one sees what there is to fill, and nothing is beside it.
    assert (cells.backgrounds[0, 2:-2] != "").all()
    assert not (cells.backgrounds[0, [0, 1, -2, -1]] != "").any()


def test_a_weight_that_is_not_0_has_a_bar_however_small() -> None:
    cells = Cells(20, 1)
    draw_bar(cells, 0, slice(0, 20), 1e-300, "unscaled", COLOURS)
    assert bar_lengths(cells, 0, "unscaled") == 1


@pytest.mark.parametrize("share", [float("nan"), 0.0])
def test_no_weight_has_no_bar(share: float) -> None:
    cells = Cells(20, 1)
    draw_bar(cells, 0, slice(0, 20), share, "unscaled", COLOURS)
    assert bar_lengths(cells, 0, "unscaled") == 0


def test_a_key_that_is_masked_now_keeps_the_weight_that_was_pinned() -> None:
    before = answer_to(Vector("", np.array([1.0, 2.0, 3.0])), Setup(64))
    now = answer_to(Vector("", np.array([1.0, 2.0, -inf])), Setup(64))
    lines = words(WeightBars(compare(before, now), 0, ("pinned", "now")).draw(80, 4, COLOURS))
    pinned = in_percent(float(before.scaled.weights()[2])).replace(" %", "%")
    assert lines[3] == ["2", "masked", pinned, "–"]


@pytest.mark.parametrize("lines", [2, 3, 5, 9, 30, 31, 45])
@pytest.mark.parametrize("cursor", [0, 17, 39])
def test_the_key_of_the_cursor_is_always_among_those_that_are_shown(
    lines: int, cursor: int
) -> None:
    vector = answer_to(Vector("", np.linspace(3.0, -3.0, 40)), Setup(64))
    chart = WeightBars(vector, cursor, HEADS)
    keys = chart.keys(lines).tolist()
    assert cursor in keys
    assert len(set(keys)) == len(keys) == min(lines - 1, 40)
    marked = [line for line in words(chart.draw(80, lines, COLOURS)) if line[:1] == ["▸"]]
    assert [line[1] for line in marked] == [f"{cursor}"]
    # Beside it stand those of the largest weights.
    others = [key for key in range(40) if key != cursor]
    assert [key for key in keys if key != cursor] == others[: len(keys) - 1]


def test_the_mouse_finds_the_key_whose_bar_it_is_on() -> None:
    vector = vector_of("masked")
    for lines in (4, 6, 11, 16, 40):
        chart = WeightBars(vector, 2, HEADS)
        cells = chart.draw(80, lines, COLOURS)
        for line, text in enumerate(words(cells)):
            if line and text:
                key = text[1] if text[0] == "▸" else text[0]
                assert chart.key_at(line, lines) == int(key)
        assert chart.key_at(0, lines) is None


@pytest.mark.parametrize("n_keys", [1, 5, FEW, FEW + 1, 100])
def test_keys_are_walked_through_in_the_order_in_which_they_stand(n_keys: int) -> None:
    scores = np.round(np.sin(np.arange(n_keys)) * 3.0)
    vector = answer_to(Vector("", scores), Setup(64))
    order = list(range(n_keys))
    if n_keys > FEW:
        order.sort(key=lambda key: (-scores[key], key))
    for place, key in enumerate(order):
        chart = WeightBars(vector, key, HEADS)
        for steps in (-3, -1, 1, 2):
            expected = order[min(max(place + steps, 0), n_keys - 1)]
            assert chart.neighbour(steps) == expected, (place, steps)


# The gradient


@pytest.mark.parametrize("wrt", ["scores", "logits"])
def test_the_gradient_is_that_of_the_answer_with_the_factor(wrt: str) -> None:
    setup = Setup(1024).put(Settings(of=1, wrt=wrt))  # type: ignore[arg-type]
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
        expected.append("–" if key == 3 else ratio(logs[1] - logs[0]))
        assert lines[1 + key][-4:] == [f"{key}", *expected]
    assert lines[3][0] == "▸"


def test_nothing_is_said_to_be_infinitely_many_times_0() -> None:
    setup = Setup(64, precision=Precision("float16"))
    vector = answer_to(Vector("", np.array([100.0, 120.0, 150.0])), setup)
    lines = words(GradientTable(vector, np.arange(3), 2).draw(60, 4, COLOURS))
    assert [line[-1] for line in lines[1:]] == ["–"] * 3
    assert [line[-3] for line in lines[1:]] == ["0"] * 3


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_number_of_the_gradient_is_cut_or_replaced_by_dots_at_any_width(name: str) -> None:
    vector = vector_of(name)
    keys = np.arange(min(vector.vector.n_keys, 5))
    numbers = {"0", "–", "NaN"}
    for key in keys:
        at = np.array([key])
        pairs = [
            (
                float(side.gradient(vector.of, vector.wrt, at)[0]),
                float(side.log_gradient(vector.of, vector.wrt, at)[0]),
            )
            for side in vector.sides
        ]
        for width in range(4, 20):
            numbers |= {scientific(*pair, width=width) for pair in pairs}
            numbers.add(
                ratio(pairs[1][1] - pairs[0][1] if pairs[0][1] > -inf else 0.0, width=width)
            )
    whole = (numbers - {"…"}) | {"▸", "key", "unscaled", "scaled", "change"}
    whole |= {f"{key}" for key in range(5)}
    heads = set()
    for columns in range(8, 120):
        lines = words(GradientTable(vector, keys, vector.of).draw(columns, 7, COLOURS))
        assert {word for line in lines[: len(keys) + 1] for word in line} <= whole, columns
        heads.add(tuple(lines[0]))
        # The longest, 10^−4.3e+299, has twelve characters.
        if columns >= 34:
            assert {"unscaled", "scaled"} <= set(lines[0])
    assert ("key", "unscaled", "scaled", "change") in heads


def test_rows_of_the_gradient_that_have_no_room_leave_that_of_the_cursor() -> None:
    vector = vector_of("equal")
    for lines in range(2, 20):
        cells = GradientTable(vector, np.arange(40), 33).draw(60, lines, COLOURS)
        marked = [line for line in words(cells) if line[:1] == ["▸"]]
        assert [line[1] for line in marked] == ["33"]


def test_maps_stand_below_the_gradient_where_there_is_room_and_only_there() -> None:
    vector = vector_of("usual")
    for lines in range(2, 24):
        text = GradientTable(vector, np.arange(3), 2).draw(60, lines, COLOURS).text()
        assert ("∂p/∂s" in text) == (lines >= 3 + 5)


# The Jacobian


def colours_below(cells: Cells, columns: slice) -> set[str]:
    block = cells.backgrounds[1:, columns]
    return set(block[block != ""]) | set(cells.colours[1:, columns][block != ""]) - {""}


@pytest.mark.parametrize("name", ["usual", "far apart", "a sink"])
def test_a_weight_rises_with_its_own_score_and_falls_with_others_in_colour(name: str) -> None:
    vector = vector_of(name)
    n_keys = vector.vector.n_keys
    larger = [oklab_green(colour) for colour in ramp("larger", COLOURS["background"])]
    assert min(larger) < 0.0
    chart = Jacobians(vector, np.arange(n_keys))
    cells = chart.draw(2 + 2 * 2 * n_keys, 1 + n_keys, COLOURS)
    for start, side in ((0, vector.unscaled), (2 + 2 * n_keys, vector.scaled)):
        logs = side.log_jacobian(np.arange(n_keys), np.arange(n_keys), "scores")
        for row in range(n_keys):
            for column in range(n_keys):
                colour = cells.backgrounds[1 + row, start + 2 * column]
                if logs[row, column] > logs.max() - 2.0:
                    assert (oklab_green(colour) < 0.0) == (row == column)


def oklab_green(colour: str) -> float:
    """Return how far a colour is from green (below 0) to red."""
    return float(oklab(colour)[1])


def test_a_jacobian_of_nan_is_empty_and_not_0() -> None:
    vector = vector_of("NaN")
    cells = Jacobians(vector, np.arange(3), 0).draw(40, 6, COLOURS)
    assert "±NaN" in cells.text()
    assert not colours_below(cells, slice(0, 19))
    assert colours_below(cells, slice(21, 40))


def test_the_scale_of_a_map_is_whole_or_left_out() -> None:
    vector = vector_of("far apart")
    sizes = set()
    for side in vector.sides:
        logs = side.log_jacobian(np.arange(3), np.arange(3), "scores")
        entries = side.jacobian(np.arange(3), np.arange(3), "scores")
        sizes.add("±" + scientific(float(np.abs(entries).max()), float(logs.max())))
    for columns in range(6, 80):
        cells = Jacobians(vector, np.arange(3), 0).draw(columns, 5, COLOURS)
        assert set(words(cells)[0]) <= sizes | {"unscaled:", "scaled:", "∂p/∂s"}


# Curves over d_k


FIGURES: dict[str, Callable[[Answer], Figure]] = {
    "weights": lambda answer: weights_figure(answer.vector, over(answer), answer.d_k),
    "gradient": lambda answer: gradient_figure(answer.vector, over(answer), answer.d_k),
    "keys": lambda answer: keys_figure(answer.vector, over(answer), answer.d_k),
}


def over(answer: Answer) -> OverDk:
    assert answer.over is not None
    return answer.over


@pytest.mark.parametrize("d_k", [1, 1000, 1024, 65_536])
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


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("which", FIGURES)
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


# Tables


def test_the_lab_says_nan_and_why_and_the_exact_weight() -> None:
    tried = lab(asking(*[QUESTIONS["usual"][0]], setup=Setup(1024)), 0, 2)
    assert tried is not None
    text = lab_table(tried).draw(160, 14, COLOURS).text()
    lines = [line.split() for line in text.split("\n")]
    naive = next(line for line in lines if line[:2] == ["float16", "naive"])
    assert naive[2:4] == ["NaN", "NaN"]
    assert float(naive[4]) == pytest.approx(0.6245, abs=1e-3)
    assert "e^z overflows" in text
    assert "exact: 1.0000 unscaled, 0.6245 scaled" in text


def test_components_of_an_output_longer_than_q_are_not_lost() -> None:
    text = "q: 1 2\nK: 1 0\n0 1\n1 1\nV: 1 2 3 4\n5 6 7 8\n9 10 11 12"
    experiment = parse(Draft(text, Setup(), "vectors"))
    *_, last = answer(experiment, 0)
    assert last.through is not None
    table = vectors_table(last.through, last.vector)
    outputs = [column.texts for column in table.columns if column.head.startswith("output")]
    for side, texts in zip(last.vector.sides, outputs, strict=True):
        expected = side.weights() @ np.arange(1.0, 13.0).reshape(3, 4)
        assert [float(text) for text in texts] == pytest.approx(expected, rel=1e-6)
    # Heads can be told without colours.
    assert len({column.head for column in table.columns}) == len(table.columns)


# Many keys


def lines_run(work: Callable[[], object]) -> int:
    """Return how many lines of Python run."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def test_a_million_keys_are_not_walked_through_one_by_one() -> None:
    scores = np.sin(np.arange(1_000_000)) * 9.0
    vector = answer_vector(asking(Vector("", scores), setup=Setup(64)), 0)
    chart = WeightBars(vector, vector.leader, HEADS)
    assert lines_run(lambda: chart.draw(120, 30, COLOURS)) < 100_000
    assert lines_run(lambda: chart.neighbour(1)) < 100
    assert lines_run(lambda: chart.keys(30)) < 100
    table = GradientTable(vector, chart.keys(40), vector.leader)
    assert lines_run(lambda: table.draw(80, 30, COLOURS)) < 500_000
    text = chart.draw(60, 30, COLOURS).text()
    for key in chart.keys(30).tolist():
        assert f" {key:,} " in text


# Without colours

PLAIN = Palette(COLOURS, Depth.TEXTURES)


def test_without_colours_bars_are_as_long_and_each_side_has_its_glyph() -> None:
    cells = WeightBars(vector_of("usual"), 2, HEADS).draw(76, 10, PLAIN)
    rows = cells.text().split("\n")
    assert f"{FILLS['unscaled']} unscaled" in rows[0]
    assert f"{FILLS['scaled']} divided by 32" in rows[0]
    width = rows[7].count(FILLS["unscaled"])
    assert width > 15
    assert rows[7].count(FILLS["scaled"]) == pytest.approx(0.6245 * width, abs=1.0)
    assert rows[1].count(FILLS["scaled"]) == pytest.approx(0.1309 * width, abs=1.0)
    assert FILLS["unscaled"] not in rows[1]
    assert in_ascii(FILLS["unscaled"]) != in_ascii(FILLS["scaled"])
    assert set(cells.backgrounds.flat) == {""}


def test_without_colours_maps_name_their_sides_and_what_is_which_sign() -> None:
    cells = Jacobians(vector_of("usual"), np.arange(3), 2).draw(100, 12, PLAIN)
    head, *rows = cells.text().split("\n")
    for side in ("unscaled", "scaled"):
        assert f"{side}: ∂p/∂s ±" in head
    assert head.count(f"{MORE[-1]} + {LESS[-1]} −") == 2
    assert MORE[-1] in "".join(rows)
    assert any(glyph in "".join(rows) for glyph in LESS[1:])
