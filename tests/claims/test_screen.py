"""The Claims screen: claims, findings, and the instruments that show them."""

import json
from dataclasses import replace

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import DataTable, Input, Label, OptionList, Static

from attn_tui.claims.ledger import find, ledger
from attn_tui.claims.screen import ClaimsScreen
from attn_tui.claims.settings import Settings
from attn_tui.compute.field import fields_of
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.ui.app import AttnApp
from attn_tui.ui.palette import PaletteProvider
from tests.ui.person import app_of, notices, press, read, shown, shown_title

WIDE, MEDIUM, SMALL = (120, 40), (80, 24), (40, 15)


def at_claim(name: str, draft: Draft = EXAMPLE) -> AttnApp:
    claim = fields_of(Settings)["claim"]
    setup = draft.setup.changed(claim, lambda _: name)
    # However slow the machine is, consecutive keys count as one gesture.
    return AttnApp(replace(draft, setup=setup), "claims", clock=lambda: 0.0)


async def claims(pilot: Pilot[None], *keys: str) -> ClaimsScreen:
    screen = await press(pilot, *keys) if keys else await shown(pilot)
    assert isinstance(screen, ClaimsScreen)
    return screen


def texts(screen: ClaimsScreen) -> dict[str, str]:
    names = ("source", "condition", "right", "formula", "trial")
    statics = {name: str(screen.query_one(f"#{name}", Static).content) for name in names}
    return statics | {"badge": str(screen.query_one("#badge", Label).content)}


def rows(screen: ClaimsScreen) -> list[str]:
    table = screen.query_one(DataTable)
    return [" ".join(map(str, table.get_row_at(row))) for row in range(table.row_count)]


async def test_a_claim_comes_in_its_own_words_with_its_verdict_and_what_is_right() -> None:
    async with at_claim("S0-14").run_test(size=WIDE) as pilot:
        screen = await claims(pilot)
        claim = find("S0-14")
        assert screen.headline == f"“{claim.says}” It is false."
        words = texts(screen)
        assert words["badge"] == "✗ FALSE"
        assert words["source"] == claim.source
        assert words["right"] == claim.right
        assert words["trial"] == "Computed here with seed 1, d_k 64, draws 100,000."
        assert rows(screen)[0].startswith("✗ normal entries, d_k = 64")
        assert rows(screen)[1].split()[-2:] == ["64", "0"]
        assert not screen.pane("picture-pane").display


@pytest.mark.slow
async def test_the_list_has_all_words_of_a_claim_and_nothing_touches_a_scroll_bar() -> None:
    """Cut after five words, no claim could be told from its neighbours."""
    async with at_claim("S0-2").run_test(size=WIDE) as pilot:
        screen = await claims(pilot)
        assert "A large d_k makes dot products ◐ S0-3" not in read(pilot)
        assert "large, softmax extreme, and" in read(pilot)
        lines = [strip.text for strip in screen._compositor.render_strips()]
        for bar in (
            screen.query_one("#claim").vertical_scrollbar.region,
            screen.query_one("#list").vertical_scrollbar.region,
        ):
            assert {line[bar.x - 1] for line in lines[bar.y : bar.bottom]} == {" "}
        assert not any("…" in line[:45] for line in lines[8:-2])
        for size, is_cut in ((MEDIUM, False), (SMALL, True)):
            await pilot.resize_terminal(*size)
            await shown(pilot)
            assert ("A large d_k makes dot…" in read(pilot)) is is_cut
            # The claim that is shown is still marked.
            marked = screen.query_one(OptionList).highlighted
            assert marked is not None
            assert screen.query_one(OptionList).get_option_at_index(marked).id == "S0-2"


async def test_the_list_has_a_glyph_for_each_verdict_and_says_how_many() -> None:
    async with at_claim("S0-17").run_test(size=WIDE) as pilot:
        screen = await claims(pilot)
        listed = screen.query_one(OptionList)
        assert listed.option_count == len(ledger()) == 117
        line = str(listed.get_option("S0-17").prompt)
        assert "¶" in line
        assert "S0-17" in line
        assert shown_title(screen.pane("list-pane")) == "e 117 claims"
        assert screen.pane("list-pane").border_subtitle == "✓ 30  ✗ 19  ◐ 58  ¶ 10"


