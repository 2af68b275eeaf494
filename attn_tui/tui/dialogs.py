"""Dialogues over a screen: to choose one of a list or several, to find, and to read."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from rich.console import RenderableType
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Vertical, VerticalScroll
from textual.markup import escape
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from attn_tui.tui.actions import Action, Section, bindings

T = TypeVar("T")

CHOOSE = (
    Action(
        "dismiss(None)", ("escape", "q"), "esc", "Close", "Close without a change", palette=False
    ),
)
SEVERAL = (
    Action("take", ("space",), "space", "Choose", "Take a line in or out", palette=False),
    Action("done", ("escape", "q"), "esc", "Done", "Close with what is chosen", palette=False),
)
FIND = (
    Action("move('cursor_up')", ("up",), "up", "", "Go to the line above", palette=False),
    Action("move('cursor_down')", ("down",), "down", "", "Go to the line below", palette=False),
    Action("move('page_up')", ("pageup",), "pageup", "", "Go a page up", palette=False),
    Action("move('page_down')", ("pagedown",), "pagedown", "", "Go a page down", palette=False),
    Action("dismiss(None)", ("escape",), "esc", "Close", "Close without a change", palette=False),
)
READ = (
    Action(
        "dismiss(None)",
        ("escape", "q", "enter", "question_mark"),
        "esc",
        "Close",
        "Close the text",
        palette=False,
    ),
)


@dataclass(frozen=True)
class Choice:
    """One line of a list to choose from.

    Attributes:
        value: What choosing it gives.
        title: Its first line.
        detail: What stands below, in a quieter colour.
    """

    value: str
    title: str
    detail: str


class Dialog(ModalScreen[T]):
    """A dialogue in a box; once it is dismissed it is deaf.

    Args:
        title: What stands above it.
        choices: What is chosen from.
    """

    KEYS: ClassVar[str]
    """What stands below it."""

    def __init__(self, title: str, choices: Sequence[Choice] = ()) -> None:
        super().__init__()
        self._title = title
        self._choices = tuple(choices)

    def compose(self) -> ComposeResult:
        """Lay out the box."""
        with Vertical(classes="dialog") as box:
            box.border_title, box.border_subtitle = escape(self._title), self.KEYS
            yield from self.compose_box()

    @abstractmethod
    def compose_box(self) -> ComposeResult:
        """Yield what stands in the box."""

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close with a result, unless it is closed already, or another is open over it."""
        # Textual closes the one that is open last, whichever it is told to.
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()


class Lines(OptionList):
    """A list in which letters and digits go to the next line that begins with what is typed."""

    def __init__(self, choices: Sequence[Choice], prompts: Sequence[Text]) -> None:
        super().__init__(*[Option(prompt) for prompt in prompts])
        self._titles = [_plain(choice.title) for choice in choices]
        self._typed = ""

    def on_key(self, event: events.Key) -> None:
        """Go to the line that begins with what was typed since the cursor was moved.

        What no line begins with changes nothing, but one letter again goes on to the next.
        """
        letter = _plain(event.character or "")
        if not letter:
            self._typed = ""
            return
        event.stop()
        for typed in (self._typed + letter, letter * (letter == self._typed)):
            first = 0 if self.highlighted is None else self.highlighted + (len(typed) == 1)
            for index in (*range(first, len(self._titles)), *range(first)):
                if typed and self._titles[index].startswith(typed):
                    self._typed, self.highlighted = typed, index
                    return


