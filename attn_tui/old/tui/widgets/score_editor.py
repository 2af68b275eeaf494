"""The editor of score vectors: text goes in and out, history is kept elsewhere."""

from dataclasses import dataclass, replace

from textual import events, on
from textual.message import Message
from textual.widgets import TextArea
from textual.widgets.text_area import Selection

from attn_tui.old.tui.actions import Action, Section, bindings
from attn_tui.old.tui.everywhere import FIND

ACTIONS = (Action("leave", ("escape",), "esc, tab", "Done", "Leave the editor", palette=False),)

BAR = (
    Action("keyboard.press('escape')", ("escape",), "esc", "Done", "Leave the editor", bar=1),
    Action("app.undo", (), "^z", "Undo", "Undo the last change", bar=2),
    replace(FIND, shown=""),
)
"""What keys do here that are not typed."""


LONG_PASTE = 20_000
"""Characters from which a pasted text is not put into the editor itself."""


def end_of_change(old: str, new: str) -> int:
    """Return where in a new text ends what differs from an old one."""
    most = min(len(old), len(new))
    start = next((i for i in range(most) if old[i] != new[i]), most)
    same = next((i for i in range(most - start) if old[-1 - i] != new[-1 - i]), most - start)
    return len(new) - same


class ScoreEditor(TextArea):
    """Holds the text of the score vectors as it is typed."""

    BINDINGS = bindings(ACTIONS)
    BAR = BAR
    SECTION = Section("In the score editor", ACTIONS)

    @dataclass
    class Edited(Message):
        """The text changed under the user's hands."""

        text: str

    class CursorMoved(Message):
        """The cursor stands elsewhere."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            compact=True,
            max_checkpoints=1,
            highlight_cursor_line=False,
        )

    def show_text(self, text: str) -> None:
        """Hold a text, with the cursor behind what differs from the one before."""
        if text != self.text:
            place = end_of_change(self.text, text) if self.text else len(text.split("\n")[0])
            with self.prevent(TextArea.Changed):
                self.load_text(text)
            before = text[:place].split("\n")
            self.move_cursor((len(before) - 1, len(before[-1])))

    def select_lines(self, lines: tuple[int, int]) -> None:
        """Select from one line to another, so that what is typed takes their place."""
        first, last = lines
        self.selection = Selection((first, 0), (last, len(self.document.get_line(last))))

    def action_leave(self) -> None:
        """Give the focus to the next pane."""
        self.screen.focus_next()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        pasted = event.text
        if len(pasted) > LONG_PASTE:
            # Too long to be laid out; whoever asks has a shorter text for it.
            start, end = sorted(self.selection)
            before, after = (
                self.get_text_range((0, 0), start),
                self.get_text_range(end, self.document.end),
            )
            self.post_message(self.Edited(before + pasted + after))
        elif result := self._replace_via_keyboard(pasted, *self.selection):
            self.move_cursor(result.end_location)

    @on(TextArea.Changed)
    def _on_change(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(self.Edited(self.text))

    def action_undo(self) -> None:
        """Go back in the history of what is asked, not in the editor's own."""
        self.call_later(self.run_action, "app.undo")

    def action_redo(self) -> None:
        """Go on in the history of what is asked."""
        self.call_later(self.run_action, "app.redo")

    @on(TextArea.SelectionChanged)
    def _on_selection(self, event: TextArea.SelectionChanged) -> None:
        event.stop()
        self.post_message(self.CursorMoved())
