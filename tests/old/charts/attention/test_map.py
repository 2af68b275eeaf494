"""The map of a head: every cell shows the largest weight of what it stands for."""

from dataclasses import replace

import numpy as np
import pytest

from attn_tui.captures.source import Captured
from attn_tui.charts.glyphs import SHADES
from attn_tui.compute.attention.answer import Answer, answer, compare
from attn_tui.compute.attention.rows import HIDDEN
from attn_tui.compute.attention.settings import Settings
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, parse
from attn_tui.old.charts.attention.map import GAP, STEPS, around, head_map, largest, layout
from attn_tui.old.charts.heat import signed_fill
from attn_tui.report.rows import cells, plain

SOURCE = parse(EXAMPLE).source


def head(n: int, d_k: int = 1024, causal: bool = True) -> Answer:
    setup = Setup(d_k).put(Settings(n=n, causal=causal))
    *_, last = answer(Experiment(SOURCE, setup))
    return last


def drawn(shown: Answer, width: int, height: int, cursor: tuple[int, int] = (0, 0)) -> list[str]:
    order = np.arange(shown.n_queries)
    rows = head_map(shown, order, cursor, "scaled", width, height)
    assert len(rows) == height
    assert all(sum(cells(text) for text, _ in row) == width for row in rows)
    return plain(rows).split("\n")


