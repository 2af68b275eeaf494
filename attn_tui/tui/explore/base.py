"""What the parts of the Explore screen share: question, answer and view."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from attn_tui.compute.explore import VectorAnswer
from attn_tui.tui.explore.order import Order
from attn_tui.tui.explore.view import View
from attn_tui.tui.instrument_screen import InstrumentScreen
from attn_tui.tui.state import Asked
from attn_tui.tui.widgets.entry import Entry, Request


class ExploreBase(InstrumentScreen):
    """The state of the Explore screen.

    Attributes:
        view: What is looked at.
        asked: What is asked, once the screen has been shown it.
        answer: The answer about the vector that is shown.
        order: The order its keys are listed in.
    """

    def __init__(self) -> None:
        super().__init__()
        self.view = View()
        self.asked: Asked | None = None
        self.answer: VectorAnswer | None = None
        self.order = Order(0)

    @abstractmethod
    def look(self, view: View) -> None:
        """Look another way."""

    def request(
        self,
        label: str,
        value: str,
        read: Callable[[str], Any],
        take: Callable[[Any], object],
        eager: bool = True,
        complete: Callable[[str], str] = str,
    ) -> None:
        """Ask for a value to be typed in place of the slider."""
        self.query_one(Entry).open(Request(label, value, read, take, eager, complete))

    def complain(self, problem: str) -> None:
        """Say beside the value that is asked for why it will not do."""
        self.query_one(Entry).complain(problem)