@pytest.mark.slow
async def test_arrows_go_from_claim_to_claim_and_a_run_is_one_step() -> None:
    names = [*ledger()]
    async with at_claim(names[0]).run_test(size=WIDE) as pilot:
        screen = await claims(pilot, "down", "down", "j")
        assert screen.claim.id == names[3]
        assert screen.headline.startswith(f"“{find(names[3]).says}”")
        assert (await claims(pilot, "u")).claim.id == names[0]
        screen = await claims(pilot, "end", "k")
        assert screen.claim.id == names[-2]


@pytest.mark.slow
async def test_words_narrow_the_list_and_escape_lists_all_again() -> None:
    async with at_claim("S0-14").run_test(size=WIDE) as pilot:
        screen = await claims(pilot, "e", *"s1 false")
        listed = screen.query_one(OptionList)
        assert [option.id for option in listed.options] == ["S1-5", "S1-6"]
        assert shown_title(screen.pane("list-pane")) == "e 2 of 117 claims"
        assert screen.claim.id == "S1-5"
        assert screen.pane("claim-pane").border_title == "S1-5"
        assert (await claims(pilot, "down")).claim.id == "S1-5"
        assert screen.focused is listed
        assert (await claims(pilot, "down")).claim.id == "S1-6"
        screen = await claims(pilot, "escape")
        assert screen.query_one(OptionList).option_count == 117
        assert screen.query_one("#filter", Input).value == ""
        assert screen.focused is screen.query_one(OptionList)


@pytest.mark.slow
async def test_a_filter_that_leaves_one_claim_shows_it() -> None:
    async with at_claim("S0-14").run_test(size=WIDE) as pilot:
        screen = await claims(pilot, "e", *"s2-26", "enter")
        assert screen.claim.id == "S2-26"
        assert screen.pane("claim-pane").border_title == "S2-26"
        assert screen.focused is screen.query_one(OptionList)


@pytest.mark.slow
async def test_the_palette_shows_the_words_of_claims_as_they_are() -> None:
    async with at_claim("S0-14").run_test(size=WIDE) as pilot:
        screen = await claims(pilot)
        provider = PaletteProvider(screen)
        for name in ("S0-22", "S2-8", "S2-26"):
            hits = [hit async for hit in provider.search(name)]
            best = max(hits, key=lambda hit: hit.score)
            assert isinstance(best.prompt, Content)
            assert best.prompt.plain == f"claim: {name} {find(name).says}"
            assert Content.from_markup(best.help or "").plain == find(name).right


@pytest.mark.slow
async def test_another_draw_or_d_k_changes_the_numbers_and_not_the_verdict() -> None:
    async with at_claim("S0-14").run_test(size=WIDE) as pilot:
        before = rows(await claims(pilot))
        screen = await claims(pilot, "a")
        assert rows(screen) != before
        assert "seed 2" in texts(screen)["trial"]
        screen = await claims(pilot, "plus")
        assert rows(screen)[0].strip() == "✗ normal entries, d_k = 80"
        assert screen.headline.endswith("It is false.")
        assert app_of(pilot).line == "attn-tui claim S0-14 --seed 2 --d-k 80 --screen"
        # The instrument opens with the present trial of the claim.
        assert (await press(pilot, "enter")).present.experiment.setup.d_k == 80


@pytest.mark.slow
async def test_a_claim_whose_premise_is_gone_does_not_apply_now() -> None:
    async with at_claim("L-10").run_test(size=WIDE) as pilot:
        screen = await claims(pilot, *["left_curly_bracket"] * 9)
        assert screen.present.draft.setup.get(Settings).d_k == 8
        assert screen.headline.endswith("It does not apply now: at d_k = 8 its premise is not met.")
        assert texts(screen)["badge"] == "– DOES NOT APPLY HERE"
        assert rows(screen)[0].startswith("–")


