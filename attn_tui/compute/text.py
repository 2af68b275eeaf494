"""Text from outside made safe to print, and numbers of things in words."""

import re
from collections.abc import Sequence

_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""What cannot be seen, though Python holds it to be printable."""

BLANKS = "\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u202f\u205f\u3000"
"""Blanks besides the usual one, which do no harm where it does not matter which one it is."""

_FLAG = "🏴[\U000e0030-\U000e007a]+\U000e007f"
_PICTURE = "[©®\u203c-\u3299\U0001f000-\U0001faff]\ufe0f?[🏻-🏿]?"
_EMOJI = rf"[🇦-🇿]{{2}}|[#*0-9]\ufe0f?\u20e3|{_FLAG}|{_PICTURE}(?:\u200d{_PICTURE})*+"
"""A character that may be a picture with what is joined to it: flags, keys, skin, families."""

_PART = re.compile(rf"{_EMOJI}|[^ -~]")
_CLUSTER = re.compile(rf"{_EMOJI}|.", re.DOTALL)
_JOINING = re.compile("[\u200d\ufe0f\u20e3🇦-🇿🏻-🏿\U000e007f]")


def visible(text: str, keep: str = "") -> str:
    r"""Return text in which all that cannot be seen is spelled out: ``\x1b``, ``\u202e``.

    So neither the terminal nor a reader takes it for anything else. Emoji that are joined from
    several characters stay what they are.

    Args:
        text: Any text, lone surrogates too.
        keep: Characters that stay, such as line breaks.

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
    r"""Return a character by its number: ``\x1b``, ``\u202e`` or ``\U000e0001``."""
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def clusters(text: str) -> list[str]:
    """Return the characters of a text, those together that are one emoji."""
    return _CLUSTER.findall(text) if _JOINING.search(text) else list(text)


def is_widened(cluster: str) -> bool:
    """Return whether a cluster takes two cells though its first character alone takes one."""
    return cluster[1:2] == "\ufe0f" or ("🇦" <= cluster[0] <= "🇿" and len(cluster) == 2)


def counted(count: int, noun: str, several: str = "") -> str:
    """Return how many things there are, with the noun that goes with the number.

    >>> counted(1, "head"), counted(2000, "head"), counted(0, "query", "queries")
    ('1 head', '2,000 heads', '0 queries')

    Args:
        count: How many.
        noun: What one is called.
        several: What several are called; with an s unless given.
    """
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"


def first_few(names: Sequence[object], most: int) -> str:
    """Return names with commas between them, and an ellipsis for those beyond so many.

    >>> first_few([0, 1, 2], 2)
    '0, 1, …'
    """
    texts = [str(name) for name in names[:most]]
    if len(names) > most:
        texts.append("…")
    return ", ".join(texts)


def listed(parts: Sequence[str]) -> str:
    """Return things one after the other.

    >>> listed(["q", "k", "v"])
    'q, k and v'
    """
    return " and ".join((", ".join(parts[:-1]), parts[-1]) if parts[1:] else parts)
