"""Text from outside as text that is safe on a terminal, and reads as what it is."""

import re

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
