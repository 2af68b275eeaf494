"""Parts of a screen: plain objects, each with a table of what it can do, that hold the screen."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from textual.geometry import Size
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from attn_tui.compute.setup import Setup
from attn_tui.files.history import Asked, Edit, Gesture
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.view import Tab
from attn_tui.report.export import Forms

if TYPE_CHECKING:
    from attn_tui.old.tui.actions import Action
    from attn_tui.old.tui.charting import Charting
    from attn_tui.old.tui.choosing import Choosing
    from attn_tui.old.tui.computing import Computing
    from attn_tui.old.tui.drawer import Drawer
    from attn_tui.old.tui.fields import Fields
    from attn_tui.old.tui.job import Job
    from attn_tui.old.tui.looking import Looking
    from attn_tui.old.tui.settings import Group, Setting
    from attn_tui.old.tui.visiting import Visiting
    from attn_tui.old.tui.widgets.bar import Bar


class Host(Protocol):
    """What a part may want of the screen it is a part of.

    Attributes:
        NAME: Of the instrument.
        ACTIONS: What can be done here.
        SETTINGS: What can be asked and looked at here, by name.
        asked: What is asked, once the screen has been shown it.
        answer: The best answer there is.
        view: How it is looked at.
        computing: Has long answers computed.
        computings: All that computes for the screen.
        charting: Draws its charts in time.
        choosing: Asks a person to choose, or to type.
        drawer: Has a cursor on one of the settings.
        fields: Asks for values of fields.
        looking: Chooses what is looked at.
        visiting: Goes to another instrument.
        parts: All that can be done, by name.
        key_bar: Shows the keys.
    """

    NAME: ClassVar[str]
    ACTIONS: "ClassVar[tuple[Action, ...]]"
    SETTINGS: "Mapping[str, Setting]"
    asked: Asked | None
    answer: Any
    view: Any
    computing: "Computing[Any]"
    computings: "tuple[Computing[Any], ...]"
    charting: "Charting"
    choosing: "Choosing"
    drawer: "Drawer"
    fields: "Fields"
    looking: "Looking[Any]"
    visiting: "Visiting"
    parts: "dict[str, Part[Any]]"
    key_bar: "Bar"

    @property
    def GROUPS(self) -> "Sequence[Group]":  # noqa: N802
        """All settings there are."""

    @property
    def ABSENT(self) -> Mapping[str, str]:  # noqa: N802
        """What is said of settings that other screens have."""

    @property
    def TABS(self) -> Mapping[str, Tab]:  # noqa: N802
        """What there is to look at, by name in the order of the tabs."""

    @property
    def job(self) -> "Job[Any]":
        """How the long answer stands."""

    @property
    def size(self) -> Size:
        """Its columns and lines."""

    @property
    def n_attended(self) -> int:
        """N of rules that depend on it."""

    @property
    def narrow(self) -> bool:
        """Whether there is room for one pane at a time only."""

    @property
    def is_active(self) -> bool:
        """Whether it is on top."""

    @property
    def is_current(self) -> bool:
        """Whether it is on top, or seen behind what is."""

    @property
    def focused(self) -> Widget | None:
        """What has the focus."""

    @property
    def focus_chain(self) -> Sequence[Widget]:
        """What can have the keys."""

    def set_focus(self, widget: Widget | None) -> None:
        """Give the focus to a widget."""

    def query(self, selector: str) -> Iterable[Any]:
        """Return widgets."""

    def ask(self, edit: Edit, gesture: Gesture | None = None) -> None:
        """Ask something else."""

    def check(self, setup: Setup) -> None:
        """Raise InputError if the screen has no answer to a setup."""

    def do(self, run: str) -> None:
        """Do what an action does, once what is going on is done."""

    def preview(self, edit: Edit) -> str:
        """Return what would be said first after an edit, where that is known at once."""

    def can(self, action: "Action") -> bool:
        """Return whether an action of the screen can be used now."""

    def look(self, view: Any) -> None:
        """Look another way."""

    def scene(self, asked: Asked) -> Any:
        """Return what panes are to show."""

    def draw(self) -> None:
        """Show how all stands."""

    def draw_chart(self) -> bool:
        """Draw the chart in the size it has; return whether all it shows is known."""

    def frame(self) -> None:
        """Draw the title line and the key bar."""

    def set_class(self, add: bool, *class_names: str) -> object:
        """Let the style sheet know of a state, or not."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Call something later."""

    def set_interval(self, interval: float, callback: Callable[[], None]) -> Timer:
        """Call something now and then."""

    def go_on(self) -> None:
        """Find out what is asked and not known, and take the best there is."""

    def forms(self) -> Forms:
        """Return what can be written of the present answer; nothing while there is none."""

    def said(self) -> str:
        """Return all there is to say of what is shown; nothing while there is no answer."""

    def notify(self, message: str, *, timeout: float, markup: bool = True) -> None:
        """Say something for some seconds."""

    @property
    def app(self) -> Any:
        """The application."""

    def run_action(self, action: str) -> Any:
        """Run a Textual action."""

    def run_worker(self, work: Any, *, group: str = "", thread: bool = False) -> Any:
        """Run something in a thread, or beside what else is done."""

    def post_message(self, message: Message) -> bool:
        """Put a message into the screen's queue."""


class AskingHost(Host, Protocol):
    """A screen of an instrument with settings of its own."""

    @property
    def settings(self) -> Any:
        """What is asked of this instrument."""


H = TypeVar("H", bound=Host)


class Part(Generic[H]):
    """Something a screen can do.

    A verb is a method of the part; ``filing.read`` runs it.
    Parts do not know screens, and say what they want of theirs in a protocol.

    Args:
        screen: The screen it is a part of.
    """

    NAME: ClassVar[str]
    """What screens call it."""

    def __init__(self, screen: H) -> None:
        self._screen = screen

    def can(self, verb: str) -> bool:
        """Return whether a verb can be used now; else neither key nor palette does it."""
        return hasattr(self, verb)

    async def do(self, verb: str, *arguments: Any) -> None:
        """Use a verb."""
        result = getattr(self, verb)(*arguments)
        if isinstance(result, Awaitable):
            await result

    def commands(self) -> Iterable[Choice]:
        """Yield what the palette offers that has no key of its own, by what runs it."""
        return ()
