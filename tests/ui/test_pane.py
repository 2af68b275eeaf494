"""A pane says what it shows and how it was made, as far as there is room."""

from dataclasses import replace

import pytest
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.geometry import Region

from attn_tui.charts.table import Page
from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.pane import Pane
from attn_tui.ui.picture import Sheet
from attn_tui.ui.theme import data_variables
from tests.pairs import slow_after
from tests.ui.person import press, shown


def numbered(n_lines: int) -> Page:
    """Return a text of some lines."""
    return Page(lambda _: [[(f"line {line}", "text")] for line in range(n_lines)])


class Host(App[None]):
    """An application with one pane."""

    CSS = "Pane { border: round $foreground; &:focus { border: round $accent; } }"

    def compose(self) -> ComposeResult:
        yield Pane("")


async def test_what_matters_less_is_left_out_where_there_is_no_room_and_comes_back() -> None:
    async with Host().run_test(size=(80, 10)) as pilot:
        pane = pilot.app.query_one(Pane)
        pane.describe("Saturation: mean over rows", "", "medians of 1,000 draws", "[b]stopped[/b]")
        for columns, title, subtitle in (
            (80, "Saturation: mean over rows", "medians of 1,000 draws · [b]stopped[/b]"),
            (24, "Saturation", "[b]stopped[/b]"),
            (80, "Saturation: mean over rows", "medians of 1,000 draws · [b]stopped[/b]"),
        ):
            await pilot.resize_terminal(columns, 10)
            await pilot.pause()
            assert (pane.border_title, pane.border_subtitle) == (title, subtitle)


async def test_a_text_that_grew_is_scrolled_to_its_end() -> None:
    class Reader(App[None]):
        def get_css_variables(self) -> dict[str, str]:
            return super().get_css_variables() | data_variables(self)

        def compose(self) -> ComposeResult:
            yield VerticalScroll(Sheet())

    async with Reader().run_test(size=(40, 10)) as pilot:
        sheet, scroll = pilot.app.query_one(Sheet), pilot.app.query_one(VerticalScroll)
        for n_lines, rest in ((3, 0), (30, 20), (12, 2)):
            sheet.drawing = numbered(n_lines)
            await pilot.pause()
            assert scroll.max_scroll_y == rest


async def test_a_title_leaves_out_the_axis_that_its_chart_has() -> None:
    async with Host().run_test(size=(80, 10)) as pilot:
        pane = pilot.app.query_one(Pane)
        pane.describe("Gradient over d_k: norm")
        titles = "Gradient over d_k: norm", "Gradient over d_k", "Gradient"
        for columns, title in zip((80, 24, 20), titles, strict=True):
            await pilot.resize_terminal(columns, 10)
            await pilot.pause()
            assert pane.border_title == title


async def test_numbers_that_do_not_fit_give_way_to_shorter_ones() -> None:
    async with Host().run_test(size=(80, 10)) as pilot:
        pane = pilot.app.query_one(Pane)
        pane.describe("Gradient", "1.87e-13 → 0.0135", short="2e-13 → 0.0135")
        for columns, subtitle in ((80, "1.87e-13 → 0.0135"), (20, "2e-13 → 0.0135")):
            await pilot.resize_terminal(columns, 10)
            await pilot.pause()
            assert pane.border_subtitle == subtitle


async def test_the_line_of_a_subtitle_that_changes_is_the_one_that_textual_draws() -> None:
    subtitles = (
        "3 keys", "4 of 10 keys", "[b]5[/b] keys", "[b]66[/b] of 70", "[i]7[/i] keys",
        "8 [b]keys[/b]", "", "猫 keys", "\\[x] keys", "9 keys",
    )  # fmt: skip
    async with Host().run_test(size=(40, 6)) as pilot:
        pane = pilot.app.query_one(Pane)
        width, height = pane.outer_size
        for has_focus in (False, True):
            pilot.app.set_focus(pane if has_focus else None)
            for subtitle in subtitles:
                pane.describe("Weights", subtitle)
                await pilot.pause()
                (part,) = pane.spans([(height - 1, 0, width)])
                (whole,) = pane.render_lines(Region(0, height - 1, width, 1))
                assert part is not None
                assert [*part] == [*whole], subtitle


async def test_a_title_ends_with_a_whole_word() -> None:
    async with Host().run_test(size=(30, 10)) as pilot:
        pane = pilot.app.query_one(Pane)
        pane.describe("Gradient of the third key", "[$scaled]● divided by[/] the root of d_k")
        await pilot.pause()
        assert pane.border_title == "Gradient of the third…"
        assert str(pane.border_subtitle).endswith(" the root…")


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    slow_after(1, ["q: 1 0\n0 1\n1 1\nK: 1 0\n0 1\n1 1", "100, 120, 150", "n = 5000, seed = 1"]),
)
async def test_on_a_small_screen_titles_lose_whole_parts_and_no_words(text: str) -> None:
    async with AttnApp(replace(EXAMPLE, text=text)).run_test(size=(60, 20)) as pilot:
        await shown(pilot)
        for key in ("1", "4"):
            await press(pilot, key)
            for _ in range(3):
                strips = pilot.app.screen._compositor.render_strips()
                borders = [strip.text for strip in strips if {*"╭╰┏┗"} & {*strip.text}]
                assert borders
                assert not [line for line in borders if "…" in line]
                await press(pilot, "t")
