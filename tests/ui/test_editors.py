"""While something is typed the footer has the keys of the editor; a first click selects it all."""

from dataclasses import replace
from string import ascii_letters, digits, printable

import pytest
from textual.command import CommandPalette
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input, Label, TextArea
from textual.widgets._footer import FooterKey

from attn_tui.compute.rules import RULES, Rule
from attn_tui.compute.scale import Scale
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.ui.app import AttnApp
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.setting import RULE
from tests.pairs import slow_after
from tests.ui.person import burst, notices, press, shown, until


def footer(pilot: Pilot[None]) -> list[str]:
    """Return the keys in the footer as they are displayed, with what they do."""
    return [f"{key.key_display} {key.description}" for key in pilot.app.screen.query(FooterKey)]


def last_line(pilot: Pilot[None]) -> str:
    """Return the lowest line, whatever is open over it."""
    return pilot.app.screen._compositor.render_strips()[-1].text


@pytest.mark.slow
async def test_the_footer_shows_the_keys_of_an_editor_and_none_that_it_types() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        before = footer(pilot)
        every = f"{printable}·−"
        for keys, leading, typed in (
            (["e"], ["⏎ New line", "esc Done", "tab Next"], every),
            (["d"], ["⏎ Set", "esc Cancel"], f"{digits}eE,.·^"),
            (["g", "tab", "tab"], ["⏎ Set", "esc Done"], f"{digits}{ascii_letters}+-.,"),
            (["6", "e"], ["⏎ Done", "esc Clear", "tab Next"], every),
        ):
            await press(pilot, *keys)
            await pilot.pause()
            assert footer(pilot)[: len(leading)] == leading, keys
            assert not [key for key in footer(pilot) if key[0] in typed and key[1] == " "], keys
            assert not [key for key in footer(pilot) if key.startswith("-+")], keys
            await press(pilot, "escape", "1")
            await pilot.pause()
            assert footer(pilot) == before, keys


@pytest.mark.parametrize("key", slow_after(1, ["slash", "s", "i"]))
async def test_below_a_dialogue_the_footer_shows_no_keys_that_would_be_typed(key: str) -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        before = last_line(pilot)
        assert "q Quit" in before
        await pilot.press(key)
        await until(pilot, lambda: not isinstance(pilot.app.screen, InstrumentScreen))
        await pilot.pause()
        assert last_line(pilot).strip() == ""
        await press(pilot, "escape")
        assert last_line(pilot) == before


@pytest.mark.slow
async def test_a_first_click_selects_the_scores_and_a_second_places_the_cursor() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        scores = screen.query_one("#scores", TextArea)
        await pilot.click(scores, offset=(4, 0))
        assert scores.selected_text == "a: 100, 120, 150"
        await pilot.click(scores, offset=(4, 0))
        assert (scores.selected_text, scores.cursor_location) == ("", (0, 4))
        await press(pilot, "escape", "e")
        await pilot.click(scores, offset=(2, 0))
        assert (scores.selected_text, scores.cursor_location) == ("", (0, 2))
        await press(pilot, "escape")
        await pilot.click(scores, offset=(4, 0))
        await press(pilot, "7")
        assert screen.present.draft.text == "7"


@pytest.mark.slow
async def test_a_first_click_selects_a_value_and_a_second_places_the_cursor() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await press(pilot, "g")
        mask = screen.query_one("#set-mask", Input)
        await pilot.click(mask, offset=(2, 0))
        await press(pilot, *"1", "enter")
        assert str(screen.present.draft.setup.mask) == "1"
        await pilot.click(mask, offset=(0, 0))
        await press(pilot, *"0, ", "enter")
        assert str(screen.present.draft.setup.mask) == "0:2"
        d_k = screen.query_one("#d_k-typed", Input)
        await pilot.click(d_k, offset=(5, 0))
        await press(pilot, *"64", "enter")
        assert screen.present.draft.setup.d_k == 64


