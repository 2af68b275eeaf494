"""In ASCII every cell of a screen is ASCII, and mathematics is in words, as in reports."""

from types import SimpleNamespace

import pytest

from attn_tui.charts.look_alikes import row_in_ascii
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.instruments import INSTRUMENTS
from attn_tui.report.headline import Headline
from attn_tui.report.rows import length
from attn_tui.tui.widgets.headline import HeadlinePane
from tests.tui.person import MEDIUM, NARROW, WIDE, at_screen, settle

DRAWN = Draft("n = 40, seed = 1", Setup(d_k=64), "drawn")


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
@pytest.mark.parametrize("instrument", [each.name for each in INSTRUMENTS])
async def test_every_cell_is_ascii_in_every_view(instrument: str, size: tuple[int, int]) -> None:
    async with at_screen(size, DRAWN, instrument=instrument) as person:
        person.app.in_ascii = True
        for _ in person.app.screen_stack[0].TABS:  # type: ignore[attr-defined]
            await person.press("t")
            assert person.text.isascii(), set(filter(lambda c: not c.isascii(), person.text))
            assert all(len(line) <= size[0] for line in person.lines)


async def test_roots_and_errors_are_in_words() -> None:
    async with at_screen(WIDE, EXAMPLE) as person:
        person.app.in_ascii = True
        await settle(person.pilot)
        person.sees("[100 120 150] / sqrt(1024) = [3.1 3.8 4.7]", "||dp/ds|| 1.87e-13 -> 0.0127")
    async with at_screen(WIDE, DRAWN, instrument="dots") as person:
        person.app.in_ascii = True
        await settle(person.pilot)
        person.sees("+-", "sqrt(d_k)")


def test_blanks_make_room_for_words_so_that_columns_stay_where_they_are() -> None:
    row = (("  1031.5 ± 4.6", "a"), ("        1024", "b"), ("    0.9 ± 0.1  ", "a"))
    plain = row_in_ascii(row)
    assert length(plain) == length(row)
    text = "".join(text for text, _ in plain)
    assert text.index("1024") == "".join(text for text, _ in row).index("1024")
    assert text.endswith(" 0.9 +- 0.1  ")
    roles = [(text.strip(), role) for text, role in plain if text.strip()]
    assert roles == [("1031.5 +- 4.6", "a"), ("1024", "b"), ("0.9 +- 0.1", "a")]


def test_a_sentence_begins_in_its_column_whatever_it_grows_by() -> None:
    for says in (
        "softmax is softmax(QKᵀ/√d_k)V of ",
        "it holds where d_k ≠ n of √d_k an",
        "x" * 40,
    ):
        for end in (" " * 20, "…"):
            row = ((" ", "cursor"), ("S0-1  ", "a"), ("cond. ", "b"), (says, "a"), (end, "a"))
            text = "".join(text for text, _ in row_in_ascii(row))
            assert text.startswith(f" S0-1  cond. {says[:12]}"), text
            assert text.isascii()
    assert row_in_ascii((("a long wor", "a"), ("…", "a"))) == (("a long wo..", "a"),)
    assert row_in_ascii((("it is tried …", "a"),)) == (("it is tried ...", "a"),)


@pytest.mark.parametrize("instrument", [each.name for each in INSTRUMENTS])
async def test_titles_keep_their_names_beside_longer_words(instrument: str) -> None:
    async with at_screen(MEDIUM, EXAMPLE, instrument=instrument) as person:
        await person.run("app.ascii")
        for name in ("1 Explore", "2 Dot", "3 Sweep", "4 Attention", "5 Heads", "6 Claims"):
            assert name in person.lines[0]


async def test_what_is_right_loses_no_word_in_ascii() -> None:
    async with at_screen(MEDIUM, instrument="claims") as person:
        await person.run("app.ascii")
        await person.until_sees("sqrt(d_k)")
        said = " ".join(" ".join(person.lines).split())
        assert "grows as sqrt(d_k) and the median gradient by the scores vanishes" in said


@pytest.mark.parametrize("draft", [EXAMPLE, DRAWN])
async def test_the_formula_fits_in_words_too(draft: Draft) -> None:
    async with at_screen(NARROW, draft) as person:
        person.app.in_ascii = True
        for _ in range(12):
            await person.press("right_square_bracket")
            (line,) = (line for line in person.lines if " / sqrt(" in line)
            assert line.rstrip().endswith(("]", ")"))


async def test_the_formula_fits_as_soon_as_signs_change() -> None:
    async with at_screen((64, 24), Draft("100.25, 120.25, 150.25")) as person:
        await person.run("app.ascii")
        at_once = person.lines
        await person.run("app.redraw")
        await person.press("right_square_bracket", "u")
        assert person.lines == at_once


async def test_the_frames_of_dialogues_are_ascii_too() -> None:
    async with at_screen(MEDIUM) as person:
        await person.run("app.ascii")
        await person.press("slash")
        assert all(line.isascii() for line in person.lines)
        person.sees("+- Find -")


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW])
@pytest.mark.parametrize("instrument", [each.name for each in INSTRUMENTS])
async def test_what_is_read_is_ascii_too(instrument: str, size: tuple[int, int]) -> None:
    async with at_screen(size, DRAWN, instrument=instrument) as person:
        person.app.in_ascii = True
        for key in ("i", "question_mark"):
            await person.press(key)
            assert len(person.app.screen_stack) == 2
            for _ in range(3):
                assert person.text.isascii(), set(filter(lambda c: not c.isascii(), person.text))
                await person.press("pagedown")
            await person.press("escape")


async def test_a_headline_is_broken_where_its_words_end_and_not_cut() -> None:
    async with at_screen(MEDIUM, Draft("1, 2", Setup(d_k=2))) as person:
        pane = person.app.screen.query_one(HeadlinePane)
        signs = "m = 8/√64 = 1, not 1/√64: √d_k, √d_v and √n are all that there is to divide by. "
        scene = SimpleNamespace(problem=(), is_unread=False, headline=Headline(signs, "m = 8/√64"))
        person.app.in_ascii = True
        pane.see(scene)
        await settle(person.pilot)
        person.sees("m = 8/sqrt(64) = 1", "divide by.")
