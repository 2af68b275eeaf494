"""The panes of the Explore screen that hold other widgets."""

from textual.app import ComposeResult
from textual.containers import Vertical

from attn_tui.tui.actions import Section
from attn_tui.tui.explore import explanations
from attn_tui.tui.explore.key_table import KeyTable
from attn_tui.tui.scaling import ScalePane
from attn_tui.tui.widgets.canvas import Canvas
from attn_tui.tui.widgets.chart import ChartPane, arrows
from attn_tui.tui.widgets.score_editor import ScoreEditor


class ScoresPane(Vertical):
    """The editor and what there is to say of its text."""

    explanation = explanations.SCORES

    def compose(self) -> ComposeResult:
        """Lay out the editor above its message."""
        yield ScoreEditor(id="editor")
        yield Canvas(id="message")

    def show_title(self, title: str) -> None:
        """Show another title; the same would send the whole pane again."""
        if title != self.border_title:
            self.border_title = title


class ExploreScale(ScalePane):
    """The slider, the rule and what they do to the scores."""

    title = " Scale "
    explanation = explanations.SCALE


class ExploreTable(KeyTable):
    """The table with what there is to say of it."""

    explanation = explanations.TABLE


class ExploreChart(ChartPane):
    """The chart of the vector."""

    ACTIONS = arrows(
        "Jacobian: the score on the left; over d_k: another quantity",
        "Jacobian: the score on the right; over d_k: another one",
        "Jacobian: the weight above",
        "Jacobian: the weight below",
    )
    SECTION = Section("In the charts", ACTIONS)
    explanation = explanations.CHART
