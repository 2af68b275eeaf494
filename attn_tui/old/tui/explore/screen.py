"""The Explore screen: composes panes and parts, and has answered what they ask."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult

from attn_tui.compute.experiment import Experiment
from attn_tui.files import edits
from attn_tui.files.history import Asked, Edit, Gesture
from attn_tui.old.tui.bars import Status
from attn_tui.old.tui.explore import contents, drawing, explanations, panes
from attn_tui.old.tui.explore.actions import ACTIONS
from attn_tui.old.tui.explore.answering import Answering
from attn_tui.old.tui.explore.charting import VectorChart
from attn_tui.old.tui.explore.charts import TABS
from attn_tui.old.tui.explore.found import Found
from attn_tui.old.tui.explore.key_table import KeyTable
from attn_tui.old.tui.explore.looking import ExploreFull, Looking
from attn_tui.old.tui.explore.scene import Scene
from attn_tui.old.tui.explore.scores import Scores
from attn_tui.old.tui.explore.settings import GROUPS
from attn_tui.old.tui.explore.typical import Typical
from attn_tui.old.tui.explore.view import View
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.parts import Part
from attn_tui.old.tui.scale import ScalePane, ScalePart
from attn_tui.old.tui.widgets.bar import Item, TabBar
from attn_tui.old.tui.widgets.score_editor import ScoreEditor
from attn_tui.report.export import Forms
from attn_tui.report.rows import Row

LONG = 0.3
"""Seconds after which a computation is said to go on."""


class ExploreScreen(InstrumentScreen):
    """Scores, d_k and the scale above; weights and gradient; a chart; what it means.

    Attributes:
        answer: What there is to show, which may be older than what is asked.
        view: What is looked at.
        answering: Has the vector in view answered.
        vector_chart: What its chart is drawn from.
    """

    NAME = "explore"
    SECTIONS = (KeyTable.SECTION, panes.ExploreChart.SECTION, ScoreEditor.SECTION)
    KEPT = 2
    ACTIONS = ACTIONS
    GROUPS = GROUPS
    TABS = TABS
    WRITERS: ClassVar = {".txt": contents.said}
    explanation = explanations.WORDS
    answer: Found | None = None
    view: View = View()

    def __init__(self) -> None:
        super().__init__()
        self.answering, self.typically = Answering(self), Typical(self)
        self.computings += (self.answering.computing, self.typically.computing)
        self.vector_chart, self._busy = VectorChart(self), False

    def make_parts(self) -> Iterable[Part[Any]]:
        """Return what can be done here."""
        return ScalePart(self), Scores(self), Looking(self), ExploreFull(self)

    def compose_panes(self) -> ComposeResult:
        """Lay out the panes."""
        yield panes.Formula(id="formula")
        yield panes.ScoresPane(id="scores")
        yield ScalePane(id="scale")
        yield TabBar(id="narrow-tabs")
        yield panes.ExploreTable(id="table")
        yield panes.ExploreChart(id="charts")

    def forms(self) -> Forms:
        """Return what can be written."""
        return contents.forms(self.asked, self.view.pinned) if self.asked else {}

    @property
    def n_attended(self) -> int:
        """The keys of the vector in view that are not masked."""
        return self.answer.answer.vector.n_attended if self.answer else super().n_attended

    def preview(self, edit: Edit) -> str:
        """Return the headline there would be of the vector in view, unless it has many keys."""
        return contents.preview(self.asked, edit, self.view.vector, self.size.width)

    # Questions and answers

    def show(self, asked: Asked) -> None:
        """Answer what is asked and show it."""
        view = self.query_one(panes.ScoresPane).followed(self.asked, asked, self.view)
        self.view = replace(view, follows=False)
        super().show(asked)

    def seek(self, experiment: Experiment) -> None:
        """Answer the newest question."""
        self.view = self.answering.go_on(experiment, self.view)
        self.answer = self.answering.found
        self.typically.go_on_like(experiment)

    def show_job(self) -> None:
        """Show the answer, or the chart of what was computed, or say why there is none."""
        self.view = self.answering.taken(self.view)
        super().show_job()
        self._draw_busy()
        self.draw_chart()

    # What is shown

    def status(self, asked: Asked) -> Status:
        """Return the model or the rule, the precision and the source of the scores."""
        return drawing.status(asked.experiment)

    def scene(self, asked: Asked) -> Scene:
        """Return what panes are to show, scrolled to the cursor."""
        # A line is kept for the hint, so that the table stays what it is when that goes.
        taken = panes.height_around(self) + (not self.view.full)
        scene = Scene(
            asked, self.answer, self.job, self.problem, *self.room, self.looked, taken,
            self.typically.factor(asked.experiment), isinstance(self.focused, ScoreEditor),
            self._busy and self.answering.is_old,
        ).scrolled()  # fmt: skip
        self.view = replace(scene.view, vector=self.view.vector)
        return scene

    @property
    def looked(self) -> View:
        """The view of the vector whose answer is there."""
        return replace(self.view, vector=self.answer.question.vector if self.answer else 0)

    @property
    def problem(self) -> Sequence[Row]:
        """What failed: the answer, or the chart that is looked at."""
        of_chart = super().problem if self.vector_chart.is_computed else ()
        return self.answering.problem_rows(self.room.width) or of_chart

    def tab_items(self, asked: Asked, focused: bool) -> Sequence[Item]:
        """Return the line of tabs, with what there is to say of the chart."""
        return drawing.tabs(
            asked, self.answer, self.view, self._busy, focused, self.room.width, self.narrow
        )

    def _draw_busy(self) -> None:
        """Say beside the tabs that the chart is not yet that of the present answer."""
        if self._busy != (self.job.running or self.answering.job.running):
            self._busy = not self._busy
            self.see()
            self.draw_tabs()

    # The chart

    def draw_chart(self) -> bool:
        """Draw the chart; what it shows that takes long is computed first."""
        drawn = self.vector_chart.draw()
        if not drawn or self.answering.job.running:
            self.set_timer(LONG, self._draw_busy)
        return drawn

    # What panes say

    @on(ScoreEditor.Edited)
    def _on_edited(self, event: ScoreEditor.Edited) -> None:
        self.ask(edits.text(event.text), Gesture("typing"))

    @on(panes.ScoresPane.Left)
    @on(KeyTable.Resized)
    def _on_less_or_more_room(self) -> None:
        self.see()
