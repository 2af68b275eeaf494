"""What tests know of the screens, in one place: keys, and words to wait for.

Keys are those that the documentation gives them; the words are those of headlines.
"""

FIRST = "ivided by 32"
"""Stands on the first screen, which is Explore on the worked example, at d_k = 1024."""

KEYS = {"explore": "1", "dots": "2", "sweep": "3", "attention": "4", "heads": "5", "claims": "6"}
"""The key of each instrument."""

LEAVE, COPY, UNDO, REDO, START, FIND = "q", "c", "u", "U", "0", "/"
LESS, MORE, DOUBLE, FURTHER = "-", "+", "}", "."
TYPE_D_K, TYPE_N, EDIT = "d", "n", "e"
REDRAW = "\x0c"
QUIT = "\x11"
"""Leaves from where q is a letter."""

UP, DOWN, RIGHT, LEFT = (f"\x1b[{end}" for end in "ABCD")
ENTER = "\r"
ESCAPE = "\x1b[27u"
"""As terminals send it that let nobody wait for what may follow an escape."""

JACOBIAN = "/jacobian\r", "\t", "\t", "\t", "\t"
"""From the first screen to the Jacobian, and to the keys that its cursor goes along."""


def headline_at(d_k: int) -> str:
    """Return what the headline of Explore says at a d_k that is a square, under the usual rule."""
    return f"ivided by {round(d_k**0.5)}"


def find(text: str) -> str:
    """Return the keys that find a setting or an action, set it, or do it."""
    return f"{FIND}{text}{ENTER}"


def theme(name: str) -> tuple[str, ...]:
    """Return keys that choose a theme, each to be waited for."""
    return find("theme"), f"{name}{ENTER}"


def pasted(text: str) -> str:
    """Return what a terminal sends for a paste."""
    return f"\x1b[200~{text}\x1b[201~"


def keys_of_sweep(count: int) -> str:
    """Return what Sweep says at a number of keys."""
    return f"{count} keys"
