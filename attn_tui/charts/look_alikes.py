"""ASCII in place of signs that an encoding has not, cell for cell, so that columns stay columns."""

import codecs
import re
from collections.abc import Mapping
from io import TextIOWrapper
from typing import TextIO
from unicodedata import name, normalize

from attn_tui.charts.rows import cells

LOOK_ALIKE = "attn_tui.look_alike"
"""The name of the error handler that writes them."""

_SIGNS = {
    sign: plain
    for signs, plains in (
        ("±∓·½×÷‖–−…∂√∞≈≠≤≥µ⠀", "~~*hx/|--.dvI~!<>u "),
        ("←↑→↓▲▸▼■▪◆○●", "<^:v^>vH**oO"),
        ("▁▂▃▔░▒▓▌▍▎▏▐▕", "___-:o%||||||"),
        ("─━┄┅┈┉╌╍═│┃┆┇┊┋╎╏║", "---------|||||||||"),
    )
    for sign, plain in zip(signs, plains, strict=True)
}
_AREAS = {"+": range(0x2500, 0x2580), "#": range(0x2580, 0x25A0), "*": range(0x2801, 0x2900)}
"""Other parts of frames, of blocks and of curves."""
_GREEK = re.compile(r"GREEK (CAPITAL|SMALL) LETTER (?:FINAL )?(\w+).*")


def look_alike(character: str) -> str:
    """Return ASCII that takes as many cells as a character; a question mark for want of better.

    >>> "".join(map(look_alike, "‖∂p/∂s‖ −1·10²"))
    '|dp/ds| -1*102'
    """
    if character.isascii():
        return character
    letter = normalize("NFKD", character).encode("ascii", "ignore").decode()[:1]
    if greek := _GREEK.fullmatch(name(character, "")):
        letter = greek[2][0] if greek[1] == "CAPITAL" else greek[2][0].lower()
    area = next((plain for plain, area in _AREAS.items() if ord(character) in area), "?")
    width = cells(character)
    return _SIGNS.get(character, letter or area).ljust(width)[:width]


def _write(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(look_alike, error.object[error.start : error.end])), error.end


codecs.register_error(LOOK_ALIKE, _write)


def write_look_alikes(stream: TextIO, environment: Mapping[str, str]) -> None:
    """Let a stream write them where its encoding has no better.

    A terminal gets ASCII alone where ``LC_ALL`` says so, though Python would write UTF-8; a pipe
    does not, so that names stay what they are.
    """
    plain = environment.get("LC_ALL") in ("C", "POSIX") and stream.isatty()
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding="ascii" if plain else None, errors=LOOK_ALIKE)
