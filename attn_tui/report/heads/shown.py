"""What a report of heads shows, in whatever form."""

from dataclasses import dataclass

from attn_tui.compute.heads.statistic import TAU
from attn_tui.engine.condition import Condition


@dataclass(frozen=True)
class Shown:
    """What is shown.

    Attributes:
        statistics: The names of those to show, at least one.
        conditions: What must not be.
        sort: A statistic by which heads are listed, those that stand out first; else they are in
            the order of the capture, as text a table of layers × heads for each statistic.
        tau: The largest logit that QK-clip leaves alone.
    """

    statistics: tuple[str, ...]
    conditions: tuple[Condition, ...] = ()
    sort: str | None = None
    tau: float = TAU
