"""The themes of attn-tui, and the colours of data on any theme."""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any

from textual.app import App
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from attn_tui.charts.colour import (
    CONTRAST,
    HUES,
    Depth,
    Palette,
    contrast,
    distance,
    few,
    legible,
    luminance,
    mix,
    seen,
)
from attn_tui.compute.errors import InputError, inert
from attn_tui.ui.terminal.filters import ASCII_GLYPHS

APART = {Depth.TRUE: 0.1, Depth.FEW: 0.08, Depth.TEXTURES: 0.1}
"""How far from the colours of data, in OKLab, another colour must be to look different."""

DARK = Theme(
    "attn",
    primary="#b9a3ff",
    secondary="#8f7fd0",
    accent="#b9a3ff",
    warning="#e8a33d",
    error="#f0616d",
    success="#48a84f",
    foreground="#e6e8ee",
    background="#0e1016",
    surface="#141822",
    panel="#1b2030",
    dark=True,
    variables={
        "border": "#333a4f",
        "border-blurred": "#333a4f",
        "footer-key-foreground": "#b9a3ff",
    },
)
LIGHT = Theme(
    "attn-light",
    primary="#6f35c4",
    secondary="#8a63cc",
    accent="#6f35c4",
    warning="#9e5b00",
    error="#b01028",
    success="#1c832a",
    foreground="#20222a",
    background="#fbfaf7",
    surface="#f3f1ea",
    panel="#e8e4d9",
    dark=False,
    variables={
        "border": "#b9b4a6",
        "border-blurred": "#b9b4a6",
        "footer-key-foreground": "#6f35c4",
    },
)
THEMES = {theme.name: theme for theme in (DARK, LIGHT)}
"""The themes of attn-tui, by name."""

THEME_SYNONYMS = {
    DARK.name: ("dark", "dark theme", "dark mode", "black background"),
    LIGHT.name: ("light", "light theme", "light mode", "white background"),
}
"""Other words by which the themes of attn-tui can be searched for."""


def check_theme(name: str, others: Collection[Theme] = ()) -> None:
    """Raise InputError, which lists the themes, unless a name is that of a theme or of another."""
    themes = sorted({*THEMES, *BUILTIN_THEMES, *(theme.name for theme in others)})
    if name not in themes:
        raise InputError("theme", f"{inert(name)} is not a theme", f"one of {', '.join(themes)}")


def depth_of(app: App[Any]) -> Depth:
    """Return how the terminal of an application can show magnitudes."""
    if app.no_color or ASCII_GLYPHS in app.get_line_filters():
        return Depth.TEXTURES
    return {"truecolor": Depth.TRUE, "256": Depth.FEW}.get(
        app.console.color_system or "", Depth.TEXTURES
    )


def colours_of(app: App[Any]) -> Palette:
    """Return the colour of each kind of data and of every other part of pictures.

    The other parts are ``text``, ``muted`` text, the ``background``, the ``frame`` of a pane, and
    the ``accent``, which marks the focus and the cursor.
    """
    variables = app.theme_variables
    colours = [variables[name] for name in ("background", "foreground", "accent", "primary")]
    return _colours(*colours, app.current_theme.dark, depth_of(app))


@lru_cache(maxsize=16)
def _colours(
    background: str, foreground: str, accent: str, primary: str, dark: bool, depth: Depth
) -> Palette:
    # The terminal's own colours are assumed to be nearly white on black, or the reverse.
    ends = ("#101010", "#d0d0d0") if dark else ("#ffffff", "#303030")
    behind, text = (
        seen(_opaque(colour, end), depth)
        for colour, end in zip((background, foreground), ends, strict=True)
    )
    data = {kind: _of_data(kind, behind, depth) for kind in HUES}
    taken = [*data.values()]
    if depth is Depth.FEW:
        taken += [step for kind in HUES for step in few(kind, behind)]
    marks = [legible(_opaque(colour, text), behind, depth) for colour in (accent, primary)]
    # A theme's accent may look like a colour of data: then it is not used.
    apart = [mark for mark in marks if min(distance(mark, other) for other in taken) > APART[depth]]
    named = {
        **data,
        "text": text,
        "muted": legible(mix(behind, text, 0.5), behind, depth),
        "background": behind,
        "frame": mix(behind, text, 0.25),
        "accent": apart[0] if apart else text,
    }
    return Palette(named, depth)


def _of_data(kind: str, background: str, depth: Depth) -> str:
    """Return the colour of text and curves for a kind of data."""
    if depth is Depth.FEW:
        for colour in few(kind, background)[-2:]:
            if contrast(colour, background) >= CONTRAST:
                return colour
    hue = HUES[kind]
    shade = (hue.dark if luminance(background) < 0.2 else hue.light)[0]
    return legible(shade, background, depth)


def _opaque(colour: str, default: str) -> str:
    """Return a theme's colour as ``#rrggbb``, or a default if it is the terminal's own."""
    parsed = Color.parse(colour)
    if parsed.ansi is not None:
        return default
    return f"#{parsed.r:02x}{parsed.g:02x}{parsed.b:02x}"


def data_variables(app: App[Any]) -> dict[str, str]:
    """Return the colours of pictures as style sheet variables such as ``$unscaled``, ``$mark``."""
    colours = colours_of(app)
    return {kind: colours[kind] for kind in (*HUES, "muted", "frame")} | {"mark": colours["accent"]}


def default_theme(environ: Mapping[str, str]) -> str:
    """Return the light theme if COLORFGBG says that the terminal is light, else the dark one."""
    _, _, background = environ.get("COLORFGBG", "").rpartition(";")
    return LIGHT.name if background in ("7", "15") else DARK.name
