"""What a person might do who does anything at all: keys, pastes, the mouse and sizes, by a seed."""

import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random

ESCAPE = "\x1b[27u"
"""Escape as the kitty keyboard protocol has it: no key behind it can make it another one."""

LEAVE = "\x1b[I\x1b[<0;1;1m" + 6 * ESCAPE
"""Leaves all dialogues and fields: there are fewer of them, one over the other."""

BACK = 4 * ESCAPE
"""Leaves what one action can have opened."""


def pasted(text: str) -> str:
    """Return what a paste sends."""
    return f"\x1b[200~{text}\x1b[201~"


@dataclass(frozen=True)
class Size:
    """The terminal becomes another size."""

    columns: int
    lines: int


Event = str | Size
"""What one key, one paste or one thing done with the mouse sends; or another size."""

_ONE = re.compile(r"\x1b\[200~.*?\x1b\[201~|\x1b\[[\d;<]*[a-zA-Z~]|\x1bO[P-S]|\x1b?.", re.DOTALL)


@dataclass(frozen=True)
class Burst:
    """Events that come together.

    Attributes:
        events: What is done.
        rest: Whether the person then looks at what comes of it.
    """

    events: tuple[Event, ...]
    rest: bool


LETTERS = (string.ascii_letters + string.punctuation).translate(str.maketrans("", "", "qQ/"))
"""Keys that mean something here and there: no ``q``, which leaves, and no ``/``, which in the
name of a file would lead out of the folder: to find something it comes behind `LEAVE` alone."""

MOVES = [f"\x1b[{end}" for end in "ABCDHF"] + [f"\x1b[{n}~" for n in (2, 3, 5, 6)] + ["\x7f"]
OTHERS = [
    *(chr(ord(key) - 96) for key in string.ascii_lowercase if key not in "qijm"),
    *(f"\x1bO{end}" for end in "PQRS"),
    *(f"\x1b[1;{shift}{end}" for shift in (2, 3, 5, 6) for end in "ABCDHF"),
    *(f"\x1b{letter}" for letter in LETTERS), "\x1b[O", "\x1b[I",
]  # fmt: skip
"""Control, function keys, moves with shift and the like, letters behind escape, the focus."""

SETTINGS = ["d_k", "n", "rule", "model", "mask", "cap", "sink", "seed", "samples", "draws", "stat"]
NUMBERS = ["0", "1", "2", "7", "64", "1e3", "0.5", "-1", "nan", "inf", "1e-400", "4, 64", "T=2"]
COMMANDS = ["rule", "model", "theme", "draw", "mask", "open", "ratio", "zzz"]
CAPTURE, OTHER, BROKEN = (f"{name}.safetensors" for name in ("capture", "other", "broken"))
"""Heads that a model computed, those of another one, and half a file."""

FILES = [CAPTURE, BROKEN, "scores.csv", "rows.npy", "broken.json", "not there", "data\x1b]2;x.txt"]
NAMES = ["a.json", "b.csv", "c.txt", "d.svg", "e", "a.json!", "x" * 300 + ".json"]
READABLE = [
    "1, 2, 3", "a: 100, 120, 150\nb: -1 0 1", "0 0 0 0", "1e300 -1e300 1e-300", "n = 8, seed = 3",
    "n = 40, vectors = 3", "q: 1 0\nK: [[1, 0], [0, 1]]", "q: [[1, 2], [3, 4]]\nK: 1 2\nV: 5 6",
]  # fmt: skip
HOSTILE = [
    "\x1b]2;pasted\x07", "\x1b[31;5m\x1b[2J", "\x1bPq\x1b\\", "\x9b31m\x9d2;pasted\x9c",
    "\x00\x01\x02\r\n\t\x7f", "\u202e1, 2\u2069\u200b", "👩\u200d👩\u200d👧 e\u0301 ０,１",
    ", ".join(["1.5"] * 9000),
]  # fmt: skip
"""Texts that are not to reach a terminal as they are, and a long one."""

SIZES = [
    Size(80, 24), Size(60, 18), Size(40, 15), Size(20, 6), Size(72, 20), Size(1, 1), Size(2, 40),
    Size(200, 2), Size(200, 60), Size(120, 40),
]  # fmt: skip


ACTIONS: list[Event] = [
    "g", "g\x1b[B\x1b[B", "?", "?", "i", "s", "o", "/", "/d_k 64\r", "/theme", "r", "m", "x", "p",
    "a", "t", "t", "T", "f", "u", "U", "0", "c", "v", "d512\r", "+", "-", "}", "{", ".", ",", " ",
    f"1e{pasted('1, 2, 3')}", f"1e{pasted('n = 40, vectors = 3')}", "\t", "\x1b[A", "\x1b[B\x1b[B",
    "\x1b[C", "1", "2", "3", "4", "5", "6", "\r", "\x7f",
    Size(120, 40), Size(80, 24), Size(200, 60),
]  # fmt: skip
"""What people do again and again, each from the screen itself."""

