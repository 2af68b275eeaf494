"""Bars of weights."""

from math import inf

import numpy as np
import pytest

from attn_tui.charts.glyphs import FILLS, in_ascii
from attn_tui.compute.explore.answer import compare
from attn_tui.compute.numbers import fine_percent, fitted
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Vector
from attn_tui.explore.bars import FEW, WeightBars, draw_bar
from tests.asking import answer_to
from tests.explore.questions import (
    COLOURS,
    HEADS,
    PLAIN,
    bar_lengths,
    vector_of,
    words,
)


def test_every_key_has_its_score_and_its_weights_beside_its_bars() -> None:
    vector = vector_of("masked")
    cells = WeightBars(vector, vector.leader, HEADS).draw(90, 12, COLOURS)
    lines = [line for line in words(cells)[1:] if line]
    assert len(lines) == vector.vector.n_keys
    for key, line in enumerate(lines):
        score = vector.vector.scores[key]
        expected = [f"{key}", "masked", "–", "–"]
        if score > -inf:
            pairs = [side.pairs(np.array([key]))[0] for side in vector.sides]
            expected[1:] = [fitted(float(score), 8), *(percent(*pair) for pair in pairs)]
        assert line[line[0] == "▸" :] == expected
        assert (line[0] == "▸") == (key == vector.leader)


def percent(weight: float, log_weight: float) -> str:
    return fine_percent(weight, log_weight).replace(" %", "%")


def test_no_number_of_a_weight_is_cut_at_any_size() -> None:
    for name in ("masked", "far apart", "NaN", "many"):
        vector = vector_of(name)
        chart = WeightBars(vector, vector.leader, HEADS)
        scores = [fitted(float(score), 8) for score in vector.vector.scores]
        whole = {"▸", "key", "score", "masked", "–", "unscaled", "scaled", "divided", "by", "32"}
        whole |= {f"{key:,}" for key in range(len(scores))} | set(scores)
        for side in vector.sides:
            whole |= {percent(*pair) for pair in side.pairs()}
        for columns in (30, 34, 41, 55, 76, 120):
            lines = words(chart.draw(columns, 7, COLOURS))
            assert {word for line in lines for word in line} <= whole, columns
            # Every key has both sides, whatever else is left out.
            for line in lines[1:]:
                assert not line or len([word for word in line if word[-1] in "%–N"]) == 2, columns


def test_a_bar_is_as_long_as_its_weight_is_large() -> None:
    vector = answer_to(Vector("", np.log([0.5, 0.25, 0.125, 0.125])), Setup(1024, Scale("none")))
    cells = WeightBars(vector, 0, HEADS).draw(100, 13, COLOURS)
    for kind in ("unscaled", "scaled"):
        lengths = [bar_lengths(cells, line, kind) for line in (1, 4, 7, 10)]
        assert lengths[0] == pytest.approx(2 * lengths[1], abs=2)
        assert lengths[0] == pytest.approx(4 * lengths[2], abs=4)
        assert lengths[2] == lengths[3]
    # A weight that is not 0 has a bar, however small.
    draw_bar(cells, slice(0, 1), slice(0, 20), 1e-300, "unscaled", COLOURS)
    assert 0 < bar_lengths(cells, 0, "unscaled") <= 2


def test_a_key_that_is_masked_now_keeps_the_weight_that_was_pinned() -> None:
    before = answer_to(Vector("", np.array([1.0, 2.0, 3.0])), Setup(64))
    now = answer_to(Vector("", np.array([1.0, 2.0, -inf])), Setup(64))
    lines = words(WeightBars(compare(before, now), 0, ("pinned", "now")).draw(80, 4, COLOURS))
    pinned = percent(*before.scaled.pairs(np.array([2]))[0])
    assert lines[3] == ["2", "masked", pinned, "–"]


def test_the_key_of_the_cursor_is_always_among_those_that_are_shown() -> None:
    for lines in (2, 9, 45):
        for cursor in [0, 17, 39]:
            vector = answer_to(Vector("", np.linspace(3.0, -3.0, 40)), Setup(64))
            chart = WeightBars(vector, cursor, HEADS)
            keys = chart.keys(lines).tolist()
            assert cursor in keys
            assert len(set(keys)) == len(keys) == min(lines - 1, 40)
            marked = [line for line in words(chart.draw(80, lines, COLOURS)) if line[:1] == ["▸"]]
            assert [line[1] for line in marked] == [f"{cursor}"]
            # The other keys are those with the largest weights.
            others = [key for key in range(40) if key != cursor]
            assert [key for key in keys if key != cursor] == others[: len(keys) - 1]


def test_the_mouse_finds_the_key_whose_bar_it_is_on() -> None:
    vector = vector_of("masked")
    for lines in (4, 16, 40):
        chart = WeightBars(vector, 2, HEADS)
        cells = chart.draw(80, lines, COLOURS)
        for line, text in enumerate(words(cells)):
            if line and text:
                key = text[1] if text[0] == "▸" else text[0]
                assert chart.key_at(line, lines) == int(key)
        assert chart.key_at(0, lines) is None


def test_keys_are_walked_through_in_the_order_in_which_they_stand() -> None:
    for n_keys in (1, FEW, FEW + 10):
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


def test_small_weights_of_about_one_size_look_so() -> None:
    # Weights 5.1e-4 and 4.7e-4, among 2,000 keys.
    scores = [*np.log([5.11e-4, 4.73e-4]), *np.full(1998, np.log((1.0 - 9.84e-4) / 1998))]
    vector = answer_to(Vector("a", np.array(scores)), Setup(scale=Scale("none")))
    lines = [line for line in words(WeightBars(vector, 0, HEADS).draw(90, 12, COLOURS))[1:] if line]
    assert [line[-1] for line in lines[:3]] == ["0.051%", "0.050%", "0.050%"]
    lines = words(WeightBars(vector, 1, HEADS).draw(90, 2010, COLOURS))
    assert [line for line in lines if "0.047%" in line]
