"""Parts of a screen: plain objects, each with a table of what it can do, that hold the screen."""

from collections.abc import Awaitable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from textual.message import Message
from textual.widget import Widget

from attn_tui.compute.setup import Setup
from attn_tui.report.export import Forms
from attn_tui.tui.choices import Choice
from attn_tui.tui.state import Asked, Edit, Gesture
from attn_tui.tui.view import Tab, View

if TYPE_CHECKING:
    from attn_tui.tui.choosing import Choosing
    from attn_tui.tui.computing import Computing
    from attn_tui.tui.drawer import Drawer
    from attn_tui.tui.fields import Fields
    from attn_tui.tui.settings import Setting


class Host(Protocol):
    """What a part may want of the screen it is a part of.

    Attributes:
        asked: What is asked, once the screen has been shown it.
        choosing: Asks a person to choose, or to type.
        drawer: Has a cursor on one of the settings.
        fields: Asks for values of fields.
    """

    asked: Asked | None
    choosing: "Choosing"
    drawer: "Drawer"
    fields: "Fields"

    @property
    def SETTINGS(self) -> "Mapping[str, Setting]":  # noqa: N802
        """What can be asked and looked at here, by name."""

    @property
    def ABSENT(self) -> Mapping[str, str]:  # noqa: N802
        """What is said of settings that other screens have."""

    @property
    def TABS(self) -> Mapping[str, Tab]:  # noqa: N802
        """What there is to look at, by name in the order of the tabs."""

    @property
    def view(self) -> View:
        """How it is looked at."""

    @property
    def n_attended(self) -> int:
        """N of rules that depend on it."""

    @property
    def narrow(self) -> bool:
        """Whether there is room for one pane at a time only."""

    @property
    def computing(self) -> "Computing[Any]":
        """Has long answers computed."""

    @property
    def is_active(self) -> bool:
        """Whether it is on top."""

    @property
    def focused(self) -> Widget | None:
        """What has the focus."""

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

    def look(self, view: View) -> None:
        """Look another way."""

    def draw(self) -> None:
        """Show how all stands."""

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
