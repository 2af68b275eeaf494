"""The screen of Claims: what is said, what comes of it, and the instruments that show it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from attn_tui.claims.ledger import ledger, own_finding
from attn_tui.claims.settings import FIRST, Settings
from attn_tui.compute.field import fields_of
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.files.opening import open_draft
from attn_tui.old.tui.claims.screen import ClaimsScreen
from tests.old.tui.person import MEDIUM, NARROW, WIDE, Person, at_screen


@asynccontextmanager
async def at_claim(
    name: str = FIRST, size: tuple[int, int] = WIDE, draft: Draft = EXAMPLE
) -> AsyncIterator[Person]:
    claim = fields_of(Settings)["claim"]
    setup = draft.setup.changed(claim, lambda _: name)
    async with at_screen(size, replace(draft, setup=setup), instrument="claims") as person:
        yield person


def here(person: Person) -> str:
    return person.settings(Settings).claim


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
async def test_the_verdict_comes_first_and_then_what_is_right(size: tuple[int, int]) -> None:
    async with at_claim("S0-14", size) as person:
        assert person.lines[1].startswith(" S0-14 is false")
        assert "E[q·k] = 0" in " ".join(person.lines[1:3])
        count = f" {len(ledger())} " + "claims" * (size != NARROW)
        person.sees(count, "For zero-mean entries the expe")


async def test_signs_of_verdicts_are_told_where_there_is_no_room_for_words() -> None:
    async with at_claim("S0-14", NARROW) as person:
        person.sees("✓ holds ± cond. ✗ false ¶ words")
        assert person.line_with("S0-14 ✗")
        await person.put("source", "S1")
        person.sees(" of 93, S1 ")
    async with at_claim("S0-14", MEDIUM) as person:
        person.misses("✓ holds")


@pytest.mark.parametrize("id", ["S2-7", "S0-19"])
async def test_what_dot_products_are_is_shown_where_they_are(id: str) -> None:
    async with at_claim(id) as person:
        await person.press("enter")
        person.sees("q·k is typically")
        await person.press("escape")
        assert here(person) == id


async def test_what_decides_stands_below_the_claims() -> None:
    async with at_claim("S0-14", MEDIUM) as person:
        assert "64" in person.line_with("mean of q·k")
        assert "±" in person.line_with("variance of q·k")
        person.sees("normal entries, d_k = 64: it does not hold")


async def test_arrows_go_from_claim_to_claim_and_a_run_is_one_step() -> None:
    names = [*ledger()]
    async with at_claim(names[0]) as person:
        await person.hold("down", 3)
        assert here(person) == names[3]
        assert person.lines[1].startswith(f" {names[3]} ")
        await person.press("end", "k")
        assert here(person) == names[-2]
        await person.press("u", "u", "u")
        assert here(person) == names[0]


async def test_a_claim_is_found_by_its_words_with_two_keys() -> None:
    async with at_claim() as person:
        await person.press("e")
        await person.write("expected dot product")
        await person.press("enter")
        assert here(person) == "S0-14"
        await person.press("slash")
        await person.write("s2-19")
        await person.press("enter")
        assert here(person) == "S2-19"


async def test_the_settings_list_claims_by_text_verdict_and_topic() -> None:
    every = ledger().values()
    async with at_claim() as person:
        screen = person.screen(ClaimsScreen)
        await person.put("source", "S1")
        assert [each.id for each in screen.listed] == [e for e in ledger() if e.startswith("S1")]
        await person.put("source", "all")
        await person.put("verdict", "false")
        false = [each.id for each in every if own_finding(each.id).verdict == "false"]
        assert [each.id for each in screen.listed] == false
        person.sees(f"{len(false)} of {len(every)}, false")
        assert here(person) == false[0]
        await person.until_sees(f"{len(false)} false")
        person.misses(" conditional, ")
        await person.put("topic", "precision")
        person.sees("No claim is like that")
        await person.press("down")
        assert here(person) == false[0]


async def test_another_draw_changes_the_numbers_and_not_the_verdict() -> None:
    async with at_claim("S0-14") as person:
        before = person.line_with("mean of q·k")
        await person.press("a")
        person.sees("seed 2")
        assert person.line_with("mean of q·k") != before
        assert person.lines[1].startswith(" S0-14 is false")
        await person.press("plus")
        person.sees("d_k = 80: it does not hold")


async def test_what_plays_no_part_says_so() -> None:
    async with at_claim("S0-17") as person:
        for key in ("plus", "a", "comma"):
            await person.press(key)
            person.sees("plays no part in S0-17")


async def test_enter_sets_up_the_instrument_and_escape_restores_what_was_asked() -> None:
    own = Draft("a: 7, 8, 9", Setup(d_k=16))
    async with at_claim("S0-14", draft=own) as person:
        before = person.asked.draft
        await person.press("enter")
        assert person.app.current_mode == "dots"
        person.sees("S0-14: For zero-mean entries the expected dot product is d_k. esc goes back")
        assert person.asked.draft.setup.d_k == 64
        await person.press("plus", "plus", "escape")
        assert person.app.current_mode == "claims"
        assert person.asked.draft == before
        await person.press("u")
        person.sees("Nothing to undo")
        assert person.asked.draft == before
        await person.press("escape")
        assert person.app.current_mode == "claims"


async def test_who_goes_home_by_its_number_is_led_nowhere_any_more() -> None:
    async with at_claim("S0-14") as person:
        await person.press("enter", "plus", "6")
        assert person.asked.draft.setup.d_k == 80
        await person.press("1", "escape")
        assert person.app.current_mode == "explore"


async def test_a_visit_is_one_step_of_history() -> None:
    async with at_claim("S0-14") as person:
        before = person.asked.draft
        await person.press("enter", "u")
        assert person.asked.draft == before


async def test_a_claim_that_no_instrument_shows_has_its_picture_here() -> None:
    alone = next(each.id for each in ledger().values() if not each.opens and each.check)
    async with at_claim(alone) as person:
        await person.press("enter")
        person.sees("No instrument shows this")
        assert person.app.current_mode == "claims"
        await person.press("t")
        assert own_finding(alone).picture
        person.sees("┤")


async def test_the_picture_holds_each_number_against_what_is_stated() -> None:
    async with at_claim("S0-14", MEDIUM) as person:
        await person.press("t")
        found = person.line_with("mean of q·k")
        assert "● " in found
        assert found.rstrip().endswith("▲ 64  ◆ 0")


async def test_the_command_that_is_copied_tries_the_same() -> None:
    async with at_claim("S0-14") as person:
        assert person.app.line == "attn-tui claim S0-14"
        await person.press("a", "plus")
        assert person.app.line == "attn-tui claim S0-14 --seed 2 --d-k 80"


async def test_what_is_saved_can_be_opened(tmp_path: Path) -> None:
    async with at_claim("S0-14") as person:
        await person.press("a")
        path = tmp_path / "claim.json"
        path.write_text("".join(person.screen(ClaimsScreen).forms()[".json"]()))  # type: ignore[arg-type]
        asked = open_draft(str(path), Setup()).setup.get(Settings)
        assert asked == person.settings(Settings)
        assert (asked.claim, asked.seed) == ("S0-14", 2)


async def test_trying_them_all_is_stopped_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_claim() as person:
        screen = person.screen(ClaimsScreen)
        screen.trying.forget()
        screen.trying.start("ledger", screen.try_all)
        screen.trying.stop()
        screen.draw()
        person.sees("0 of 93 tried, space goes on")
        await person.press("space")
        person.sees("hold,", "conditional,", "false,")


async def test_the_mouse_goes_to_a_claim_and_a_second_click_opens_it() -> None:
    async with at_claim() as person:
        names = [*ledger()]
        await person.click("#list", 20, 4)
        assert here(person) == names[4]


async def test_the_table_of_models_stands_where_it_decides_and_each_can_be_opened() -> None:
    async with at_claim("S2-1") as person:
        await person.press("m")
        await person.write("gem2-27")
        await person.press("enter")
        assert person.app.current_mode == "explore"
        assert person.asked.draft.setup.model == "gemma-2-27b"
        await person.press("escape")
        assert person.app.current_mode == "claims"
        assert person.asked.draft.setup.d_k == 1024
        await person.press("i")
        for _ in range(20):
            await person.press("pagedown")
        person.sees("Granite-4.1-3b")
