"""The table of keys on the screen of Explore: its order, its cursor, and what is in sight."""

from pathlib import Path

import numpy as np
import pytest

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Typed
from attn_tui.compute.vector import Vector
from attn_tui.files import edits
from attn_tui.files.draft import Draft, draft_of
from attn_tui.old.tui.explore import found
from attn_tui.old.tui.explore.screen import ExploreScreen
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from tests.old.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen, settle

MANY = Draft(", ".join(str((7 * key) % 100) for key in range(300)))


def cursors(person: Person) -> list[str]:
    """Return the number and the score of the key the cursor is on."""
    return person.line_with("▸").split()[1:3]


async def test_where_not_all_keys_fit_the_largest_stand_first() -> None:
    async with at_screen(MEDIUM, MANY) as person:
        person.sees("a: weights p, largest scaled first: 1–6 of 300", "divided by 32 ↓")
        assert cursors(person) == ["57", "99"]
        await person.press("down", "down", "down")
        assert cursors(person) == ["14", "98"]
        await person.run("looking.sort")
        person.sees("a: weights p: 1–4 and 15 of 300")
        person.misses("first", "↓")
        assert cursors(person) == ["14", "98"]


async def test_the_cursor_is_on_the_key_the_headline_speaks_of_until_it_is_moved() -> None:
    async with at_screen(MEDIUM) as person:
        assert cursors(person) == ["2", "150"]
        await person.run("looking.tab('jacobian')")
        person.sees("∂p₂/∂s at key", "[")
        assert (person.screen(ExploreScreen).view.key, person.screen(ExploreScreen).view.other) == (
            2,
            2,
        )
        await person.put("scores", "9, 7, 8")
        assert cursors(person) == ["0", "9"]
        await person.press("down")
        await person.press("plus")
        assert cursors(person) == ["1", "7"]
        await person.run("fields.default('key')")
        assert cursors(person) == ["0", "9"]
        # What acts on its key leaves it there.
        await person.press("delete")
        assert cursors(person)[0] == "0"
        await person.press("delete")
        person.sees("[9 7 8]")


async def test_few_keys_stand_in_order_of_position_unless_the_largest_are_asked_for() -> None:
    async with at_screen(MEDIUM) as person:
        person.misses("first", "↓")
        await person.press("home")
        assert cursors(person) == ["0", "100"]
        await person.run("looking.sort")
        person.sees("largest scaled first", "↓")
        assert cursors(person) == ["2", "150"]


async def test_the_cursor_stays_on_its_key_in_a_screen_of_another_size() -> None:
    async with at_screen(WIDE) as person:
        await person.press("home")
        for size in (NARROW, WIDE):
            await person.resize(30, 10)
            person.sees("too small")
            await person.resize(*size)
            assert cursors(person)[0] == "0"


async def test_a_key_far_down_stands_apart_below_the_largest_until_the_cursor_moves() -> None:
    async with at_screen(MEDIUM, MANY) as person:
        await person.run("fields.type('key')")
        await person.write("100\n")
        person.sees("1–4 and 299 of 300")
        between = person.lines.index(person.line_with("┊ 294 more"))
        shown = [line.split()[0] for line in person.lines[between - 4 : between]]
        assert shown == ["57", "157", "257", "14"]
        assert between + 1 == person.lines.index(person.line_with("▸"))
        assert cursors(person) == ["100", "0"]
        # On the line between there is no key.
        await person.click("#table", 5, 6)
        assert cursors(person) == ["100", "0"]
        await person.press("up")
        # The list has come to the cursor, which stays on its line.
        person.misses("more")
        assert between + 1 == person.lines.index(person.line_with("▸"))
        assert cursors(person) == ["0", "0"]
        await person.click("#table", 5, 2)
        assert cursors(person) == ["186", "2"]


async def test_a_key_that_falls_behind_in_another_draw_stays_in_sight() -> None:
    async with at_screen(MEDIUM, Draft("n = 300, seed = 1", Setup(64), "drawn")) as person:
        first = cursors(person)[0]
        await person.press("down", "up", "a")
        assert cursors(person)[0] == first
        person.sees("1–4 and ", " more")


async def test_all_keys_stand_in_their_order_once_there_is_room() -> None:
    scores = ", ".join(map(str, range(12)))
    async with at_screen(MEDIUM, Draft(scores)) as person:
        person.sees("1–6 of 12")
        await person.resize(120, 50)
        person.misses("of 12", "first")


