"""The Sweep screen, as a person uses it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from attn_tui.compute.experiment import Experiment, Stop, never
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep import answer as compute_sweep
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.crossover import crossover
from attn_tui.compute.sweep.settings import Settings, View
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui.sweep import results, view
from attn_tui.old.tui.sweep.drawing import number_lines, tabs
from attn_tui.old.tui.sweep.places import moved
from attn_tui.old.tui.sweep.screen import SweepScreen
from attn_tui.old.tui.sweep.view import TABS
from attn_tui.old.tui.widgets.entry import Entry
from attn_tui.sweep.names import short_place
from tests.old.tui.at_sweep import SMALL, at_sweep, draft, headline
from tests.old.tui.person import MEDIUM, NARROW, WIDE

SAID = {
    WIDE: "Here (8 keys, d_k = 64) dividing by √d_k makes the typical gradient 1 to 3.2 times "
    "smaller. It makes it larger only above some d_k between 59 and 170.",
    NARROW: "8 keys, d_k = 64: gradient 1 to 3.2 times smaller divided by √d_k.",
}
SAID[MEDIUM] = SAID[WIDE]


@pytest.mark.parametrize("size", SAID)
async def test_it_says_what_dividing_does_here(size: tuple[int, int]) -> None:
    async with at_sweep(size, draft(draws=320)) as person:
        person.sees("‖∂p/∂s‖_F", "unscaled", "1/√d_k", "equal at")
        person.misses("space stops")
        assert headline(person) == SAID[size]
        # It stands under the title, and nothing is said at the foot.
        assert SAID[size].split()[0] in person.lines[1]
        await person.press("t")
        assert headline(person).startswith(("At d_k = 64 dividing", "d_k = 64: gradient"))


async def test_what_is_not_said_for_want_of_room_stands_in_the_numbers() -> None:
    async with at_sweep(MEDIUM) as person:
        person.misses("goes from")
        await person.run("looking.tab('numbers')")
        await person.press(*["down"] * 14)
        text = " ".join(person.text.split())
        assert "Unscaled, the median ‖∂p/∂s‖_F goes from 0.348 at d_k = 1 to" in text


@pytest.mark.parametrize("view", ["curves", "map"])
async def test_a_ratio_where_nothing_is_scaled_is_one(view: View) -> None:
    setup = Setup(64, Scale("none")).put(replace(SMALL, view=view))
    async with at_sweep(WIDE, Draft(EXAMPLE.text, setup)) as person:
        await person.run("looking.ratio")
        await person.run("looking.other_rule")
        await person.run("looking.tab('numbers')")
        person.sees("unscaled")
        assert person.screen(SweepScreen).view.shown.ratio


async def test_d_k_moves_on_both_screens() -> None:
    async with at_sweep() as person:
        before = headline(person)
        await person.press("plus", "equals_sign", "right_square_bracket")
        assert person.asked.experiment.setup.d_k == 112
        assert headline(person) != before
        await person.press("1")
        person.sees("112")


async def test_arrows_move_the_cursor_from_place_to_place() -> None:
    async with at_sweep() as person:
        answer = person.screen(SweepScreen).answer
        assert answer
        places = answer.points.d_ks
        await person.press("right")
        assert person.asked.experiment.setup.d_k == places[4]
        assert headline(person).startswith(f"Here (8 keys, d_k = {places[4]:,}) dividing")
        await person.press("left", "left")
        assert person.asked.experiment.setup.d_k == places[2]
        await person.press(*["left"] * 9)
        assert person.asked.experiment.setup.d_k == places[0]


@pytest.mark.parametrize(("by", "there"), [(1, 4096), (-1, 2048), (2, 8192)])
def test_arrows_go_to_the_next_place_from_between_two(by: int, there: int) -> None:
    assert moved((1024, 2048, 4096, 8192), 3584, by) == there
    assert moved((1024, 2048, 4096, 8192), 8192, 1) == 8192


async def test_every_row_of_a_map_names_the_crossover_that_is_searched_for() -> None:
    settings = replace(SMALL, view="map", n=8, n_range=(2, 32), map_points=5, d_k_range=(2, 2048))
    async with at_sweep(start=replace(EXAMPLE, setup=Setup(1024).put(settings))) as person:
        for n in (8, 16):
            found = crossover(n, draws=SMALL.draws, seed=SMALL.seed)
            assert found
            assert found.d_k
            assert f"below about {short_place(found.d_k)} (" in headline(person)
            await person.press("up")
        await person.press("down", "down")
        on_map = headline(person)
        await person.press("t")
        assert headline(person) == on_map


async def test_n_has_a_slider_and_can_be_typed() -> None:
    async with at_sweep() as person:
        await person.press("full_stop")
        assert person.settings(Settings).n == 12
        assert headline(person).startswith("Here (12 keys, d_k = 64) dividing")
        await person.press("comma", "n")
        await person.write("16")
        await person.press("enter")
        assert person.settings(Settings).n == 16
        await person.press("full_stop")
        assert person.settings(Settings).n == 24
        await person.press("u")
        assert person.settings(Settings).n == 16


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("n", "1", "will not do"),
        ("d_k_range", "9:3", "'9:3' will not do"),
        ("d_k_range", "3:3", "'3:3' is empty"),
        ("d_k_range", "12", "not a range"),
        ("n_range", "1:5", "will not do"),
        ("seed", "x", "not a whole number"),
        ("seed", "-1", "will not do"),
        ("draws", "0", "will not do"),
        ("draws", "100000", "at most 65,536"),
        ("points", "1", "will not do"),
        ("map_points", "1", "will not do"),
        ("rules", "nothing", "not a rule"),
        ("rules", "none,none", "twice"),
    ],
)
async def test_bad_input_is_said_beside_it_and_the_picture_stays(
    name: str, text: str, said: str
) -> None:
    async with at_sweep(WIDE) as person:
        before, asked = person.lines[6:30], person.settings(Settings)
        await person.run("scale.type_rules" if name == "rules" else f"fields.type({name!r})")
        await person.write(text)
        await person.press("enter")
        assert said in " ".join(line[:60].strip() for line in person.lines[2:8])
        assert person.settings(Settings) == asked
        assert set(before[:6]) & set(person.lines)
        await person.press("escape")
        assert person.lines[6:30] == before


async def test_rules_are_chosen_together_or_typed() -> None:
    async with at_sweep(WIDE, draft(crossovers=False)) as person:
        await person.press("r")
        person.sees("[x] inverse-sqrt", "[x] none", "[ ] inverse ")
        await person.press("down", "down", "enter", "escape")
        assert person.settings(Settings).rules == ("none", "inverse-sqrt", "inverse")
        person.sees("1/d_k")
        await person.run("scale.type_rules")
        await person.write("none, temperature:T=4")
        await person.press("enter")
        person.sees("┤1/4⣀")
        await person.run("scale.type_rules")
        await person.press("ctrl+u", "enter")
        assert person.settings(Settings).rules == ()


@pytest.mark.parametrize("view", ["curves", "map"])
async def test_a_sweep_of_one_place_can_be_opened(view: str) -> None:
    async with at_sweep(start=draft(view=view, n_range=(8, 8), d_k_range=(32, 32))) as person:
        person.sees("●" if view == "curves" else "n = 8, d_k = 32")
        # The cursor is beside the only place, and what is said is of the cursor.
        assert headline(person).startswith("Here (8 keys, d_k = 64) dividing")
        await person.press("right")
        await person.run("looking.tab('numbers')")
        person.sees("At n = 8, d_k = 32:")


async def test_numbers_stand_in_place_of_the_chart() -> None:
    async with at_sweep(MEDIUM, draft(draws=320)) as person:
        await person.run("looking.tab('numbers')")
        person.sees("At n = 8, d_k = 64:", "median     from", "[58.9 to 166]", "‖∂L/∂q‖, n = 8")
        await person.press("down", "down")
        person.misses("the Frobenius norm of")
        await person.run("looking.tab('d_k')")
        person.sees("middle half")


def test_numbers_say_which_crossovers_are_not_finished() -> None:
    (*_, found) = compute_sweep.answer(Experiment(Drawn(8), draft(draws=320).setup))
    one, *others = found.crossovers
    some = replace(found, crossovers=(replace(one, finished=False), *others))
    lines = [line for line in number_lines(some, (8, 48), 100) if "]" in line]
    assert [line.endswith("[58.9 to 166], so far") for line in lines[1:]] == [True, False, False]
    assert not any("so far" in line for line in number_lines(found, (8, 48), 100))


async def test_the_chart_is_looked_at_another_way() -> None:
    async with at_sweep(WIDE) as person:
        person.sees("1e-1┤")
        await person.run("fields.next('whole')")
        person.misses("1e-1┤")
        await person.press("v")
        person.sees("0.4┤", "░ the middle half")
        await person.run("fields.next('bands')")
        person.misses("░", "middle half")


async def test_d_k_of_typed_queries_is_held() -> None:
    start = Draft("q: 1, 0\nK: 1, 0\nK: 0, 1", Setup(2).put(SMALL), "vectors")
    async with at_sweep(start=start) as person:
        await person.press("right_square_bracket")
        assert person.asked.experiment.setup.d_k == 2
        person.sees("d_k is the length of q")


async def test_a_rule_that_yields_no_multiplier_is_said_and_the_picture_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with at_sweep() as person:

        def refused(experiment: Experiment, stop: Stop = never) -> Iterator[Answer]:
            Scale("nothing")
            yield from ()

        monkeypatch.setattr(results, "answer", refused)
        await person.press("a")
        person.sees("is not a rule", "middle half")


@pytest.mark.parametrize(
    ("name", "present", "typed", "changed"),
    [
        ("d_k_range", "1:8192", "1:64", {"d_k_range": (1, 64)}),
        ("n_range", "2:512", "2:16", {"n_range": (2, 16)}),
        ("seed", "1", "5", {"seed": 5}),
        ("points", "8", "5", {"points": 5}),
        ("map_points", "5", "8", {"map_points": 8}),
        ("draws", "64", "80", {"draws": 80}),
        ("n", "8", "16", {"n": 16}),
    ],
)
async def test_what_is_drawn_is_typed_over_what_it_is(
    name: str, present: str, typed: str, changed: dict[str, Any]
) -> None:
    async with at_sweep(start=draft(crossovers=False)) as person:
        asked = person.settings(Settings)
        await person.run(f"fields.type({name!r})")
        assert person.app.screen.query_one(Entry).field.value == present
        await person.press("ctrl+u")
        await person.write(typed)
        await person.press("enter")
        assert person.settings(Settings) == replace(asked, **changed)


async def test_what_is_drawn_is_said_in_the_text() -> None:
    async with at_sweep(start=draft(crossovers=False)) as person:
        await person.press("i")
        person.sees("64 vectors at each place, seed 1", "d_k        1 to 8,192, 8 of at most 8")


async def test_every_pane_explains_itself() -> None:
    async with at_sweep(WIDE) as person:
        for title, said in (("Charts", "Source:"), ("Rules", "z = m·s")):
            await person.press("question_mark")
            person.sees(title, said)
            await person.press("escape", "tab")


@pytest.mark.parametrize("width", [80, 100, 120])
def test_every_tab_is_in_sight_while_it_is_drawn(width: int) -> None:
    progress = "drawing 13%, 23 s left; space stops", "13%"
    items = tabs(Settings(view="map"), view.View(), True, width, progress, "")
    line = "".join(text for item in items for text, _ in item.row)
    assert all(f" {each.title} " in line for each in TABS.values())
    assert "space stops" in line
    assert len(line) == width
