"""The line that offers the tour at the first start."""

from textual.widgets import Static

WELCOME = "New here? [b $mark]x[/] offers a tour; [b $mark]esc[/] hides it."
"""As long as the narrowest screen is wide."""


class Welcome(Static):
    """Offers the tour, above the footer."""

    def __init__(self) -> None:
        super().__init__(WELCOME, id="welcome")

    def close(self) -> bool:
        """Go away, and return whether it was still there."""
        is_there = self.is_attached
        if is_there:
            self.remove()
        return is_there
