"""The Explore screen: composes panes and parts, and has answered what they ask."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from textual import on
from textual.app import ComposeResult

from attn_tui.charts.rows import Row
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.field import fields_of
from attn_tui.compute.setup import FIELDS
from attn_tui.compute.sweep.rules import rule_text
from attn_tui.report.export import Forms
from attn_tui.report.headline import Factor
from attn_tui.tui import edits
from attn_tui.tui.actions import Section
from attn_tui.tui.at_place import AtPlace
from attn_tui.tui.computing import Computing
from attn_tui.tui.explore import contents, drawing, explanations, panes
from attn_tui.tui.explore.actions import ACTIONS
from attn_tui.tui.explore.answering import Answering
from attn_tui.tui.explore.charting import VectorChart
from attn_tui.tui.explore.charts import TABS, Drawn
from attn_tui.tui.explore.found import Found
from attn_tui.tui.explore.key_table import KeyTable
from attn_tui.tui.explore.looking import Looking
from attn_tui.tui.explore.scene import Scene
from attn_tui.tui.explore.scores import Scores
from attn_tui.tui.explore.view import View
from attn_tui.tui.filing import Filing
from attn_tui.tui.instrument_screen import InstrumentScreen
from attn_tui.tui.parts import Part
from attn_tui.tui.scale import ScalePart
from attn_tui.tui.state import Asked, Gesture
from attn_tui.tui.widgets.bar import Item, TabBar
from attn_tui.tui.widgets.canvas import Canvas
from attn_tui.tui.widgets.chart import ChartCanvas
from attn_tui.tui.widgets.score_editor import ScoreEditor
from attn_tui.tui.widgets.slider import Slider

LONG = 0.3
"""Seconds after which a computation is said to go on."""


class ExploreScreen(InstrumentScreen):
    """Scores, d_k and the scale above; weights and gradient; a chart; what it means.

    Attributes:
        view: What is looked at.
        answering: Has the vector in view answered.
        vector_chart: What its chart is drawn from.
    """

    NAME = "explore"
    ACTIONS = ACTIONS
    SECTIONS = (
        Section("In Explore", ACTIONS),
        ScoreEditor.SECTION,
        Slider.SECTION,
        KeyTable.SECTION,
        panes.ExploreChart.SECTION,
    )
    FIELDS = FIELDS | fields_of(Settings)
    TABS = TABS
    explanation = explanations.WORDS
    view: View = View()

    def __init__(self) -> None:
        super().__init__()
        self.answering = Answering(self)
        self.at_place = AtPlace(self)
        self.computings += (self.answering.computing, self.at_place.computing)
        self.vector_chart = VectorChart(self)
        self._busy = self._faded = False

    def make_parts(self) -> Iterable[Part[Any]]:
        """Return what can be done here."""
        self.looking = Looking(self)
        return ScalePart(self), Scores(self), self.looking, Filing(self)

    def make_computing(self) -> Computing[Any]:
        """Return what has charts computed that take long: over d_k, and the precision lab."""
        return Computing(self, most=2)

    @property
    def found(self) -> Found | None:
        """What there is to show, which may be older than what is asked."""
        return self.answering.found

    def compose_panes(self) -> ComposeResult:
        """Lay out the panes."""
        yield panes.Formula(id="formula")
        yield panes.ScoresPane(id="scores")
        yield panes.ExploreScale(id="scale")
        yield TabBar(id="narrow-tabs")
        yield panes.ExploreTable(id="table")
        yield panes.ExploreChart(id="charts")
        yield panes.Hint(id="hint")

    def forms(self) -> Forms:
        """Return what can be written."""
        return contents.forms(self.asked, self.view.pinned) if self.asked else {}

    def said(self) -> str:
        """Return all there is to say of the vector."""
        return contents.said(self.found) if self.found else ""

    @property
    def n_attended(self) -> int:
        """The keys of the vector in view that are not masked."""
        return self.found.answer.vector.n_attended if self.found else super().n_attended

    # Questions and answers

    def show(self, asked: Asked) -> None:
        """Answer what is asked and show it."""
        view = self.query_one(panes.ScoresPane).followed(asked, self.view)
        self.view = replace(view, follows=False)
        super().show(asked)

    def go_on(self) -> None:
        """Answer the newest question."""
        if self.asked:
            self.view = self.answering.go_on(self.asked.experiment, self.view)
            self._go_on_typically(self.asked.experiment)
            if self.answering.job.running:
                self.set_timer(LONG, self._draw_busy)

    def _go_on_typically(self, experiment: Experiment) -> None:
        """Find out what the scale typically does to draws like those asked about."""
        setup, source = experiment.setup, experiment.source
        extras = (setup.scale.softcap, setup.scale.sink)
        if source.redraws and extras == (None, None) and not setup.mask:
            self.at_place.go_on(experiment, experiment.vectors.n_keys, setup.d_k)
        else:
            self.at_place.forget()

    @property
    def typical(self) -> Factor | None:
        """What the scale does to the median gradient of such draws, once it is known."""
        if (points := self.at_place.points) is None or self.asked is None:
            return None
        n, d_k = points.places[0]
        found = points.ratio(n, d_k, rule_text(self.asked.experiment.setup.scale), "gradient")
        return Factor(-found.log_median, found.log_median_error) if found else None

    def show_job(self) -> None:
        """Show the answer, or the chart of what was computed, or say why there is none."""
        found, answering, typical = self.found, self.answering.job, self.typical
        if answering.state == "done" and (newest := answering.result(answering.question)):
            self.view = self.answering.take(newest, self.view)
        self.go_on()
        self._draw_busy()
        changed = self.found is not found or self.typical != typical
        if changed or self.job.problem or answering.problem:
            self.draw()
        self.draw_chart()

    # What is shown

    @property
    def status(self) -> list[tuple[str, str]]:
        """The rule, the precision and the source of the scores."""
        return drawing.status(self.asked.experiment) if self.asked else []

    def scene(self, asked: Asked) -> Scene:
        """Return what panes are to show, scrolled to the cursor."""
        names = ("#title", "#headline", "#formula", "#scores", "#scale", "#hint", "#key-bar")
        taken = sum(self.query_one(name).outer_size.height for name in names)
        scene = Scene(
            asked, self.found, self.job, self.problem, *self.size, self._looked, taken,
            self.typical, isinstance(self.focused, ScoreEditor),
        ).scrolled()  # fmt: skip
        seen = scene.view
        self.view = replace(self.view, key=seen.key, top=seen.top, ranked=seen.ranked)
        return scene

    @property
    def _looked(self) -> View:
        """The view of the vector whose answer is there."""
        return replace(self.view, vector=self.found.question.vector if self.found else 0)

    @property
    def _stale(self) -> bool:
        """Whether what is shown is an older answer, and will be for a while."""
        unread = self.asked is not None and self.asked.error is not None
        return unread or (self._busy and self.answering.is_old)

    @property
    def problem(self) -> Sequence[Row]:
        """What failed: the answer, or the chart that is looked at."""
        answering = self.answering.job
        if answering.problem and answering.question == self.answering.question:
            return answering.problem_rows(self.size.width)
        needed = self.vector_chart.needed(self.found, self._looked)
        return super().problem if needed and needed.key == self.job.question else ()

    def tab_items(self, focused: bool) -> Sequence[Item]:
        """Return the line of tabs, with what there is to say of the chart."""
        if not (self.asked and self.found):
            return ()
        asked, answer, width = self.asked, self.found.answer, self.size.width
        return drawing.tabs(asked, self.view, answer, self._busy, focused, width, self.narrow)

    def draw_tabs(self) -> None:
        """Draw the line of tabs, and show whether what is below is the answer to what is asked."""
        if self._stale != self._faded:
            self._faded = self._stale
            for canvas in self.query("KeyTable Canvas, ChartCanvas").results(Canvas):
                canvas.fade(self._stale)
        super().draw_tabs()

    def _draw_busy(self) -> None:
        """Say beside the tabs that the chart is not yet that of the present answer."""
        if self._busy != (self.job.running or self.answering.job.running):
            self._busy = not self._busy
            self.draw_tabs()

    # The chart

    def draw_chart(self) -> None:
        """Draw the chart; what it shows that takes long is computed first."""
        if self.found and not self.vector_chart.draw(self.found, self._looked):
            self.set_timer(LONG, self._draw_busy)

    # What panes say

    @on(ScoreEditor.Edited)
    def _on_edited(self, event: ScoreEditor.Edited) -> None:
        self.ask(edits.text(event.text), Gesture("typing"))

    @on(panes.ScoresPane.Left)
    def _on_left(self) -> None:
        self.draw()

    @on(ScoreEditor.CursorMoved)
    def _on_cursor(self) -> None:
        if self.asked:
            view = self.query_one(panes.ScoresPane).followed(self.asked, self.view)
            if view is not self.view:
                self.look(view)

    @on(KeyTable.Resized)
    def _on_table_resized(self) -> None:
        if self.asked:
            self.query_one(panes.ExploreTable).see(self.scene(self.asked))

    @on(ChartCanvas.Pointed)
    def _on_chart_pointed(self, event: ChartCanvas.Pointed) -> None:
        self.looking.point_at(event.x, event.y)

    @property
    def drawn(self) -> Drawn | None:
        """What the chart would be drawn from now."""
        return self.vector_chart.drawn(self.found, self.view) if self.found else None