@pytest.mark.slow
async def test_what_is_wrong_with_a_value_stands_below_it_or_is_said_when_settings_close() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(80, 24)) as pilot:
        screen = await press(pilot, "g")
        screen.query_one("#set-softcap", Input).focus()
        await press(pilot, *"many", "enter")
        lines = [strip.text for strip in screen._compositor.render_strips()]
        row = next(row for row, line in enumerate(lines) if "soft cap" in line)
        assert "many" in lines[row]
        assert "softcap:" in lines[row + 1]
        await press(pilot, "escape")
        assert notices(pilot).startswith("softcap: ")
        # It is over once the panel is opened again.
        await press(pilot, "g")
        assert not screen.query_one("#problem").display


@pytest.mark.slow
async def test_a_parameter_has_a_row_while_its_rule_is_on_and_moves_by_up_and_down() -> None:
    rule = EXAMPLE.setup.put(Scale("temperature", (("T", 0.5),)))
    async with AttnApp(replace(EXAMPLE, setup=rule)).run_test(size=(120, 40)) as pilot:
        screen = await press(pilot, "g", "tab")
        field = screen.query_one("#set-temperature-T", Input)
        assert (field.has_focus, field.value) == (True, "0.5")
        assert not screen.query_one("#set-yarn-f").parent.display  # type: ignore[union-attr]
        assert "↑↓ Move" in footer(pilot)
        screen = await press(pilot, "up", "up", "up", "down")
        assert screen.present.draft.setup.scale == Scale("temperature", (("T", 0.8),))
        assert field.value == "0.8"
        assert "1/T, T = 0.8: multiplied by 1.25" in str(screen.pane("d_k-pane").border_subtitle)
        screen = await press(pilot, *"2.5", "up")
        assert "1/T, T = 3: divided by 3" in str(screen.pane("d_k-pane").border_subtitle)
        screen = await press(pilot, "escape")
        screen.ask(RULE.edit("yarn"))
        screen = await press(pilot, "g", "tab")
        assert screen.query_one("#set-yarn-f").has_focus
        assert not screen.query_one("#set-temperature-T").parent.display  # type: ignore[union-attr]
        screen = await press(pilot, "down", "down")
        assert "f = 20: divided by" in str(screen.pane("d_k-pane").border_subtitle)


@pytest.mark.parametrize(
    "rule", slow_after(0, [rule for rule in RULES.values() if rule.parameters])
)
async def test_every_parameter_can_be_moved_within_its_range(rule: Rule) -> None:
    # A rule that normalises refuses typed scores.
    text = "n = 8" if rule.normalises else EXAMPLE.text
    start = replace(EXAMPLE, text=text, setup=EXAMPLE.setup.put(Scale(rule.name)))
    async with AttnApp(start).run_test(size=(80, 24)) as pilot:
        screen = await press(pilot, "g", "tab", *["down"] * 4, "up")
        value = screen.present.draft.setup.scale.parameters[rule.parameters[0].name]
        assert rule.parameters[0].kind.admits(value)
        assert value != rule.parameters[0].default or value == 0.0
        assert not str(screen.query_one("#problem", Label).render())


@pytest.mark.parametrize(
    ("typed", "left"),
    slow_after(2, [
        (["e", "1", "space", "2", "enter"], "1 2"),
        (["d"], EXAMPLE.text),
        (["e", "1", "space", "2", "enter", "home"], "1 2"),
        (["e"], EXAMPLE.text),
        (["e", "end", "home"], EXAMPLE.text),
        (["e", *"q: 1 0", "enter", *"K: 1 1", "enter", *"0 1", "enter"], "q: 1 0\nK: 1 1\n0 1"),
        (["d", "backspace"], EXAMPLE.text),
        (["g", "tab", "tab"], EXAMPLE.text),
        (["g", "tab", "tab", "tab"], EXAMPLE.text),
    ]),
)  # fmt: skip
async def test_a_slash_where_a_number_begins_leads_to_the_palette(
    typed: list[str], left: str
) -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await press(pilot, *typed)
        # All keys at once, as over a slow line: none of them is typed into the scores.
        await burst(pilot, *"/cap 50", "enter")
        screen = await shown(pilot)
        assert screen.present.draft.text == left
        assert screen.query_one("#scores", TextArea).text == left
        assert screen.present.experiment.setup.scale.softcap == 50.0
        assert screen.focused is screen.home
        assert not notices(pilot)


