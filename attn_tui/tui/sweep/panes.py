"""The panes of the Sweep screen."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical

from attn_tui.charts.rows import Row, message
from attn_tui.compute.log_scale import N_KEYS
from attn_tui.tui.actions import Section
from attn_tui.tui.scale import ScalePane
from attn_tui.tui.sweep import drawing, explanations
from attn_tui.tui.sweep.actions import ENTER_ACTION
from attn_tui.tui.sweep.scene import Scene
from attn_tui.tui.widgets.canvas import Canvas
from attn_tui.tui.widgets.chart import ChartPane, arrows
from attn_tui.tui.widgets.slider import Slider
from attn_tui.tui.widgets.words import Words


class DrawnPane(Vertical):
    """How many keys, and what is drawn."""

    explanation = explanations.DRAWN

    def compose(self) -> ComposeResult:
        """Lay out the slider of n above what is drawn."""
        self.border_title = " Drawn vectors "
        yield Slider(N_KEYS, id="n-slider")
        yield Canvas(id="drawn")

    def see(self, scene: Scene) -> None:
        """Show n, and what is drawn."""
        self.query_one(Slider).show_value(scene.settings.n)
        drawn = self.query_one("#drawn", Canvas)
        drawn.show(drawing.drawn_rows(scene.settings, *drawn.size))


class SweepScale(ScalePane):
    """The slider of d_k, and the rules."""

    title = " Scale rules "
    explanation = explanations.SCALE

    def rows_of(self, scene: Scene, width: int, height: int) -> list[Row]:
        """Return the rules that are compared."""
        return drawing.rules_rows(scene.question, width, height)


class SweepChart(ChartPane):
    """The chart, the map, or the numbers."""

    ACTIONS = (
        *arrows(
            "places.move",
            "The place to the left: a smaller d_k, or n",
            "The place to the right: a larger d_k, or n",
            "Map: more keys; numbers: the line above",
            "Map: fewer keys; numbers: the line below",
        ),
        ENTER_ACTION,
    )
    SECTION = Section("In the charts of Sweep", ACTIONS)
    explanation = explanations.CHART

    def rows_of(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        """Return the chart, or the numbers in its place, or what stands where it will be."""
        if scene.answer is None or not scene.answer.points:
            waiting = " drawing …" if scene.job.running else " Nothing is drawn yet"
            return message(waiting, width, height)
        at = drawing.place_of(scene.asked.experiment)
        return drawing.chart_rows(scene.answer, scene.view, at, width, height)


class SweepWords(Words):
    """What was found."""

    def rows_of(self, scene: Scene, width: int, height: int) -> list[Row]:
        """Return what was found in sentences, those that fit."""
        sentences = drawing.words(scene.answer, scene.job, scene.now)
        return drawing.words_rows(sentences, width, height)
