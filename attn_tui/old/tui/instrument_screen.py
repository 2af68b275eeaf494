"""What every instrument's screen shares: title line, key bar, and how it asks and is shown."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.actions import parse
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.message import Message

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.files.history import Asked, Edit, Gesture
from attn_tui.old.tui import visiting
from attn_tui.old.tui.actions import Action, Section, bindings, textual_action
from attn_tui.old.tui.bars import Status, key_items, title_items
from attn_tui.old.tui.charting import Charting
from attn_tui.old.tui.choosing import Choosing
from attn_tui.old.tui.computing import Computing
from attn_tui.old.tui.drawer import WIDTH, Drawer
from attn_tui.old.tui.examples import Examples
from attn_tui.old.tui.explaining import Explanation
from attn_tui.old.tui.fields import Fields
from attn_tui.old.tui.filing import Filing
from attn_tui.old.tui.full import FullPicture
from attn_tui.old.tui.job import Job
from attn_tui.old.tui.keyboard import Keyboard
from attn_tui.old.tui.looking import Looking
from attn_tui.old.tui.parts import Part
from attn_tui.old.tui.scene import LOW, SHORT, Drawing, Pane, Scene, is_narrow
from attn_tui.old.tui.settings import Group, Setting, by_name
from attn_tui.old.tui.sized import Sized
from attn_tui.old.tui.stopping import Stopping
from attn_tui.old.tui.timers import Punctual
from attn_tui.old.tui.view import Tab, View
from attn_tui.old.tui.visiting import Visiting
from attn_tui.old.tui.widgets.bar import Bar, Item, TabBar
from attn_tui.old.tui.widgets.chart import ChartCanvas, ChartPane
from attn_tui.old.tui.widgets.entry import Entry
from attn_tui.old.tui.widgets.headline import HeadlinePane
from attn_tui.old.tui.widgets.hint import Hint
from attn_tui.old.tui.widgets.settings import SettingsPane
from attn_tui.old.tui.widgets.slider import Slider
from attn_tui.report.export import Forms
from attn_tui.report.rows import Row


class InstrumentScreen(Punctual, Sized[None]):
    """A screen of one instrument.

    A subclass declares its parts and actions, composes panes and hands their messages on. It asks
    by messages, so it never needs to know the application.

    Attributes:
        asked: What is asked, once the screen has been shown it.
        answer: The best answer there is.
        view: How it is looked at.
        computing: Has long answers computed.
        computings: All that computes for the screen.
    """

    AUTO_FOCUS = None
    BLANK = True
    NAME: ClassVar[str]
    ACTIONS: ClassVar[tuple[Action, ...]] = ()
    SECTIONS: ClassVar[tuple[Section, ...]] = ()
    GROUPS: Sequence[Group] = ()
    """What can be asked and looked at here, besides scores and tabs."""
    SETTINGS: Mapping[str, Setting] = {}
    """The same by name."""
    ABSENT: Mapping[str, str] = {}
    """What is said of settings that others have, by name."""
    TABS: Mapping[str, Tab] = {}
    """What there is to look at, by name in the order of the tabs."""
    LEADS: ClassVar[Mapping[str, str]] = {}
    """What goes to an instrument with something to show there, by its name."""
    WRITERS: ClassVar[Mapping[str, Callable[[Any], Iterable[str]]]] = {}
    """What writes an answer, by the ending of a file's name; ``.txt`` is read on the screen too."""

    KEPT: ClassVar = 1
    """Of how many questions the answers are kept."""
    PERSISTS: ClassVar = False
    """Whether work goes on behind a dialogue."""

    explanation: Explanation
    answer: Any = None
    view: View = View()

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
        self.computing: Computing[Any] = Computing(self, most=self.KEPT)
        self.computings: tuple[Computing[Any], ...] = (self.computing,)
        self.title_bar, self.key_bar = Bar(id="title"), Bar(id="key-bar")
        self.panes: Sequence[Pane] = ()
        self.drawings: Sequence[Drawing] = ()
        self.tab_bars: Sequence[TabBar] = ()
        self.charting, self.choosing, self.fields = Charting(self), Choosing(self), Fields(self)
        self.drawer, self.keyboard = Drawer(self), Keyboard(self)
        self.visiting, self.looking = Visiting(self), Looking[Any](self)
        own: tuple[Part[Any], ...] = (self.fields, self.drawer, self.keyboard, self.visiting)
        own += Examples(self), self.looking, Stopping(self), Filing(self), FullPicture(self)
        self.parts = {part.NAME: part for part in (*own, *self.make_parts())}

    def __init_subclass__(cls, **options: Any) -> None:
        cls.BINDINGS = [*bindings((*cls.ACTIONS, visiting.ACTION))]
        cls.SETTINGS = by_name(cls.GROUPS)
        super().__init_subclass__(**options)

    # Parts and what they want

    def make_parts(self) -> Iterable[Part[Any]]:
        """Return the parts that not every screen has, or that stand in for one of those."""
        return ()

    async def action_part(self, name: str, verb: str, arguments: tuple[Any, ...] = ()) -> None:
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
        return bool(self.check_action(*parse(action.run)[1:]))

    @property
    def n_attended(self) -> int:
        """N of rules that depend on it: the keys of the first vector that are not masked."""
        return self.asked.experiment.vectors[0].n_attended if self.asked else 1

    def ask(self, edit: Edit, gesture: Gesture | None = None) -> None:
        """Ask something else."""
        self.post_message(self.Ask(edit, gesture))

    def check(self, setup: Setup) -> None:
        """Raise InputError if the screen has no answer to a setup."""

    def do(self, run: str) -> None:
        """Do what an action does, once what is going on is done."""
        self.call_later(self.run_action, textual_action(run))

    def preview(self, edit: Edit) -> str:
        """Return what would be said first after an edit, where that is known at once; or nothing.

        It is asked for as the cursor moves in a list, so it may take some milliseconds.
        """
        return ""

    def forms(self) -> Forms:
        """Return what can be written of the present answer; nothing while there is none."""
        answer = self.answer
        return {name: partial(write, answer) for name, write in self.WRITERS.items() if answer}

    def said(self) -> str:
        """Return all there is to say of what is shown; nothing while there is no answer."""
        return "".join(self.WRITERS[".txt"](self.answer)) if self.answer else ""

    # Answers

    @property
    def job(self) -> Job[Any]:
        """How the long answer stands."""
        return self.computing.job

    @on(Computing.Changed)
    def _on_changed(self, event: Computing.Changed) -> None:
        event.stop()
        if any(each.take(event.task) for each in self.computings):
            self.show_job()

    def go_on(self) -> None:
        """Find out what is asked and not known, and take the best there is."""
        if self.asked:
            self.seek(self.asked.experiment)

    def seek(self, experiment: Experiment) -> None:
        """Find out what is asked, unless it is known, and take the best there is."""

    @property
    def settled(self) -> bool:
        """Whether all that was asked is computed and drawn."""
        running = any(each.job.running for each in self.computings)
        return self.asked is not None and not self.charting.due and not running

    def on_screen_suspend(self) -> None:
        """Leave nothing running behind a screen that is not seen, and no keys that do nothing."""
        if not (self.PERSISTS and self.app.screen.is_modal):
            self._leave()
        self.keyboard.show(())

    def on_unmount(self) -> None:
        """Leave nothing running that nobody waits for."""
        self._leave()
        self.keyboard.show(())

    def _leave(self) -> None:
        for each in self.computings:
            each.leave()

    # What is shown

    def compose(self) -> ComposeResult:
        """Lay out the title line, the headline, the panes, the hint and the key bar."""
        # Later, all that stands on the screen would take on its styles again.
        self.set_class(self.room.height < SHORT, "-short")
        self.set_class(self.narrow, "-narrow")
        yield self.title_bar
        yield HeadlinePane(id="headline")
        with Horizontal(id="body"):
            yield SettingsPane(self.GROUPS, id="settings")
            with Vertical(id="panes"):
                yield from self.compose_panes()
        yield Hint(id="hint")
        yield self.key_bar

    @abstractmethod
    def compose_panes(self) -> ComposeResult:
        """Yield what stands between the title line and the key bar."""

    def on_mount(self) -> None:
        """Know the panes, and give the keys to the picture."""
        widgets = self.walk_children()
        self.panes = [each for each in widgets if isinstance(each, Pane)]
        self.drawings = [each for each in widgets if isinstance(each, Drawing)]
        self.tab_bars = [each for each in widgets if isinstance(each, TabBar)]
        self.set_focus(self.drawer.home)

    def on_screen_resume(self) -> None:
        """Say that the screen is visible."""
        self.post_message(self.Ready())

    def on_resize(self) -> None:
        """Lay out for the new size, and draw everything in it."""
        self.set_class(self.size.height < SHORT, "-short")
        self.drawer.left()
        self.drawer.lay_out()
        self.call_after_refresh(self.draw)

    @property
    def room(self) -> Size:
        """Columns and lines of the screen without the drawer."""
        width, height = self.size or self.app.size
        is_open = self.view.settings and not self.view.full and not is_narrow(width, LOW)
        return Size(width - WIDTH * is_open, height)

    @property
    def narrow(self) -> bool:
        """Whether there is room for one pane at a time only, or one is wanted."""
        return self.view.full or is_narrow(*self.room)

    def show(self, asked: Asked) -> None:
        """Show what is asked; called while the screen is visible, and when it becomes so."""
        self.asked = asked
        self.go_on()
        self.draw()

    def look(self, view: View) -> None:
        """Look another way."""
        laid_out = self.view.settings, self.view.full
        self.view = view
        if laid_out != (view.settings, view.full):
            self.drawer.lay_out()
        self.go_on()
        self.draw()

    def show_job(self) -> None:
        """Show how the long answer stands, behind a dialogue too."""
        self.go_on()
        self.draw(later=False)

    def scene(self, asked: Asked) -> Scene:
        """Return what panes are to show."""
        return Scene(asked, self.answer, self.job, self.problem, *self.room, self.view)

    @property
    def problem(self) -> Sequence[Row]:
        """What failed of that which is looked at, in lines."""
        return self.job.problem_rows(self.room.width)

    def draw(self, later: bool = True) -> None:
        """Show everything but the chart at once, and the chart soon."""
        if self.asked is None or not self.size:
            return
        self.see()
        self.draw_tabs()
        self.frame()
        self.charting.soon(later)

    def see(self) -> None:
        """Show every pane how things are."""
        if self.asked:
            scene = self.scene(self.asked)
            for pane in self.panes:
                pane.see(scene)

    def draw_chart(self) -> bool:
        """Draw the chart in the size it has; return whether all it shows is known."""
        if self.asked:
            scene = self.scene(self.asked)
            for pane in self.drawings:
                pane.see_chart(scene)
        return True

    @on(ChartCanvas.Resized)
    def _on_chart_resized(self) -> None:
        self.charting.soon()

    def on_descendant_focus(self) -> None:
        """Show where the keys go, and what they do there."""
        self.drawer.left()
        if self.asked:
            self.draw_tabs()
            self.frame()

    def draw_tabs(self) -> None:
        """Draw the line of tabs; where panes are shown one at a time it has another place."""
        in_chart = isinstance(self.focused, ChartPane)
        if self.asked and (items := self.tab_items(self.asked, in_chart)):
            for bar in self.tab_bars:
                bar.show_items(items)

    def tab_items(self, asked: Asked, focused: bool) -> Sequence[Item]:
        """Return the line of tabs; nothing while there is nothing to look at."""
        return ()

    def status(self, asked: Asked) -> Status:
        """Return what the right end of the title line says, the last only where there is room."""
        return ()

    def frame(self) -> None:
        """Draw the title line, and the key bar of what is on top."""
        status = self.status(self.asked) if self.asked else ()
        self.title_bar.show_items(title_items(self.NAME, status, self.size.width))
        labels = self.keyboard.labels if self.is_active else ()
        self.keyboard.show(key_items(labels, self.size.width))

    # What panes say

    @on(Entry.Entered)
    async def _on_entered(self, event: Entry.Entered) -> None:
        await self.choosing.entered(event)

    @on(Entry.Opened)
    @on(Entry.Closed)
    def _on_entry(self) -> None:
        self.choosing.moved()

    @on(Slider.Moved)
    def _on_slider_moved(self, event: Slider.Moved) -> None:
        self.fields.put(event.field, event.change, event.gesture)
