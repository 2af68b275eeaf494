"""What each pane of the screen of Dot products shows, as rows."""

from collections.abc import Sequence

from attn_tui.compute.dots.answer import Answer
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.experiment import Experiment
from attn_tui.dots.derivation import derivation
from attn_tui.old.charts.dots.band import band, d_k_at
from attn_tui.old.charts.dots.bells import bells, named
from attn_tui.old.charts.dots.values import ValueAxis
from attn_tui.old.charts.rows import first_fit
from attn_tui.old.report.dots.tables import moment_rows, over_d_k_rows, row_at, window
from attn_tui.old.tui.bars import Status
from attn_tui.old.tui.dots.scene import Scene
from attn_tui.old.tui.dots.view import TABS
from attn_tui.old.tui.looking import tab_items, titles_of
from attn_tui.old.tui.scale import scale_status
from attn_tui.old.tui.widgets.bar import Item
from attn_tui.old.tui.widgets.canvas import Target
from attn_tui.report.numbers import general
from attn_tui.report.progress import bar
from attn_tui.report.rows import Row, Span, length, message

ONE_DRAW = ("one draw has no spread, and so no standard error", "one alone has no spread")
"""Why numbers of a sample of one are NaN, at decreasing length."""

BAR = 24
"""Columns of the bar of progress where there is room for one."""


def status(experiment: Experiment) -> Status:
    """Return the model or the rule, and the seed."""
    setup = experiment.setup
    return [
        scale_status(setup),
        ((f"seed {setup.get(Settings).seed}",), "fields.type('seed')"),
    ]


def progress_row(scene: Scene) -> Row:
    """Return how far the draw is, and what can be done about it."""
    answer, settings, pace, width = scene.answer, scene.settings, scene.pace, scene.width
    if scene.job.state == "failed":
        return ((" not drawn: space tries again", "error"),)
    running = scene.job.running
    if answer is None:
        nothing = "stopped before anything was drawn: space goes on"
        return ((" drawing …" if running else f" {nothing}", "label"),)
    if running and answer.drawn < pace.total:
        text: Span = (f" {pace.text(answer.drawn, scene.now)}", "label")
        drawn: Span = (f" {bar(answer.drawn / pace.total, BAR)}", "scaled")
        stops: Span = (", space stops", "muted")
        return first_fit([(drawn, text, stops), (text, stops), (text,)], width)
    if answer.drawn < settings.samples:
        where = f" {answer.drawn:,} of {settings.samples:,} drawn"
        return ((where, "strong"), (", stopped: space goes on", "label"))
    done: Span = (f" {answer.drawn:,} drawn", "strong")
    if answer.drawn == 1:
        return first_fit([(done, (f": {reason}", "label")) for reason in ONE_DRAW], width)
    return (done,)


def title_row(scene: Scene, focused: bool = False) -> Row:
    """Return what the picture is of, and which axis it has; marked where it has the keys."""
    progress, role = progress_row(scene), "focus" if focused else "label"
    other = scene.narrow and scene.present == "over_d_k"
    texts = drawn_how(scene, scene.band_leads != other) if scene.pictured or other else ()
    ends: list[Row] = [*(((f" {text} ", role),) for text in texts), ()]
    for end in ends:
        gap = scene.width - length(progress) - length(end) - 2
        if gap > 0:
            return (*progress, (" ", "text"), ("─" * gap, "axis"), *end)
    return progress


def drawn_how(scene: Scene, banded: bool) -> tuple[str, ...]:
    """Return what is drawn how in the band or else in the bells, at decreasing length."""
    setup = scene.asked.experiment.setup
    axis = ValueAxis.of(scene.settings, 1.0, setup.d_k, not scene.view.log)
    lined = scene.answer is not None and scene.answer.curves.lined
    # Two heights are not to be compared, though they stand one above the other.
    texts = (f"bars drawn{', line exact' * lined}, each to its own height; ", "own heights; ", "")
    if banded:
        texts = ("band: mean ± 2σ, exact; ", "mean ± 2σ; ", "")
    chosen = "auto " * (scene.view.axis == "auto")
    return tuple(f"{text}{chosen}axis: {axis.name}" for text in texts)


def tabs(scene: Scene, focused: bool) -> list[Item]:
    """Return the tabs, that of the picture too on a narrow screen."""
    narrow, width = scene.narrow, scene.width
    titles = titles_of(TABS, narrow)
    if scene.band_leads:
        titles |= {"over_d_k": "Bells"} | ({"picture": TABS["over_d_k"].short} if narrow else {})
    ends = []
    if scene.present == "over_d_k" and not narrow:
        ends = [Item(((f" {drawn_how(scene, not scene.band_leads)[-2]} ", "muted"),))]
    return tab_items(titles, scene.present, focused, ends, width, padding="" if narrow else " ")


def picture_rows(scene: Scene, width: int, height: int) -> Sequence[Row]:
    """Return what shows best what dividing does: the band over d_k, or else the bells."""
    if (answer := scene.answer) is None:
        return message(" drawing …", width, height)
    if scene.band_leads:
        return band(answer, width, height)
    return bells(answer, width, height, not scene.view.log)


def chart_rows(scene: Scene, width: int, height: int) -> Sequence[Row]:
    """Return the chart or the table that is looked at."""
    answer, view = scene.answer, scene.view
    if answer is None:
        return message(" drawing …", width, height)
    match view.chart:
        case "over_d_k":
            if scene.band_leads:
                return bells(answer, width, height)
            return band(answer, width, height, below=view.log and not scene.narrow)
        case "table":
            return over_d_k_rows(answer, width, height, view.row)
        case "derivation":
            return window(derivation(answer, width), view.top, height)
    rows = moment_rows(answer, view.side, max(width - 2, 1))
    return [((" ", "text"), *row) for row in rows]


def picture_target(scene: Scene, width: int, height: int, x: int, y: int) -> Target | None:
    """Return what a click on the picture does."""
    if (answer := scene.answer) is None:
        return None
    if scene.band_leads:
        return _band_target(answer, y, height)
    return _said(answer, "scaled" if 2 * y > height - 4 else "unscaled")


def chart_target(scene: Scene, width: int, height: int, x: int, y: int) -> Target | None:
    """Return what a click on the chart or the table does."""
    answer, view = scene.answer, scene.view
    if answer is None:
        return None
    if view.chart == "over_d_k" and not scene.band_leads:
        return _band_target(answer, y, height, view.log and not scene.narrow)
    if view.chart == "over_d_k":
        return _said(answer, "scaled" if 2 * y > height - 4 else "unscaled")
    if view.chart != "table" or (row := row_at(answer, width, height, view.row, y)) is None:
        return None
    d_k = answer.table[row].d_k
    there = f"fields.set('d_k', '{d_k}')"
    return Target(f"draws.point_row({row})", f"Row of d_k = {d_k:,}; twice: go there", there)


def _band_target(answer: Answer, y: int, height: int, below: bool = False) -> Target | None:
    d_k = d_k_at(answer, y, height, below)
    if d_k is None:
        return None
    return Target(f"fields.set('d_k', '{d_k}')", f"Go to d_k = {d_k:,}")


def _said(answer: Answer, role: str) -> Target:
    """Return what is said of a bell, with which nothing can be done."""
    m = answer.multiplier if role == "scaled" else 1.0
    mean, deviation = (
        general(each * m, 4) for each in (answer.law.mean, answer.law.standard_deviation)
    )
    return Target(words=f"{named(answer, role)[2:]}: mean {mean}, σ = {deviation}, exactly")
