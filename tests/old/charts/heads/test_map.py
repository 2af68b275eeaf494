"""The map of heads: digits where there is room, shades of fixed meaning, around the cursor."""

from dataclasses import replace

import numpy as np
import pytest

from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.old.charts.heads.map import Picture, head_map, layout, place_on_map
from attn_tui.old.charts.heads.shading import SCALES, change_text, changes
from attn_tui.old.charts.heat import signed_fill
from attn_tui.report.rows import length, plain


def picture(
    layers: int = 4, heads: int = 4, cursor: tuple[int, int] = (0, 0), name: str = "sink_mass"
) -> Picture:
    values = np.linspace(0.0, 1.0, layers * heads).reshape(layers, heads)
    there = np.ones(values.shape, bool)
    return Picture(name, values, there, there, range(layers), cursor)


@pytest.mark.parametrize("size", [(120, 30), (80, 17), (40, 8), (12, 5), (6, 2), (200, 60)])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (32, 64), (61, 128), (100, 20)])
def test_every_row_has_its_width_and_the_cursor_is_in_sight(
    size: tuple[int, int], shape: tuple[int, int]
) -> None:
    for cursor in ((0, 0), (shape[0] - 1, shape[1] - 1), (shape[0] // 2, shape[1] // 3)):
        seen = picture(*shape, cursor)
        rows = head_map(seen, *size)
        assert len(rows) == size[1]
        assert {length(row) for row in rows} == {size[0]}
        where = layout(seen, size[0], size[1] - 1 - (size[1] >= 4))
        if where:
            assert where.first[0] <= cursor[0] < where.first[0] + where.shape[0]
            assert where.first[1] <= cursor[1] < where.first[1] + where.shape[1]
            every = {
                place_on_map(seen, x, y, *size) for x in range(size[0]) for y in range(size[1])
            }
            assert cursor in every


@pytest.mark.parametrize(
    ("width", "named"), [(80, ("head 0 1", "layer 10")), (40, ("H 0 1", "L10"))]
)
def test_both_axes_are_named(width: int, named: tuple[str, str]) -> None:
    drawn = replace(picture(3, 2), layers=range(10, 13))
    lines = [" ".join(line.split()) for line in plain(head_map(drawn, width, 8)).splitlines()]
    assert lines[0] == named[0]
    assert any(line.startswith(named[1]) for line in lines)


def test_digits_are_those_of_the_number() -> None:
    text = plain(head_map(picture(2, 2, (1, 1)), 60, 10))
    for number in ("0", "33", "67", "100"):
        assert f" {number}" in text
    assert "[" in text
    assert "≥ 90 %" in text


@pytest.mark.parametrize("name", STATISTICS)
def test_shades_have_a_fixed_meaning_and_are_seen_without_colour(name: str) -> None:
    scale = SCALES[name]
    for place, step in enumerate(scale.steps, 1):
        assert scale.shade(step) == place
    assert scale.shade(scale.steps[0] * (2.0 if scale.falls else 0.5)) == 0
    shades = {signed_fill(1.0, shade) for shade in range(5)}
    assert len(shades) == 5
    assert not {signed_fill(-1.0, shade) for shade in range(1, 5)} & shades


def test_what_was_not_looked_at_and_what_is_not_there_are_not_numbers() -> None:
    seen = picture(2, 3)
    known, there = seen.known.copy(), seen.there.copy()
    known[1, 2], there[0, 2] = False, False
    text = plain(head_map(Picture("sink_mass", seen.values, known, there, (3, 7), (0, 0)), 80, 6))
    assert " _ " in text
    assert "_ not yet" in text
    assert "?" not in text


@pytest.mark.parametrize("width", [40, 80])
def test_heads_that_meet_nan_are_marked(width: int) -> None:
    seen = picture(2, 3)
    odd = replace(seen, odd=frozenset({(1, 2)}))
    text = plain(head_map(odd, width, 8))
    assert "! meets NaN" in text
    assert text.count("!") == 2
    assert "!" not in plain(head_map(seen, width, 8))


@pytest.mark.parametrize(("heads", "width"), [(3, 80), (3, 40), (16, 40), (64, 40)])
def test_heads_that_do_not_count_are_marked_and_have_no_shade(heads: int, width: int) -> None:
    seen = picture(2, heads)
    which = frozenset({(1, 0), (1, 1)})
    text = plain(head_map(replace(seen, uncounted=which), width, 9))
    assert "? does not count" in text
    assert text.count("?") == 3
    (row,) = (row for row in text.splitlines() if "?" in row and "does not count" not in row)
    assert not {*"█▓▒░"} & {*row[: row.rindex("?")]}
    assert "?" not in plain(head_map(seen, width, 9))


def test_layers_and_heads_out_of_sight_are_told() -> None:
    text = plain(head_map(picture(32, 64, (15, 49)), 80, 16))
    assert "layers 8–21 of 32" in text
    assert "heads" not in text
    text = plain(head_map(picture(8, 8, (7, 7)), 40, 7))
    assert "█90 ▓50 ▒25 ░5 ·less  layers 3–7 of 8" in text


def test_the_legend_shows_what_a_cell_of_no_shade_shows() -> None:
    few, many = picture(2, 8), picture(8, 40)
    for seen in (few, many):
        seen.values[0, 0] = 0.01
    assert plain(head_map(few, 80, 12)).rstrip().endswith("░ ≥ 5 %   no shade: less")
    text = plain(head_map(many, 100, 12))
    assert text.rstrip().endswith("░ ≥ 5 %   · less")
    assert "·" in text.splitlines()[1]


def test_changes_are_differences_of_shares_and_factors_of_sizes() -> None:
    now, before = np.array([0.9, 0.1, 0.5]), np.array([0.1, 0.9, 0.5])
    found = changes("sink_mass", now, before)
    assert [change_text("sink_mass", float(x)) for x in found] == ["▲80", "▼80", "="]
    found = changes("max_logit", np.array([40.0, 1.0, 7.0]), np.array([10.0, 100.0, 7.0]))
    assert [change_text("max_logit", float(x)) for x in found] == ["▲4.0", "▼100", "="]
