"""The charts of Explore, a record each: its names, what it needs, draws, and does with arrows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.attention import attention
from attn_tui.files.kinds import KINDS
from attn_tui.old.charts.sides import Quantity
from attn_tui.old.tui.explore import chart_data
from attn_tui.old.tui.explore.chart_data import Needed
from attn_tui.old.tui.explore.view import View
from attn_tui.old.tui.scene import ROOMY
from attn_tui.old.tui.view import Tab
from attn_tui.old.tui.widgets.canvas import Target
from attn_tui.report.numbers import in_percent, places_of
from attn_tui.report.rows import Row, message, plain

Rows = tuple[Row, ...]

LISTED = 6
"""So many keys a table beside a chart has room for on any screen."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a chart is drawn from.

    Attributes:
        answer: The answer, or the comparison of two.
        n_keys: How many keys the vector has; a comparison may have more.
        experiment: What is asked.
        view: How it is looked at.
        data: What the chart needed besides, once it is computed.
        width: Cells of every row of the chart.
        height: Its rows.
        alone: Whether the table is out of sight, so that numbers do not stand there.
    """

    answer: VectorAnswer
    n_keys: int
    experiment: Experiment
    view: View
    data: Any
    width: int
    height: int
    alone: bool

    @property
    def head(self) -> int:
        """Rows above the Jacobian: the gradient, where the table has no room for it."""
        return 3 if not self.alone and self.width < ROOMY and self.height >= 8 else 0


WORDS = 78
"""Cells at most of what is said of a place."""


def key_target(answer: VectorAnswer, key: int) -> Target:
    """Return what a click on a key does: the cursor goes there, and a second one chooses it."""
    side = answer.scaled
    places = places_of(answer.vector.n_keys)
    (share,) = (in_percent(*pair, places) for pair in side.pairs(np.array([key])))
    again = "; twice: its gradient" * (key != answer.of)
    return Target(f"looking.point({key})", f"Key {key}: {share}{again}", "scores.gradient_of")


def _key_moved(drawn: Drawn, dx: int, dy: int) -> View:
    view, last = drawn.view, drawn.n_keys - 1
    return view.pointing(min(max(view.key + dx + dy, 0), last))


@dataclass(frozen=True)
class Chart:
    """One chart. What draws it is imported when it is looked at.

    Attributes:
        title: Its name on the tabs and in the palette.
        short: The same where there is little room.
        draw: Returns it.
        needed: Returns what must be computed before; nothing unless given.
        moved: Returns the view after an arrow: so many places to the right, and down.
        pointed: Returns what a click on a column and a row does, if anything.
        scrolls: Whether what an arrow down does is to show more; the wheel does so too.
    """

    title: str
    short: str
    draw: Callable[[Drawn], Rows]
    needed: Callable[[Experiment, View], Needed | None] = lambda experiment, view: None
    moved: Callable[[Drawn, int, int], View] = _key_moved
    pointed: Callable[[Drawn, int, int], Target | None] = lambda drawn, x, y: None
    scrolls: bool = False


def _weights(drawn: Drawn) -> Rows:
    from attn_tui.old.charts.explore.weights import weights_chart

    view = drawn.view
    return weights_chart(drawn.answer, drawn.width, drawn.height, view.log, view.key, drawn.alone)


def _bar_pointed(drawn: Drawn, x: int, y: int) -> Target | None:
    from attn_tui.old.charts.explore.weights import key_at

    key = key_at(drawn.answer, x, drawn.width, drawn.height, drawn.view.log)
    return None if key is None else key_target(drawn.answer, key)


def _jacobian(drawn: Drawn) -> Rows:
    from attn_tui.old.charts.explore.gradient_head import gradient_head
    from attn_tui.old.charts.explore.jacobian import jacobian_map

    view, answer, height = drawn.view, drawn.answer, drawn.height - drawn.head
    log = None if view.axis == "auto" else view.log
    # A number stands in one place: in the table or the head, if it is in sight there.
    listed = drawn.head or (not drawn.alone and drawn.n_keys <= LISTED)
    drawn_map = jacobian_map(
        answer, view.side, drawn.width, height, log, (view.key, view.other), view.zoomed,
        not (listed and view.key == answer.of),
    )  # fmt: skip
    return (*gradient_head(answer, view.other, drawn.width)[: drawn.head], *drawn_map)


def _entry_moved(drawn: Drawn, dx: int, dy: int) -> View:
    view, last = drawn.view, drawn.n_keys - 1
    other = min(max(view.other + dx, 0), last)
    return replace(view.pointing(min(max(view.key + dy, 0), last)), other=other)


def _entry_pointed(drawn: Drawn, x: int, y: int) -> Target | None:
    from attn_tui.old.charts.explore.jacobian import entry_row
    from attn_tui.old.charts.explore.jacobian_window import cell_at

    view, n_keys = drawn.view, drawn.n_keys
    cursor = (view.key, view.other)
    height, y = drawn.height - drawn.head, y - drawn.head
    cell = cell_at(x, y, n_keys, drawn.width, height, cursor, view.zoomed)
    if cell is None:
        return None
    return Target(f"looking.point{cell}", f"Go to {plain([entry_row(drawn.answer, cell, WORDS)])}")


def _over_d_k(drawn: Drawn) -> Rows:
    from attn_tui.old.charts.explore.over_d_k import over_d_k_chart

    view, experiment = drawn.view, drawn.experiment
    return over_d_k_chart(
        drawn.data, experiment.setup.d_k, drawn.width, drawn.height, view.log,
        view.quantity, drawn.answer.wrt, KINDS[experiment.source.kind].over_d_k, drawn.alone,
    )  # fmt: skip


def _d_k_pointed(drawn: Drawn, x: int, y: int) -> Target | None:
    from attn_tui.old.charts.explore.over_d_k import d_k_at

    view, d_k = drawn.view, drawn.experiment.setup.d_k
    place = d_k_at(drawn.data, d_k, x, drawn.width, view.log, view.quantity, drawn.answer.wrt)
    if place is None or drawn.experiment.source.d_k is not None:
        return None
    return Target(f"fields.set('d_k', '{place}')", f"Go to d_k = {place:,}")


def _quantity_moved(drawn: Drawn, dx: int, dy: int) -> View:
    every: tuple[Quantity, ...] = get_args(Quantity)
    at = every.index(drawn.view.quantity) + dx + dy
    return replace(drawn.view, quantity=every[at % len(every)])


def _precision(drawn: Drawn) -> Rows:
    from attn_tui.old.charts.explore.precision_lab import precision_chart

    view = drawn.view
    return precision_chart(drawn.data, drawn.width, drawn.height, view.side, view.line)


def _line_moved(drawn: Drawn, dx: int, dy: int) -> View:
    from attn_tui.old.charts.explore.precision_lab import last_first

    view = drawn.view
    last = last_first(drawn.data, drawn.width, drawn.height, view.side) if drawn.data else 0
    return replace(view, line=min(max(view.line + dx + dy, 0), last))


def _vectors(drawn: Drawn) -> Rows:
    from attn_tui.old.charts.explore.attention import attention_chart

    view, width, height = drawn.view, drawn.width, drawn.height
    found = attention(drawn.experiment, view.vector)
    if found is None:
        return message(" No q and K here: the setting from brings them", width, height)
    return attention_chart(drawn.answer, found, view.key, width, height, view.component, view.side)


def _component_moved(drawn: Drawn, dx: int, dy: int) -> View:
    view, last = drawn.view, drawn.experiment.setup.d_k - 1
    return replace(view, component=min(max(view.component + dx + dy, 0), last))


CHARTS: Mapping[str, Chart] = {
    "bars": Chart("Chart of weights", "Chart", _weights, pointed=_bar_pointed),
    "jacobian": Chart("Jacobian", "J", _jacobian, moved=_entry_moved, pointed=_entry_pointed),
    "over_d_k": Chart("Over d_k", "d_k", _over_d_k, chart_data.over, _quantity_moved, _d_k_pointed),
    "precision": Chart(
        "Precision", "bits", _precision, chart_data.tried, _line_moved, scrolls=True
    ),
    "vectors": Chart("q, K, V", "qKV", _vectors, moved=_component_moved, scrolls=True),
}
"""Each by its name, in the order of the tabs."""

TABS: Mapping[str, Tab] = {
    "weights": Tab("Weights", "p", apart=True),
    "gradient": Tab("Gradient", "∂p/∂s", apart=True),
    **{name: Tab(chart.title, chart.short) for name, chart in CHARTS.items()},
}
"""The halves of the table, which a narrow screen shows one at a time, and the charts."""


def offered(name: str, experiment: Experiment) -> bool:
    """Return whether a tab has something to show of a question."""
    return name != "vectors" or experiment.source.d_k is not None
