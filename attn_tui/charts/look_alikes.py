"""ASCII in place of signs that an encoding has not: words for mathematics, glyphs one for one."""

import codecs
import re
from collections.abc import Mapping
from io import TextIOWrapper
from typing import TextIO
from unicodedata import name, normalize

from attn_tui.charts.glyphs import DRAWN, in_ascii
from attn_tui.compute.visible import clusters
from attn_tui.report.rows import Row, cells

LOOK_ALIKE = "attn_tui.look_alike"
"""The name of the error handler that writes them."""

_SIGNS = {
    sign: plain
    for signs, plains in (
        ("±∓·×÷‖–—−⁻…∂√∞≈≠≤≥≫∈∝µ⠀“”‘’′•¶✓✗æß", "++*x/|----.dvI~!<>>e~u \"\"'''*wyxas"),
        ("←→‹›", "<:<>"),
    )
    for sign, plain in zip(signs, plains, strict=True)
}
_GREEK = re.compile(r"GREEK (CAPITAL|SMALL) LETTER (?:FINAL )?(\w+).*")


def look_alike(character: str) -> str:
    """Return ASCII that takes as many cells as a character or an emoji; ? for want of better.

    >>> "".join(map(look_alike, "‖∂p/∂s‖ −1·10²"))
    '|dp/ds| -1*102'
    """
    if character.isascii():
        return character
    letter = normalize("NFKD", character).encode("ascii", "ignore").decode()[:1]
    if greek := _GREEK.fullmatch(name(character[0], "")):
        letter = greek[2][0] if greek[1] == "CAPITAL" else greek[2][0].lower()
    drawn = DRAWN.get(character[0], "?")
    width = cells(character)
    return _SIGNS.get(character, letter or drawn).ljust(width)[:width]


_WORDS = {
    sign: word
    for signs, words in (
        ("±∓≈≠≤≥≫→←‹›∞½…‖Σ–", "+- -+ ~ != <= >= >> -> <- < > inf 1/2 ... || sum -"),
        ("⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ", "^0 ^1 ^2 ^3 ^4 ^5 ^6 ^7 ^8 ^9 ^T"),
        ("₀₁₂₃₄₅₆₇₈₉", "0 1 2 3 4 5 6 7 8 9"),
    )
    for sign, word in zip(signs, words.split(), strict=True)
}
_SYNTAX = (
    ("√", re.compile(r"(?<=\w)√"), "*√"),
    ("√", re.compile(r"√(\w+)"), r"√(\1)"),
    ("√", re.compile(r"√"), "sqrt"),
    ("Σ", re.compile(r"Σ(?=[^\W_])"), "sum "),
    ("₀", re.compile(r"(?=[₀-₉])(?<![₀-₉])"), "_"),
)
"""What would read otherwise without blanks and brackets."""
_SENTENCE = 3
"""So many blanks make a text a sentence, if there is a word."""
_WORD = re.compile(r"[^\W\d_]{2}")
_NUMBER = re.compile(r"[^A-Za-z]|.*±")
"""How a text may begin that ends where its column does, though nothing follows it."""


def in_words(text: str, encoding: str) -> str:
    """Return text with the mathematics that an encoding has not in words: ``1/sqrt(d_k)``.

    Blanks beside make room for them, so that columns stay columns where they can.

    >>> in_words("√d_k        ½     ∞", "ascii")
    'sqrt(d_k)  1/2  inf'
    """
    return "\n".join(_spelled(line, encoding) for line in text.split("\n"))


def _spelled(line: str, encoding: str) -> str:
    if _has(encoding, line):
        return line
    # Texts and the runs of blanks between them, one after another; a text has a run on each side.
    parts = ["", *re.split("( {2,})", line), ""]
    if not any(parts[1:-2:2]):
        # One text alone stands in no column: its indent is that of a paragraph.
        return "".join((*parts[:-2], _in_words(parts[-2], encoding), parts[-1]))
    _make_room(parts, encoding)
    return "".join(parts)


def row_in_ascii(row: Row) -> Row:
    """Return a row of the screen in ASCII alone: as `in_words`, and glyphs one for one.

    >>> row_in_ascii((("√d_k", "label"), (" ▒█  ± 1", "text")))
    (('sqrt(d_k)', 'label'), (' :#', 'text'), (' ', 'text'), ('+- 1', 'text'))
    """
    if all(text.isascii() for text, _ in row):
        return row
    parts, roles = [""], []
    for text, role in _ended(row):
        # Two texts side by side have a run of no blanks between them.
        new = re.split("( {2,}|-{3,})", in_ascii(text))
        parts += [*new, ""]
        roles += [role] * (len(new) + 1)
    owed = _make_room(parts, "ascii")
    for place in range(len(parts) - 1, -1, -2):
        left = parts[place][min(owed, max(len(parts[place]) - 1, 0)) :]
        owed -= len(parts[place]) - len(left)
        parts[place] = left
    plain = ["".join(map(look_alike, clusters(part))) for part in parts]
    spans = zip([plain[0] + plain[1], *plain[2:]], roles, strict=True)
    return tuple((text, role) for text, role in spans if text)


def _ended(row: Row) -> Row:
    """Return a row that, if it is cut short, ends in two dots for a letter and an ellipsis."""
    *rest, (last, role) = row
    cut = r"\S…$"
    if last == "…" and rest:
        cut = r".…$"
        *rest, (text, role) = rest
        last = text + last
    return (*rest, (re.sub(cut, "..", last), role))


def _make_room(parts: list[str], encoding: str) -> int:
    """Write texts in words, in place of each, and take what they grow by from blanks beside them.

    Args:
        parts: Runs of blanks and texts by turns, a run first and last.
        encoding: What it has is left.

    Returns:
        How many blanks more it would have taken.
    """
    owed, says = 0, False
    for place in range(1, len(parts), 2):
        before, text = parts[place - 1], parts[place]
        parts[place] = spelled = _in_words(text, encoding)
        shorter = before[min(owed, max(len(before) - 1, 0)) :]
        owed -= len(before) - len(shorter)
        owed += cells(spelled) - cells(text)
        # A sentence at the end begins where its column does; numbers end there.
        says = text.count(" ") >= _SENTENCE and bool(_WORD.search(text))
        says = says and not any(parts[place + 2 :: 2])
        if not says and (place < len(parts) - 2 or _NUMBER.match(text)):
            parts[place - 1] = shorter[min(owed, max(len(shorter) - 2, 0)) :]
            owed -= len(shorter) - len(parts[place - 1])
        else:
            parts[place - 1] = shorter
    return 0 if says else owed


def _in_words(text: str, encoding: str) -> str:
    for sign, sought, words in _SYNTAX:
        if not _has(encoding, sign):
            text = sought.sub(words, text)
    return "".join(c if _has(encoding, c) else _word(c) for c in text)


def _word(character: str) -> str:
    greek = _GREEK.fullmatch(name(character, ""))
    letter = greek and (greek[2].capitalize() if greek[1] == "CAPITAL" else greek[2].lower())
    return _WORDS.get(character) or letter or character


def _has(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _write(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(look_alike, clusters(error.object[error.start : error.end]))), error.end


codecs.register_error(LOOK_ALIKE, _write)


def write_look_alikes(stream: TextIO, environment: Mapping[str, str]) -> None:
    """Let a stream write them where its encoding has no better.

    A terminal gets ASCII alone where ``LC_ALL`` says so, though Python would write UTF-8; a pipe
    does not, so that names stay what they are.
    """
    plain = environment.get("LC_ALL") in ("C", "POSIX") and stream.isatty()
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding="ascii" if plain else None, errors=LOOK_ALIKE)
