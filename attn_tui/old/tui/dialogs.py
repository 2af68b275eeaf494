"""Dialogues over a screen: boxes, and those to find and choose one of a list, or several."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Container, Horizontal, Vertical
from textual.markup import escape
from textual.screen import ModalScreen
from textual.widgets import Input

from attn_tui.compute.errors import inert
from attn_tui.old.tui.actions import Action, Section, bindings, down_a_list
from attn_tui.old.tui.choices import Choice, matching
from attn_tui.old.tui.sized import Sized
from attn_tui.old.tui.widgets.canvas import Canvas
from attn_tui.old.tui.widgets.choice_list import ChoiceList
from attn_tui.report.headline import FULL, wrapped
from attn_tui.report.rows import cells

T = TypeVar("T")

Offered = Sequence[Choice] | Callable[[str], Sequence[Choice]]
"""What is chosen from, or what there is for a text that is typed."""

MOVE = (
    Action("move(-1)", ("up",), "up, down", "", "Go to another line", palette=False),
    *down_a_list("move", "page(-1)", "page(1)"),
)
CLOSE = Action(
    "dismiss(None)", ("escape",), "esc", "Close", "Close without a change", palette=False
)
FIND = (
    *MOVE,
    Action("choose", ("enter",), "enter", "Choose", "Choose the line", palette=False),
    CLOSE,
)
SEVERAL = (
    *MOVE,
    Action("choose", ("enter",), "enter", "Choose", "Take the line in or out", palette=False),
    Action("done", ("escape",), "esc", "Done", "Close with what is chosen", palette=False),
)
_WIDTH, _SIDES, _GAP = 96, 4, 2
"""Cells of a box with a list, of its sides, and between the list and what stands beside it."""

_BESIDE = 72
"""Columns of a screen from which on there is room for details beside a list, and for sides."""

_LINES, _SAID, _MOST = 3, 3, 24
"""Lines of such a box besides the list, those for what choosing would do, and of the list at most.

