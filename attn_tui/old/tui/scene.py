"""What panes are given to show: what is asked, how it stands, and how it is looked at."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from time import monotonic
from typing import Any, Protocol, runtime_checkable

from attn_tui.files.history import Asked
from attn_tui.old.tui.bars import NARROW
from attn_tui.old.tui.job import Job
from attn_tui.old.tui.view import View
from attn_tui.report.headline import Headline
from attn_tui.report.rows import Row

LOW = 20
"""Fewer lines show one pane at a time, as fewer columns than `NARROW` do."""

ROOMY = 100
"""Columns from which labels are spelled out, and the gradient has columns of its own."""

SHORT = 30
"""Fewer lines leave less room for what stands above and below."""


def is_narrow(width: int, height: int) -> bool:
    """Return whether a screen has room for one pane at a time only."""
    return width < NARROW or height < LOW


@dataclass(frozen=True, eq=False)
class Scene:
    """What a screen shows; each instrument adds its own.

    Attributes:
        asked: What is asked.
        answer: The best there is.
        job: How the long answer stands.
        problem: What failed of that which is looked at, in lines.
        width: Columns of the screen.
        height: Its lines.
        view: How it is looked at.
    """

    asked: Asked
    answer: Any
    job: Job[Any]
    problem: Sequence[Row]
    width: int
    height: int
    view: View

    @property
    def headline(self) -> Headline | None:
        """What is said first; None while there is nothing to say."""
        return None

    @property
    def hint(self) -> str:
        """What to look at, of a question that is an example, or nothing."""
        return ""

    @property
    def is_unread(self) -> bool:
        """Whether what is shown is about the last scores that could be read."""
        return False

    @property
    def narrow(self) -> bool:
        """Whether there is room for one pane at a time only, or one is wanted."""
        return self.view.full or is_narrow(self.width, self.height)

    @property
    def present(self) -> str:
        """The tab that is shown."""
        return self.view.present(self.narrow)

    @cached_property
    def now(self) -> float:
        """What the clock says, in seconds."""
        return monotonic()


@runtime_checkable
class Pane(Protocol):
    """A widget that shows its part of a scene, and speaks by messages."""

    def see(self, scene: Any) -> None:
        """Show a scene."""


@runtime_checkable
class Drawing(Protocol):
    """A widget that shows something of a scene that may take longer to draw."""

    def see_chart(self, scene: Any) -> None:
        """Draw it."""
