"""What a terminal might send, by a seed: keys that are pressed, and all that is none.

    python -m tests.ui.terminal.streams --seeds 2000

says what was typed that nobody has pressed, or was pressed and not typed, with its seed.
"""

import argparse
import string
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from textual.events import Key, Paste
from textual.message import Message

from attn_tui.ui.terminal.input import TORN, UNFINISHED, Parser

PRESSED = {
    "\x1b[A": "up", "\x1b[1;5C": "ctrl+right", "\x1bOP": "f1", "\x1b[3~": "delete",
    "\x1b[24~": "f12", "\x1b[Z": "shift+tab", "\x1b[27u": "escape", "\x1b[3$": "shift+delete",
    "\x1b[[A": "f1", "\x1bOm": "minus", "\x1b[57412;129;45u": "minus", "\x1b[97;;97u": "a",
    "\x1b[99;5u": "ctrl+c", "\x1b[13u": "enter", "\r": "enter", "\t": "tab",
    "\x7f": "backspace", "\x03": "ctrl+c", "é": "é", "注": "注",
    **{one: one for one in string.ascii_letters + string.digits},
}  # fmt: skip
"""Keys by what they send."""

EVENTS = 40
"""Things of one stream."""


@dataclass(frozen=True)
class Piece:
    """What comes in one read.

    Attributes:
        text: The characters.
        pause: The seconds without input behind it.
    """

    text: str
    pause: float = 0.0


def _report(random: Random) -> str:
    """Return a control sequence that stands for no key: of a private kind, or of many numbers."""
    numbers = ";".join(str(random.randrange(300)) for _ in range(random.randint(1, 9)))
    end = random.choice("cnstxyhlmX|}")
    return f"\x1b[{random.choice('?>=')}{numbers}{random.choice(['', '$', ' ', '+'])}{end}"


def _unknown(random: Random) -> str:
    """Return what looks like a key and is none: a number without a key, or too much behind one."""
    number = random.choice([9, 10, 16, 22, *range(35, 200), 57344, 60000, 1114112, 9**9])
    late = f"\x1b[{random.choice([97, 113])};1:3u"
    return random.choice(
        [
            f"\x1b[{number}~",
            f"\x1b[{number};5~",
            f"\x1b[{number};1A",
            "\x1b[u",
            late,
            "\x1b[57344;1u",
        ]
    )


def _string(random: Random) -> str:
    """Return a string, such as a name, a colour or what is in the clipboard."""
    content = "".join(random.choices(string.printable[:95], k=random.randint(0, 80)))
    begin = random.choice(["\x1bP", "\x1b_", "\x1b^", "\x1bX", f"\x1b]{random.randrange(120)};"])
    return f"{begin}{content}{random.choice([chr(7), chr(27) + chr(92)])}"


UNASKED: tuple[Callable[[Random], str], ...] = (_report, _unknown, _string)


TORN_KEYS = {"\x1b[1;5B": "ctrl+down", "\x1b[24;5~": "ctrl+f12", "\x1b[<35;10;10M": ""}
"""What is torn besides, and the key that it is if its rest comes in time."""


def _torn(random: Random, pressed: list[str]) -> Iterator[Piece]:
    """Yield a sequence whose rest comes late, too late, or never."""
    whole = random.choice([random.choice(UNASKED)(random), *TORN_KEYS])
    # Escape and the key behind it are two keys, which people do press.
    place = random.randint(3, len(whole) - 2) if len(whole) > 5 else len(whole)
    is_late, has_rest = random.random() < 0.5, random.random() < 0.7
    yield Piece(whole[:place], UNFINISHED + 0.1 if is_late else 0.15)
    if has_rest:
        yield Piece(whole[place:])
    if has_rest and not is_late and TORN_KEYS.get(whole):
        pressed.append(TORN_KEYS[whole])
    # Then a key ends nothing that has begun.
    yield Piece("", 2 * (UNFINISHED + TORN))


def stream(seed: int) -> tuple[list[Piece], list[str]]:
    """Return what comes, and the names of keys that are pressed."""
    random = Random(seed)
    pieces: list[Piece] = []
    pressed: list[str] = []
    for _ in range(EVENTS):
        kind = random.random()
        if kind < 0.6:
            sent = random.choice([*PRESSED])
            pressed.append(PRESSED[sent])
            # Keys that are sequences come in pieces, too, without a pause that counts.
            place = random.randint(1, len(sent))
            pieces += (
                [Piece(sent[:place], 0.01), Piece(sent[place:])] if place > 1 else [Piece(sent)]
            )
        elif kind < 0.7:
            text = "".join(random.choices("0123456789,. \n\x1b[A", k=random.randint(0, 60)))
            place = random.randint(0, len(text))
            pieces += [Piece(f"\x1b[200~{text[:place]}", 1.0), Piece(f"{text[place:]}\x1b[201~")]
            pressed.append(f"paste {text!r}")
        elif kind < 0.9:
            pieces.append(Piece(random.choice(UNASKED)(random)))
        else:
            pieces += _torn(random, pressed)
    return pieces, pressed


def typed(pieces: list[Piece]) -> list[str]:
    """Return the names of the keys that are read; a paste is one, too."""
    now = 0.0
    parser = Parser(lambda: now)
    messages: list[Message] = []
    for piece in pieces:
        messages += parser.feed(piece.text) if piece.text else ()
        end = now + piece.pause
        while parser.patience is not None and now + parser.patience <= end and piece.pause:
            now += parser.patience
            messages += parser.tick()
        now = end
    while parser.patience is not None:
        now += parser.patience
        messages += parser.tick()
    keys = [message for message in messages if isinstance(message, Key | Paste)]
    return [key.key if isinstance(key, Key) else f"paste {key.text!r}" for key in keys]


def main() -> int:
    """Try so many seeds; return 1 if one types other keys than were pressed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    given = parser.parse_args()
    faults = count = 0
    for seed in range(given.seeds):
        pieces, pressed = stream(seed)
        count += len(pieces)
        if (keys := typed(pieces)) != pressed:
            faults += 1
            sys.stdout.write(f"seed {seed}: {keys}\nin place of {pressed}\n{pieces}\n")
    sys.stdout.write(f"seeds 0 to {given.seeds - 1}: {count:,} pieces, {faults} faults\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
