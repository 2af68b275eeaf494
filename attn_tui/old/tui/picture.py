"""The screen as a picture: SVG, PNG, or text with colours."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from rich.color import Color, ColorSystem
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual.screen import Screen

from attn_tui.compute.errors import InputError
from attn_tui.old.tui.copying import line_of
from attn_tui.old.tui.parts import Host
from attn_tui.old.tui.svg import Look, Picture, mixed, svg

_NO_STYLE = Style()
ZOOM = 2.0
"""Pixels of a PNG for each unit of the SVG, whose cells are 8 by 16."""


def picture_of(screen: Screen[Any], title: str = "", line: str = "") -> Picture:
    """Return a screen as a picture, without what pops up over it for some seconds.

    Args:
        screen: One that is visible.
        title: What it shows, in a sentence.
        line: The command line that asks this, or nothing.
    """
    racks = [rack for rack in screen.query("ToastRack") if rack.display]
    for rack in racks:
        rack.display = False
    # Nothing public lays out at once what is not hidden, or gives the cells of a whole screen.
    screen._compositor.reflow(screen, screen.size)
    strips = screen._compositor.render_strips()
    for rack in racks:
        rack.display = True
    theme = screen.app.ansi_theme
    rows = tuple(
        tuple((text, _look(style or _NO_STYLE, theme)) for text, style, control in strip if text)
        for strip in strips
    )
    return Picture(rows, screen.size.width, title, line)


def screen_picture(screen: Any) -> Picture:
    """Return a screen as cells, with its headline in words, and the line that asks it if one can.

    Args:
        screen: One of an instrument that is visible.
    """
    shown: Host = screen
    if shown.asked is None:
        return picture_of(screen)
    headline, line = shown.scene(shown.asked).headline, ""
    with suppress(InputError):
        line = line_of(shown.NAME, shown.asked, shown.view)
    return picture_of(screen, headline.full if headline else "", line)


def _look(style: Style, theme: TerminalTheme) -> Look:
    """Return how a style looks in a terminal with such colours of its own."""
    fore, back = _hex(style.color, theme, True), _hex(style.bgcolor, theme, False)
    if style.reverse:
        fore, back = back, fore
    if style.dim:
        fore = mixed(fore, back, 0.5)
    return Look(
        fore, back, bool(style.bold), bool(style.italic), bool(style.underline), bool(style.strike)
    )


def _hex(colour: Color | None, theme: TerminalTheme, is_fore: bool) -> str:
    return (colour or Color.default()).get_truecolor(theme, is_fore).hex


def forms(picture: Picture) -> Mapping[str, Callable[[], Iterable[str | bytes]]]:
    """Return what a picture can be written as, by the ending of a file's name."""
    return {
        ".svg": lambda: svg(picture),
        ".png": lambda: [png(picture)],
        ".ans": lambda: ansi(picture),
    }


def ansi(picture: Picture) -> Iterator[str]:
    """Yield text whose colours are escapes, as ``cat`` shows it on a terminal, line by line."""
    for runs in picture.rows:
        for text, look in runs:
            fore, back, bold, italic, underline, strike = look
            style = Style(
                color=fore, bgcolor=back, bold=bold, italic=italic, underline=underline,
                strike=strike,
            )  # fmt: skip
            yield style.render(text, color_system=ColorSystem.TRUECOLOR)
        yield "\n"


def png(picture: Picture) -> bytes:
    """Return a PNG file, whose words are drawn with the fonts that there are.

    Raises:
        InputError: If what draws it is not installed, or there are no fonts.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        problem = ".png wants a package that is not installed"
        raise InputError("file", problem, "pip install 'attn-tui[png]', or .svg") from None
    letter, blank = (
        svg_to_bytes(svg_string="".join(svg(Picture((((text, Look("#fff", "#000")),),), 1))))
        for text in "M "
    )
    if letter == blank:
        raise InputError("file", "there are no fonts here to draw words with", ".svg")
    return svg_to_bytes(svg_string="".join(svg(picture)), zoom=ZOOM)
