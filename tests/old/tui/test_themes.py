"""Every theme can be read: no glyph in the colour of its background, no number hard to make out."""

from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.color import ColorType
from rich.segment import Segment
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep.settings import Settings
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui.theme import contrast, role_variables
from attn_tui.ui.memory import remembered_theme
from tests.old.tui.person import NARROW, WIDE, Person, at_screen

SMALL_SWEEP = Settings(n=8, points=6, map_points=4, draws=64, n_range=(2, 64), crossovers=False)
MANY = ("textual-dark", "textual-light", "ansi-dark", "ansi-light")
"""Themes that are looked at everywhere."""

EVERYWHERE: dict[str, tuple[str, ...]] = {
    "weights": (),
    "jacobian": ("t", "l"),
    "over d_k": ("t",),
    "rules": ("r",),
    "help": ("question_mark",),
    "typing d_k": ("d",),
    "palette": ("ctrl+p",),
    "an error": ("e", "x"),
    "histogram": ("2",),
    "deviation over d_k": ("t",),
    "table": ("t",),
    "derivation": ("t",),
    "the draws": ("shift+tab",),
    "entries": ("e",),
    "an error in the draws": ("c", "2", "enter"),
    "sweep": ("3",),
    "ratio": ("slash",),
    "map": ("t", "t"),
    "several rules": ("r",),
}
SOME = {
    "jacobian": ("t",),
    "an error": ("e", "x"),
    "histogram": ("2",),
    "map": ("3", "t", "t", "slash"),
    "several rules": ("r",),
}
"""Where every role that is drawn can be seen."""


def test_no_colour_means_two_things() -> None:
    colours = role_variables({"background": "#000000", "foreground": "#ffffff"}, ansi=False)
    assert len({*colours.values()}) == len(colours)


def cells(person: Person) -> list[Segment]:
    """Return the segments of the screen that hold a glyph."""
    strips = person.app.screen._compositor.render_strips()
    return [segment for strip in strips for segment in strip if segment.text.strip()]


def colours(person: Person, segment: Segment) -> tuple[RichColor | None, RichColor | None]:
    """Return the colours of a segment's text and background as the terminal will show them."""
    assert segment.style is not None
    pair = (segment.style.color, segment.style.bgcolor)
    return pair[::-1] if segment.style.reverse else pair


@pytest.mark.parametrize("theme", sorted(BUILTIN_THEMES))
async def test_no_glyph_has_the_colour_of_its_background(theme: str) -> None:
    ansi = BUILTIN_THEMES[theme].ansi
    draft = Draft(EXAMPLE.text, Setup(64).put(SMALL_SWEEP))
    async with at_screen(WIDE, draft, theme) as person:
        for keys in (EVERYWHERE if theme in MANY else SOME).values():
            await person.press("escape", *keys)
            for segment in cells(person):
                text, background = colours(person, segment)
                if text is not None and not text.is_default:
                    assert text != background, segment
                if not ansi and any(character.isdigit() for character in segment.text):
                    legible(segment, text, background)


def legible(segment: Segment, text: RichColor | None, background: RichColor | None) -> None:
    """Check that a number stands out from its background."""
    assert text is not None
    assert background is not None
    assert text.type is background.type is ColorType.TRUECOLOR
    ratio = contrast(Color.from_rich_color(text), Color.from_rich_color(background))
    assert ratio >= 3, f"{segment.text!r} has a contrast of {ratio:.2f}"


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light"])
async def test_ansi_themes_keep_to_the_terminals_own_colours(theme: str) -> None:
    async with at_screen(WIDE, theme=theme) as person:
        for segment in cells(person):
            for colour in colours(person, segment):
                assert colour is None or colour.type in (ColorType.DEFAULT, ColorType.STANDARD)


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_no_color_sends_no_colour_and_offers_no_theme(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with at_screen(size) as person:
        for segment in cells(person):
            assert segment.style is not None
            for colour in (segment.style.color, segment.style.bgcolor):
                assert colour is None or colour.type is ColorType.DEFAULT, segment
        await person.press("ctrl+p")
        await person.write("theme")
        person.misses("Choose the colours")


async def test_a_theme_is_shown_while_it_is_chosen_and_remembered_then(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    async with at_screen() as person:
        await person.run("app.change_theme")
        person.sees("Theme")
        await person.press("home")
        assert person.app.theme == "ansi-dark"
        await person.press("escape")
        assert person.app.theme == "textual-dark"
        assert remembered_theme() == ""
        await person.run("app.change_theme")
        person.sees("Theme")
        await person.press("home", "down", "enter")
        assert person.app.theme == remembered_theme() == "ansi-light"
