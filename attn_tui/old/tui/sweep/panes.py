"""The panes of the Sweep screen."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical

from attn_tui.compute.log_scale import N_KEYS
from attn_tui.old.tui.actions import Section
from attn_tui.old.tui.sweep import drawing, explanations
from attn_tui.old.tui.sweep.actions import ENTER_ACTION
from attn_tui.old.tui.sweep.scene import Scene
from attn_tui.old.tui.widgets.canvas import Target
from attn_tui.old.tui.widgets.chart import ChartPane, arrows
from attn_tui.old.tui.widgets.slider import Slider
from attn_tui.report.rows import Row, message


class KeysPane(Vertical):
    """The slider of n."""

    BLANK = True

    def compose(self) -> ComposeResult:
        """Lay out the slider."""
        yield Slider(N_KEYS, id="n-slider")

    def see(self, scene: Scene) -> None:
        """Show n."""
        self.query_one(Slider).show_value(scene.settings.n)


class SweepChart(ChartPane):
    """The chart, the map, or the numbers."""

    ACTIONS = (
        *arrows("places.move", "Go to another place: d_k right, n up; or scroll the numbers"),
        ENTER_ACTION,
    )
    SECTION = Section("In the charts of Sweep", ACTIONS)
    explanation = explanations.CHART

    def see_chart(self, scene: Scene) -> None:
        """Draw the chart of a scene."""
        super().see_chart(scene)
        self.wheel = "places.move(0, {})" * scene.view.numbers

    def target_of(self, scene: Scene, width: int, height: int, x: int, y: int) -> Target | None:
        """Return what a click does: it goes to a place, and a second one opens Explore there."""
        if scene.answer is None or not scene.answer.points:
            return None
        at = drawing.place_of(scene.asked.experiment)
        place = drawing.pointed(scene.answer, scene.view, at, x, y, width, height)
        if place is None:
            return None
        words = f"Go to n = {place[0]:,}, d_k = {place[1]:,}; twice: open it in Explore"
        return Target(f"places.go{place}", words, "places.explore")

    def rows_of(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        """Return the chart, or the numbers in its place, or what stands where it will be."""
        if scene.answer is None or not scene.answer.points:
            waiting = " drawing …" if scene.job.running else " Nothing is drawn yet"
            return message(waiting, width, height)
        at = drawing.place_of(scene.asked.experiment)
        return drawing.chart_rows(scene.answer, scene.view, at, width, height)
