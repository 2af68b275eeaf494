"""Where text is typed: standard editors whose own keys stand in the footer.

Textual hides keys of the screen that a focused editor would type instead; the bindings here say
which keys lead out of it. A slash that begins a line or a value leads out of it too, since no
number begins with it, and where numbers are typed, a key of which no number is written does what it
does elsewhere. Pasted text is no key, and stays as it is.
"""

from dataclasses import dataclass
from typing import ClassVar, Protocol

from textual.binding import Binding, BindingType
from textual.events import Key
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input, TextArea

from attn_tui.compute.text import ascii_signs
from attn_tui.ui.terminal.direct import Repainted

FIND = "slash"
"""The key of the palette."""

SIGNS = "+-−.,;:_·×*^ "
"""The signs in numbers, in lists and ranges of numbers, and in powers: ``3·10^8``."""

EXPONENT = "eE"
"""The letters of a whole number, each of which a plus may follow: ``1e+6``."""


class Selectable(Protocol):
    """What `FirstClick` needs of an editor."""

    _is_entered: bool

    @property
    def has_focus(self) -> bool:
        """Whether it has the focus."""

    @property
    def selected_text(self) -> str:
        """The part that is selected."""

    def select_all(self) -> None:
        """Select everything."""


class FirstClick:
    """An editor in which the click that brings the focus selects everything.

    Typing then replaces what is there, as it does after a key has brought the focus. Textual 8
    places the cursor at every click, so that typing adds to the former value. This is no widget,
    since the style sheet of a widget reaches only the first widget that a class is made of.
    """

    _is_entered = False
    """Whether the last click brought the focus."""

    def focus_on_click(self: Selectable) -> bool:
        """Let a click bring the focus, and note whether it was elsewhere."""
        self._is_entered = not self.has_focus
        return True

    def on_click(self: Selectable) -> None:
        """Select everything after the first click, unless it was a drag that selects a part."""
        if self._is_entered and not self.selected_text:
            self.select_all()


class Editor(FirstClick, TextArea):
    """Edits lines of text."""

    cursor_blink = reactive(False, init=False)

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "begin_line", "New line", id="new_line"),
        Binding("escape", "screen.back", "Done", id="done"),
        Binding("tab", "app.focus_next", "Next", id="next"),
    ]

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Return whether a key is typed; enter begins a line, whatever it does elsewhere."""
        return key == "enter" or super().check_consume_key(key, character)

    def action_begin_line(self) -> None:
        """Begin a line: a vector, or a row of q, K or V, of its own."""
        self.replace("\n", *self.selection)

    async def on_key(self, event: Key) -> None:
        """Leave for the palette at the beginning of a line, and leave no empty line behind."""
        row, column = min(self.selection)
        if event.key != FIND or self.document[row][:column].strip():
            return
        event.stop()
        event.prevent_default()
        is_last = row > 0 and row == self.document.line_count - 1
        if is_last and not self.document[row].strip():
            before = row - 1
            self.delete((before, len(self.document[before])), self.document.end)
        await self.run_action("screen.find")

    def on_blur(self) -> None:
        """Show the first lines once the editor is left, unless another window has the focus."""
        if self.app.app_focus:
            self.move_cursor((0, 0))
            self.scroll_home(animate=False)


class LineField(Input):
    """Edits a line; its cursor stays, since one that blinks draws twice a second for ever."""

    cursor_blink = reactive(False, init=False)


class ValueInput(FirstClick, LineField):
    """Edits one value, which enter and leaving the field set.

    Attributes:
        is_path: Whether the value may be a path, which may begin with a slash.
        is_number: Whether the value is written with numbers, or with a word that stands for none.
    """

    is_path = False
    is_number = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Set", id="submit"),
        Binding("escape", "screen.back", "Done", id="done"),
        Binding("tab", "app.focus_next", "Next", id="next"),
    ]

    async def on_key(self, event: Key) -> None:
        """Leave for the palette where nothing is before it; leave other keys to the screen."""
        before = self.value[: min(self.selection)].strip()
        if event.key == FIND and not before and not self.is_path:
            event.stop()
            event.prevent_default()
            await self.run_action("screen.find")
        elif event.is_printable and not self.check_consume_key(event.key, event.character):
            event.prevent_default()

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Return whether a key is typed; the screen has those of which no value is written."""
        is_typed = super().check_consume_key(key, character)
        return is_typed and not (self.is_number and character and self.lacks(character))

    def lacks(self, character: str) -> bool:
        """Return whether no number is written with a character, nor a word that stands for none."""
        sign = ascii_signs(character)
        return not sign.isalnum() and sign not in SIGNS


class StepField(ValueInput):
    """Edits a value that up and down move by steps."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(1)", "Move", key_display="↑↓", tooltip="More or less", id="number_up"),
        Binding("down", "step(-1)", "Less", show=False, id="number_down"),
    ]

    @dataclass
    class Stepped(Message):
        """The user moves the value.

        Attributes:
            field: The field.
            steps: How many steps up, or down if negative.
        """

        field: "StepField"
        steps: int

    def action_step(self, steps: int) -> None:
        """Ask for a value some steps above, or below if ``steps`` is negative."""
        self.post_message(self.Stepped(self, steps))


class NumberField(ValueInput, Repainted):
    """Edits a whole number above 0, which enter sets and leaving the field keeps as it was."""

    is_number = True

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "screen.back", "Cancel", id="done"),
        Binding("tab", "app.focus_next", "Next", show=False, id="next"),
    ]

    def lacks(self, character: str) -> bool:
        """Return whether no whole number above 0 is written with a character at the cursor."""
        sign = ascii_signs(character)
        if sign == "+":
            return self.value[: min(self.selection)][-1:] not in [*EXPONENT]
        return not sign.isdecimal() and sign not in EXPONENT and sign not in ",._ ·×*^"


class Filter(FirstClick, LineField):
    """Edits the words of a filter, which work while they are typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Done", id="submit"),
        Binding("escape", "screen.back", "Clear", id="done"),
        Binding("tab", "app.focus_next", "Next", id="next"),
    ]
