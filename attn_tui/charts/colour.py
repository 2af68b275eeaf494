"""Colours whose steps are even to the eye: ramps in OKLab, and the contrast of text on them.

Source: B. Ottosson, "A perceptual color space for image processing" (2020), for OKLab; WCAG 2 for
the contrast.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

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
"""Colours of a ramp."""

BESIDE = 0.13
"""How far from the background to the hue the first colour of a ramp lies."""


@dataclass(frozen=True)
class Hue:
    """The colour of one kind of data: as it is, and where it is most, by dark and light themes.

    Attributes:
        dark: On a dark background: the colour, then its brightest.
        light: On a light background: the colour, then its darkest.
    """

    dark: tuple[str, str]
    light: tuple[str, str]


HUES = {
    "unscaled": Hue(("#e29d04", "#ffd97d"), ("#e19a00", "#9e5b00")),
    "scaled": Hue(("#4795ed", "#8cbfff"), ("#4c96ea", "#004aa0")),
    "larger": Hue(("#48a84f", "#9ac883"), ("#4ca858", "#005d00")),
    "smaller": Hue(("#d081ad", "#e9bad8"), ("#cc7aa7", "#843865")),
}
"""What colours mean on every screen."""


def rgb(colour: str) -> Numbers:
    """Return the parts of ``#rrggbb`` from 0 to 1, shape (3,)."""
    return np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])


def hexadecimal(parts: Numbers) -> str:
    """Return ``#rrggbb`` for parts from 0 to 1, shape (3,); what lies outside is cut off."""
    red, green, blue = (round(float(part) * 255) for part in np.clip(parts, 0.0, 1.0))
    return f"#{red:02x}{green:02x}{blue:02x}"


def _linear(parts: Numbers) -> Numbers:
    """Return the light that parts of sRGB stand for."""
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def oklab(colour: str) -> Numbers:
    """Return lightness, green to red and blue to yellow of a colour in OKLab, shape (3,)."""
    return np.asarray(_LAB_OF_LMS @ np.cbrt(_LMS_OF_RGB @ _linear(rgb(colour))))


def of_oklab(lab: Numbers) -> str:
    """Return the colour at a place in OKLab, shape (3,), or the nearest that sRGB has."""
    light = np.linalg.solve(_LMS_OF_RGB, np.linalg.solve(_LAB_OF_LMS, lab) ** 3)
    light = np.clip(light, 0.0, 1.0)
    return hexadecimal(
        np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    )


def mix(first: str, second: str, share: float) -> str:
    """Return the colour at a share of the way from one to another in OKLab."""
    return of_oklab(oklab(first) * (1.0 - share) + oklab(second) * share)


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, from 0 to 1."""
    return float(np.array([0.2126, 0.7152, 0.0722]) @ _linear(rgb(colour)))


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def ink(background: str) -> str:
    """Return black or white, whichever is easier to read on a background."""
    return max(("#000000", "#ffffff"), key=lambda colour: contrast(colour, background))


def even(stops: Sequence[str], steps: int = STEPS) -> tuple[str, ...]:
    """Return colours along a line through stops, as far from one another as OKLab measures."""
    labs = np.array([oklab(stop) for stop in stops])
    lengths = np.linalg.norm(np.diff(labs, axis=0), axis=1)
    places = np.concatenate([[0.0], np.cumsum(lengths)])
    wanted = np.linspace(0.0, places[-1], steps)
    parts = [np.interp(wanted, places, labs[:, part]) for part in range(3)]
    return tuple(of_oklab(lab) for lab in np.stack(parts, axis=1))


@lru_cache(maxsize=64)
def ramp(kind: str, background: str) -> tuple[str, ...]:
    """Return the colours of one kind of data from least to most, on a background.

    Args:
        kind: One of `HUES`.
        background: The theme's, ``#rrggbb``; whether it is dark decides which colours are used.
    """
    hue = HUES[kind]
    colour, tip = hue.dark if luminance(background) < 0.2 else hue.light
    return even([mix(background, colour, BESIDE), colour, tip])


@lru_cache(maxsize=16)
def both_signs(background: str) -> tuple[str, ...]:
    """Return the colours from most negative over 0 to most positive, on a background."""
    is_dark = luminance(background) < 0.2
    smaller, larger = (
        even([mix(background, colour, BESIDE), colour])
        for colour in (
            (hue.dark if is_dark else hue.light)[0] for hue in (HUES["smaller"], HUES["larger"])
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
"""From which saturation on which colour is reached, on dark and on light backgrounds: steps stand
where the words change."""


@lru_cache(maxsize=16)
def saturation(background: str) -> tuple[str, ...]:
    """Return the warning ramp: from the background over grey and amber to red."""
    is_dark = luminance(background) < 0.2
    places = [0.0, *(place for place, _, _ in SATURATION)]
    colours = [dark if is_dark else light for _, dark, light in SATURATION]
    labs = np.array([oklab(mix(background, colours[0], BESIDE)), *map(oklab, colours)])
    wanted = np.linspace(0.0, 1.0, STEPS)
    parts = [np.interp(wanted, places, labs[:, part]) for part in range(3)]
    return tuple(of_oklab(lab) for lab in np.stack(parts, axis=1))
