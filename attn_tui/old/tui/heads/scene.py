"""What the panes of the screen of Heads are given to show."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from attn_tui.captures.capture import HeadId
from attn_tui.compute.counted import counted
from attn_tui.compute.errors import InputError
from attn_tui.engine.answer import Answer
from attn_tui.engine.settings import Settings
from attn_tui.engine.table import HeadTable
from attn_tui.old.charts.heads.listing import listed
from attn_tui.old.tui import scene
from attn_tui.old.tui.heads.examining import Examined, key_of
from attn_tui.old.tui.heads.view import View
from attn_tui.old.tui.job import Job
from attn_tui.report.headline import Headline
from attn_tui.report.heads.compare import headline as parting
from attn_tui.report.heads.headline import NOTHING, first_of, headline

BEGINS = Headline("The doctor opens the capture …", "The doctor opens the capture …")
"""What is said before he looks at a head."""


@dataclass(frozen=True, eq=False)
class Scene(scene.Scene):
    """What Heads shows.

    Attributes:
        view: What is looked at.
        examined: What the doctor found so far, and how that stands.
        changed: Why what is shown is not what is on the disk any more, or nothing.
    """

    answer: Answer | None
    view: View
    examined: Job[Examined]
    changed: str

    @property
    def settings(self) -> Settings:
        """What is asked of this instrument."""
        return self.asked.experiment.setup.get(Settings)

    @property
    def table(self) -> HeadTable | None:
        """What is known of the heads, as far as it is of what is asked."""
        return self.answer.table if self.answer else None

    @property
    def head(self) -> HeadId | None:
        """The head with the cursor: the one that is asked, or the nearest there is."""
        if self.table is None:
            return None
        if self.settings.head is None:
            said = self.said if self.view.chart == "doctor" else None
            if said and said.findings:
                return said.findings[0].id
            comparison = self.answer.comparison if self.answer else None
            if comparison and comparison.parting:
                return comparison.parting[0].head
        return nearest(self.table, self.settings)

    @property
    def said(self) -> Examined | None:
        """What the doctor says of this capture."""
        return self.examined.result(key_of(self.settings))

    @cached_property
    def listed(self) -> tuple[HeadId, ...]:
        """The heads that are listed, in their order; none while the condition is not understood."""
        if self.table is None:
            return ()
        settings, view = self.settings, self.view
        try:
            found = listed(self.table, settings.statistic, settings.tau, view.sort, view.only)
        except InputError:
            return ()
        return tuple(found)

    @property
    def lined(self) -> Sequence[HeadId]:
        """The heads of the list that is looked at, in its order."""
        if self.view.chart == "doctor":
            return self.said.heads if self.said else ()
        return self.listed

    @cached_property
    def headline(self) -> Headline:
        """How many heads saturate, or what the doctor says of them."""
        if self.view.chart == "doctor" and (self.said or self.examined.running):
            return self.said.headline if self.said else BEGINS
        if self.table is None:
            text = "Opening the capture …" if self.job.running else "Nothing is known yet."
            return Headline(text, text) if self.settings.capture else NOTHING
        if self.job.running and not self.table.partials:
            text = f"Looking at {counted(len(self.table.heads), 'head')} …"
            return Headline(text, text)
        said = headline(self.table, self.settings.statistic, self.settings.tau)
        if self.answer and self.answer.comparison:
            said = parting(self.answer.comparison)
        return said


def nearest(table: HeadTable, settings: Settings) -> HeadId:
    """Return the head that is asked, or the nearest there is; of none that to look at first."""
    if settings.layer is None or settings.head is None:
        return first_of(table, settings.statistic, settings.tau)
    asked = HeadId(settings.batch, settings.layer, settings.head)
    if asked in table.places:
        return asked
    batch = min(asked.batch, table.n_batches - 1)
    layer = min(table.layers, key=lambda each: (abs(each - asked.layer), each))
    own = [each for each in table.heads if each.layer == layer and each.batch == batch]
    return min(own, key=lambda each: abs(each.head - asked.head)) if own else table.heads[0]
