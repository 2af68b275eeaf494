"""What is looked at on the Sweep screen; kept apart from what is asked, and not undone."""

from dataclasses import dataclass, replace

from attn_tui.compute.sweep.settings import Settings, Statistic
from attn_tui.old.charts.sweep.signs import Look
from attn_tui.old.report.sweep.headline import Of
from attn_tui.old.tui import view
from attn_tui.old.tui.view import Tab

TABS = {
    "map": Tab("Map", "Map"),
    "d_k": Tab("Over d_k", "d_k"),
    "n": Tab("Over n", "n"),
    "numbers": Tab("Numbers", "Nums"),
}
"""What is swept, by the name of its tab."""


@dataclass(frozen=True)
class Shown:
    """Which statistic is looked at, and how; files and options begin with one, as settings.

    Attributes:
        statistic: Which; all are computed.
        ratio: Whether it is shown without scaling over the same under each rule.
    """

    statistic: Statistic = "gradient"
    ratio: bool = False

    @classmethod
    def of(cls, settings: Settings) -> "Shown":
        """Return what settings begin with."""
        return cls(settings.statistic, settings.ratio)

    def put(self, settings: Settings) -> Settings:
        """Return settings as they are answered and written when this is looked at.

        Raises:
            InputError: If there is no rule to compare with.
        """
        return replace(settings, statistic=self.statistic, ratio=self.ratio)


@dataclass(frozen=True)
class View(view.View):
    """A way of looking.

    Attributes:
        shown: What of each vector is shown.
        bands: Whether the band of the middle half of draws is drawn behind curves.
        whole: Whether logarithms go down to the smallest number.
        of: What a map shows over draws.
        rule: Which rule a map shows, counted on without end.
        numbers: Whether the numbers stand in place of the chart.
        top: How many lines of the numbers stand above the first that is seen.
    """

    shown: Shown = Shown()
    bands: bool = True
    whole: bool = False
    of: Of = "median"
    rule: int = 0
    numbers: bool = False
    top: int = 0

    LOG = True

    @property
    def look(self) -> Look:
        """How charts are drawn."""
        return Look(self.log, self.bands, self.whole)
