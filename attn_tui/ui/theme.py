"""The themes of attn-tui, and the colours of data on whatever theme is in use."""

from collections.abc import Mapping
from functools import lru_cache

from textual.app import App
from textual.color import Color
from textual.theme import Theme

from attn_tui.charts.colour import HUES, contrast, luminance, mix

CONTRAST = 4.5
"""Least contrast of a text with what is behind it, as WCAG AA asks."""

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
THEMES = (DARK, LIGHT)


def legible(colour: str, background: str) -> str:
    """Return a colour moved towards white or black until it can be read on a background."""
    end = max(("#000000", "#ffffff"), key=lambda each: contrast(each, background))
    for step in range(20):
        moved = mix(colour, end, step / 20)
        if contrast(moved, background) >= CONTRAST:
            return moved
    return end


def colours_of(app: App[object]) -> Mapping[str, str]:
    """Return the colour of each kind of data, of ``text``, ``muted`` and ``background``."""
    variables = app.theme_variables
    return _colours(variables["background"], variables["foreground"], variables["accent"])


@lru_cache(maxsize=16)
def _colours(background: str, foreground: str, accent: str) -> Mapping[str, str]:
    behind, text, accent = (
        _opaque(colour, background) for colour in (background, foreground, accent)
    )
    is_dark = luminance(behind) < 0.2
    colours = {
        kind: legible(hue.dark[0] if is_dark else hue.light[0], behind)
        for kind, hue in HUES.items()
    }
    muted = legible(mix(behind, text, 0.5), behind)
    return {**colours, "text": text, "muted": muted, "background": behind, "accent": accent}


def _opaque(colour: str, background: str) -> str:
    """Return a theme's colour as ``#rrggbb``; the terminal's own are taken for black and white."""
    parsed = Color.parse(colour)
    if parsed.ansi is not None:
        return "#000000" if colour == background else "#d0d0d0"
    return f"#{parsed.r:02x}{parsed.g:02x}{parsed.b:02x}"


def data_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the colours of data as variables of the style sheet: ``$unscaled``, ``$scaled``."""
    colours = _colours(variables["background"], variables["foreground"], variables["accent"])
    return {kind: colours[kind] for kind in (*HUES, "muted")}


def default_theme(environ: Mapping[str, str]) -> str:
    """Return the theme for a terminal of which COLORFGBG may say that it is light."""
    _, _, background = environ.get("COLORFGBG", "").rpartition(";")
    return LIGHT.name if background in ("7", "15") else DARK.name