def _plain(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    return "".join(filter(str.isalnum, text.casefold()))


class ChoiceDialog(Dialog[str | None]):
    """A list; enter or a click chooses, escape leaves all as it was.

    Args:
        title: What is chosen.
        choices: Its lines.
        present: The value that is chosen now.
        seen: Called with the value of each line the cursor is on.
    """

    BINDINGS = bindings(CHOOSE)
    SECTION = Section("In a list", CHOOSE)
    KEYS = "up, down, letters · enter chooses · esc closes"

    def __init__(
        self, title: str, choices: Sequence[Choice], present: str,
        seen: Callable[[str], None] = lambda value: None,
    ) -> None:  # fmt: skip
        super().__init__(title, choices)
        self._seen = seen
        self._present = present

    def compose_box(self) -> ComposeResult:
        """Yield the list."""
        options = Lines(self._choices, [self._prompt(each) for each in self._choices])
        values = [choice.value for choice in self._choices]
        options.highlighted = values.index(self._present) if self._present in values else 0
        yield options

    def _prompt(self, choice: Choice) -> Text:
        mark = "● " if choice.value == self._present else "  "
        return _prompt(choice, mark)

    @on(OptionList.OptionHighlighted)
    def _on_see(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._seen(self._choices[event.option_index].value)

    @on(OptionList.OptionSelected)
    def _on_choose(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._choices[event.option_index].value)


class SeveralDialog(Dialog[tuple[str, ...] | None]):
    """A list of which several are chosen; space, enter or a click takes one in or out."""

    BINDINGS = bindings(SEVERAL)
    SECTION = Section("In a list of several", SEVERAL)
    KEYS = "up, down, letters · space in or out · esc done"

    def __init__(self, title: str, choices: Sequence[Choice], present: Sequence[str]) -> None:
        super().__init__(title, choices)
        self._present = list(present)

    def compose_box(self) -> ComposeResult:
        """Yield the list."""
        yield Lines(self._choices, [self._prompt(each) for each in self._choices])

    def _prompt(self, choice: Choice) -> Text:
        mark = "[x] " if choice.value in self._present else "[ ] "
        return Text.assemble((mark + choice.title, "bold"), "\n    ", choice.detail)

    def action_take(self) -> None:
        """Take the line the cursor is on in or out."""
        index = self.query_one(OptionList).highlighted
        if index is not None:
            self._toggle(index)

    def action_done(self) -> None:
        """Close with what is chosen."""
        self.dismiss(tuple(self._present))

    @on(OptionList.OptionSelected)
    def _on_select(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._toggle(event.option_index)

    def _toggle(self, index: int) -> None:
        choice = self._choices[index]
        if choice.value in self._present:
            self._present.remove(choice.value)
        else:
            self._present.append(choice.value)
        self.query_one(OptionList).replace_option_prompt_at_index(index, self._prompt(choice))


class FindDialog(Dialog[str | None]):
    """A list that shrinks as one types: lines that hold every word stay."""

    BINDINGS = bindings(FIND)
    SECTION = Section("Where one searches", FIND)
    KEYS = "type to find · enter does it · esc"

    def compose_box(self) -> ComposeResult:
        """Yield the line to type in, and the list below it."""
        self._found = self._choices
        yield Input(compact=True)
        options = OptionList(*[_prompt(each) for each in self._found])
        options.can_focus = False
        options.highlighted = 0
        yield options

    @on(Input.Changed)
    def _on_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._found = matching(self._choices, event.value)
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options([_prompt(each) for each in self._found])
        options.highlighted = 0 if self._found else None

    def action_move(self, how: str) -> None:
        """Go to another line."""
        if self._found:
            getattr(self.query_one(OptionList), f"action_{how}")()

    @on(Input.Submitted)
    def _on_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        index = self.query_one(OptionList).highlighted
        if index is not None:
            self.dismiss(self._found[index].value)

    @on(OptionList.OptionSelected)
    def _on_choose(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._found[event.option_index].value)


def matching(choices: Sequence[Choice], typed: str) -> tuple[Choice, ...]:
    """Return the choices that hold every word typed; those whose title begins so come first."""
    words = typed.casefold().split()
    found = [
        (not choice.title.casefold().startswith(typed.casefold().strip()), place)
        for place, choice in enumerate(choices)
        if all(word in f"{choice.title} {choice.detail}".casefold() for word in words)
    ]
    return tuple(choices[place] for _, place in sorted(found))


def _prompt(choice: Choice, mark: str = "") -> Text:
    return Text.assemble((mark + choice.title, "bold"), "\n  ", choice.detail)


class ReadDialog(Dialog[None]):
    """A text that can be scrolled."""

    BINDINGS = bindings(READ)
    SECTION = Section("In a text", READ)
    KEYS = "up, down scroll · esc closes"

    def __init__(self, title: str, text: RenderableType) -> None:
        super().__init__(title)
        self.HORIZONTAL_BREAKPOINTS = [(0, "-tight"), (86, "-wide")]
        self._text = text

    def compose_box(self) -> ComposeResult:
        """Yield the text."""
        with VerticalScroll():
            yield Static(self._text)