async def test_a_slash_inside_a_line_or_a_paste_is_no_key() -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await press(pilot, "e", "1", "slash")
        assert screen.present.draft.text == "1/"
        await press(pilot, "ctrl+u")
        pilot.app.post_message(Paste("/d_k 64"))
        screen = await shown(pilot)
        assert not isinstance(pilot.app.screen, CommandPalette)
        assert screen.present.draft.text == "/d_k 64"
        assert "To leave the scores, press esc" in screen.failure


@pytest.mark.parametrize(("line", "is_word"), [("d_k 64", True), ("1,, 2", False)])
async def test_a_word_in_the_scores_is_told_how_to_leave_them(line: str, is_word: bool) -> None:
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        screen = await press(pilot, "e", "1", "enter", *line)
        assert "not" in screen.failure or "missing" in screen.failure
        assert ("To leave the scores, press esc" in screen.failure) == is_word


@pytest.mark.parametrize("size", [(120, 40), pytest.param((60, 20), marks=pytest.mark.slow)])
async def test_in_a_number_a_key_of_no_number_does_what_it_does_elsewhere(
    size: tuple[int, int],
) -> None:
    async with AttnApp(EXAMPLE).run_test(size=size) as pilot:
        screen = await press(pilot, "tab")
        field = screen.query_one("#d_k-typed", Input)
        assert field.has_focus
        screen = await press(pilot, "minus")
        assert (field.value.strip(), field.selected_text.strip()) == ("896", "896")
        screen = await press(pilot, "plus", "delete", "t")
        assert (field.value, screen.view) == ("", screen.views[1])
        await press(pilot, "plus")
        assert screen.present.experiment.setup.d_k == 1280
        assert field.value == ""
        # Those of which numbers are written are typed.
        await press(pilot, *"3*10^2 1e+2")
        assert field.value == "3*10^2 1e+2"
        await pilot.press("question_mark")
        await pilot.pause()
        assert screen.is_help_open or screen is not pilot.app.screen
        assert "?" not in field.value


@pytest.mark.slow
async def test_a_number_that_is_emptied_has_its_value_again_when_it_is_left() -> None:
    async with AttnApp(Draft("n = 8, seed = 5")).run_test(size=(120, 40)) as pilot:
        screen = await press(pilot, "d", "delete", "escape")
        assert screen.query_one("#d_k-typed", Input).value.strip() == "1,024"
        await press(pilot, "g")
        seed = screen.query_one("#set-seed", Input)
        seed.focus()
        await press(pilot, "delete", "question_mark", "tab")
        assert not seed.has_focus
        assert seed.value == "5"
        assert not screen.query_one("#problem").display
        # Nothing is a cap, too: none.
        cap = screen.query_one("#set-softcap", Input)
        cap.focus()
        await press(pilot, "3", "enter", "backspace", "tab")
        assert screen.present.experiment.setup.scale.softcap is None


@pytest.mark.parametrize("keys", slow_after(1, ["o", "e", "d", "s", "slash", "g tab tab", "6 e"]))
async def test_a_cursor_stays_and_draws_nothing_while_nobody_types(keys: str) -> None:
    """A cursor that blinks takes a processor, and a slow line, twice a second for ever."""
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        await press(pilot, *keys.split())
        field = pilot.app.screen.focused
        assert isinstance(field, Input | TextArea)
        assert not field.cursor_blink
        assert field._cursor_visible
        assert not [one for one in pilot.app.screen.walk_children() if one.auto_refresh]
