"""The grammar of what a terminal sends (ECMA-48), and which sequences are keys.

Textual's parser tells no sequence that it does not know from keys: it types them, and takes the
number of an unknown key for a character, so that ``ESC [ 113 ~`` is a ``q``.
"""

import re

_CONTENT = r"(?:\]\d|[P_^X])[^\x03\x07\x1b]*"
"""A string, such as the answer of a terminal with its name or a colour, up to its end."""

TOKEN = re.compile(
    # First what some terminals send although the standard does not know it: function keys of Linux,
    # keys of rxvt with shift, the mouse as of X10, and the mouse to the left of the terminal.
    r"(?P<whole>\x1b(?:\[\[[@-~]|\[(?:[378]|2[34])\$|\[M[^\x00-\x1f]{3}|\[<[-\d;]*[mM]"
    rf"|\[(?![\[M])[0-?]*[ -/]*[@-~]|O[\d;]*[A-Za-z]|{_CONTENT}(?:\x07|\x1b\\)))"
    r"|(?P<begun>\x1b(?:\[(?:\[|M[^\x00-\x1f]{0,2}|<[-\d;]*|[0-?]*[ -/]*)"
    rf"|O[\d;]*|\]|{_CONTENT}\x1b?)?\Z)"
    r"|(?P<cut>\x1b(?:\[(?:\[|M|<[-\d;]*|[0-?]+[ -/]*|[ -/]+)|O[\d;]+"
    rf"|{_CONTENT}|[\[O\]](?=\x1b)))"
    r"|(?P<pair>\x1b[\x09\x7f])|(?P<escape>\x1b)|(?P<text>[^\x1b]+)"
)
"""A part of what is read: a whole sequence, one that has begun at the end, one that is cut off by
what follows, the key that is a pair (shift+tab, and backspace with alt), escape, or other keys."""

REST = re.compile(r"\[[A-Za-z~\d<?;]|O[A-Za-z]|\]\d|P[\d>!+$]|_G")
"""What no person types behind escape at once."""

OPENERS = ("\x1b[", "\x1bO", "\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1bX")
"""Beginnings that a person may type as well, as escape and another key."""

LONGEST = 32
"""Characters after which Textual takes a sequence for keys."""

_KEY = re.compile(r"\x1b\[(?P<codes>[\d:;]*)(?P<end>[u~ABCDEFHPQRS])")
_CODES = re.compile(r"(?P<code>\d{1,7})(?:;(?P<modifiers>\d{0,3})(?:;(?P<text>[\d:]*))?)?")

_NUMBERED = frozenset({*range(1, 9), *range(11, 16), *range(17, 22), 23, 24, 57427})
"""The numbers of keys whose sequence ends in ``~``."""

_CONTROLS = frozenset({9, 13, 27, 127})
"""Keys whose number is that of a control character."""

_PRIVATE = range(57344, 63744)
_FUNCTIONAL = range(57358, 57455)
"""Where the kitty protocol numbers keys without a character, and the numbers in use."""

_KEYPAD = {
    **{57399 + digit: str(digit) for digit in range(10)},
    57409: ".", 57410: "/", 57411: "*", 57412: "-", 57413: "+", 57414: "\r", 57415: "=", 57416: ",",
}  # fmt: skip
"""What the keys of the keypad do by their number, which is what the main keys do."""

_LOCKS = 64 | 128
"""Caps lock and num lock, as modifiers."""


def keys_of(sequence: str) -> list[str]:
    """Return the sequences that Textual is to read in place of a whole one; none for no key.

    Only sequences in the form of a key of the kitty protocol are changed: one a character, and
    keys of the keypad as the main keys.
    """
    match = _KEY.fullmatch(sequence)
    if match is None or not match["codes"]:
        # Without a number only "u" stands for no key.
        return [] if sequence == "\x1b[u" or len(sequence) > LONGEST else [sequence]
    codes, end = _CODES.fullmatch(match["codes"]), match["end"]
    if codes is None:
        return []
    code, modifiers = int(codes["code"]), int(codes["modifiers"] or 1)
    if not 1 <= modifiers <= 256:
        return []
    if end != "u":
        is_key = code in _NUMBERED if end == "~" else code == 1
        # The answer of a terminal that says where its cursor is ends in "R", too.
        is_key = is_key or end == "R"
        return [sequence] if is_key and not codes["text"] else []
    return _typed(code, modifiers, codes["text"] or "")


def _typed(code: int, modifiers: int, text: str) -> list[str]:
    """Return the sequences for a key by its number and the characters that it types."""
    # Textual asks for at most one character a sequence, and looks at no lock.
    modifiers = (modifiers - 1 & ~_LOCKS) + 1
    characters = [int(one) for one in text.split(":") if one and _is_character(int(one))]
    if code in _KEYPAD:
        code = characters[0] if characters else ord(_KEYPAD[code])
        if modifiers <= 2 and _is_character(code):
            characters = [code]
    if not (_is_character(code) or code in _CONTROLS or code in _FUNCTIONAL or not code):
        return []
    if characters:
        return [f"\x1b[{code};{modifiers};{character}u" for character in characters]
    if not code:
        return []
    return [f"\x1b[{code}u" if modifiers == 1 else f"\x1b[{code};{modifiers}u"]


def _is_character(code: int) -> bool:
    """Return whether a number is that of a character that can be typed."""
    is_control = code < 32 or 127 <= code < 160
    is_surrogate = 0xD800 <= code < 0xE000
    return not is_control and not is_surrogate and code not in _PRIVATE and code <= 0x10FFFF
