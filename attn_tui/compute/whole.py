"""Numbers from text, most of them whole: the one way in which options and fields may say them."""

import re
from contextlib import suppress
from math import copysign, inf

from attn_tui.compute.errors import InputError, inert

_WHOLE = re.compile(
    r"(?P<sign>[-+−]?)"
    r"(?P<digits>[0-9]{1,3}(?:(?P<mark>[,_ ])[0-9]{3}(?:(?P=mark)[0-9]{3})*)|[0-9]+)"
    r"(?:(?:[eE]\+?|[·×*](?P<base>2|10)(?:\^|\*\*))(?P<power>[0-9]{1,9}))?"
)
_POWER = re.compile(r"^(?=(?:2|10)(?:\^|\*\*))")
EXPECTED = "one such as 1024, 1,024, 1e6 or 2^10"
_MOST_DIGITS, _MOST_POWER = 50, 99
"""As many are out of range in any case, and more than messages show."""
LARGEST_WHOLE = 2**_MOST_POWER
"""From here on a number that is read may be less than the text says."""


def parse_whole(field: str, text: str) -> int:
    """Read a whole number; what it may be is checked where it is used.

    Thousands may be marked, and powers of 10 and of 2 be written as such: ``1024``, ``1,024``,
    ``1_024``, ``1e6``, ``3·10^8``, ``2^10``. Marks that do not make groups of three are no marks:
    ``2,8`` is two numbers.

    Raises:
        InputError: With the field, if it is none.

    >>> parse_whole("n", "1,024"), parse_whole("n", "1e4"), parse_whole("n", "2^10")
    (1024, 10000, 1024)
    """
    stripped = text.strip()
    found = _WHOLE.fullmatch(_POWER.sub("1*", stripped))
    if not found:
        raise InputError(field, f"{inert(stripped)} is not a whole number", EXPECTED)
    digits = int(re.sub("[,_ ]", "", found["digits"])[:_MOST_DIGITS])
    size: int = digits * int(found["base"] or 10) ** min(int(found["power"] or 0), _MOST_POWER)
    return -size if found["sign"] in ("-", "−") else size


def parse_wholes(field: str, text: str) -> tuple[int, ...]:
    """Read whole numbers with commas, semicolons or blanks between them, each kept once.

    Raises:
        InputError: With the field, if one is none or empty, or is the rest of a number whose
            thousands were marked, as of ``1,024``.

    >>> parse_wholes("n", "2, 8 512")
    (2, 8, 512)
    """
    parts = re.split(r"\s*[,;]\s*|\s+", text.strip()) if text.strip() else []
    expected = "whole numbers with commas between them"
    for place, part in enumerate(parts, 1):
        if not part:
            raise InputError(field, f"entry {place} of {inert(text.strip())} is empty", expected)
        if re.fullmatch("0[0-9]+", part):
            problem = f"{inert(part)} in {inert(text.strip())} begins with 0"
            raise InputError(field, problem, f"{expected} only")
    return tuple(dict.fromkeys(parse_whole(field, part) for part in parts))


def parse_number(text: str) -> float:
    """Read a decimal number, or a whole one as `parse_whole` does.

    Raises:
        ValueError: If it is none.

    >>> parse_number("0.5"), parse_number("2^6")
    (0.5, 64.0)
    """
    if text.isascii() and "_" not in text:
        with suppress(ValueError):
            return float(text)
    whole = parse_whole("", text)
    return float(whole) if abs(whole) < LARGEST_WHOLE else copysign(inf, whole)
