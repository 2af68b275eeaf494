"""Colour ramps with perceptually even steps, in OKLab, and the contrast of text on them.

Sources: B. Ottosson, "A perceptual color space for image processing" (2020), for OKLab; WCAG 2 for
the contrast.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache, partial

import numpy as np

from attn_tui.compute.arrays import Floats

_LMS_OF_RGB = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB_OF_LMS = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)

STEPS = 64
"""The number of colours in a ramp."""

RAMP_START = 0.13
"""The first colour of a ramp, as a share of the way from the background to the hue."""

CONTRAST = 4.5
"""The least contrast of text with its background that WCAG AA allows."""

LEAST_VISIBLE = 0.04
"""The least difference in OKLab lightness from the background at which a colour is seen."""


@dataclass(frozen=True)
class Hue:
    """The colour of one kind of data, and its extreme, in dark and in light themes.

    Attributes:
        dark: On a dark background: the colour, then its brightest.
        light: On a light background: the colour, then its darkest.
        few_dark: Its ramp on a dark background, as numbers of xterm's 256 colours.
        few_light: Its ramp on a light background, likewise.
    """

    dark: tuple[str, str]
    light: tuple[str, str]
    few_dark: tuple[int, ...]
    few_light: tuple[int, ...]


HUES = {
    "unscaled": Hue(
        ("#e29d04", "#ffd97d"), ("#e19a00", "#9e5b00"),
        (235, 238, 94, 136, 178, 221), (254, 223, 179, 172, 130, 94),
    ),
    "scaled": Hue(
        ("#4795ed", "#8cbfff"), ("#4c96ea", "#004aa0"),
        (235, 238, 24, 32, 75, 153), (254, 153, 75, 32, 25),
    ),
    "larger": Hue(
        ("#48a84f", "#9ac883"), ("#4ca858", "#005d00"),
        (235, 237, 22, 28, 71, 114), (254, 151, 114, 71, 28, 22),
    ),
    "smaller": Hue(
        ("#d081ad", "#e9bad8"), ("#cc7aa7", "#843865"),
        (235, 238, 96, 132, 175, 218), (254, 218, 175, 132, 89),
    ),
}  # fmt: skip
"""The colour of each kind of data, the same on every screen."""

FEW_SIGNS = (175, 132, 96, 235, 22, 28, 71), (132, 175, 218, 254, 151, 71, 28)
"""From most negative through 0 to most positive in 256 colours, on dark and on light."""

FEW_WARNINGS = (235, 237, 239, 240, 95, 137, 179, 214, 203), (254, 252, 250, 180, 179, 172, 160)
"""The warning ramp in 256 colours, on dark and on light."""

KINDS = (*HUES, "both signs", "saturation")
"""The kinds of data that have a ramp."""

CUBE = (0, 95, 135, 175, 215, 255)
"""Levels of xterm's colour cube, which begins at 16; blue varies fastest, and greys follow."""


class Depth(Enum):
    """The means by which a terminal can show magnitudes."""

    TRUE = "true colour"
    FEW = "256 colours"
    TEXTURES = "glyphs, for colours are too few, or not wanted"


def rgb(colour: str) -> Floats:
    """Return the parts of ``#rrggbb`` from 0 to 1, shape (3,)."""
    return np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])


def hexadecimal(parts: Floats) -> str:
    """Return ``#rrggbb`` for parts from 0 to 1, shape (3,); others are clipped."""
    return "#" + np.rint(np.clip(parts, 0.0, 1.0) * 255).astype(np.uint8).tobytes().hex()


def _linear(parts: Floats) -> Floats:
    """Return linear light for gamma-encoded parts of sRGB."""
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def oklab(colour: str) -> Floats:
    """Return a colour in OKLab: lightness, green to red, blue to yellow; shape (3,)."""
    return np.asarray(_LAB_OF_LMS @ np.cbrt(_LMS_OF_RGB @ _linear(rgb(colour))))


def of_oklab(lab: Floats) -> str:
    """Return the colour at a point of OKLab, shape (3,), clipped to sRGB."""
    (colour,) = all_of_oklab(lab[None])
    return colour


