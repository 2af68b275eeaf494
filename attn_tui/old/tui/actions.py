"""Actions: what can be done, and with which keys; bindings, bars and help come from them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

from textual.binding import Binding, BindingType

_NAMED = re.compile(r"ctrl\+|f\d")
"""Keys that a person knows by Textual's name for them."""

_VERB = re.compile(r"(?!app\b|screen\b)(\w+)\.(\w+)(?:\((.*)\))?")


def textual_action(run: str) -> str:
    """Return the Textual action of something to run; a verb of a part is one of its screen.

    >>> textual_action("fields.next('wrt')"), textual_action("app.undo")
    ("screen.part('fields', 'next', ('wrt',))", 'app.undo')
    """
    if not (verb := _VERB.fullmatch(run)):
        return run
    part, name, arguments = verb.groups()
    # One tuple: Textual passes as many arguments as a method has names for.
    return f"screen.part('{part}', '{name}'{f', ({arguments},)' if arguments else ''})"


@dataclass(frozen=True)
class Action:
    """One thing a person can do.

    Attributes:
        run: The Textual action, ``"undo"`` or ``"app.quit"``, or the verb of a part of the screen,
            ``"filing.save"``; parameters in brackets.
        keys: Textual's names of the keys that do it.
        shown: The keys as a person knows them.
        label: One word or two for the key bar.
        help: What it does, one sentence without a full stop.
        bar: Its rank in the key bar, 1 for what must have room; 0 keeps it out.
        palette: Whether the command palette offers it.
        always: More keys, which work even while a text field has the focus; none is printable.
        full: Whether the key bar of the full picture has it too.
        words: What Find knows it by besides.
    """

    run: str
    keys: tuple[str, ...]
    shown: str
    label: str
    help: str
    bar: int = 0
    palette: bool = True
    always: tuple[str, ...] = ()
    full: bool = False
    words: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "run", textual_action(self.run))

    @property
    def all_shown(self) -> str:
        """Every key as a person knows it: ``u, ctrl+z``."""
        more = (key for key in (*self.keys, *self.always) if _NAMED.match(key))
        return ", ".join(filter(None, (self.shown, *more)))


def quiet(run: str, *keys: str) -> Action:
    """Return an action that goes without saying: the help of another one tells of it."""
    return Action(run, keys, "", "", "", palette=False)


FAR = 10**9
"""More lines than any list has."""


def down_a_list(move: str, up: str, down: str, *keys: str) -> tuple[Action, ...]:
    """Return what moves in a list besides going up, of which help tells.

    Args:
        move: What goes so many lines down.
        up: What goes up by what is in sight, or so.
        down: The same down.
        keys: Those that go down besides the arrow.
    """
    return (
        quiet(f"{move}(1)", "down", *keys),
        quiet(up, "pageup"),
        quiet(down, "pagedown"),
        quiet(f"{move}(-{FAR})", "home"),
        quiet(f"{move}({FAR})", "end"),
    )


def bindings(actions: Iterable[Action]) -> list[BindingType]:
    """Return the Textual bindings of actions."""
    return [
        Binding(",".join(keys), action.run, action.label, priority=priority)
        for action in actions
        for keys, priority in ((action.keys, False), (action.always, True))
        if keys
    ]


_FEW = 8
"""The keys of a place that has no more stand in one row."""


@dataclass(frozen=True)
class Section:
    """Actions that work in one place.

    Attributes:
        title: The place: ``"Everywhere"``, ``"In the slider"``.
        actions: What can be done there.
    """

    title: str
    actions: tuple[Action, ...]


def key_table(sections: Iterable[Section]) -> str:
    """Return the actions that have keys as Markdown: two in a row, or all of a place that has few.

    So that every key there is fits on a page.
    """
    lines, places = ["| keys | everywhere | keys | |", "| --- | --- | --- | --- |"], []
    for section in sections:
        cells = [f"`{each.all_shown}` | {each.help}" for each in section.actions if each.all_shown]
        if len(cells) > _FEW:
            pairs = zip_longest(cells[::2], cells[1::2], fillvalue=" | ")
            lines += [f"| {' | '.join(pair)} |" for pair in pairs]
        else:
            places.append(f"| {section.title} | {' · '.join(cells).replace('` | ', '` ')} |")
    return "\n".join([*lines, "", "| where | keys |", "| --- | --- |", *places]) + "\n"
