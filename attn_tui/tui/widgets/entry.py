"""A line that asks for one value in place of what it stands for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Static

from attn_tui.compute.errors import InputError


@dataclass(frozen=True)
class Request:
    """A value that is asked for.

    Attributes:
        label: What it is called.
        value: The text to start with.
        read: Returns the value of a text; raises InputError unless it will do.
        take: What is done with the value once it is entered.
        eager: Whether the text is read at each key, and not only when it is entered.
        complete: Returns a text with more of what it begins.
        problem: Why the text to start with will not do, or nothing.
    """

    label: str
    value: str
    read: Callable[[str], Any]
    take: Callable[[Any], object]
    eager: bool = True
    complete: Callable[[str], str] = str
    problem: str = ""


class Field(Input):
    """Where the value is typed; tab completes it."""

    class Completed(Message):
        """The user wants the text completed."""

    async def on_key(self, event: events.Key) -> None:
        """Keep the focus on tab, which would give the text up."""
        if event.key == "tab":
            event.stop()
            event.prevent_default()
            self.post_message(self.Completed())


class Entry(Vertical):
    """Hidden until opened; enter commits, escape leaves all as it was, errors stand beside it."""

    DEFAULT_CSS = """
    Entry { height: auto; display: none; }
    Entry.-open { display: block; }
    Entry Horizontal { height: 1; }
    Entry Input { width: 1fr; }
    Entry #entry-label { width: auto; height: 1; padding-right: 1; }
    Entry #entry-error { width: 100%; height: auto; color: $role-error; background: $background;
                         overlay: screen; }
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

    request: Request | None = None
    _held = False
    """Whether the keys have come to the field since the line was opened."""

    def compose(self) -> ComposeResult:
        """Lay out the label, the field and the error."""
        with Horizontal():
            yield Static("", id="entry-label", markup=False)
            yield Field(compact=True, select_on_focus=True)
        # Above what lies below, so that it is never cut.
        yield Static("", id="entry-error", markup=False)

    @property
    def field(self) -> Field:
        """Where the text is typed."""
        return self.query_one(Field)

    def open(self, request: Request) -> None:
        """Ask for a value; `Entered` carries it."""
        self.request = request
        self._held = self.screen.focused is self.field
        self.query_one("#entry-label", Static).update(request.label)
        self.add_class("-open")
        self.field.value = request.value
        self.complain(request.problem)
        self.field.focus()
        self.field.select_all()
        self.post_message(self.Opened())

    def close(self) -> None:
        """Hide the line."""
        if self.request:
            self.request = None
            self.remove_class("-open")
            self.post_message(self.Closed())

    def complain(self, problem: str) -> None:
        """Show why the text will not do, or nothing."""
        error = self.query_one("#entry-error", Static)
        error.update(problem)
        error.display = bool(problem)

    @on(Input.Changed)
    def _on_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.request is None or event.value == self.request.value:
            return
        problem = ""
        if self.request.eager and event.value:
            try:
                self.request.read(event.value)
            except InputError as error:
                problem = error.beside
        self.complain(problem)

    @on(Field.Completed)
    def _on_completed(self, event: Field.Completed) -> None:
        event.stop()
        if self.request:
            self.field.value = self.request.complete(self.field.value)
            self.field.action_end()

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
        """Leave on escape."""
        if event.key == "escape":
            event.stop()
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
