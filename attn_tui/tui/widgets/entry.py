"""A line that asks for one value in place of what it stands for."""

from collections.abc import Callable
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from attn_tui.compute.errors import InputError

Check = Callable[[str], object]
"""Raises InputError unless the text will do."""


class Entry(Horizontal):
    """Hidden until opened; enter commits, escape leaves all as it was, errors stand beside it."""

    DEFAULT_CSS = """
    Entry { height: auto; display: none; layout: grid; grid-size: 2; grid-columns: auto 1fr;
            grid-rows: auto; }
    Entry.-open { display: block; layout: grid; }
    Entry Input { width: 1fr; }
    Entry #entry-label { width: auto; height: 1; padding-right: 1; }
    Entry #entry-error { width: 1fr; height: auto; column-span: 2; color: $role-error; }
    """

    @dataclass
    class Entered(Message):
        """A text that passed the check."""

        purpose: str
        text: str

    class Opened(Message):
        """The line is there."""

    class Closed(Message):
        """The line is gone again."""

    purpose = ""
    check: Check = staticmethod(lambda text: None)

    def compose(self) -> ComposeResult:
        """Lay out the label, the field and the error."""
        yield Static("", id="entry-label", markup=False)
        yield Input(compact=True, select_on_focus=True)
        yield Static("", id="entry-error", markup=False)

    @property
    def field(self) -> Input:
        """Where the text is typed."""
        return self.query_one(Input)

    def open(self, purpose: str, label: str, value: str, check: Check) -> None:
        """Ask for a value; `Entered` carries the purpose."""
        self.purpose, self.check = purpose, check
        self.query_one("#entry-label", Static).update(label)
        self.add_class("-open")
        self.field.value = value
        self._complain("")
        self.field.focus()
        self.post_message(self.Opened())

    def close(self) -> None:
        """Hide the line."""
        if self.has_class("-open"):
            self.remove_class("-open")
            self.post_message(self.Closed())

    def _complain(self, problem: str) -> None:
        error = self.query_one("#entry-error", Static)
        error.update(problem)
        error.display = bool(problem)

    def _problem(self, text: str) -> str:
        try:
            self.check(text)
        except InputError as error:
            return str(error)
        return ""

    @on(Input.Changed)
    def _on_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._complain(self._problem(event.value) if event.value else "")

    @on(Input.Submitted)
    def _on_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if problem := self._problem(event.value):
            self._complain(problem)
            return
        self.post_message(self.Entered(self.purpose, event.value))
        self.close()

    def on_key(self, event: events.Key) -> None:
        """Leave on escape."""
        if event.key == "escape":
            event.stop()
            self.close()

    def on_descendant_blur(self) -> None:
        """Leave when the focus goes elsewhere, though not when the whole terminal loses it."""
        if self.app.app_focus:
            self.close()
