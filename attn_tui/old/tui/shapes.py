"""Glyphs that are drawn as rectangles, so that they meet in a picture whatever its font is."""

import unicodedata
from functools import cache

WIDTH, HEIGHT = 8, 16
"""The size of a cell: eighths of it are whole numbers."""

Rect = tuple[float, float, float, float]
"""Left, top, width and height in a cell."""

SHADES = {"░": 0.25, "▒": 0.5, "▓": 0.75}
"""How much of a cell they cover."""

_BRAILLE = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
"""Column and row of the dot of each bit."""

_DASHES = {"DOUBLE DASH": 2, "TRIPLE DASH": 3, "QUADRUPLE DASH": 4}
_ARMS = {"UP": "u", "DOWN": "d", "LEFT": "l", "RIGHT": "r", "VERTICAL": "ud", "HORIZONTAL": "lr"}
_WEIGHTS = {"LIGHT": 1, "HEAVY": 2}


@cache
def shape(glyph: str) -> tuple[Rect, ...] | None:
    """Return the rectangles a glyph consists of, or None if it is for a font to draw."""
    if glyph in SHADES:
        return ((0, 0, WIDTH, HEIGHT),)
    code = ord(glyph) if len(glyph) == 1 else 0
    if 0x2800 <= code <= 0x28FF:
        dots = (place for bit, place in enumerate(_BRAILLE) if code >> bit & 1)
        return tuple((4 * column + 1, 4 * row + 1, 2, 2) for column, row in dots)
    if 0x2580 <= code <= 0x259F:
        return _block(code)
    if 0x2500 <= code <= 0x257F:
        return _frame(unicodedata.name(glyph).removeprefix("BOX DRAWINGS "))
    return None


def _block(code: int) -> tuple[Rect, ...]:
    half, middle = WIDTH // 2, HEIGHT // 2
    if code == 0x2580:
        return ((0, 0, WIDTH, middle),)
    if code <= 0x2588:
        height = (code - 0x2580) * HEIGHT // 8
        return ((0, HEIGHT - height, WIDTH, height),)
    if code <= 0x258F:
        return ((0, 0, 0x2590 - code, HEIGHT),)
    if code == 0x2590:
        return ((half, 0, half, HEIGHT),)
    if code == 0x2594:
        return ((0, 0, WIDTH, HEIGHT // 8),)
    if code == 0x2595:
        return ((WIDTH - 1, 0, 1, HEIGHT),)
    name = unicodedata.name(chr(code)).removeprefix("QUADRANT ")
    quarters = [each.split() for each in name.split(" AND ")]
    return tuple(
        (half * (right == "RIGHT"), middle * (low == "LOWER"), half, middle)
        for low, right in quarters
    )


def _frame(name: str) -> tuple[Rect, ...] | None:
    """Return the lines a name says, from the middle of the cell to its sides, or in dashes."""
    for dashes, count in _DASHES.items():
        if dashes in name:
            return _dashed(count, _WEIGHTS[name.split()[0]], "VERTICAL" in name)
    groups = [group.split() for group in name.replace("ARC ", "").split(" AND ")]
    weights = [next(filter(None, map(_WEIGHTS.get, group)), 0) for group in groups]
    arms = {
        arm: weight or max(weights)
        for group, weight in zip(groups, weights, strict=True)
        for word in group
        for arm in _ARMS.get(word, "")
    }
    if {"DOUBLE", "SINGLE", "DIAGONAL"} & {word for group in groups for word in group}:
        return None
    x, y = WIDTH / 2, HEIGHT / 2
    up, down, left, right = (arms.get(arm, 0) for arm in "udlr")
    # Where lines meet, each goes as far as the other is wide.
    across, along = max(up, down) / 2, max(left, right) / 2
    upright: tuple[Rect, ...] = (
        (x - up / 2, 0, up, y + along),
        (x - down / 2, y - along, down, y + along),
    )
    level: tuple[Rect, ...] = (
        (0, y - left / 2, x + across, left),
        (x - across, y - right / 2, x + across, right),
    )
    if up == down:
        upright = ((x - up / 2, 0, up, HEIGHT),)
    if left == right:
        level = ((0, y - left / 2, WIDTH, left),)
    return tuple(rect for rect in (*upright, *level) if rect[2] and rect[3])


def _dashed(count: int, weight: float, upright: bool) -> tuple[Rect, ...]:
    length, across = (HEIGHT, WIDTH) if upright else (WIDTH, HEIGHT)
    period, side = length / count, (across - weight) / 2
    starts = [period * (each + 0.25) for each in range(count)]
    if upright:
        return tuple((side, start, weight, period / 2) for start in starts)
    return tuple((start, side, period / 2, weight) for start in starts)
