"""A line that asks for one value in place of what it stands for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.markup import escape
from textual.message import Message
from textual.widgets import Input, Static

from attn_tui.compute.errors import InputError
from attn_tui.old.tui.actions import Action, Section
from attn_tui.report.rows import cells

ACTIONS = (
    Action("keyboard.press('enter')", ("enter",), "enter", "Apply", "Apply what is typed", bar=1,
        palette=False),
    Action("keyboard.press('escape')", ("escape",), "esc", "Back", "Leave all as it was", bar=1,
        palette=False),
)  # fmt: skip
"""What keys do while one types."""

SECTION = Section("Where a value is typed", ACTIONS)


_AROUND = 6
"""Cells of a box around its title: corners, edges and blanks."""


@dataclass(frozen=True)
class Request:
    """A value that is asked for.

    Attributes:
        label: What it is called.
        value: The text to start with.
        read: Returns the value of a text; raises InputError unless it will do.
        take: What is done with the value once it is entered.
        title: What it is, in a phrase.
        expected: What will do, in lines.
    """

    label: str
    value: str
    read: Callable[[str], Any]
    take: Callable[[Any], object]
    title: str = ""
    expected: str = ""


class Entry(Vertical):
    """Hidden until opened; enter commits or says what is wrong, escape leaves all as it was.

    Args:
        says: Whether it says what will do, in a box below it; elsewhere that stands already.
    """

    DEFAULT_CSS = """
    Entry { height: auto; display: none; }
    Entry.-open { display: block; }
    Entry Horizontal { height: 1; }
    Entry Input { width: 1fr; }
    Entry #entry-label { width: auto; height: 1; padding-right: 1; }
    Entry #entry-said { width: 100%; height: auto; color: $role-text; background: $background;
                        overlay: screen; }
    Entry #entry-said.-wrong { color: $role-error; }
    Entry.-says #entry-said { width: auto; max-width: 100%; padding: 0 1;
                              border: round $role-muted; border-title-color: $role-text; }
    """

    @dataclass
    class Entered(Message):
        """A value that passed, and what is to be done with it."""

        take: Callable[[Any], object]
        value: Any

    class Opened(Message):
        """The line is there."""

    class Closed(Message):
        """The line is gone again."""

    BAR = ACTIONS
    request: Request | None = None
    _held = False
    """Whether the keys have come to the field since the line was opened."""

    def __init__(self, id: str | None = None, says: bool = True) -> None:
        super().__init__(id=id, classes="-says" * says)
        self._says = says

    def compose(self) -> ComposeResult:
        """Lay out the label, the field and what is said of it."""
        with Horizontal():
            yield Static("", id="entry-label", markup=False)
            yield Input(compact=True, select_on_focus=True)
        # Above what lies below, so that it is never cut.
        yield Static("", id="entry-said", markup=False)

    @property
    def field(self) -> Input:
        """Where the text is typed."""
        return self.query_one(Input)

    def open(self, request: Request, select: bool = True) -> None:
        """Ask for a value; `Entered` carries it. What it starts with goes where one types."""
        self.request = request
        self._held = self.screen.focused is self.field
        self.query_one("#entry-label", Static).update(request.label)
        self.add_class("-open")
        self.field.value = request.value
        self.complain("")
        self.field.select_on_focus = select
        self.field.focus()
        if select:
            self.field.select_all()
        else:
            self.field.action_end()
        self.post_message(self.Opened())

    def close(self) -> None:
        """Hide the line."""
        if self.request:
            self.request = None
            self.remove_class("-open")
            self.post_message(self.Closed())

    def complain(self, problem: str) -> None:
        """Show why the text will not do, or else what will."""
        request = self.request
        expected = request.expected if request and self._says else ""
        said = self.query_one("#entry-said", Static)
        said.update(problem or expected)
        title = request.title if request else ""
        said.border_title = escape(title)
        if self._says:
            said.styles.min_width = cells(title) + _AROUND
        said.set_class(bool(problem), "-wrong")
        said.display = bool(problem or expected)

    @on(Input.Changed)
    def _on_changed(self, event: Input.Changed) -> None:
        event.stop()
        # What is wrong with a text is said when it is entered: until then it may become right.
        self.complain("")

    @on(Input.Submitted)
    def _on_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self.request is None:
            return
        try:
            value = self.request.read(event.value)
        except InputError as error:
            self.complain(error.beside)
            return
        # The keys go back first: what is done with the value may take its time, or ask again.
        entered = self.Entered(self.request.take, value)
        self.close()
        self.post_message(entered)

    def on_key(self, event: events.Key) -> None:
        """Leave on escape, and not on tab, which would give the text up."""
        if event.key in ("escape", "tab"):
            event.stop()
        if event.key == "escape":
            self.close()

    def on_descendant_focus(self) -> None:
        """Have the keys."""
        self._held = True

    def on_descendant_blur(self) -> None:
        """Leave when the focus goes elsewhere; one that is lost, not given away, comes back."""
        # A whole terminal may lose it, or a line that is hidden just before it opens again. One
        # that was given away before it opened again may be told of only now.
        if self._held and self.request and self.app.app_focus and not self.field.has_focus:
            if self.screen.focused is None:
                self.field.focus()
            else:
                self.close()