def all_of_oklab(labs: Floats) -> tuple[str, ...]:
    """Return the colours at points of OKLab, shape (n, 3), clipped to sRGB."""
    light = np.linalg.solve(_LMS_OF_RGB, np.linalg.solve(_LAB_OF_LMS, labs.T) ** 3).T
    light = np.clip(light, 0.0, 1.0)
    encoded = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return tuple(hexadecimal(parts) for parts in encoded)


@lru_cache(maxsize=4096)
def mix(first: str, second: str, share: float) -> str:
    """Return the colour at a share of the way from one colour to another in OKLab."""
    return of_oklab(oklab(first) * (1.0 - share) + oklab(second) * share)


def distance(first: str, second: str) -> float:
    """Return the distance of two colours in OKLab; that of black and white is 1."""
    return float(np.linalg.norm(oklab(first) - oklab(second)))


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, from 0 to 1."""
    return float(np.array([0.2126, 0.7152, 0.0722]) @ _linear(rgb(colour)))


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


@lru_cache(maxsize=4096)
def ink(background: str) -> str:
    """Return black or white, whichever is easier to read on a background."""
    return max(("#000000", "#ffffff"), key=lambda colour: contrast(colour, background))


def even(stops: Sequence[str], steps: int = STEPS) -> tuple[str, ...]:
    """Return colours along a line through stops, evenly spaced in OKLab."""
    labs = np.array([oklab(stop) for stop in stops])
    lengths = np.linalg.norm(np.diff(labs, axis=0), axis=1)
    places = np.concatenate([[0.0], np.cumsum(lengths)])
    wanted = np.linspace(0.0, places[-1], steps)
    parts = [np.interp(wanted, places, labs[:, part]) for part in range(3)]
    return all_of_oklab(np.stack(parts, axis=1))


def of_xterm(number: int) -> str:
    """Return what xterm shows for a colour from 16 to 255; users may redefine those below."""
    if number >= 232:
        return f"#{8 + 10 * (number - 232):02x}" + f"{8 + 10 * (number - 232):02x}" * 2
    blue_first = number - 16
    parts = (blue_first // 36, blue_first // 6 % 6, blue_first % 6)
    return "#" + "".join(f"{CUBE[part]:02x}" for part in parts)


@lru_cache(maxsize=1)
def _xterm() -> Floats:
    """Return xterm's colours from 16 on in OKLab, shape (240, 3)."""
    return np.array([oklab(of_xterm(number)) for number in range(16, 256)])


@lru_cache(maxsize=4096)
def to_xterm(colour: str) -> int:
    """Return which of xterm's colours from 16 to 255 looks most like ``#rrggbb``."""
    return 16 + int(np.linalg.norm(_xterm() - oklab(colour), axis=1).argmin())


@lru_cache(maxsize=64)
def ramp(kind: str, background: str) -> tuple[str, ...]:
    """Return the colours of one kind of data from least to most, on a background.

    Args:
        kind: One of `HUES`.
        background: The theme's background, ``#rrggbb``; dark and light ones have different ramps.
    """
    hue = HUES[kind]
    colour, tip = hue.dark if luminance(background) < 0.2 else hue.light
    return even([mix(background, colour, RAMP_START), colour, tip])


@lru_cache(maxsize=16)
def both_signs(background: str) -> tuple[str, ...]:
    """Return the colours from most negative through 0 to most positive, on a background."""
    is_dark = luminance(background) < 0.2
    smaller, larger = (
        even([mix(background, colour, RAMP_START), colour, tip])
        for colour, tip in (
            hue.dark if is_dark else hue.light for hue in (HUES["smaller"], HUES["larger"])
        )
    )
    return (*reversed(smaller), mix(background, larger[0], 0.5), *larger)


SATURATION = (
    (0.5, "#4e5159", "#b9bac0"),
    (0.75, "#aa8248", "#d9a95c"),
    (0.89, "#e8a33d", "#d58200"),
    (0.93, "#f0616d", "#d0303f"),
    (1.0, "#ee6874", "#b01028"),
)
"""The saturation at which each colour is reached, with that colour on dark and on light
backgrounds: the steps are where the words for saturation change."""


