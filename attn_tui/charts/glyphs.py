"""The glyphs of pictures, and the ASCII that replaces them where fonts lack them."""

import re

BAND = "░"
"""The area between two curves."""

POINTER, RULE, HERE = "▸", "┃", "●"
"""The mark of a selected item; a vertical line, and the point where a curve meets it."""

FILLS = {"unscaled": "▒", "scaled": "█"}
"""What the bars of each side are filled with where colours do not tell the sides apart."""

LINES = {"unscaled": "x", "scaled": "⠶"}
"""What the curves of each side are drawn with there: marks, or braille."""

TRACK = "·"
"""The empty part of a bar, and values too small for a shade."""

MORE, LESS = "·░▒▓█", "·-~≈≡"
"""The glyphs for magnitudes above 0 and below it, where colours cannot show them."""

_LEFT, _RIGHT = (0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80)
"""The bits of a braille cell's dots, from top to bottom."""

_PRODUCT = re.compile(r"(?<![\w)‖])·|·(?![\w(√‖])")
"""A dot that is not a multiplication sign."""


def _of_dots(dots: int) -> str:
    """Return the ASCII most like a cell's dots, judged by their height or their slope."""
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
    **dict(zip("↑↓↕▲▼▸■▪◆○●⠀≡", "^v|^v>H**oO E", strict=True)),
    **dict(zip("✓✗◐◂⇤", "+x~<<", strict=True)),
}
"""ASCII, one for one, for frames, blocks, curves and marks; mathematical signs stay."""

_TABLE = str.maketrans(DRAWN)


def in_ascii(text: str) -> str:
    """Return a text with ASCII in place of all glyphs but mathematical signs.

    >>> in_ascii("⣀⠤⠒ ▒█▄ ▸ −1·10²")
    '.-- :#= > −1·10²'
    """
    return text if text.isascii() else _PRODUCT.sub(".", text).translate(_TABLE)
