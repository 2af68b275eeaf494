"""Parts of a screen: plain objects, each with a table of what it can do, that hold the screen."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import Any, ClassVar, Protocol

from textual.screen import Screen
from textual.widget import Widget

from attn_tui.tui.actions import Action
from attn_tui.tui.state import Asked, Edit, Gesture


class Host(Protocol):
    """What a part may want of the screen it is a part of."""

    asked: Asked | None

    @property
    def focused(self) -> Widget | None:
        """What has the focus."""

    def set_focus(self, widget: Widget | None) -> None:
        """Give the focus to a widget."""

    def query(self, selector: str) -> Iterable[Any]:
        """Return widgets."""

    def ask(self, edit: Edit, gesture: Gesture | None = None) -> None:
        """Ask something else."""

    def notify(self, message: str, *, timeout: float, markup: bool = True) -> None:
        """Say something for some seconds."""

    def run_worker(self, work: Callable[[], Any], *, group: str, thread: bool) -> Any:
        """Run something in a thread."""

    def over(self, dialog: Screen[Any], done: Callable[[Any], None] | None = None) -> None:
        """Open a dialogue over the screen."""


class Part:
    """Something a screen can do.

    A verb is a method of the part; the Textual action ``screen.part('filing', 'read')`` runs it.
    Parts do not know screens, and say what they want of theirs in a protocol.
    """

    NAME: ClassVar[str]
    """What screens call it."""

    def can(self, verb: str) -> bool:
        """Return whether a verb can be used now; else neither key nor palette does it."""
        return hasattr(self, verb)

    async def do(self, verb: str, *arguments: Any) -> None:
        """Use a verb."""
        result = getattr(self, verb)(*arguments)
        if isinstance(result, Awaitable):
            await result


def of_part(part: type[Part], *actions: Action) -> tuple[Action, ...]:
    """Return actions that run verbs of a part, as they are bound on a screen."""
    return tuple(replace(action, run=run(part, action.run)) for action in actions)


def run(part: type[Part], verb: str) -> str:
    """Return the Textual action of a verb, with its arguments in brackets: ``step(-1)``."""
    name, _, arguments = verb.partition("(")
    arguments = arguments.removesuffix(")")
    return f"screen.part('{part.NAME}', '{name}'{f', {arguments}' if arguments else ''})"
