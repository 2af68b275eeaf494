"""What is looked at on the screen of Attention; kept apart from what is asked, not undone."""

from dataclasses import dataclass
from typing import Literal

from attn_tui.compute.attention.answer import Answer
from attn_tui.old.tui import view
from attn_tui.old.tui.view import Tab

Sort = Literal["position", "entropy"]
Zoom = Literal["whole", "weights"]

TABS = {
    "map": Tab("Map", "Map"),
    "rows": Tab("Rows", "Rows"),
    "output": Tab("Output", "Out"),
}


@dataclass(frozen=True)
class View(view.View):
    """A way of looking.

    Attributes:
        query: The row that the cursor is on; None is the last one, which sees most.
        key: The key it is on; None is that of the row's largest weight, unscaled.
        zoom: What a cell of the map stands for.
        sort: What rows stand in the order of, from the top down.
        pinned: The answer that the present one is compared with, or None.
    """

    tab: str = "map"
    chart: str = "map"
    query: int | None = None
    key: int | None = None
    zoom: Zoom = "whole"
    sort: Sort = "position"
    pinned: Answer | None = None
