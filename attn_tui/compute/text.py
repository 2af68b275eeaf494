"""Making text from outside safe to print, and putting counts and lists into words."""

import re
from collections.abc import Sequence

_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""Characters that cannot be seen although Python counts them as printable."""

BLANKS = "\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u202f\u205f\u3000"
"""Blanks other than the space; they are harmless where all blanks are treated alike."""

_FULLWIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0x3001: ","}
"""The ASCII signs that a Chinese keyboard types in full width, and its blank and list comma."""

_FLAG = "🏴[\U000e0030-\U000e007a]+\U000e007f"
_PICTURE = "[©®\u203c-\u3299\U0001f000-\U0001faff]\ufe0f?[🏻-🏿]?"
_EMOJI = rf"[🇦-🇿]{{2}}|[#*0-9]\ufe0f?\u20e3|{_FLAG}|{_PICTURE}(?:\u200d{_PICTURE})*+"
"""An emoji with all the characters joined to it: flags, keycaps, skin tones, families."""

_PART = re.compile(rf"{_EMOJI}|[^ -~]")
_CLUSTER = re.compile(rf"{_EMOJI}|.", re.DOTALL)
_JOINING = re.compile("[\u200d\ufe0f\u20e3🇦-🇿🏻-🏿\U000e007f]")


def visible(text: str, keep: str = "") -> str:
    r"""Return text with every invisible character spelled out: ``\x1b``, ``\u202e``.

    So neither a terminal nor a reader can mistake it. Emoji that are joined from several
    characters stay as they are.

    Args:
        text: Any text, even with lone surrogates.
        keep: Characters to leave as they are, such as line breaks.

    >>> visible("a" + chr(0x9B) + "31m")
    'a\\x9b31m'
    """
    if text.isprintable() and not _UNSEEN.search(text):
        return text

    def spelled(match: re.Match[str]) -> str:
        part = match[0]
        is_seen = len(part) > 1 or (part.isprintable() and not _UNSEEN.match(part))
        return part if is_seen or part in keep else escape(part)

    return _PART.sub(spelled, text)


def escape(character: str) -> str:
    r"""Return the escape sequence of a character: ``\x1b``, ``\u202e`` or ``\U000e0001``."""
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def ascii_signs(text: str) -> str:
    """Return text with signs, digits and letters in full width as ASCII, and ``、`` as a comma.

    Every character stays one character. NFKC would do more: it makes 102 of 10².

    >>> ascii_signs("１００，２、10²")
    '100,2,10²'
    """
    return text if text.isascii() else text.translate(_FULLWIDTH)


def clusters(text: str) -> list[str]:
    """Return the characters of a text, keeping those of one emoji together."""
    return _CLUSTER.findall(text) if _JOINING.search(text) else list(text)


def counted(count: int, noun: str, several: str = "") -> str:
    """Return a count with its noun, in the singular or the plural.

    >>> counted(1, "head"), counted(2000, "head"), counted(0, "query", "queries")
    ('1 head', '2,000 heads', '0 queries')

    Args:
        count: The number of things.
        noun: The noun in the singular.
        several: The noun in the plural; with an s by default.
    """
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"


def first_few(names: Sequence[object], most: int) -> str:
    """Return the first names separated by commas, with an ellipsis if there are more.

    >>> first_few([0, 1, 2], 2)
    '0, 1, …'
    """
    texts = [str(name) for name in names[:most]]
    if len(names) > most:
        texts.append("…")
    return ", ".join(texts)


def listed(parts: Sequence[str]) -> str:
    """Return parts as a list in words.

    >>> listed(["q", "k", "v"])
    'q, k and v'
    """
    return " and ".join((", ".join(parts[:-1]), parts[-1]) if parts[1:] else parts)
