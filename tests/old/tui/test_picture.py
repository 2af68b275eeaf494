"""Pictures show in every cell what the screen has there, whoever draws them."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from shlex import split
from xml.etree import ElementTree

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.charts.glyphs import DRAWN
from attn_tui.compute.errors import InputError
from attn_tui.compute.visible import clusters, visible
from attn_tui.files.draft import Draft
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.picture import ZOOM, ansi, forms, png, screen_picture
from attn_tui.old.tui.running import opening
from attn_tui.old.tui.shapes import HEIGHT, WIDTH, shape
from attn_tui.old.tui.svg import Look, Picture, mixed, svg
from attn_tui.report.rows import cells
from tests.old.tui.person import WIDE, at_screen
from tests.old.tui.png import Pixel, pixels

PLAIN = Look("#ffffff", "#000000")
SVG = "{http://www.w3.org/2000/svg}"
ASKED = Draft("<a & b>: 1, 2, 3, 4")


async def taken(instrument: str, draft: Draft = ASKED, theme: str = "") -> Picture:
    async with at_screen(WIDE, opening(draft), theme, instrument) as person:
        assert isinstance(person.app.screen, InstrumentScreen)
        return screen_picture(person.app.screen)


def of(text: str, look: Look = PLAIN) -> Picture:
    return Picture((((text, look),),), cells(text))


def drawn(picture: Picture) -> ElementTree.Element:
    return ElementTree.fromstring("".join(svg(picture)))


def cells_of(picture: Picture) -> Iterator[tuple[int, int, str, Look]]:
    for row, runs in enumerate(picture.rows):
        column = 0
        for text, look in runs:
            for cluster in clusters(text):
                yield column, row, cluster, look
                column += cells(cluster)


def colour(code: str) -> Pixel:
    red, green, blue = bytes.fromhex(code[1:])
    return red, green, blue


# Shapes


def test_what_frames_bars_and_curves_consist_of_has_a_shape_inside_its_cell() -> None:
    fonts = {"◆", "●", "▲", "▼", "▸", "■", "▪", "○"}
    double = set(map(chr, range(0x2550, 0x256D)))
    for glyph in {each for each in DRAWN if "─" <= each <= "⣿"} - fonts - double - set("╱╲╳"):
        rects = shape(glyph)
        assert rects is not None or not "─" <= glyph <= "▟", glyph
        for x, y, width, height in rects or ():
            assert 0 <= x < x + width <= WIDTH, glyph
            assert 0 <= y < y + height <= HEIGHT, glyph
    assert shape("a") is None


@pytest.mark.parametrize(
    ("one", "other"), ["▀▄", "▌▐", "▘▟", "▝▙", "▖▜", "▗▛", "▚▞", " █"], ids=str
)
def test_what_completes_a_cell_covers_it_once(one: str, other: str) -> None:
    rects = [*(shape(one) or ()), *(shape(other) or ())]
    assert sum(width * height for _, _, width, height in rects) == WIDTH * HEIGHT


@pytest.mark.parametrize("glyph", "─│┼├┤┬┴┌┐└┘━┃╋╭╯┡╴╻")
def test_lines_reach_the_sides_they_are_to_reach(glyph: str) -> None:
    rects = shape(glyph) or ()
    sides = {
        "left": min(x for x, _, _, _ in rects) == 0,
        "right": max(x + width for x, _, width, _ in rects) == WIDTH,
        "up": min(y for _, y, _, _ in rects) == 0,
        "down": max(y + height for _, y, _, height in rects) == HEIGHT,
    }
    reached = {
        "left": "─┼┤┬┴┐┘━╋╯╴",
        "right": "─┼├┬┴┌└━╋╭┡",
        "up": "│┼├┤┴└┘┃╋╯┡",
        "down": "│┼├┤┬┌┐┃╋╭┡╻",
    }
    assert sides == {side: glyph in glyphs for side, glyphs in reached.items()}


# Pixels


@pytest.mark.parametrize("instrument", ["explore", "dots", "sweep"])
async def test_every_cell_has_the_colours_of_the_screen(instrument: str) -> None:
    picture = await taken(instrument)
    image = pixels(png(picture))
    assert len(image) == len(picture.rows) * HEIGHT * ZOOM
    seen = set()
    for column, row, glyph, look in cells_of(picture):

        def at(x: float, y: float, column: int = column, row: int = row) -> Pixel:
            return image[int((row * HEIGHT + y) * ZOOM)][int((column * WIDTH + x) * ZOOM)]

        share = {" ": 0.0, "█": 1.0, "░": 0.25, "▒": 0.5, "▓": 0.75}.get(glyph)
        if share is not None and not look.underline:
            for x, y in ((0, 0), (WIDTH / 2, HEIGHT / 2), (WIDTH - 0.5, HEIGHT - 0.5)):
                assert at(x, y) == colour(mixed(look.back, look.fore, share)), (column, row)
        elif glyph in "▁▂▃▄▅▆▇":
            assert at(4, HEIGHT - 0.5) == colour(look.fore)
            assert at(4, 0) == colour(look.back)
        elif glyph in "▏▎▍▌▋▊▉":
            assert at(0, 8) == colour(look.fore)
            assert at(WIDTH - 0.5, 8) == colour(look.back)
        elif glyph in "─━":
            assert at(0, 8) == at(WIDTH - 0.5, 8) == colour(look.fore)
        else:
            continue
        seen.add(glyph)
    assert {" ", "─"} < seen
    assert seen & set("█▒▄▂")


def test_words_are_drawn_in_their_cells() -> None:
    image = pixels(png(of("  mm█ m")))
    for cell, glyph in enumerate("  mm█ m"):
        columns = range(int(cell * WIDTH * ZOOM), int((cell + 1) * WIDTH * ZOOM))
        inked = any(sum(line[x]) > 300 for line in image for x in columns)
        assert inked == (glyph != " "), cell


# What the file says


async def test_a_picture_says_what_it_shows_and_how_to_ask_it() -> None:
    picture = await taken("explore")
    tree = drawn(picture)
    assert (tree.findtext(f"{SVG}title") or "").startswith("Unscaled")
    assert split(tree.findtext(f"{SVG}desc") or "")[:2] == ["attn-tui", "show"]


async def test_a_picture_needs_nothing_from_elsewhere() -> None:
    text = "".join(svg(await taken("explore")))
    assert re.findall(r"\w+:/[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert "font-face" not in text
    assert "<image" not in text


@given(st.text(min_size=1, max_size=30).map(visible))
def test_any_text_stands_in_its_cells(text: str) -> None:
    words = drawn(of(text)).findall(f".//{SVG}text")
    found = {int(each.get("x", "")) // WIDTH: each.text or "" for each in words}
    column = 0
    shown = [" "] * cells(text)
    for start, word in found.items():
        column = start
        for cluster in clusters(word):
            if cells(cluster):
                shown[column] = cluster
            elif column > start:
                shown[column - 1] += cluster
            column += cells(cluster)
    for start, _, glyph, _ in cells_of(of(text)):
        if shape(glyph) is None and cells(glyph) and not glyph.isspace():
            assert shown[start].startswith(glyph)


def test_looks_are_kept() -> None:
    word = drawn(of("a", Look("#010203", "#040506", bold=True, italic=True))).find(f".//{SVG}text")
    assert word is not None
    assert (word.get("fill"), word.get("font-weight"), word.get("font-style")) == (
        "#010203", "bold", "italic",
    )  # fmt: skip
    paths = "".join(svg(of("a", Look("#010203", "#040506", underline=True, strike=True))))
    assert 'fill="#040506" d="M0 0h8v16h-8z"' in paths
    assert 'fill="#010203" d="M0 15h8v1h-8zM0 8h8v1h-8z"' in paths


async def test_the_terminals_own_colours_have_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    picture = await taken("explore")
    looks = {look for _, _, _, look in cells_of(picture)}
    assert {len(each) for look in looks for each in (look.fore, look.back)} == {7}
    assert any(look.fore != look.back for look in looks)


# Text, and what is missing


async def test_cat_shows_the_screen_again() -> None:
    picture = await taken("sweep")
    screen = pyte.Screen(*WIDE)
    pyte.Stream(screen).feed("".join(ansi(picture)).replace("\n", "\r\n").removesuffix("\r\n"))
    for column, row, glyph, look in cells_of(picture):
        shown = screen.buffer[row][column]
        assert (shown.data, f"#{shown.bg}", shown.bold) == (glyph, look.back, look.bold)
        assert f"#{shown.fg}" == look.fore


async def test_a_png_without_its_package_is_refused_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    async with at_screen(WIDE) as person:
        await person.press("ctrl+s")
        await person.paste(str(tmp_path / "a.png"))
        await person.press("enter")
        person.sees("pip install 'attn-tui[png]'")
    with pytest.raises(InputError, match="not installed"):
        [*forms(of("a"))[".png"]()]
    assert not [*tmp_path.iterdir()]


def test_words_that_no_font_draws_are_not_left_out_in_silence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import resvg_py

    monkeypatch.setattr(resvg_py, "svg_to_bytes", lambda **given: b"")
    with pytest.raises(InputError, match="there are no fonts"):
        png(of("a"))