async def test_a_long_vector_scrolls_sorts_and_keeps_its_cursor_in_sight() -> None:
    async with at_screen(MEDIUM, MANY) as person:
        await person.run("looking.sort")
        await person.press("end")
        assert person.line_with("▸").split()[1] == "299"
        await person.press("pageup", "home")
        await person.run("looking.sort")
        assert person.line_with("▸").split()[1:3] == ["57", "99"]
        await person.press("pagedown")
        await person.run("looking.sort")
        await person.run("looking.sort")
        assert person.line_with("▸").split()[1:3] == ["57", "99"]
        await person.run("looking.sort")
        await person.press("home")
        assert person.line_with("▸").split()[1:3] == ["0", "0"]


def shown(person: Person) -> list[str]:
    """Return the numbers of the keys in the table, from its top to the cursor."""
    lines = [line.split() for line in person.lines]
    first = next(n for n, words in enumerate(lines) if words[:2] == ["key", "s"]) + 1
    last = next(n for n, words in enumerate(lines) if words[:1] == ["▸"])
    return [words[words[0] == "▸"] for words in lines[first : last + 1]]


RISING = ", ".join(map(str, range(100)))


FALLING = ", ".join(map(str, range(100, 0, -1)))


@pytest.mark.parametrize("asked", ["open", "example", "undo", "vector"])
@pytest.mark.parametrize("by", ["weight", "position"])
async def test_other_scores_are_seen_from_the_top_of_the_table(
    asked: str, by: str, tmp_path: Path
) -> None:
    file = tmp_path / "scores.txt"
    file.write_text(FALLING)
    draft = Draft(FALLING) if asked == "undo" else Draft(f"{RISING}\n{FALLING}")
    async with at_screen(MEDIUM, draft) as person:
        if by == "position":
            await person.run("looking.sort")
        if asked == "undo":
            person.app.screen.post_message(InstrumentScreen.Ask(edits.text(RISING)))
            await settle(person.pilot)
        await person.press("down", "down", "end")
        if asked == "open":
            await person.press("ctrl+o")
            await person.write(f"{file}\n")
            person.sees("scores: weights p")
        elif asked == "example":
            await person.run("examples.show('tens')")
        elif asked == "undo":
            await person.press("u")
        else:
            await person.run("looking.next_vector")
        await settle(person.pilot)
        # Down to the cursor, which is on the key of the largest weight.
        assert shown(person) == (["0", "1", "2"] if asked == "example" else ["0"])


async def test_what_takes_long_is_seen_from_the_top_once_it_is_there() -> None:
    numbers = np.random.default_rng(1).permutation(found.MANY + 1)
    vectors = Vector("a", numbers.astype(float)), Vector("b", numbers[::-1].astype(float))
    async with at_screen(MEDIUM, draft_of(Experiment(Typed(vectors)))) as person:
        largest = [str(each.scores.argmax()) for each in vectors]
        assert shown(person) == largest[:1]
        await person.run("looking.next_vector")
        await settle(person.pilot)
        assert shown(person) == largest[1:]


async def test_a_list_that_is_sorted_begins_at_its_top() -> None:
    async with at_screen(MEDIUM, MANY) as person:
        await person.press(*["down"] * 20)
        key = cursors(person)[0]
        await person.run("looking.sort")
        assert shown(person)[:4] == ["0", "1", "2", "3"]
        assert shown(person)[-1] == key
        person.sees("1–4 and ", "more")
        await person.run("looking.sort")
        # The largest weights come with the cursor on the first of them.
        assert shown(person) == ["57"]


async def test_another_seed_leaves_the_cursor_on_its_key() -> None:
    async with at_screen(MEDIUM, Draft("n = 300, seed = 1", Setup(64), "drawn")) as person:
        await person.press("down")
        key = cursors(person)[0]
        await person.press("a", "u")
        assert cursors(person)[0] == key


async def test_the_cursor_stays_on_its_key_while_the_editor_takes_lines() -> None:
    async with at_screen(NARROW, Draft("1, 2, 9, 3")) as person:
        await person.press("up", "e")
        assert person.screen(ExploreScreen).view.key == 1
        await person.press("escape")
        assert person.screen(ExploreScreen).view.key == 1


async def test_no_line_is_empty_where_a_key_has_no_room() -> None:
    async with at_screen((40, 15), Draft("3, 3, 3, 3, 3", Setup())) as person:
        for key in range(5):
            assert person.line_with(f"   {key}      3  20.0 %")
