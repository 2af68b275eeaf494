"""The screen of an instrument: title, headline, body and footer."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import DescendantFocus, ScreenResume
from textual.geometry import Size
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Tabs
from textual.worker import Worker, WorkerState, get_current_worker

from attn_tui.charts.drawing import Drawing
from attn_tui.compute.errors import Stop
from attn_tui.compute.text import visible
from attn_tui.files.draft import Draft
from attn_tui.files.history import Question
from attn_tui.report.model import model_texts
from attn_tui.ui.action import Action
from attn_tui.ui.asking_screen import AskingScreen
from attn_tui.ui.d_k import DkPane, NumberPane
from attn_tui.ui.headline import Headline
from attn_tui.ui.help import help_text, name_of, read
from attn_tui.ui.keys import KeysFooter
from attn_tui.ui.pane import Pane
from attn_tui.ui.picture import Picture
from attn_tui.ui.setting import D_K
from attn_tui.ui.settings_panel import SettingsPanel
from attn_tui.ui.slider import Slider
from attn_tui.ui.title import FEWEST_TABS, SHORT_TABS, TABS, Title
from attn_tui.ui.welcome import Welcome

TINY = 60
"""On a screen narrower than this many columns there is room for only one pane."""

SLIM = 80
"""On a screen narrower than this many columns, open settings take the place of the panes."""

WITH_HELP = 120
"""The least columns for help beside the panes: three panes need 80 of them."""

TWO_PANELS = 160
"""The least columns at which settings and help can both be open."""

FAILED = (
    "This could not be worked out: {error}. What stands below is from before. "
    "Please report it, with the command that c copies."
)


SOON = "is on the screen; its numbers are still being worked out"
"""The message about a view that is asked for before it has anything to show."""

LEADING_AWAY = ("explore", "open_head", "open_instrument")
"""What enter does in panes: it shows what the cursor is on in another instrument."""


CHANGED: Mapping[str, str] = {
    "precision": "{}", "naive": "{}", "round_scores": "scores in {}",
    "round_vectors": "q and k in {}", "sigma_q": "σ_q = {}", "sigma_k": "σ_k = {}",
    "lead": "lead {}",
}  # fmt: skip
"""What the title says of settings that change numbers but stand in no pane, by their names."""


class InstrumentScreen(AskingScreen):
    """What all instruments share: a headline, a body, views and help.

    The question comes down as ``asked``; every change to it goes up as a message from `ask`.

    Attributes:
        VIEWS: The views that `t` cycles through, each named by the id of its pane.
        VIEW_TITLES: The name of each view in the palette, and other words for it.
        PICTURE: The id of the pane with the picture; empty if it is that of the view.
    """

    VIEWS: ClassVar[Sequence[str]] = ()
    VIEW_TITLES: ClassVar[Mapping[str, Sequence[str]]] = {}
    PICTURE: ClassVar[str] = ""

    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (TINY, "-narrow"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-short"), (32, "-high")]  # noqa: RUF012
    AUTO_FOCUS = "Slider"
    BINDINGS: ClassVar[list[BindingType]] = [
        Action("minus,left_square_bracket", "step_d_k(-1)", "Lower d_k", show=False, id="less",
               synonyms=("decrease d_k", "smaller d_k", "less d_k")),
        Action("plus,right_square_bracket,equals_sign", "step_d_k(1)", "Raise d_k", show=False,
               id="more",
               synonyms=("move d_k", "increase d_k", "larger d_k", "bigger d_k", "more d_k")),
        # Everything else can be found with it if few keys fit the footer or there is only a mouse.
        Binding("slash", "app.command_palette", "Find", id="find"),
        Binding("left_curly_bracket,pageup", "double_d_k(-1)", "Halve d_k", show=False, id="halve"),
        Binding("right_curly_bracket,pagedown", "double_d_k(1)", "Double d_k", show=False,
                id="double"),
        Action("comma", "step_n(-1)", "Fewer keys", show=False, id="fewer", synonyms=("lower n",)),
        Action("full_stop", "step_n(1)", "More keys", show=False, id="further",
               synonyms=("raise n",)),
        Action("n", "type_n", "Type n", show=False, tooltip="Set n, the number of keys",
               id="type_n", synonyms=("n", "number of keys", "sequence length", "context length")),
        Action("space", "go_on", "Stop, go on or play", show=False, id="go_on",
               synonyms=("play d_k", "pause", "animate", "resume")),
        Action("d", "type_d_k", "Type d_k", show=False, tooltip="Set d_k", id="type_d_k",
               synonyms=("d_k", "dimension", "change d_k")),
        Action("g", "settings", "Settings", id="settings",
               synonyms=("options", "preferences", "configuration", "panel")),
        Action("r", "app.choose('rule')", "Rule", tooltip="Choose a rule", id="rule",
               synonyms=("scale rule", "rules", "scaling", "scale")),
        Action("m", "app.choose('model')", "Model", show=False, tooltip="Choose a model",
               id="model", synonyms=("models", "LLM", "architecture", "load a model")),
        Action("t", "view(1)", "View", tooltip="Next view", id="view",
               synonyms=("views", "tab", "other charts")),
        Binding("T", "view(-1)", "Previous view", show=False, id="view_before"),
        Action("f", "full", "Full", tooltip="Show one pane alone", id="full",
               synonyms=("maximise", "maximize", "zoom", "enlarge", "full screen")),
        Binding("escape", "back", "Back", show=False, id="back"),
        Action("i", "read", "Report", tooltip="Read the report", id="read",
               synonyms=("all numbers", "text", "details", "summary")),
        Action("s,ctrl+s", "save", "Save", tooltip="Save what is shown", id="save",
               synonyms=("export", "export data", "write a file", "csv", "json", "download",
                         "notebook", "Jupyter", "Python", "NumPy", "pandas", "library"),
               help="picture and numbers; .json is for a notebook, where import attn_tui "
                    "computes the same"),
        Action("o,ctrl+o", "open", "Open", tooltip="Open a file", id="open",
               synonyms=("load", "read a file", "import", "npy", "npz", "load scores")),
        Action("question_mark", "help", "Help", key_display="?", id="help",
               synonyms=("explain", "manual", "keys", "shortcuts", "what is this")),
        # It works where a question mark is typed.
        Binding("f1", "help", "Help", tooltip="Help, also while typing", id="help_typing"),
    ]  # fmt: skip

    welcome: Welcome | None = None
    """The line that offers the tour, if it is offered here."""

    chosen_view = ""
    """The view to show first; empty for `first_view`."""
    shown_first = ""
    """The view that was the first when this was opened, and that nobody has chosen."""
    chosen_pin: Draft | None = None
    """What to pin first, if anything."""

    headline: var[str] = var("", init=False)
    status: var[str] = var("", init=False)
    view: var[str] = var("", init=False)
    failure: var[str] = var("", init=False)
    """An error that replaces the headline until the question changes."""

    def compose(self) -> ComposeResult:
        """Lay out the body, and around it the lines that all instruments share."""
        yield Title(self.NAME).data_bind(InstrumentScreen.status)
        headline = Headline(id="headline")
        yield headline.data_bind(text=InstrumentScreen.headline, failure=InstrumentScreen.failure)
        with Horizontal(id="body"):
            yield SettingsPanel(self.GROUPS).data_bind(InstrumentScreen.question)
            yield from self.compose_body()
        if self.welcome is not None:
            yield self.welcome
        yield KeysFooter(show_command_palette=False, compact=True)

    def compose_body(self) -> ComposeResult:
        """Lay out the panes of the instrument."""
        raise NotImplementedError

    def breakpoints(self, size: Size) -> list[str]:
        """Return the classes for a size; Textual itself sets them only after mounting."""
        points = (self.HORIZONTAL_BREAKPOINTS, size.width), (self.VERTICAL_BREAKPOINTS, size.height)
        return [max(point for point in steps if point[0] <= room)[1] for steps, room in points]

    def on_mount(self) -> None:
        """Show the first view, and answer the question before the first layout."""
        self.view = self.shown_first = self.first_view
        self.restore_view(self.chosen_view)
        self.mutate_reactive(InstrumentScreen.question)
        if self.chosen_pin is not None:
            self.restore_pin(self.chosen_pin)

    @property
    def first_view(self) -> str:
        """The name of the view that is shown first, or nothing."""
        return self.VIEWS[0] if self.VIEWS else ""

    @on(Worker.StateChanged)
    def _say_what_failed(self, event: Worker.StateChanged) -> None:
        """Show the error of a worker, and how to report it; the program goes on."""
        if event.state == WorkerState.ERROR:
            error = event.worker.error
            reason = visible(f"{type(error).__name__}: {error}")
            self.failure = FAILED.format(error=reason.rstrip("."))

    def _watch_view(self) -> None:
        """Clear an error of another view."""
        self.failure = ""

    def on_screen_suspend(self) -> None:
        """Show no keys below a dialogue, in which they would be typed or do nothing."""
        self.query(KeysFooter).set(visible=False)

    @on(ScreenResume)
    def _keep_styles(self, event: ScreenResume) -> None:
        """Keep the styles of what has just been mounted: Textual would apply them once more."""
        event.refresh_styles = self.stack_updates > 0

    def on_screen_resume(self) -> None:
        """Ask for the present question, which may have changed while the screen was hidden."""
        self.query(KeysFooter).set(visible=True)
        self.post_message(self.Ready())

    @property
    def is_help_open(self) -> bool:
        """Whether help is open beside the panes."""
        return self.has_class("-help")

    async def keep_help(self, is_open: bool) -> None:
        """Open or close help beside the panes, as it was on the instrument before."""
        if is_open and not self.is_help_open and self.size.width >= WITH_HELP:
            await self._open_help()
        elif not is_open:
            self._close_help()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is available.

        Before a guess, only help and going back are; on a tour, enter leads nowhere else.
        """
        if self.has_class("-guess") and action not in ("help", "back"):
            return False
        if self.has_class("-touring") and action in LEADING_AWAY:
            return False
        return super().check_action(action, parameters)

    # The question

    @property
    def home(self) -> Widget:
        """The widget that has the focus by default."""
        return self.query_one(Slider)

    def _watch_question(self, question: Question) -> None:
        """Show the chosen model and what is changed, as far as it fits; update d_k."""
        self.failure = ""
        self._say_status(question)
        self.show_numbers(question)
        if self.HAS_D_K:
            self.query_one(DkPane).idle = self.why_idle(question)

    def _say_status(self, question: Question) -> None:
        """Say at the end of the title what stands in no pane, as far as it fits."""
        texts = [text for text in self._status_texts(question) if text]
        rooms = [self.size.width - tabs for tabs in (TABS, SHORT_TABS, FEWEST_TABS)]
        # Titles of instruments become shorter before nothing is said of what changes numbers.
        fitting = (text for room in rooms for text in texts if len(text) <= room)
        self.status = next(fitting, "")

    def _status_texts(self, question: Question) -> Iterator[str]:
        """Yield the chosen model and what is changed besides, in texts of decreasing length."""
        changed = [
            CHANGED[setting.name].format(setting.kind.shown(setting.value(question)))
            for setting in self.settings
            if setting.name in CHANGED
            and setting.value(question) != setting.default
            and not setting.no_effect(question)
        ]
        models = model_texts(question.experiment.setup)
        for model in models:
            yield "; ".join([model, *changed])
        yield "; ".join(changed)
        yield from models
        if changed:
            yield f"{changed[0]}; …"

    def why_idle(self, question: Question) -> str:
        """Return why changing d_k would change nothing, or an empty text."""
        return ""

    async def action_settings(self) -> None:
        """Open or close the panel of settings."""
        if self.has_class("-settings"):
            self.query_one(SettingsPanel).close()
            self.remove_class("-settings")
            self.set_focus(self.home)
        else:
            await self.open_setting(self.GROUPS[0][1][0].name)

    async def open_setting(self, name: str) -> None:
        """Open the panel of settings with the focus on one of them; for d_k, go to its field."""
        if name == D_K.name:
            self.action_type_d_k()
        else:
            await self.open_panel(name)

    async def action_open_setting(self, name: str) -> None:
        """Go to a setting."""
        await self.open_setting(name)

    async def type_into(self, pane: NumberPane) -> None:
        """Focus the field of a number, or its setting where the pane has no room."""
        if pane.display:
            pane.edit()
        else:
            await self.open_setting(pane.called)

    async def open_panel(self, name: str) -> None:
        """Open the panel of settings with the focus on one of them."""
        if not self.has_class("-settings") and self.size.width < TWO_PANELS:
            self._close_help()
        # Filled first, so that the panes make room for it only once it is there.
        await self.query_one(SettingsPanel).open(name)
        self.add_class("-settings")

    def action_find(self) -> None:
        """Leave what is edited, and open the palette."""
        self.set_focus(self.home)
        self.app.action_command_palette()

    # Answers

    # Without a description, Textual writes down all numbers of the arguments.
    @work(thread=True, exclusive=True, group="answer", exit_on_error=False, description="")
    def answer_in_thread(self, answers: Callable[[Stop], Iterable[Any]]) -> None:
        """Show successively better answers as they are computed, until the question changes.

        Args:
            answers: Yields the answers; its argument returns whether to stop.
        """
        worker = get_current_worker()
        for answer in answers(lambda: worker.is_cancelled):
            if not worker.is_cancelled:
                self.app.call_from_thread(self.set_answer, answer)

    def set_answer(self, answer: Any) -> None:
        """Show an answer that a thread has computed."""
        self.answer = answer

    async def action_help(self) -> None:
        """Show or hide help on the focused pane and the keys: beside the panes, or over them."""
        if self.size.width < WITH_HELP:
            from attn_tui.ui.dialogs import HelpScreen

            ancestors = self.focused.ancestors_with_self if self.focused else []
            pane = next((widget for widget in ancestors if isinstance(widget, Pane)), None)
            self.app.push_screen(HelpScreen(help_text(self, pane)))
        elif not self._close_help():
            await self._open_help()

    async def _open_help(self) -> None:
        """Open help beside the panes: on the focused pane, or else on the instrument."""
        from attn_tui.ui.help_panel import Help

        if self.size.width < TWO_PANELS and self.has_class("-settings"):
            await self.action_settings()
        async with self.lock:
            if not self.query(Help):
                await self.query_one("#body").mount(Help())
        self.add_class("-help")
        await self.query_one(Help).show(self._text_of_focus())

    def _text_of_focus(self) -> str:
        """Return the help on the focused pane, or else on the instrument."""
        focused = self.focused.ancestors_with_self if self.focused else []
        names = [name_of(self.NAME, pane) for pane in focused if isinstance(pane, Pane)]
        return next(filter(None, map(read, names)), read(self.NAME))

    @on(DescendantFocus)
    async def _follow_focus(self) -> None:
        """Let help beside the panes follow the focus, unless help itself has it."""
        if self.has_class("-help") and not self.query("Help:focus"):
            from attn_tui.ui.help_panel import Help

            await self.query_one(Help).show(self._text_of_focus())

    def _close_help(self) -> bool:
        """Close the help beside the panes, and return whether it was open."""
        is_open = self.has_class("-help")
        self.remove_class("-help")
        self.query("Help").set(display=False)
        return is_open

    # Views

    def on_resize(self) -> None:
        """Hide help if the panes need its place, and the panes if open settings do."""
        self.set_class(self.size.width < SLIM, "-slim")
        if self.question is not None:
            self._say_status(self.question)
        self.query("Help").set(display=self.has_class("-help") and self.size.width >= WITH_HELP)

    def pane(self, id: str) -> Pane:
        """Return a pane by its id."""
        return self.query_one(f"#{id}", Pane)

    def draw(self, id: str, drawing: Drawing | None) -> None:
        """Show a drawing in a picture."""
        self.query_one(f"#{id}", Picture).drawing = drawing

    @property
    def views(self) -> Sequence[str]:
        """The views that `t` cycles through at this size."""
        return self.VIEWS

    def action_view(self, steps: int) -> None:
        """Move forwards or backwards by some views."""
        views = [*self.views]
        place = views.index(self.view) if self.view in views else -1
        self.view = views[(place + steps) % len(views)]

    @property
    def named_views(self) -> Sequence[str]:
        """The views that the palette finds at this size: those of `t`, and those in sight."""
        titles = self.VIEW_TITLES
        return [name for name in titles if name in self.views or self.pane(name).display]

    def show_view(self, name: str) -> None:
        """Show a view by its name, or say that it is on the screen already."""
        title = self.VIEW_TITLES[name][0]
        if name in self.views and name != self.view:
            self.view = name
        elif self.pane(name).display:
            has_content = self.has_content(name)
            self.notify(f"{title} is on the screen already" if has_content else f"{title} {SOON}")
        else:
            self.notify(f"{title} has nothing to show here")

    def restore_view(self, name: str) -> None:
        """Show a view again, if there is room for it here."""
        if name in self.views:
            self.view = name

    @property
    def pin(self) -> Draft | None:
        """What is pinned to compare with, as it was asked; None if nothing is, or can be."""
        return None

    def restore_pin(self, draft: Draft) -> None:
        """Pin the answer to a draft, where answers can be pinned."""

    def has_content(self, view: str) -> bool:
        """Return whether a view has anything to show yet."""
        return True

    def show_picture(self, is_alone: bool) -> None:
        """Show the picture alone, for a question about it; or all panes again."""
        if is_alone == self.has_class("-asked"):
            return
        self.set_class(is_alone, "-asked")
        if is_alone:
            self.call_after_refresh(self._show_alone, self.PICTURE)
        else:
            self._show_all()

    def _show_alone(self, id: str) -> None:
        """Show one pane alone, by default that of the view, unless the question is over."""
        if self.has_class("-asked"):
            self.pane(id or self.view).add_class("-large")
            self.add_class("-full")

    def action_full(self) -> None:
        """Show one pane alone, the focused one or else the first; or show all again."""
        if self.has_class("-full"):
            self._show_all()
            return
        ancestors = self.focused.ancestors_with_self if self.focused else []
        visible_panes = [pane for pane in self.query(Pane) if pane.display]
        panes = [pane for pane in visible_panes if has_picture(pane)] or visible_panes
        pane = next((pane for pane in panes if pane in ancestors), panes[0])
        pane.add_class("-large")
        self.add_class("-full")

    def _show_all(self) -> None:
        """Show all panes again."""
        self._stop_playing()
        self.remove_class("-full")
        self.query(".-large").remove_class("-large")

    async def action_back(self) -> None:
        """Leave the full pane, help, settings or a field, whichever comes first; else go back."""
        if self.has_class("-asked"):
            self.post_message(self.Back())
        elif self.has_class("-full"):
            self._show_all()
        elif self._close_help():
            return
        elif self.has_class("-settings"):
            await self.action_settings()
        elif self.focused is not self.home:
            self.set_focus(self.home)
        elif self.welcome is None or not self.welcome.close():
            self.post_message(self.Back())

    @on(Tabs.TabActivated, "#instruments")
    def _go(self, event: Tabs.TabActivated) -> None:
        event.stop()
        name = str(event.tab.id)
        if name != self.NAME:
            with self.prevent(Tabs.TabActivated):
                event.tabs.active = self.NAME
            self.post_message(self.Go(name))


def has_picture(pane: Pane) -> bool:
    """Return whether a pane is a picture or has one inside."""
    return isinstance(pane, Picture) or bool(pane.query(Picture))
