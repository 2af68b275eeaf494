"""Actions: bindings that the palette finds by other words as well."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from textual.binding import Binding, BindingType
from textual.dom import DOMNode


@dataclass(frozen=True)
class Action(Binding):
    """A binding whose action has other names.

    Attributes:
        synonyms: Other words by which it can be searched for.
        help: What it does, in a phrase, where its title does not say it.
    """

    synonyms: tuple[str, ...] = ()
    help: str = ""


def declared(node: DOMNode, action: str) -> Iterator[Action]:
    """Yield the declarations of an action of a node.

    They are read from the declarations, since Textual 8 keeps of a binding only what it knows.
    """
    for owner in type(node).__mro__:
        for binding in owner.__dict__.get("BINDINGS", ()):
            if isinstance(binding, Action) and binding.action == action:
                yield binding


MOVES: Mapping[str, tuple[str, str]] = {
    "left": ("left,h", "Left"), "right": ("right,l", "Right"), "up": ("up,k", "Up"),
    "down": ("down,j", "Down"), "first": ("home", "First one"), "last": ("end", "Last one"),
}  # fmt: skip
"""The keys that move a cursor, by the way in which they do, and what that is called in general."""


def moves(**actions: tuple[str, str]) -> Iterator[BindingType]:
    """Yield the bindings that move a cursor, which the footer leaves out.

    Args:
        actions: The action of each of `MOVES` that there is, and its title.
    """
    for way, (action, title) in actions.items():
        yield Binding(MOVES[way][0], action, title, show=False, id=f"move_{way}")


LINES: tuple[BindingType, ...] = (
    Binding("j", "cursor_down", "Next line", show=False, id="line_down"),
    Binding("k", "cursor_up", "Line above", show=False, id="line_up"),
)
"""The bindings of a list beside Textual's own."""

ANOTHER = ("draw again", "new sample", "resample", "next seed", "random")
"""The other names of drawing again, which most instruments can."""


@dataclass(frozen=True)
class Keyless:
    """An action of the application that has no key.

    Attributes:
        title: Its name.
        action: The action, as in a binding.
        help: What it does, in a phrase.
        synonyms: Other words by which it can be searched for.
    """

    title: str
    action: str
    help: str
    synonyms: tuple[str, ...] = ()


SCORES = Keyless(
    "Type scores", "edit", "the scores, or q and K",
    ("edit", "enter scores", "change the scores", "logits", "numbers", "query and keys"),
)  # fmt: skip
"""To type scores, which has a key in Explore and is found everywhere."""

DRAWN = Keyless(
    "Draw scores", "draw", "64 scores of random q and k, with others at each d_k",
    ("random scores", "sample scores", "draw q and k", "gaussian scores", "normal scores"),
)  # fmt: skip
"""To have scores drawn in place of those that were typed."""

KEYLESS = (
    Keyless(
        "Take the tour", "app.go('tour')",
        "from q·k to where the usual story is wrong, in a dozen steps",
        ("tour", "learn", "tutorial", "introduction", "start the tour"),
    ),
    Keyless(
        "A lesson of your own", "app.lesson", "how to open one, and how to write it",
        ("lesson", "write a lesson", "open a lesson", "lesson file", "own tour", "write a tour",
         "open a tour", "course"),
    ),
    Keyless(
        "Questions people ask", "app.choose('question')",
        "what is asked in forums about √d_k, each with the screen that answers",
        ("faq", "frequently asked questions", "questions", "forum", "why"),
    ),
    Keyless(
        "Theme", "app.change_theme", "choose light or dark, or other colours",
        ("colours", "colors", "appearance", "choose a theme"),
    ),
    Keyless(
        "Screenshot", "app.screenshot", "save the screen as an SVG picture",
        ("svg", "picture of the screen"),
    ),
)  # fmt: skip
"""The actions that have no key."""
