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


def pasted(text: str) -> str:
    """Return what a paste sends."""
    return f"\x1b[200~{text}\x1b[201~"


def found(text: str) -> str:
    """Return what finds something by its name and chooses it, without a list for every letter."""
    return f"/{pasted(text)}\r"


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

RIGHT_AND_LEFT = ["\x1b[C", "\x1b[D", "\x1b[1;2C", "\x1b[1;2D"]
MOVES = [f"\x1b[{end}" for end in "ABCDHF"] + [f"\x1b[{n}~" for n in (2, 3, 5, 6)] + ["\x7f"]
ENTERING = ["\r", "\r", "\r", "\t", "\x1b[Z", " "]
LEAVING = [ESCAPE, ESCAPE, "\x1b"]
CONTROL = [chr(ord(key) - 96) for key in string.ascii_lowercase if key not in "qijm"]
FUNCTION = [f"\x1bO{end}" for end in "PQRS"] + [f"\x1b[{n}~" for n in (15, 17, 18, 19, 20, 21)]
MODIFIED = [f"\x1b[1;{shift}{end}" for shift in (2, 3, 5, 6) for end in "ABCDHF"]
OPENING = [*"xrmei?sodnc", "\x1bOP", "\x10", "\x13", "\x0f", f"{LEAVE}/"]
INSTRUMENTS = ["1", "2", "3", "4", "5", "6"]

SETTINGS = ["d_k", "n", "rule", "model", "mask", "cap", "sink", "seed", "samples", "draws", "stat"]
NUMBERS = ["0", "1", "2", "7", "64", "1e3", "0.5", "-1", "nan", "inf", "1e-400", "4, 64", "T=2"]
COMMANDS = ["rule", "model", "tab", "theme", "draw", "stat", "mask", "open", "co", "zzz"]
CAPTURE, OTHER, BROKEN = (f"{name}.safetensors" for name in ("capture", "other", "broken"))
"""Heads that a model computed, those of another one, and half a file."""

FILES = [
    CAPTURE,
    BROKEN,
    "scores.csv",
    "rows.npy",
    "broken.json",
    "not there",
    "data\x1b]2;x.txt",
    "~nosuch.json",
]
NAMES = ["a.json", "b.csv", "c.txt", "d.svg", "e", "a.json!", "x" * 300 + ".json", "~a.txt"]

READABLE = {
    "typed": ["1, 2, 3", "a: 100, 120, 150\nb: -1 0 1", "5", "0 0 0 0", "1e300 -1e300 1e-300"],
    "drawn": ["n = 8, seed = 3", "n = 40, vectors = 3", "seed = 9"],
    "vectors": ["q: 1 0\nK: [[1, 0], [0, 1]]", "q: [[1, 2], [3, 4]]\nK: 1 2\nV: 5 6"],
}
HOSTILE = (
    "\x1b]2;pasted\x07", "\x1b[31;5m\x1b[2J", "\x1bPq\x1b\\", "\x9b31m\x9d2;pasted\x9c",
    "\x00\x01\x02\r\n\t\x7f", "\u202e1, 2\u2069\u200b", "👩\u200d👩\u200d👧 e\u0301 ０,１",
    "\ud7ff\ufffe",
)  # fmt: skip
"""Texts that are not to reach a terminal as they are."""


def _paste(random: Random) -> str:
    readable = random.choice([text for texts in READABLE.values() for text in texts])
    kinds: list[Callable[[], str]] = [
        lambda: readable,
        lambda: readable,
        lambda: random.choice(NUMBERS),
        lambda: random.choice(HOSTILE),
        lambda: readable + random.choice(HOSTILE) + readable,
        lambda: "".join(random.choices(LETTERS + string.digits + " \n", k=random.randrange(60))),
        lambda: "",
    ]
    if random.random() < 0.02:
        return f"\x1b[200~{', '.join(['1.5'] * random.choice([900, 9000]))}\x1b[201~"
    return f"\x1b[200~{random.choice(kinds)()}\x1b[201~"


def _mouse(random: Random, size: Size) -> str:
    x, y = random.randint(1, size.columns), random.randint(1, size.lines)
    press, release = f"\x1b[<0;{x};{y}M", f"\x1b[<0;{x};{y}m"
    to_x, to_y = random.randint(1, size.columns), random.randint(1, size.lines)
    return random.choice(
        [
            press + release,
            press + release,
            2 * (press + release),
            press,
            release,
            f"{press}\x1b[<32;{to_x};{to_y}M\x1b[<0;{to_x};{to_y}m",
            f"\x1b[<35;{x};{y}M",
            f"\x1b[<64;{x};{y}M",
            f"\x1b[<65;{x};{y}M",
            f"\x1b[<2;{x};{y}M\x1b[<2;{x};{y}m",
        ]
    )


SIZES = [Size(80, 24), Size(60, 18), Size(40, 15), Size(40, 15), Size(20, 6), Size(72, 20)]
EXTREMES = [Size(1, 1), Size(2, 40), Size(200, 2), Size(200, 60), Size(120, 40)]


def _size(random: Random) -> Size:
    if random.random() < 0.2:
        return random.choice(EXTREMES)
    if random.random() < 0.2:
        return Size(random.randint(1, 100), random.randint(1, 40))
    return random.choice(SIZES)


