"""One line, or two, of what to look at or to try next."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from textual.message import Message

from attn_tui.old.tui.first_minute import OVER, FirstMinute, Moment
from attn_tui.old.tui.widgets.canvas import Canvas
from attn_tui.report.rows import cells

MOST_LINES = 2
"""What is longer is not said: the list of examples has it."""


class Hint(Canvas):
    """What to try next in the first minute, and what to look at, of a question that is an example.

    Args:
        instrument: The name of the one it is part of.
    """

    DEFAULT_CSS = """
    Hint { display: none; }
    """

    @dataclass
    class Done(Message):
        """Somebody has come further."""

        minute: FirstMinute

    minute = OVER
    silent = False
    """Whether something else is said in its place."""
    words: Sequence[str] = ()
    """What is said in place of all else, at decreasing length."""
    scene: Any = None

    def __init__(self, instrument: str, id: str | None = None) -> None:
        super().__init__(id=id)
        self._instrument = instrument

    def take(self, minute: FirstMinute) -> None:
        """Know how far somebody is."""
        self.minute = minute
        if self.scene:
            self.see(self.scene)

    def see(self, scene: Any) -> None:
        """Say it where there is room; it has no place in the full picture."""
        self.scene, minute = scene, self.minute
        moment = Moment(self._instrument, scene.asked.draft, scene.sign, scene.looked_at)
        if not minute.is_over:
            self.minute = minute.at(moment)
            if self.minute != minute:
                self.post_message(self.Done(self.minute))
        width = max(self.screen.size.width - 2, 10)
        texts = self.words or self.minute.texts(moment)
        steps = [text for text in texts if cells(text) <= width]
        lines = steps[:1] or wrap(scene.hint, width)
        # A sentence that is cut says nothing, and takes lines from the picture.
        lines = lines * (len(lines) <= MOST_LINES)
        self.display = bool(lines) and not (scene.view.full or self.silent)
        self.styles.height = len(lines)
        role = "label" if steps else "muted"
        self.show([((f" {line}", role),) for line in lines])
