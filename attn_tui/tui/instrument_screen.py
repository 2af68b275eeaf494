"""What every instrument's screen shares: title line, key bar, and how it asks and is shown."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from rich.text import Text
from textual import on
from textual.actions import parse
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen

from attn_tui.charts.rows import Row
from attn_tui.tui.actions import Action, Section, bindings
from attn_tui.tui.bars import NARROW, key_items, title_items
from attn_tui.tui.choosing import Choosing
from attn_tui.tui.computing import Computing
from attn_tui.tui.dialogs import ReadDialog
from attn_tui.tui.everywhere import SHARED
from attn_tui.tui.job import Job
from attn_tui.tui.parts import Part
from attn_tui.tui.state import Asked, Edit, Gesture
from attn_tui.tui.widgets.bar import Bar
from attn_tui.tui.widgets.canvas import Canvas
from attn_tui.tui.widgets.entry import Entry

LOW = 20
"""Fewer lines show one pane at a time, as fewer columns than `NARROW` do."""

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

    Attributes:
        asked: What is asked, once the screen has been shown it.
        computing: Has long answers computed.
    """

    DEFAULT_CSS = """
    InstrumentScreen #title { dock: top; }
    InstrumentScreen #key-bar { dock: bottom; }
    """
    AUTO_FOCUS = None
    NAME: ClassVar[str]
    ACTIONS: ClassVar[tuple[Action, ...]] = ()
    SECTIONS: ClassVar[tuple[Section, ...]] = ()
    PLACE = ""
    """What the line that asks for a value stands in for, as a selector."""

    explanation: Explanation

    class Ready(Message):
        """The screen is visible and wants to be shown what is asked."""

    @dataclass
    class Ask(Message):
        """The user asks something else."""

        edit: Edit
        gesture: Gesture | None = None

    def __init__(self) -> None:
        super().__init__()
        self.asked: Asked | None = None
        self.computing: Computing[Any] = self.make_computing()
        self.choosing = Choosing(self, self.PLACE)
        self.parts = {part.NAME: part for part in self.make_parts()}

    def make_parts(self) -> Iterable[Part]:
        """Return the parts whose verbs are bound here."""
        return ()

    async def action_part(self, name: str, verb: str, *arguments: Any) -> None:
        """Use a verb of a part."""
        await self.parts[name].do(verb, *arguments)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Say whether an action can be used now, as its part does."""
        if action != "part":
            return super().check_action(action, parameters)
        name, verb = str(parameters[0]), str(parameters[1])
        return name in self.parts and self.parts[name].can(verb)

    def can(self, action: Action) -> bool:
        """Return whether an action of the screen can be used now."""
        _, name, parameters = parse(action.run)
        return bool(self.check_action(name, parameters))

    @on(Entry.Entered)
    async def _on_entered(self, event: Entry.Entered) -> None:
        await self.choosing.entered(event)

    @on(Entry.Opened)
    @on(Entry.Closed)
    def _on_entry(self) -> None:
        self.choosing.moved()

    def over(self, dialog: Screen[Any], done: Callable[[Any], None] | None = None) -> None:
        """Open a dialogue over the screen."""
        self.app.push_screen(dialog, done)

    def picture(self) -> str:
        """Return the screen as a picture, without what pops up over it for some seconds."""
        racks = [rack for rack in self.query("ToastRack") if rack.display]
        for rack in racks:
            rack.display = False
        self._compositor.reflow(self, self.size)
        picture = self.app.export_screenshot()
        for rack in racks:
            rack.display = True
        return picture

    def make_computing(self) -> Computing[Any]:
        """Return what has long answers computed; what it finds is shown by `show_job`."""
        return Computing(self)

    @property
    def computings(self) -> tuple[Computing[Any], ...]:
        """All that computes for the screen."""
        return (self.computing,)

    @property
    def job(self) -> Job[Any]:
        """How the long answer stands."""
        return self.computing.job

    @on(Computing.Changed)
    def _on_changed(self, event: Computing.Changed) -> None:
        event.stop()
        if any(each.take(event.task) for each in self.computings):
            self.show_job()

    def show_job(self) -> None:
        """Show how the long answer stands."""

    @property
    def problem_rows(self) -> Sequence[Row]:
        """What failed of that which is looked at, in lines."""
        return self.job.problem_rows(self.size.width)

    def show_words(self, rows: Sequence[Row], height: int) -> None:
        """Show what there is to say in so many lines, or what failed in as many as it takes."""
        problem = self.problem_rows
        words = self.query_one("#words", Canvas)
        words.styles.height = len(problem) or height
        words.show(problem or rows)

    @property
    def settled(self) -> bool:
        """Whether all that was asked is computed and shown."""
        return not any(each.job.running for each in self.computings)

    def on_screen_suspend(self) -> None:
        """Leave nothing running behind a screen that is not seen."""
        for each in self.computings:
            each.leave()

    def on_unmount(self) -> None:
        """Leave nothing running that nobody waits for."""
        self.on_screen_suspend()

    def __init_subclass__(cls, **options: Any) -> None:
        cls.BINDINGS = [*bindings(cls.ACTIONS)]
        super().__init_subclass__(**options)

    def on_resize(self) -> None:
        """Lay out for the new size, so that what is drawn next is drawn in it."""
        self.set_class(self.narrow, "-narrow")
        self.set_class(self.size.height < SHORT, "-short")

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
        self.query_one("#title", Bar).show_items(title_items(self.NAME, self.status, width))
        offered = [action for action in (*self.ACTIONS, *SHARED) if action.bar and self.can(action)]
        labels = [(action, self.label_of(action)) for action in offered]
        self.query_one("#key-bar", Bar).show_items(key_items(labels, width))

    def label_of(self, action: Action) -> str:
        """Return what the key bar calls an action now."""
        return action.label

    def action_explain(self) -> None:
        """Open what there is to say of the pane that has the focus."""
        explained: Explained = self
        for node in (self.focused.ancestors_with_self if self.focused else ())[::-1]:
            if isinstance(node, Explained):
                explained = node
        self.over(ReadDialog(explained.explanation.title, explained.explanation.text()))
