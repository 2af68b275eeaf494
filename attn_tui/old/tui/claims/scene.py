"""What the panes of the screen of Claims are given to show."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from attn_tui.claims.answer import Answer
from attn_tui.claims.claim import Claim, Finding
from attn_tui.claims.ledger import find, ledger
from attn_tui.claims.settings import Settings
from attn_tui.old.tui import scene
from attn_tui.old.tui.claims.view import View
from attn_tui.report.claims.headline import headline
from attn_tui.report.headline import Headline


@dataclass(frozen=True, eq=False)
class Scene(scene.Scene):
    """What Claims shows.

    Attributes:
        view: What is looked at.
        findings: What came of those that were tried, by id.
        trying: Whether others are being tried.
    """

    answer: Answer | None
    view: View
    findings: Mapping[str, Finding]
    trying: bool

    @property
    def settings(self) -> Settings:
        """Which claim is tried, and with what."""
        return self.asked.experiment.setup.get(Settings)

    @property
    def claim(self) -> Claim:
        """The claim that is asked."""
        return find(self.settings.claim)

    @property
    def finding(self) -> Finding | None:
        """What came of it as it is asked; None while it is tried."""
        found = self.answer.finding if self.answer else None
        if found and (found.claim, found.trial) == (self.claim, self.settings.trial):
            return found
        return None

    @cached_property
    def listed(self) -> tuple[Claim, ...]:
        """The claims that are listed, in the order of the ledger."""
        return tuple(
            each for each in ledger().values() if self.view.lists(each, self.findings.get(each.id))
        )

    @cached_property
    def headline(self) -> Headline:
        """The verdict, and what is right."""
        return headline(self.claim, self.finding)
