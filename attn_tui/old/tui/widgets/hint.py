"""One line, or two, of what to look at or to try next."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from attn_tui.old.tui.widgets.canvas import Canvas
from attn_tui.report.rows import cells

MOST_LINES = 2
"""What is longer is not said: the list of examples has it."""


class Hint(Canvas):
    """What is said of a visit, and what to look at, of a question that is an example."""

    DEFAULT_CSS = """
    Hint { display: none; }
    """

    silent = False
    """Whether something else is said in its place."""
    words: Sequence[str] = ()
    """What is said in place of all else, at decreasing length."""
    scene: Any = None

    def see(self, scene: Any) -> None:
        """Say it where there is room; it has no place in the full picture."""
        self.scene = scene
        width = max(self.screen.size.width - 2, 10)
        steps = [text for text in self.words if cells(text) <= width]
        lines = steps[:1] or wrap(scene.hint, width)
        # A sentence that is cut says nothing, and takes lines from the picture.
        lines = lines * (len(lines) <= MOST_LINES)
        self.display = bool(lines) and not (scene.view.full or self.silent)
        self.styles.height = len(lines)
        role = "label" if steps else "muted"
        self.show([((f" {line}", role),) for line in lines])
