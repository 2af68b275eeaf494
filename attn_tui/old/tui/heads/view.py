"""What is looked at on the screen of Heads; kept apart from what is asked, not undone."""

from dataclasses import dataclass

from attn_tui.old.tui import view
from attn_tui.old.tui.view import Tab

TABS = {"map": Tab("Map", "Map"), "list": Tab("List", "List"), "doctor": Tab("Doctor", "Doctor")}

SORTS = {
    "worst": "by the statistic, the heads to look at first",
    "place": "by layer and head",
}


@dataclass(frozen=True)
class View(view.View):
    """A way of looking.

    Attributes:
        sort: The order of the list.
        only: What a head must be to be listed: words, or a condition.
        top: How many lines of what the doctor says are scrolled away.
    """

    tab: str = "map"
    chart: str = "map"
    setting: str = "statistic"
    sort: str = "worst"
    only: str = ""
    top: int = 0

    @property
    def command(self) -> str:
        """What writes the command line of what the doctor says."""
        return "attn_tui.commands.capture_line:doctor" if self.chart == "doctor" else ""