def _edit(random: Random) -> str:
    """Return what writes scores over those that there are, if the editor can be reached."""
    text = random.choice(READABLE[random.choice([*READABLE])])
    return f"{LEAVE}1e\x1b[1;5H\x1b[1;6F\x1b[200~{text}\x1b[201~"


def _ask(random: Random) -> str:
    """Return what types a value, into a line of its own or behind its name, perhaps enters it."""
    ask = random.choice(["d", "n", f"{LEAVE}/{random.choice(SETTINGS)} "])
    return ask + random.choice(NUMBERS) + random.choice(["\r", ""])


def _set(random: Random) -> str:
    """Return what goes to the settings, and does something on one of their lines."""
    done = [*RIGHT_AND_LEFT, "\r", "\r\r", "\x1b[3~", random.choice(string.digits) + "\r", "\t"]
    return "\t" + random.randrange(20) * "\x1b[B" + random.choice(done)


def _choose(random: Random) -> str:
    """Return what opens a list and chooses from it."""
    down = random.randrange(9) * "\x1b[B"
    return random.choice("xrme") + down + random.choice(["\r", "\r\r", " ", ESCAPE])


def _find(random: Random) -> str:
    """Return what searches everything."""
    find = random.choice(["\x10", f"{LEAVE}/"])
    return find + random.choice(COMMANDS) + random.choice(["\r", "\r\r", "\x1b[B\r", ESCAPE, ""])


def _file(random: Random) -> str:
    """Return what opens a file, or saves to one."""
    if random.random() < 0.5:
        return f"\x0f\x1b[200~{random.choice(FILES)}\x1b[201~\r"
    return f"\x13\x1b[200~{random.choice(NAMES)}\x1b[201~\r"


def opening(name: str) -> str:
    """Return what opens a file."""
    return f"\x0f\x01\x0b{pasted(name)}\r"


def _heads(random: Random) -> str:
    """Return what does something with a capture where its heads are looked at."""
    done = [
        opening(random.choice([CAPTURE, CAPTURE, OTHER, BROKEN, "rows.npy"])),
        f"p{opening(random.choice([OTHER, CAPTURE, BROKEN]))}",
        "t" * random.randrange(1, 4) + random.choice(["", "i", "j\r", " ", "\x1b[B\x1b[B"]),
        f"/statistic {random.choice(['max_logit', 'entropy', 'cosine', 'qk_clip', 'zz'])}\r",
        f"/mask {random.choice(['auto', 'none', 'causal', 'window:4', 'given', 'zz'])}\r",
        f"/rows {random.choice(['1', '7', 'all', '0'])}\r",
        f"/layouts {random.choice(['bnhd', 'bhnd', 'out=bnhd', 'zz'])}\r",
        f"/compared with {random.choice([OTHER, 'none', BROKEN])}\r",
        f"/expects {random.choice([BROKEN, 'zz'])}\r",
        *("w", "\r", "e\x1b[B\r", "0", "\x1b[C\x1b[B\r"),
    ]
    return f"{LEAVE}5{random.choice(done)}"


HELD = [*MOVES, *RIGHT_AND_LEFT, *"+-[]<>uU", "\t", "\x1b[<64;{x};{y}M", "\x1b[<65;{x};{y}M"]
"""What is held down, or goes on turning."""


def _held(random: Random, size: Size) -> str:
    """Return a key that repeats, or the wheel that turns."""
    place = {"x": random.randint(1, size.columns), "y": random.randint(1, size.lines)}
    return "".join([random.choice(HELD).format(**place)] * random.randint(5, 40))


KINDS: tuple[tuple[float, Callable[[Random, Size], str | Size]], ...] = (
    (60.0, lambda random, _: random.choice(LETTERS)),
    (10.0, lambda random, _: random.choice(string.digits[4:])),
    (12.0, lambda random, _: random.choice(ENTERING)),
    (10.0, lambda random, _: random.choice(LEAVING)),
    (25.0, lambda random, _: random.choice(MOVES)),
    (5.0, lambda random, _: random.choice(CONTROL)),
    (3.0, lambda random, _: random.choice(FUNCTION)),
    (2.0, lambda random, _: random.choice(MODIFIED)),
    (2.0, lambda random, _: "\x1b" + random.choice(LETTERS)),
    (3.0, lambda random, _: random.choice(OPENING)),
    (4.0, lambda random, _: random.choice(INSTRUMENTS)),
    (3.0, lambda random, _: _find(random)),
    (4.0, lambda random, _: _choose(random)),
    (4.0, lambda random, _: _ask(random)),
    (8.0, _mouse),
    (4.0, _held),
    (5.0, lambda random, _: _paste(random)),
    (1.5, lambda random, _: _edit(random)),
    (1.0, lambda random, _: _file(random)),
    (4.0, lambda random, _: _set(random)),
    (1.5, lambda random, _: _heads(random)),
    (0.3, lambda random, _: LEAVE + "3/ratio\r"),
    (0.3, lambda random, _: LEAVE + "0"),
    (0.4, lambda random, _: random.choice(["\x1b[O", "\x1b[I", "\x1b[O\x1b[I"])),
    (0.15, lambda random, _: random.choice(["q", "\x11", LEAVE + "q"])),
    (3.0, lambda random, _: _size(random)),
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
