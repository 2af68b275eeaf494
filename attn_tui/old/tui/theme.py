"""The looks of the roles, made legible on whatever theme is in use."""

from collections.abc import Mapping

from rich.style import Style
from textual.color import Color

CONTRAST = 4.6
"""Least contrast of a role's colour with the background (WCAG AA asks 4.5 of text)."""

_COLOURS = {
    "unscaled": ("#e69f00", "ansi_magenta"),
    "scaled": ("#3b8eea", "ansi_bright_blue"),
    "pinned": ("#00a8a8", "ansi_yellow"),
    "positive": ("#2ea043", "ansi_green"),
    "negative": ("#cc79a7", "ansi_cyan"),
    "error": ("#e0303f", "ansi_red"),
    "rule1": ("#a371f7", "ansi_default"),
    "rule2": ("#b0a010", "ansi_bright_black"),
    "rule3": ("#999999", "ansi_bright_yellow"),
    "rule4": ("#c8875a", "ansi_yellow"),
}
"""The hue of each role, the same in every theme: that of an error is no other's; and the colour of
the terminal's own in its place. Of blue it is the bright: plain, it is hardly seen on black."""


def luminance(colour: Color) -> float:
    """Return the relative luminance of a colour, from 0.0 to 1.0 (WCAG 2)."""
    linear = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour.normalized
    )
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: Color, other: Color) -> float:
    """Return the contrast ratio of two colours, from 1.0 to 21.0 (WCAG 2)."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def legible(colour: Color, background: Color) -> Color:
    """Return the colour, moved towards white or black until it stands out from the background."""
    ends = (Color(255, 255, 255), Color(0, 0, 0))
    end = max(ends, key=lambda each: contrast(each, background))
    steps = (colour.blend(end, step / 20) for step in range(21))
    return next((step for step in steps if contrast(step, background) >= CONTRAST), end)


def role_variables(variables: Mapping[str, str], ansi: bool) -> dict[str, str]:
    """Return a style-sheet variable ``role-NAME`` for each role that has a colour of its own."""
    if ansi:
        plain = {f"role-{role}": colour for role, (_, colour) in _COLOURS.items()}
        others = dict.fromkeys(("role-muted", "role-text", "role-highlight"), "ansi_default")
        return plain | others
    background = Color.parse(variables["background"])
    foreground = Color.parse(variables["foreground"]).rgb
    text = legible(Color(*foreground), background)
    colours = {role: legible(Color.parse(hue), background) for role, (hue, _) in _COLOURS.items()}
    colours |= {
        "text": text,
        "muted": legible(text.blend(background, 0.45), background),
        "highlight": background.blend(text, 0.15),
    }
    return {f"role-{role}": colour.hex6 for role, colour in colours.items()}


_LOOKS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("text", "label"), ("text", "")),
    **dict.fromkeys(("muted", "axis", "zero"), ("muted", "")),
    **dict.fromkeys(("title", "strong", "key", "cursor"), ("text", "bold")),
    "tab": ("text", "bold underline"),
    "focus": ("text", "bold reverse"),
    **{role: (role, "") for role in _COLOURS},
    "error": ("error", "bold"),
    **{f"{role}_band": (role, "dim") for role in (*_COLOURS,)},
    **{
        f"{sign}{size}": (sign, "bold" if size == 4 else "")
        for sign in ("positive", "negative")
        for size in range(1, 5)
    },
}
"""Each role's colour and attributes."""


def role_styles(variables: Mapping[str, str]) -> dict[str, Style]:
    """Return how each role looks, from variables that hold those of `role_variables` too."""
    background = Color.parse(variables["background"]).rich_color
    return {
        role: Style.parse(attributes)
        + Style(color=Color.parse(variables[f"role-{colour}"]).rich_color, bgcolor=background)
        for role, (colour, attributes) in _LOOKS.items()
    }
