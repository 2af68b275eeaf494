"""What is looked at on the screen of Claims; kept apart from what is asked, not undone."""

from dataclasses import dataclass

from attn_tui.claims.claim import Claim, Finding
from attn_tui.old.tui import view
from attn_tui.old.tui.view import Tab

ALL = "all"
"""What leaves a choice of claims as it is."""

TABS = {
    "list": Tab("Claims", "Claims", apart=True),
    "numbers": Tab("What is right", "Right"),
    "picture": Tab("Picture", "Picture"),
}


@dataclass(frozen=True)
class View(view.View):
    """A way of looking.

    Attributes:
        source: What the ids of claims that are listed begin with, or all.
        verdict: Their verdict, or all.
        topic: What they are about, or all.
        top: How many rows of what is right are scrolled away.
    """

    tab: str = "list"
    chart: str = "numbers"
    setting: str = "source"
    source: str = ALL
    verdict: str = ALL
    topic: str = ALL
    top: int = 0

    def lists(self, claim: Claim, finding: Finding | None) -> bool:
        """Return whether a claim is listed; of what is not tried yet the verdict is not known."""
        return (
            self.source in (ALL, claim.id.partition("-")[0])
            and self.topic in (ALL, *claim.topics)
            and self.verdict in (ALL, finding.verdict if finding else "")
        )