PANELS = ["g", "?", "i", "s", "o", "/", "t", "f"]
"""What opens each panel and dialogue, or shows another view."""


def everywhere() -> list[Event]:
    """Return what visits everything: each action on each instrument, panels at all sizes.

    The actions come at the largest size, where what is shown, and kept, takes the most memory.
    """
    keys = [one for one in ACTIONS if isinstance(one, str) and one not in string.digits]
    sizes = [one for one in ACTIONS if isinstance(one, Size)]
    largest = max(sizes, key=lambda size: size.columns * size.lines)
    visits: list[Event] = []
    for size in sizes:
        visits.append(size)
        for instrument in "123456":
            actions = keys if size == largest else PANELS
            visits += [instrument + action for action in actions]
    return visits


def _opening(name: str) -> str:
    """Return what opens a file."""
    return f"\x0f\x01\x0b{pasted(name)}\r"


def _mouse(random: Random, size: Size) -> str:
    """Return a click, a drag, a move, a turn of the wheel, or one half of a click."""
    (x, y), (to_x, to_y) = (
        (random.randint(1, size.columns), random.randint(1, size.lines)) for _ in range(2)
    )
    press, release = f"\x1b[<0;{x};{y}M", f"\x1b[<0;{x};{y}m"
    drag = f"{press}\x1b[<32;{to_x};{to_y}M\x1b[<0;{to_x};{to_y}m"
    wheel = f"\x1b[<{random.choice((64, 65))};{x};{y}M" * random.randint(1, 20)
    done = [press + release, 2 * (press + release), press, release, drag, wheel]
    return random.choice([*done, f"\x1b[<35;{x};{y}M"])


def _some(random: Random) -> str:
    """Return what does something that takes several keys."""
    done: list[str] = [
        f"{LEAVE}/{random.choice(SETTINGS)} {random.choice(NUMBERS)}\r",
        f"{random.choice('dn')}{random.choice(NUMBERS)}\r",
        f"{LEAVE}/{random.choice(COMMANDS)}{random.choice(['', ESCAPE])}\r",
        f"{random.choice('xrme')}{random.randrange(9) * MOVES[1]}\r",
        f"g{random.randrange(20) * MOVES[1]}{random.choice([MOVES[2], '5'])}\r",
        f"{LEAVE}1e\x1b[1;5H\x1b[1;6F{pasted(random.choice(READABLE))}",
        pasted(random.choice(READABLE) + random.choice(["", *HOSTILE])),
        _opening(random.choice(FILES)),
        f"\x13\x15{pasted(random.choice(NAMES))}\r",
        f"{LEAVE}5{_opening(random.choice([CAPTURE, OTHER, BROKEN]))}",
        f"{LEAVE}5p{_opening(random.choice([OTHER, BROKEN]))}",
        f"{LEAVE}5/statistic {random.choice(['max_logit', 'entropy', 'zz'])}\r",
        f"{LEAVE}5/mask {random.choice(['auto', 'causal', 'window:4', 'zz'])}\r",
        random.choice([*MOVES, *"+-[]<>uU"]) * random.randint(5, 40),
        LEAVE,
    ]
    return random.choice(done)


KINDS: tuple[tuple[float, Callable[[Random, Size], str | Size]], ...] = (
    (60.0, lambda random, _: random.choice(LETTERS)),
    (14.0, lambda random, _: random.choice(string.digits)),
    (12.0, lambda random, _: random.choice(["\r", "\t", "\x1b[Z", " "])),
    (10.0, lambda random, _: random.choice([ESCAPE, "\x1b"])),
    (25.0, lambda random, _: random.choice(MOVES)),
    (12.0, lambda random, _: random.choice(OTHERS)),
    (8.0, _mouse),
    (30.0, lambda random, _: _some(random)),
    (0.15, lambda random, _: random.choice(["q", "\x11", LEAVE + "q"])),
    (3.0, lambda random, _: random.choice(SIZES)),
)
"""What can be done, and how often."""


def _events(random: Random, size: Size) -> Iterator[Event]:
    """Yield what is done on a terminal that has a size at first, for ever."""
    weights, kinds = zip(*KINDS, strict=True)
    while True:
        done = random.choices(kinds, weights)[0](random, size)
        if isinstance(done, Size):
            size = done
            yield size
        else:
            yield from _ONE.findall(done)


def bursts(seed: int, size: Size) -> Iterator[Burst]:
    """Yield what is done on a terminal that has a size at first, for ever, and what together."""
    random = Random(seed)
    events = _events(random, size)
    while True:
        together = random.choice((1, 2, 4, 8, 15, 30, 60, 100))
        yield Burst(tuple(islice(events, together)), random.random() < 0.7)
