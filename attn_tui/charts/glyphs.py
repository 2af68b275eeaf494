"""What pictures are drawn with, and the ASCII that stands for it where fonts lack it."""

import re

BAND = "░"
"""What is shaded between two curves."""

POINTER, RULE, HERE = "▸", "┃", "●"
"""What stands before what is selected; a vertical line, and where a curve meets it."""

FILLS = {"unscaled": "▒", "scaled": "█"}
"""What the bars of a side are filled with where colours do not tell the sides apart."""

LINES = {"unscaled": "x", "scaled": "⠶"}
"""What the curves of a side look like there: marks, or braille."""

TRACK = "·"
"""The rest of a bar, and what is too small for a shade."""

MORE, LESS = "·░▒▓█", "·-~=≡"
"""Steps of what is above 0 and of what is below it, where colours do not show them."""

_LEFT, _RIGHT = (0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80)
"""The bits of a cell's dots in braille, from top to bottom."""

_PRODUCT = re.compile(r"(?<![\w)‖])·|·(?![\w(√‖])")
"""A dot that multiplies nothing."""


def _of_dots(dots: int) -> str:
    """Return what looks most like the dots of a cell: how high they are, or how they rise."""
    left = [row for row, bit in enumerate(_LEFT) if dots & bit]
    right = [row for row, bit in enumerate(_RIGHT) if dots & bit]
    top, bottom = min(left + right), max(left + right)
    if bottom - top < 2:
        return "''---.."[top + bottom]
    if left == right:
        return ":"
    falls = sum(right) * len(left) - sum(left) * len(right)
    if falls == 0:
        return "|"
    return "\\" if falls > 0 else "/"


DRAWN = {
    **dict.fromkeys(map(chr, range(0x2500, 0x2580)), "+"),
    **dict.fromkeys(map(chr, range(0x2580, 0x25A0)), "#"),
    **{chr(0x2800 + dots): _of_dots(dots) for dots in range(1, 0x100)},
    **dict(zip("─┄┅┈┉╌╍━═│┃┆┇┊┋╎╏║", "-------==|||||:|||", strict=True)),
    **dict(zip("▁▂▃▄▅▆▔░▒▓▏▎▍▌▐▕", "___===-':%||||||", strict=True)),
    **dict(zip("↑↓▲▼▸■▪◆○●⠀≡", "^v^v>H**oO E", strict=True)),
    **dict(zip("✓✗◐◂⇤", "+x~<<", strict=True)),
}
"""ASCII, one for one, for frames, blocks, curves and marks; mathematical signs are text."""

_TABLE = str.maketrans(DRAWN)


def in_ascii(text: str) -> str:
    """Return a text that is drawn with ASCII in place of all glyphs but mathematical signs.

    >>> in_ascii("⣀⠤⠒ ▒█▄ ▸ −1·10²")
    '.-- :#= > −1·10²'
    """
    return text if text.isascii() else _PRODUCT.sub(".", text).translate(_TABLE)
