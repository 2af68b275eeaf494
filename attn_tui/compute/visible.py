"""Text from outside as text that is safe on a terminal, and reads as what it is."""

import re

# What is one emoji alone, of one cell (of two with U+FE0F behind it) or of two.
_NARROW = (
    "©®‼⁉™ℹ↔-↙↩↪⌨⏏⏭-⏯⏱⏲⏸-⏺Ⓜ▪▫▶◀◻◼☀-☄☎☑☘☝☠☢☣☦☪☮☯☸-☺♀♂♟♠♣♥♦♨♻♾⚒⚔-⚗⚙⚛⚜⚠⚧⚰⚱⛈⛏⛑⛓⛩⛰⛱⛴⛷-⛹"
    "✂✈✉✌✍✏✒✔✖✝✡✳✴❄❇❣❤➡⤴⤵⬅-⬇🅰🅱🅾🅿🌡🌤-🌬🌶🍽🎖🎗🎙-🎛🎞🎟🏋-🏎🏔-🏟🏳🏵🏷🐿👁📽🕉🕊🕯🕰🕳-🕹🖇🖊-🖍🖐"
    "🖥🖨🖱🖲🖼🗂-🗄🗑-🗓🗜-🗞🗡🗣🗨🗯🗳🗺🛋🛍-🛏🛠-🛥🛩🛰🛳"
)
_WIDE = (
    "⌚⌛⏩-⏬⏰⏳☔☕♈-♓♿⚓⚡⚪⚫⚽⚾⛄⛅⛎⛔⛪⛲⛳⛵⛺⛽✅✊✋✨❌❎❓-❕❗➕-➗➰➿⬛⬜⭐⭕〰〽㊗㊙🀄🃏🆎🆑-🆚"
    "🈁🈂🈚🈯🈲-🈺🉐🉑🌀-🌠🌭-🌵🌷-🍼🍾-🎓🎠-🏊🏏-🏓🏠-🏰🏴🏸-🐾👀👂-📼📿-🔽🕋-🕎🕐-🕧🕺🖕🖖🖤🗻-🙏🚀-🛅"
    "🛌🛐-🛒🛕-🛟🛫🛬🛴-🛼🟠-🟫🟰🤌-🤺🤼-🥅🥇-🧿🩰-🫿"
)
_ONE = rf"(?:[{_NARROW}]\ufe0f?|[{_WIDE}]\ufe0f?)[🏻-🏿]?"
_KEY = "[#*0-9]\ufe0f?\u20e3"
_JOINED = rf"[🇦-🇿]{{2}}|{_KEY}|🏴[\U000e0030-\U000e007a]+\U000e007f|{_ONE}(?:\u200d{_ONE})*+"
"""An emoji of any number of characters: flags, keys, colours of skin, families."""

_UNSEEN = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef"
)
"""What cannot be seen, though Python holds it to be printable."""


BLANKS = "\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u202f\u205f\u3000"
"""Blanks besides the usual one, which do no harm where it does not matter which one it is."""

_PART = re.compile(rf"{_JOINED}|[^ -~]")
_JOINING = re.compile("[\u200d\ufe0f\u20e3🇦-🇿🏻-🏿\U000e007f]")
_CLUSTER = re.compile(rf"{_JOINED}|.", re.DOTALL)
_WIDENED = re.compile(rf"[{_NARROW}#*0-9]\ufe0f|[🇦-🇿]{{2}}")
_HIDDEN = re.compile(f"[{_UNSEEN}]")


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
    if text.isprintable() and not _HIDDEN.search(text):
        return text
    # Most of what is long has nothing else in it.
    bare = text.translate(str.maketrans("", "", keep))
    if bare.isprintable() and not _HIDDEN.search(bare):
        return text

    def spelled(found: re.Match[str]) -> str:
        part = found[0]
        is_seen = len(part) > 1 or (part.isprintable() and not _HIDDEN.match(part))
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
    return _WIDENED.match(cluster) is not None
