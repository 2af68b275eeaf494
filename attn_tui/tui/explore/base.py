"""What the parts of the Explore screen share: question, answer and view."""

from abc import abstractmethod

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.tui.explore.found import Found
from attn_tui.tui.explore.view import View
from attn_tui.tui.scaling import ScalingScreen


class ExploreBase(ScalingScreen):
    """The state of the Explore screen.

    Attributes:
        view: What is looked at.
        found: What there is to show, which may be older than what is asked.
    """

    def __init__(self) -> None:
        super().__init__()
        self.view = View()
        self.found: Found | None = None

    @property
    def answer(self) -> VectorAnswer | None:
        """The answer about the vector that is shown."""
        return self.found.answer if self.found else None

    @abstractmethod
    def look(self, view: View) -> None:
        """Look another way."""

    @property
    def n_attended(self) -> int:
        """The keys of the vector in view that are not masked."""
        return self.answer.vector.n_attended if self.answer else super().n_attended