What is changed has a line, and a headline two where it has its full width.
"""


class Dialog(ModalScreen[T], Sized[T]):
    """A dialogue in a box; once it is dismissed it is deaf.

    Args:
        title: What stands above it.
    """

    KEYS: ClassVar[Mapping[str, str]]
    """What stands below it: what keys do, and the action of a click on that, if there is one."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def compose(self) -> ComposeResult:
        """Lay out the box."""
        with Vertical(classes="dialog") as box:
            box.border_title = escape(self._title)
            # Where there is no room for all, those that a click can do are left.
            fits = cells(" · ".join(self.keys)) <= self.app.size.width - 6
            keys = (
                f"[@click=screen.{run}]{said}[/]" if run else said
                for said, run in self.keys.items()
                if run or fits
            )
            box.border_subtitle = " · ".join(keys)
            yield from self.compose_box()

    @property
    def keys(self) -> Mapping[str, str]:
        """What keys do now."""
        return self.KEYS

    @abstractmethod
    def compose_box(self) -> ComposeResult:
        """Yield what stands in the box."""

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close with a result, unless it is closed already, or another is open over it."""
        # Textual closes the one that is open last, whichever it is told to.
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()


class Search(Input):
    """What is looked for in a list; keys that move in the list do not move in here."""

    BINDINGS = bindings(replace(each, run=f"screen.{each.run}") for each in MOVE)


class ListDialog(Dialog[T]):
    """A line to type in, a list of what is found so, and more of what the cursor is on.

    Args:
        title: What is chosen.
        offered: What is chosen from.
        seen: Called with the value of each line the cursor is on.
        preview: What choosing a value does here, where that can be said.
    """

    HINT = "Type to find"
    LEAST = 1
    """Lines of the list at least."""
    SAID_FIRST = False
    """Whether what is said of what is typed stands above the list."""

    def __init__(
        self,
        title: str,
        offered: Offered,
        seen: Callable[[str], object] = str,
        preview: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(title)
        self._offered = offered if callable(offered) else partial(matching, tuple(offered))
        self._seen = seen
        self._preview = preview
        self._room = (0, 0)
        self.says = preview is not None
        """Whether there is anything to say below the list."""

    def compose_box(self) -> ComposeResult:
        """Yield the line to type in, the list, and what there is to say of a line."""
        with Horizontal(id="typed"):
            yield self.field()
            yield Canvas(id="count")
        if self.SAID_FIRST:
            yield Canvas(id="preview")
        with Container(id="found"):
            yield ChoiceList(self.mark)
            yield Canvas(id="detail")
        if not self.SAID_FIRST:
            yield Canvas(id="preview")

    def field(self) -> Input:
        """Return the line to type in."""
        return Search(compact=True, placeholder=self.HINT)

    def on_mount(self) -> None:
        """Offer what there is."""
        self.find(self.query_one(Input).value)

    @abstractmethod
    def mark(self, value: str) -> str:
        """Return what stands before the title of a value, of the same width for each."""

    @abstractmethod
    def take(self, value: str) -> None:
        """Do what choosing a value does."""

    def start(self, typed: str, choices: Sequence[Choice]) -> int | None:
        """Return where the cursor starts among what is found, if it is to be on a line."""
        return 0

    # What is found

    def nothing(self, typed: str) -> str:
        """Return what is said where there is nothing to choose from."""
        return f"Nothing matches {inert(typed)}"

    @property
    def lines(self) -> ChoiceList:
        """The list."""
        return self.query_one(ChoiceList)

    def find(self, typed: str) -> None:
        """Offer what there is for what is typed."""
        choices = self._offered(typed)
        self.lines.nothing = self.nothing(typed)
        self.lines.offer(choices, self.start(typed, choices))

    @on(Input.Changed)
    def _on_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.find(event.value)

    @on(ChoiceList.Reached)
    def _on_reached(self, event: ChoiceList.Reached) -> None:
        event.stop()
        if choice := self.lines.chosen:
            self._seen(choice.value)
        self.say()

    def action_move(self, lines: int) -> None:
        """Go so many lines down."""
        self.lines.move(lines)

    def action_page(self, pages: int) -> None:
        """Go down by what is in sight."""
        self.lines.move(pages * self.lines.size.height)

    @on(Input.Submitted)
    def _on_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_choose()

    def action_choose(self) -> None:
        """Choose the line the cursor is on."""
        self._on_chosen()

    @on(ChoiceList.Chosen)
    def _on_chosen(self) -> None:
        if choice := self.lines.chosen:
            self.take(choice.value)

    # How it is shown

    def on_resize(self) -> None:
        """Give the list and its details the room they want, as far as it is there."""
        is_wide = self.size.width >= _BESIDE
        self.set_class(not is_wide, "-tight")
        width, height = min(self.size.width, _WIDTH) - _SIDES * is_wide, self.size.height
        choices = self._offered("")
        beside = is_wide and any(choice.detail for choice in choices)
        listed = width * 3 // 5 if beside else width
        said = (_SAID + (is_wide and width < FULL)) * self.says
        room = min(max(height - _LINES - said - is_wide * bool(said), 2), _MOST)
        self._room = listed, (width - listed - _GAP if beside else width)
        most = max((len(self._details(choice)) for choice in choices), default=0)
        below = 0 if beside else min(most, room // 2)
        lines = min(max(len(choices), self.LEAST, most * beside), room - below)
        self.query_one("#found").set_class(beside, "-beside")
        for name, columns, rows in (
            ("ChoiceList", listed, lines), ("#detail", self._room[1], lines if beside else below),
            ("#preview", width, said),
        ):  # fmt: skip
            styles = self.query_one(name).styles
            styles.width, styles.height, styles.display = columns, rows, "block" if rows else "none"
        self.call_after_refresh(self.say)

    def _details(self, choice: Choice) -> list[str]:
        """Return what is said of a choice, in lines; its title too, if that is cut."""
        listed, width = self._room
        line = f"{self.mark(choice.value)}{choice.title} {choice.note}"
        title = f"{choice.title}\n" * (cells(line) > listed)
        return _lines(title + choice.detail, width)

    def say(self) -> None:
        """Say more of the line that the cursor is on."""
        choices, choice = self.lines, self.lines.chosen
        place = "" if choice is None else f"{(choices.cursor or 0) + 1} of {len(choices.choices)}"
        self._show("#count", [place.rjust(self.query_one("#count").size.width)], "muted")
        self._show("#detail", self._details(choice) if choice else [], "text")
        text, role = self.said()
        said = _lines(text, self.query_one("#preview").size.width)
        self._show("#preview", said, role)

    def said(self) -> tuple[str, str]:
        """Return what choosing would do, and its role."""
        choice = self.lines.chosen
        return self._preview(choice.value) if choice and self._preview else "", "strong"

    def _show(self, name: str, lines: Sequence[str], role: str) -> None:
        canvas = self.query_one(name, Canvas)
        most = canvas.size.height
        cut = [*lines[: most - 1], f"{lines[most - 1]} …"] if len(lines) > most > 0 else lines
        canvas.show([((line, role),) for line in cut])


def _lines(text: str, width: int) -> list[str]:
    return [line for part in text.splitlines() for line in wrapped(part, width)]


class FindDialog(ListDialog[str | None]):
    """A list of which one is chosen; escape leaves all as it was.

    Args:
        title: What is chosen.
        offered: What is chosen from.
        present: The value that is chosen now.
        seen: Called with the value of each line the cursor is on.
        preview: What choosing a value does here, where that can be said.
    """

    BINDINGS = bindings(FIND)
    SECTION = Section("In a list", FIND)
    KEYS: ClassVar = {"up, down": "", "enter chooses": "choose", "esc closes": "dismiss(None)"}

    def __init__(
        self,
        title: str,
        offered: Offered,
        present: str = "",
        seen: Callable[[str], object] = str,
        preview: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(title, offered, seen, preview)
        self._present = present

    def mark(self, value: str) -> str:
        """Mark the present value."""
        return ("● " if value == self._present else "  ") if self._present else ""

    def take(self, value: str) -> None:
        """Close with it."""
        self.dismiss(value)

    def start(self, typed: str, choices: Sequence[Choice]) -> int:
        """Start on the present value, or on what matches best."""
        values = [choice.value for choice in choices]
        return values.index(self._present) if not typed and self._present in values else 0


class SeveralDialog(ListDialog[tuple[str, ...]]):
    """A list of which several are chosen: enter or a click takes one in or out.

    Args:
        title: What is chosen.
        offered: What is chosen from.
        present: The values that are chosen now.
        preview: What a value does here, where that can be said.
    """

    BINDINGS = bindings(SEVERAL)
    SECTION = Section("In a list of several", SEVERAL)
    KEYS: ClassVar = {"up, down": "", "enter in or out": "choose", "esc done": "done"}

    def __init__(
        self,
        title: str,
        offered: Offered,
        present: Sequence[str],
        preview: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(title, offered, preview=preview)
        self._present = tuple(present)

    def mark(self, value: str) -> str:
        """Mark the values that are chosen."""
        return "[x] " if value in self._present else "[ ] "

    def take(self, value: str) -> None:
        """Take it in or out."""
        others = tuple(each for each in self._present if each != value)
        self._present = others if value in self._present else (*others, value)
        self.lines.look()

    def action_done(self) -> None:
        """Close with what is chosen."""
        self.dismiss(self._present)