@pytest.mark.slow
async def test_d_k_and_n_are_typed_in_the_settings() -> None:
    async with at_claim("S0-2").run_test(size=WIDE) as pilot:
        screen = await claims(pilot, "n")
        assert isinstance(screen.focused, Input)
        screen = await claims(pilot, *"8", "enter", "escape")
        assert screen.present.draft.setup.get(Settings).n == 8
        assert screen.query_one("#numbers", DataTable).row_count
        assert screen.focused is screen.query_one(OptionList)
    async with at_claim("S0-14").run_test(size=WIDE) as pilot:
        screen = await claims(pilot, "d")
        assert isinstance(screen.focused, Input)
        await claims(pilot, *"8", "enter")
        assert screen.present.draft.setup.get(Settings).d_k == 8


@pytest.mark.slow
async def test_what_can_not_be_done_says_why() -> None:
    async with at_claim("S0-17").run_test(size=WIDE) as pilot:
        before = (await claims(pilot)).present
        for key, words in (
            ("d", "d_k plays no part in S0-17"),
            ("n", "n plays no part in S0-17"),
            ("plus", "d_k plays no part in S0-17"),
            ("a", "seed plays no part in S0-17"),
            ("full_stop", "n plays no part in S0-17"),
            ("right_curly_bracket", "d_k plays no part in S0-17"),
            ("r", "Each claim says which scale it is about"),
            ("space", "nothing to stop or to play"),
            ("enter", "No instrument shows this"),
        ):
            pilot.app.clear_notifications()
            assert (await claims(pilot, key)).present == before
            assert words in notices(pilot)


@pytest.mark.slow
async def test_enter_sets_up_the_instrument_and_one_step_back_undoes_it() -> None:
    own = Draft("a: 7, 8, 9", Setup(d_k=16))
    async with at_claim("S0-14", own).run_test(size=WIDE) as pilot:
        before = (await claims(pilot)).present.draft
        screen = await press(pilot, "enter")
        assert screen.NAME == "dots"
        assert screen.present.draft.setup.d_k == 64
        assert "S0-14: For zero-mean entries" in notices(pilot)
        screen = await claims(pilot, "6")
        assert screen.claim.id == "S0-14"
        assert (await claims(pilot, "u")).present.draft == before


@pytest.mark.slow
async def test_a_claim_is_found_by_its_words_in_the_palette() -> None:
    async with at_claim("S0-2").run_test(size=WIDE) as pilot:
        await claims(pilot)
        await pilot.press("slash", *"S2-19")
        await pilot.pause(0)
        while not pilot.app.screen.query("CommandList"):
            await pilot.pause()
        for _ in range(200):
            await pilot.pause()
            if pilot.app.screen.query_one(OptionList).option_count:
                break
        await pilot.press("enter")
        for _ in range(200):
            screen = await shown(pilot)
            if isinstance(screen, ClaimsScreen) and screen.claim.id == "S2-19":
                break
        assert isinstance(screen, ClaimsScreen)
        assert screen.claim.id == "S2-19"


@pytest.mark.slow
@pytest.mark.parametrize(("size", "claim"), [(MEDIUM, "S0-2"), (SMALL, "S0-14")])
async def test_one_pane_at_a_time_where_there_is_no_room(size: tuple[int, int], claim: str) -> None:
    panes = ["list-pane", "claim-pane", "picture-pane"]
    # A number that should be 0 has no picture.
    expected = panes if claim == "S0-2" else panes[:2]
    async with at_claim(claim).run_test(size=size) as pilot:
        seen = []
        for keys in ((), *[("t",)] * len(expected)):
            screen = await claims(pilot, *keys)
            (visible,) = [name for name in panes if screen.pane(name).region.area]
            seen.append(visible)
        assert seen == [*expected, "list-pane"]
        before = screen.claim.id
        assert (await claims(pilot, "down")).claim.id != before


async def test_what_is_saved_is_what_is_shown() -> None:
    async with at_claim("S0-14").run_test(size=WIDE) as pilot:
        screen = await claims(pilot, "a")
        forms = {ending: "".join(map(str, write())) for ending, write in screen.forms().items()}
        plain = json.loads(forms[".json"])
        assert plain["experiment"]["settings"]["claims"]["seed"] == 2
        assert plain["claims"][0]["headline"] == screen.headline
        assert forms[".csv"].startswith("id,verdict,case,holds,name,value")
        assert find("S0-14").right.split(".")[0] in " ".join(screen.report_text().split())
