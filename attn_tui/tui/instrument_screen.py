"""What every instrument's screen shares: title line, key bar, and how it asks and is shown."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol, runtime_checkable

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen
from textual.worker import get_current_worker

from attn_tui.compute.experiment import Stop
from attn_tui.instruments import INSTRUMENTS
from attn_tui.tui.actions import Action, Section, bindings
from attn_tui.tui.dialogs import ReadDialog
from attn_tui.tui.everywhere import SHARED
from attn_tui.tui.state import Asked, Edit, Gesture
from attn_tui.tui.widgets.bar import Bar, Item

NARROW, LOW = 72, 20
"""Fewer columns or lines show one pane at a time."""

SHORT = 30
"""Fewer lines leave less room for what stands above and below."""


@dataclass(frozen=True)
class Command:
    """Something the palette offers that has no key of its own."""

    title: str
    help: str
    run: str


@dataclass(frozen=True)
class Explanation:
    """What ``?`` says of a pane.

    Attributes:
        title: The pane.
        formula: What it computes, in the field's symbols.
        meaning: How to read it.
        source: Who says so.
    """

    title: str
    formula: str
    meaning: str
    source: str

    def text(self) -> Text:
        """Return the explanation laid out to be read."""
        return Text.assemble(
            (self.formula, "bold"),
            f"\n\n{self.meaning}\n\n",
            ("Source: ", "bold"),
            self.source,
        )


@runtime_checkable
class Explained(Protocol):
    """A widget that has something to say of itself."""

    explanation: Explanation


class InstrumentScreen(Screen[None]):
    """A screen of one instrument.

    A subclass yields its panes, declares its actions and draws what is asked. It asks by
    messages, so it never needs to know the application.
    """

    DEFAULT_CSS = """
    InstrumentScreen #title { dock: top; }
    InstrumentScreen #key-bar { dock: bottom; }
    """
    AUTO_FOCUS = None
    NAME: ClassVar[str]
    ACTIONS: ClassVar[tuple[Action, ...]] = ()
    SECTIONS: ClassVar[tuple[Section, ...]] = ()
    explanation: Explanation

    class Ready(Message):
        """The screen is visible and wants to be shown what is asked."""

    @dataclass
    class Ask(Message):
        """The user asks something else."""

        edit: Edit
        gesture: Gesture | None = None

    @dataclass
    class Computed(Message):
        """What a long computation found so far, what it was asked for, and whether that is all."""

        key: object
        value: Any
        done: bool = True

        def can_replace(self, message: Message) -> bool:
            """Say whether one that waits behind this one makes it unnecessary."""
            return isinstance(message, InstrumentScreen.Computed) and message.key == self.key

    in_ascii = False
    """Whether bars and charts keep to ASCII."""

    computing: object | None = None
    """What is being computed in a thread, by its key."""

    def compute(self, key: object, work: Callable[[Stop], Any]) -> None:
        """Compute something in a thread; `Computed` brings it, unless other work is asked before.

        Args:
            key: What is asked for; asking for what is being computed changes nothing.
            work: Returns it, or anything once it is told to stop. What it returns may be an
                iterator of values that grow: each is brought, and the last one twice, the second
                time as done; None is done if there was none.
        """
        if key != self.computing:
            self.computing = key
            self.run_worker(
                partial(self._work, key, work), thread=True, exclusive=True, group="compute"
            )

    def _work(self, key: object, work: Callable[[Stop], Any]) -> None:
        worker = get_current_worker()
        value = work(lambda: worker.is_cancelled)
        if isinstance(value, Iterator):
            growing, value = value, None
            for value in growing:
                if worker.is_cancelled:
                    return
                self.post_message(self.Computed(key, value, done=False))
        if not worker.is_cancelled:
            self.post_message(self.Computed(key, value))

    @on(Computed)
    def _on_computed(self, event: Computed) -> None:
        event.stop()
        # One that was overtaken after its last look at the clock is dropped.
        if event.key == self.computing:
            if event.done:
                self.computing = None
            self.take_computed(event.key, event.value)

    def take_computed(self, key: object, value: Any) -> None:
        """Show what `compute` found; while `computing` is not None there is more to come."""

    @property
    def settled(self) -> bool:
        """Whether all that was asked is computed and shown."""
        return self.computing is None

    def on_screen_suspend(self) -> None:
        """Leave nothing running behind a screen that is not seen."""
        self.computing = None
        self.workers.cancel_group(self, "compute")

    def __init_subclass__(cls, **options: Any) -> None:
        cls.BINDINGS = [*bindings(cls.ACTIONS)]
        super().__init_subclass__(**options)

    def on_screen_resume(self) -> None:
        """Say that the screen is visible."""
        self.post_message(self.Ready())

    def compose(self) -> ComposeResult:
        """Lay out the title line, the panes and the key bar."""
        yield Bar(id="title")
        yield from self.compose_panes()
        yield Bar(id="key-bar")

    @abstractmethod
    def compose_panes(self) -> ComposeResult:
        """Yield what stands between the title line and the key bar."""

    @abstractmethod
    def show(self, asked: Asked) -> None:
        """Show what is asked; called while the screen is visible, and when it becomes so."""

    def draw_in_ascii(self, ascii: bool) -> None:
        """Draw bars and charts in ASCII from now on, or in blocks; called before `show`."""
        self.in_ascii = ascii

    @property
    @abstractmethod
    def status(self) -> Sequence[tuple[str, str]]:
        """What the right end of the title line says: texts, each with what a click on it runs.

        Where there is little room the last ones are left out.
        """

    def commands(self) -> Iterable[Command]:
        """Yield what the palette offers besides the actions."""
        return ()

    @property
    def narrow(self) -> bool:
        """Whether there is room for one pane at a time only."""
        return self.size.width < NARROW or self.size.height < LOW

    def ask(self, edit: Edit, gesture: Gesture | None = None) -> None:
        """Ask something else."""
        self.post_message(self.Ask(edit, gesture))

    def frame(self) -> None:
        """Draw the title line and the key bar."""
        width = self.size.width
        items = [Item(((" attn-tui ", "title"),))] if width >= 60 else []
        for number, instrument in enumerate(INSTRUMENTS, 1):
            here = instrument.name == self.NAME
            role = "tab" if here else "muted"
            # Where there is little room, the others have their numbers alone.
            text = f" {number} {instrument.title} " if here or width >= NARROW else f" {number} "
            items.append(Item(((text, role),), f"app.instrument('{instrument.name}')"))
        items += self._status_items(width - sum(item.width for item in items), width)
        self.query_one("#title", Bar).show_items(items)
        self.query_one("#key-bar", Bar).show_items(self._key_items(width))

    def _status_items(self, room: int, width: int) -> list[Item]:
        """Return as much of the status as fits, at the right end of the room."""
        parts, last = [*self.status], " " if width >= NARROW else ""
        while True:
            ends = [" · "] * (len(parts) - 1) + [last]
            items = [
                Item(((text, "label"), (end, "muted")), action)
                for (text, action), end in zip(parts, ends, strict=bool(parts))
            ]
            gap = room - sum(item.width for item in items)
            if gap > 0 or len(parts) < 2:
                return [Item(((" " * max(gap, 1), "text"),)), *items]
            parts.pop()

    def _key_items(self, width: int) -> list[Item]:
        """Return the keys that fit, the more important ones first in line for room."""
        every = [action for action in (*self.ACTIONS, *SHARED) if action.bar]
        items = {action: _key_item(action, self.label_of(action)) for action in every}
        shown: set[Action] = set()
        for action in sorted(items, key=lambda action: action.bar):
            if items[action].width <= width:
                shown.add(action)
                width -= items[action].width
        return [item for action, item in items.items() if action in shown]

    def label_of(self, action: Action) -> str:
        """Return what the key bar calls an action now."""
        return action.label

    def action_explain(self) -> None:
        """Open what there is to say of the pane that has the focus."""
        explained: Explained = self
        for node in (self.focused.ancestors_with_self if self.focused else ())[::-1]:
            if isinstance(node, Explained):
                explained = node
        self.app.push_screen(ReadDialog(explained.explanation.title, explained.explanation.text()))


def _key_item(action: Action, label: str) -> Item:
    key = action.shown or action.always[0].replace("ctrl+", "^")
    return Item(((f" {key}", "key"), (f" {label} " if label else "", "text")), action.run)
