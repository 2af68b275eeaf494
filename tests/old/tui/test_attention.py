"""The screen of Attention: two maps, a cursor, a row that opens, and a head that is pinned."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.attention.settings import Settings
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui.attention.screen import AttentionScreen
from attn_tui.old.tui.attention.view import View
from tests.old.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen

TWO = Draft("q: [[1, 0], [0, 2]]\nK: [[1, 0], [0, 1]]\nV: [[10], [20]]", source="vectors")


@asynccontextmanager
async def at_attention(
    size: tuple[int, int] = MEDIUM, start: Draft = EXAMPLE
) -> AsyncIterator[Person]:
    async with at_screen(size, start) as person:
        await person.press("4")
        yield person


def view(person: Person) -> View:
    screen = person.app.screen_stack[0]
    assert isinstance(screen, AttentionScreen)
    return screen.view


def maps(person: Person) -> tuple[list[str], list[str]]:
    """Return the lines of cells of the left map and of the right one."""
    start = next(at for at, line in enumerate(person.lines) if "drawn head, unscaled" in line)
    rows = [line.ljust(80) for line in person.lines[start + 2 : start + 14]]
    return [row[5:40] for row in rows], [row[45:80] for row in rows]


async def test_more_d_k_changes_the_left_map_and_hardly_the_right_one() -> None:
    async with at_attention() as person:
        await person.put("d_k", "16")
        before = maps(person)
        await person.hold("plus", 30)
        after = maps(person)

        def changed(which: int) -> int:
            pairs = zip("".join(before[which]), "".join(after[which]), strict=True)
            return sum(one != other for one, other in pairs)

        assert changed(0) > 3 * changed(1)
        assert changed(0) > 30


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_it_says_that_a_vector_that_is_asked_has_no_part_in_a_drawn_head(
    size: tuple[int, int],
) -> None:
    async with at_attention(size, Draft("100 120 150 7")) as person:
        person.sees("drawn, unscaled" if size == NARROW else "drawn head, unscaled")
        if size == WIDE:
            person.sees("drawn head, seed 9", "drawn head, unscaled: queries down, keys across")
        await person.press("p")
        assert "drawn head, pinned" not in person.text
    async with at_attention(size, TWO) as person:
        assert "drawn head" not in person.text


async def test_a_head_is_compared_with_itself_under_another_rule() -> None:
    async with at_attention() as person:
        await person.press("p")
        await person.put("rule", "inverse")
        person.sees("Pinned: about 6 keys. Now: almost equal.", "now: divided by", "V less")
        said = " ".join(" ".join(person.lines[1:3]).split())
        assert re.search(r"In \d+ of 12 queries the largest weight moves by over 10 points", said)
        await person.put("n", "6")
        # A head of another size stands alone.
        person.sees("Unscaled, ")
        await person.press("p")
        assert view(person).pinned is None


async def test_the_cursor_goes_over_queries_and_keys_and_stays_inside() -> None:
    async with at_attention() as person:
        await person.hold("left", 20)
        person.sees("key 0   s =")
        await person.hold("up", 20)
        person.sees("query 0 sees 1 key ")
        await person.hold("right", 20)
        person.sees("key 11   masked")
        await person.put("query", "99")
        person.sees("query 11 sees 12 keys")


async def test_rows_by_entropy_begin_with_the_sharpest() -> None:
    async with at_attention() as person:
        await person.put("sort", "entropy")
        await person.press("t")
        start = next(at for at, line in enumerate(person.lines) if " query sees" in line)
        effective = [float(line.split()[-1]) for line in person.lines[start + 1 : start + 13]]
        assert effective == sorted(effective)
        assert len(effective) == 12


async def test_the_table_the_output_and_the_map_take_turns() -> None:
    async with at_attention(start=TWO) as person:
        await person.press("t")
        person.sees("effective keys")
        await person.press("t")
        person.sees("o_0")
        await person.press("t")
        person.sees("queries down, keys across")


async def test_an_output_is_offered_where_there_is_a_v_and_only_there() -> None:
    async with at_attention() as person:
        assert "Output" not in person.text
        await person.press("t")
        person.sees("effective keys")
        await person.press("t")
        person.sees("drawn head, unscaled")
        await person.press("slash", *"output")
        assert "Tab Output" not in person.text
    async with at_attention(start=TWO) as person:
        person.sees("Output")


async def test_what_is_drawn_is_drawn_again_and_what_is_asked_is_not() -> None:
    async with at_attention() as person:
        await person.press("a")
        assert person.asked.draft.setup.get(Settings).seed == Settings().seed + 1
    async with at_attention(start=TWO) as person:
        await person.press("a")
        assert person.asked.draft == TWO
        await person.put("rows", "drawn")
        person.sees("query 11 sees 12 keys")


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW, (20, 5)])
async def test_it_is_resized_while_it_draws(size: tuple[int, int]) -> None:
    async with at_attention() as person:
        await person.put("n", "384")
        await person.resize(*size)
        await person.hold("plus", 3)
        await person.resize(*MEDIUM)
        person.sees("of 383 queries")


async def test_a_captured_head_is_shown_and_its_d_k_is_held(tmp_path: Path) -> None:
    path = tmp_path / "c.safetensors"
    draw = np.random.default_rng(2).standard_normal
    tensors = {part: draw((1, 2, 9, 4)).astype(np.float32) for part in ("q", "k", "v")}
    write_safetensors(path, tensors)
    start = Draft(f"file: {path}\nlayer = 0, head = 1", source="capture")
    async with at_attention(start=start) as person:
        person.sees("of its weight on one key", "query 8 sees 9 keys")
        await person.press("plus")
        person.sees("d_k is the length of q")
        path.unlink()
        await person.put("rule", "inverse")
        # What was readable last stays, and it is said why that is so.
        person.sees("there is no such file", "query 8 sees 9 keys")


async def test_rules_of_a_captured_head_are_offered_for_its_keys_and_its_layer(
    tmp_path: Path,
) -> None:
    path, draw = tmp_path / "c.safetensors", np.random.default_rng(2).standard_normal
    tensors = {f"5.{part}": draw((1, 2, 64, 4)).astype(np.float32) for part in ("q", "k", "v")}
    write_safetensors(path, tensors)
    start = Draft(f"file: {path}\nlayer = 5, head = 1", source="capture")
    async with at_attention(WIDE, start=start) as person:
        await person.press("r")
        # Its first row sees one key, of which ln n is 0.
        person.sees("÷ 3", "÷ 1.12", "÷ 12")
        assert "× 0 " not in person.text


async def test_zoom_shows_a_weight_a_cell_around_the_cursor_and_the_whole_again() -> None:
    async with at_attention() as person:
        await person.put("n", "300")
        person.sees("each cell: the largest of")
        await person.put("zoom", "weights")
        person.sees("of 300 × 300")
        assert view(person).zoom == "weights"
        await person.put("query", "7")
        await person.put("key", "3")
        person.sees("▸  7", "query 7 sees 8 keys", "key 3")
        await person.put("zoom", "whole")
        person.sees("each cell: the largest of")


@pytest.mark.parametrize(("n", "place"), [(12, "key"), (300, "keys")])
async def test_what_a_change_moves_most_is_said_where_two_lines_are_left(
    n: int, place: str
) -> None:
    async with at_attention() as person:
        await person.put("n", str(n))
        person.sees(f"sees {n} keys")
        await person.press("p")
        await person.put("rule", "inverse")
        shown = person.screen(AttentionScreen).scene(person.asked).shown
        assert shown is not None
        before, after = (np.maximum(side.blocks, 0.0) for side in shown.sides)
        changes = np.abs(after - before)
        query, block = np.unravel_index(int(changes.argmax()), changes.shape)
        await person.until_sees(f"most changed: query {query}, {place} {block * shown.block}")


async def test_the_cursor_stays_within_each_of_rows_of_different_length() -> None:
    draft = Draft("5\n1,2")
    async with at_screen(WIDE, draft=draft, instrument="attention") as person:
        await person.press("right", "right", "up")
        person.sees("query 0 sees 1 key", "key 0 ")
