"""The line above the footer that offers something at the start."""

from collections.abc import Sequence

from textual.widgets import Static

TOUR = "New here? [b $mark]x[/] offers a tour; [b $mark]esc[/] hides it."
"""What is said at the first start. As long as the narrowest screen is wide, as all offers are."""

SESSION = "[@click=app.resume][b $mark]y[/] goes on where you were {ago}[/]"
"""What is said where there is a session to take up."""

MINUTE, HOUR, DAY = 60, 3_600, 86_400

REPLAY = "Step {place:,} of {count:,}: [b $mark]U[/] goes on, [b $mark]u[/] goes back"
"""What is said where somebody's steps are gone through."""

AGES: Sequence[tuple[int, int, str]] = (
    (2 * DAY, DAY, "{} days ago"), (DAY, DAY, "yesterday"), (2 * HOUR, HOUR, "{} hours ago"),
    (HOUR, HOUR, "an hour ago"), (2 * MINUTE, MINUTE, "{} minutes ago"),
    (MINUTE, MINUTE, "a minute ago"), (0, 1, "just now"),
)  # fmt: skip
"""How long ago something was: from how many seconds on, counted in which unit, and in words."""


class Welcome(Static):
    """Offers the tour, or the last session, above the footer.

    Args:
        offer: What it says, as markup.
    """

    def __init__(self, offer: str) -> None:
        super().__init__(offer, id="welcome")

    def close(self) -> bool:
        """Go away, and return whether it was still there."""
        is_there = self.is_attached
        if is_there:
            self.remove()
        return is_there


def offer_of_session(seconds: float) -> str:
    """Return the line that offers a session which was saved so many seconds ago."""
    seconds = max(int(seconds), 0)
    unit, text = next((unit, text) for least, unit, text in AGES if seconds >= least)
    return SESSION.format(ago=text.format(seconds // unit))