@pytest.mark.parametrize("size", [(78, 16), (116, 30), (38, 9), (20, 4), (60, 40)])
@pytest.mark.parametrize("n", [3, 12, 70, 300])
def test_every_cell_has_the_shade_of_the_largest_weight(n: int, size: tuple[int, int]) -> None:
    shown = head(n)
    place = layout(shown, *size)
    assert place is not None
    lines = drawn(shown, *size, cursor=(n - 1, n - 1))
    both = (0, 1) if place.maps == 2 else (1,)
    for at, which in enumerate(both):
        blocks = shown.sides[which].blocks
        for y in range(1 + place.heads, len(lines) - place.legend):
            row = (y - 1 - place.heads) // place.tall * place.rows
            is_middle = (y - 1 - place.heads) % place.tall == (place.tall - 1) // 2
            if row >= n or not is_middle:
                continue
            for column in range(-(-blocks.shape[1] // place.columns)):
                there = slice(column * place.columns, (column + 1) * place.columns)
                weight = blocks[row : row + place.rows, there].max()
                left = at * (place.width + GAP) + place.gutter + column * place.body
                text = lines[y].ljust(size[0])[left : left + place.body]
                shade = int(np.searchsorted(STEPS, weight, side="right"))
                assert (SHADES[shade] if weight >= 0.0 else " ") in text or place.body > 2


def test_it_says_what_a_cell_stands_for_where_that_is_more_than_one_weight() -> None:
    assert "largest of" not in " ".join(drawn(head(12), 78, 16))
    assert "each cell: the largest of 25 × 8 weights" in " ".join(drawn(head(300), 110, 15))


def test_a_title_says_what_was_done_to_the_scores() -> None:
    assert "divided by 32" in drawn(head(12), 78, 16)[0]
    assert "not divided" in drawn(head(12, 1), 78, 16)[0]


def test_the_shades_never_move() -> None:
    legends = {drawn(head(12, d_k), 78, 16)[-2] for d_k in (1, 64, 65_536)}
    assert len(legends) == 1


@pytest.mark.parametrize("n", [5, 12, 300])
def test_a_click_finds_the_cell_that_is_drawn_there(n: int) -> None:
    shown = head(n)
    place = layout(shown, 78, 20)
    assert place is not None
    order = np.arange(n)[::-1]
    y = 1 + place.heads + place.tall
    assert place.at(shown, order, 0, y) is None
    assert place.at(shown, order, place.gutter, 0) is None
    query, key = order[place.rows], place.columns * shown.block
    for left in (0, place.width + GAP):
        found = place.at(shown, order, left + place.gutter + place.body, y)
        assert found == (query, key)


def test_what_is_too_small_says_so() -> None:
    assert "too small" in drawn(head(12), 40, 1)[0]
    assert layout(head(12), 30, 1) is None


@pytest.mark.parametrize("n", [12, 70, 300])
@pytest.mark.parametrize("width", [40, 78, 116])
def test_keys_are_numbered_at_one_distance(n: int, width: int) -> None:
    shown = head(n)
    place = layout(shown, width, 16)
    assert place is not None
    line = drawn(shown, width, 16)[1][: place.width]
    distances = np.diff([int(number) for number in line.split()])
    assert distances.size
    assert set(distances.tolist()) == {distances[0]}


@pytest.mark.parametrize("n", [70, 300, 700])
@pytest.mark.parametrize("cursor", [(0, 0), (42, 31), (69, 69)])
def test_near_the_cursor_each_cell_is_one_weight(n: int, cursor: tuple[int, int]) -> None:
    shown, order = head(n), np.arange(n)[::-1]
    at = around(order, cursor)
    place = layout(shown, 78, 20, at)
    assert place is not None
    assert place.window
    row, key, down, across = place.window
    assert row <= at[0] < row + down
    assert key <= at[1] < key + across
    rows = plain(head_map(shown, order, cursor, "scaled", 78, 20, near=True)).split("\n")
    assert f"{down} × {across} of {n} × {n}" in rows[1 + place.heads + down]
    assert str(cursor[1]) in rows[1].split()
    for y, query in enumerate(order[row : row + down].tolist(), 1 + place.heads):
        weights = np.where(np.arange(n) <= query, shown.row(query)[1].weights(), -1.0)
        shades = np.searchsorted(STEPS, weights[key : key + across], side="right")
        left = place.width + GAP + place.gutter
        for column, (weight, shade) in enumerate(
            zip(weights[key : key + across].tolist(), shades.tolist(), strict=True)
        ):
            text = rows[y].ljust(78)[left + 2 * column : left + 2 * column + 2]
            assert (SHADES[shade] if weight >= 0.0 else " ") in text
        assert place.at(shown, order, left + 6, y) == (query, key + 3)
    assert place.at(shown, order, left, 1 + place.heads + down) is None


def test_rows_that_come_are_seen_in_their_place() -> None:
    queries, keys = np.random.default_rng(1).standard_normal((2, 4000, 2))
    source = Captured(queries, keys, positions=tuple(range(4000)))
    growing = answer(Experiment(source, Setup(mask=Mask(causal=True))))
    seen, order = [], np.arange(4000)
    for part in growing:
        rows = plain(head_map(part, order, (int(part.rows[-1]), 0), "scaled", 160, 40)).split("\n")
        seen.append(sum("░" in row or "·" in row for row in rows[2:-1]))
        assert ("or to come" in rows[-1]) == (part.done < 4000)
    assert seen == sorted(seen)
    assert 0 < seen[0] < seen[-1]


def test_where_all_fit_near_is_the_whole() -> None:
    assert layout(head(12), 78, 20, (3, 3)) == layout(head(12), 78, 20)


def test_a_row_of_nan_hides_no_other_in_its_cell() -> None:
    shown = head(300)
    blocks = shown.scaled.blocks.copy()
    blocks[100:140] = np.where(blocks[100:140] < 0.0, blocks[100:140], np.nan)
    order = np.arange(300)
    found = largest(replace(shown.scaled, blocks=blocks), order.tobytes(), 30, 4, 0)
    whole = largest(shown.scaled, order.tobytes(), 30, 4, 0)
    others = np.delete(blocks[90:120], slice(10, 30), axis=0)
    # Of rows 90 to 119 ten are known, of 120 to 149 ten too.
    assert np.nanmax(others[:, :4]) == found[3, 0]
    assert np.array_equal(np.delete(found, (3, 4), axis=0), np.delete(whole, (3, 4), axis=0))
    alone = largest(replace(shown.scaled, blocks=blocks), order.tobytes(), 20, 4, 0)
    seen = alone[5] != HIDDEN
    assert np.isnan(alone[5][seen]).all()
    assert seen.any()


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize(("n", "size"), [(12, (116, 16)), (70, (116, 24)), (300, (78, 16))])
def test_beside_a_pinned_head_stands_what_has_changed(
    n: int, size: tuple[int, int], near: bool
) -> None:
    both = compare(head(n, 64), head(n, 4))
    assert both is not None
    order = np.arange(n)
    place = layout(both, *size, (n - 1, n - 1) if near else None)
    assert place is not None
    assert place.maps == 3
    rows = head_map(both, order, (n - 1, n - 1), "scaled", *size, near)
    lines = plain(rows).split("\n")
    assert "more, V less" in lines[0]
    pinned, now = (
        np.array([np.where(e.attended, e.weights(), np.nan) for e in each])
        for each in zip(*map(both.row, range(n)), strict=True)
    )
    change = now - pinned
    down, across = (place.window or (0, 0))[:2]
    seen = set()
    for y in range(1 + place.heads, len(lines) - place.legend):
        row = down + (y - 1 - place.heads) // place.tall * place.rows
        is_middle = (y - 1 - place.heads) % place.tall == (place.tall - 1) // 2
        if row >= n or not is_middle:
            continue
        for column in range((place.width - place.gutter) // place.body):
            key = across + column * place.keys
            cell = change[row : row + place.rows, key : key + place.keys]
            left = 2 * (place.width + GAP) + place.gutter + column * place.body
            text = lines[y].ljust(size[0])[left : left + place.body]
            if not cell.size or np.isnan(cell).all():
                assert not text.strip(" []")
                continue
            # Of many keys a block has kept its largest weights alone.
            if both.block == 1 or near:
                most = cell.flat[np.nanargmax(np.abs(cell))]
                shade = int(np.searchsorted(STEPS, abs(most), side="right"))
                assert signed_fill(most, shade) in text or place.body > 2
                seen.add(most > 0.0)
    assert seen == {True, False} or both.block > 1
    assert place.at(both, order, 2 * (place.width + GAP) + place.gutter, 1 + place.heads) == (
        place.first
    )