@lru_cache(maxsize=16)
def saturation(background: str) -> tuple[str, ...]:
    """Return the warning ramp: from the background through grey and amber to red."""
    is_dark = luminance(background) < 0.2
    places = [0.0, *(place for place, _, _ in SATURATION)]
    colours = [dark if is_dark else light for _, dark, light in SATURATION]
    labs = np.array([oklab(mix(background, colours[0], RAMP_START)), *map(oklab, colours)])
    wanted = np.linspace(0.0, 1.0, STEPS)
    parts = [np.interp(wanted, places, labs[:, part]) for part in range(3)]
    return all_of_oklab(np.stack(parts, axis=1))


@lru_cache(maxsize=64)
def few(kind: str, background: str) -> tuple[str, ...]:
    """Return a ramp in xterm's 256 colours, without those too close to a background.

    The colours are picked by hand: those nearest to a ramp are neither evenly spaced nor one hue.

    Args:
        kind: One of `KINDS`.
        background: The theme's background, ``#rrggbb``.
    """
    is_light = luminance(background) >= 0.2
    if kind == "both signs":
        return tuple(map(of_xterm, FEW_SIGNS[is_light]))
    if kind == "saturation":
        picked = [of_xterm(number) for number in FEW_WARNINGS[is_light]]
        return tuple(
            min(picked, key=partial(distance, colour)) for colour in saturation(background)
        )
    hue = HUES[kind]
    steps = [of_xterm(number) for number in (hue.few_light if is_light else hue.few_dark)]
    behind = oklab(of_xterm(to_xterm(background)))[0]
    sign = -1.0 if is_light else 1.0
    return tuple(step for step in steps if sign * (oklab(step)[0] - behind) > LEAST_VISIBLE)


def seen(colour: str, depth: Depth) -> str:
    """Return what a terminal shows for a colour."""
    return of_xterm(to_xterm(colour)) if depth is Depth.FEW else colour


@lru_cache(maxsize=4096)
def legible(colour: str, background: str, depth: Depth = Depth.TRUE) -> str:
    """Return a colour, moved towards white or black until it is legible on a background."""
    end = max(("#000000", "#ffffff"), key=lambda candidate: contrast(candidate, background))
    for step in range(20):
        moved = seen(mix(colour, end, step / 20), depth)
        if contrast(moved, background) >= CONTRAST:
            return moved
    return end


@dataclass(frozen=True, eq=False)
class Palette(Mapping[str, str]):
    """The colours of pictures: one for each kind of data and of text, and the background.

    Attributes:
        named: The colours by name, ``background`` among them.
        depth: What the terminal can show.
    """

    named: Mapping[str, str]
    depth: Depth = Depth.TRUE

    __eq__, __hash__ = object.__eq__, object.__hash__

    def __getitem__(self, name: str) -> str:
        return self.named[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.named)

    def __len__(self) -> int:
        return len(self.named)

    @property
    def textured(self) -> bool:
        """Whether glyphs, rather than colours, show magnitudes and tell the two sides apart."""
        return self.depth is Depth.TEXTURES

    def ramp(self, kind: str) -> tuple[str, ...]:
        """Return the colours of one of `KINDS` from least to most; their number varies."""
        background = self["background"]
        if self.depth is Depth.FEW:
            return few(kind, background)
        if kind == "both signs":
            return both_signs(background)
        if kind == "saturation":
            return saturation(background)
        return ramp(kind, background)

    def tint(self, kind: str, level: float) -> str:
        """Return the tint of the area below a curve of a kind, at a height from 0 to 1."""
        background, share = self["background"], 0.08 + 0.24 * level
        if self.depth is Depth.FEW:
            # Among 256 colours, all faint ones but the greys each have another hue.
            return mix(background, "#808080", share)
        return mix(background, self[kind], share)


MONOCHROME = Palette(
    dict.fromkeys((*HUES, "text", "muted", "frame", "accent"), "#ffffff")
    | {"background": "#000000"},
    Depth.TEXTURES,
)
"""For text without colours: glyphs tell everything."""
