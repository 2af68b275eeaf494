"""What the parts of the Explore screen share: question, answer and view."""

from abc import abstractmethod

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.tui.explore.order import Order
from attn_tui.tui.explore.view import View
from attn_tui.tui.filing import FilingScreen


class ExploreBase(FilingScreen):
    """The state of the Explore screen.

    Attributes:
        view: What is looked at.
        answer: The answer about the vector that is shown.
        order: The order its keys are listed in.
    """

    def __init__(self) -> None:
        super().__init__()
        self.view = View()
        self.answer: VectorAnswer | None = None
        self.order = Order(0)

    @abstractmethod
    def look(self, view: View) -> None:
        """Look another way."""

    @property
    def n_attended(self) -> int:
        """The keys of the vector in view that are not masked."""
        return self.answer.vector.n_attended if self.answer else super().n_attended
