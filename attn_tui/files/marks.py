"""Decimal commas and marks of thousands: where numbers can be read in two ways, and in which."""

import re
from dataclasses import dataclass

from attn_tui.compute.errors import inert
from attn_tui.compute.text import ascii_signs

BLANKS = "\u00a0\u2004-\u200a\u202f"
"""Blanks that group digits, as part of a class of characters: the no-break and the thin ones. All
others separate numbers."""

_SIGN = "[-+−]?"
_POWER = "(?:[eE][-+]?[0-9]++)?"
_POINT, _COMMA = r"[1-9][0-9]{0,2}\.[0-9]{3}", "[1-9][0-9]{0,2},[0-9]{3}"
"""Whole numbers with a mark of thousands. More points are in no number of ours, more commas in a
list."""

_DECIMAL_COMMAS = (
    rf"{_SIGN}(?:[0-9]++,[0-9]++{_POWER}|{_POINT},[0-9]++)",
    rf"{_SIGN}(?:[0-9]++{_POWER}|{_POINT})|[-−]inf",
)
_THOUSANDS = (
    rf"{_SIGN}{_COMMA}(?:\.[0-9]++)?",
    rf"{_SIGN}[0-9]++(?:\.[0-9]++)?{_POWER}|[-−]inf",
)
"""The numbers with a comma, and those without one, where commas mean that."""


_GROUPED = (
    rf"(?<![^ \t\n,;()\[\]]){_SIGN}[1-9][0-9]{{0,2}}([{BLANKS}])[0-9]{{3}}(?:\1[0-9]{{3}})*+"
    r"(?:\.[0-9]++)?(?![^ \t\n,;()\[\]])"
)
"""A number whose digits one kind of blank groups by thousands, between other separators."""


def _line(comma: str, without: str) -> str:
    """Return the pattern of a line in which each comma may be part of a number.

    Between its numbers stand blanks or semicolons; or a comma and a blank, and then each has one.
    """
    return rf"(?:(?:{comma}|{without})(?:[\s;]++|\Z))++|(?:(?:{comma})(?:,[^\S\n]++|\Z)){{2,}}+"


_PARENTHESES = str.maketrans("()", "  ")


@dataclass(frozen=True)
class Doubt:
    """A word that may be one number or several.

    Attributes:
        word: As it stands in the text.
        numbers: How it can be written as one number, each with another meaning.
        several: How it can be written as several numbers.
    """

    word: str
    numbers: tuple[str, ...]
    several: str

    @property
    def problem(self) -> str:
        """What is wrong."""
        return f"{inert(self.word)} may be one number or {self._count}"

    @property
    def expected(self) -> str:
        """How to write each of its meanings."""
        numbers = " or ".join(map(inert, self.numbers))
        return f"{numbers} for one, or {inert(self.several)} for {self._count}"

    @property
    def _count(self) -> str:
        return "two" if self.several.count(",") == 1 else "several"


def doubt(text: str) -> Doubt | None:
    """Return the first word of a line that may as well be one number as several, if any.

    That is one with a comma where blanks or semicolons stand between numbers, one with a point for
    thousands before its comma, and one whose digits a no-break or thin blank groups. A list with
    commas alone is none: ``1,5`` is two numbers. Nor is one in square brackets, as programs print
    it, or one with commas in full width, which nobody types for decimals.

    >>> doubt("1,5;2,5").numbers, doubt("1.234,5").numbers, doubt("100, 120"), doubt("1,5")
    (('1.5',), ('1234.5',), None, None)
    """
    if not text.isascii():
        text = ascii_signs(text.replace("，", ", ").replace("、", ", "))
        grouped = re.search(_GROUPED, text)
        if grouped:
            word, blank = grouped[0], grouped[1]
            return Doubt(word, (word.replace(blank, ""),), word.replace(blank, ", "))
    if "[" in text or not re.search("[0-9],[0-9]", text):
        return None
    if "(" in text:
        # Programs print lists in parentheses, too, but without semicolons.
        if ";" not in text:
            return None
        text = text.translate(_PARENTHESES)
    return _of_commas(text.strip(" \t\n,;"))


def _of_commas(text: str) -> Doubt | None:
    """Return the first word with a comma, if each comma of a line may be part of a number."""
    # Compiled when first needed, since few texts need it.
    is_decimal = re.fullmatch(_line(*_DECIMAL_COMMAS), text)
    is_thousands = re.fullmatch(_line(*_THOUSANDS), text)
    if not (is_decimal or is_thousands):
        return None
    words = (match[0].strip(",") for match in re.finditer(r"[^\s;]++", text))
    word = next(word for word in words if "," in word)
    if word == text and not re.match(rf"{_SIGN}{_POINT},", word):
        # Alone, 1,5 and 100,100.2 are lists of two.
        return None
    numbers = []
    if is_decimal:
        numbers.append(word.replace(".", "").replace(",", "."))
    if is_thousands:
        numbers.append(word.replace(",", ""))
    return Doubt(word, tuple(numbers), word.replace(",", ", "))
