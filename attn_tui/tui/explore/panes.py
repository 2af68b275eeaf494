"""The panes of the Explore screen that hold other widgets."""

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from attn_tui.compute.log_scale import D_K
from attn_tui.tui.actions import Action, Section, bindings
from attn_tui.tui.explore import explanations
from attn_tui.tui.explore.key_table import KeyTable
from attn_tui.tui.widgets.bar import Bar
from attn_tui.tui.widgets.canvas import Canvas
from attn_tui.tui.widgets.chart import TILES, ChartMosaic, RuleCanvas
from attn_tui.tui.widgets.entry import Entry
from attn_tui.tui.widgets.score_editor import ScoreEditor
from attn_tui.tui.widgets.slider import Slider

ACTIONS = tuple(
    Action(f"move({dx}, {dy})", (key,), shown, label, does, palette=False)
    for key, shown, label, does, dx, dy in (
        ("left", "←", "Left", "Jacobian: the score on the left; over d_k: another quantity", -1, 0),
        ("right", "→", "Right", "Jacobian: the score on the right; over d_k: another one", 1, 0),
        ("up", "↑", "Up", "Jacobian: the weight above", 0, -1),
        ("down", "↓", "Down", "Jacobian: the weight below", 0, 1),
    )
)


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


class ScalePane(Vertical):
    """The slider, the rule and what they do to the scores."""

    explanation = explanations.SCALE

    def compose(self) -> ComposeResult:
        """Lay out the slider, the line that asks for a value, and the rule."""
        self.border_title = " Scale "
        yield Slider(D_K, id="slider")
        yield Entry(id="entry")
        yield RuleCanvas(id="rule")


class ExploreTable(KeyTable):
    """The table with what there is to say of it."""

    explanation = explanations.TABLE


class ChartPane(Vertical, can_focus=True):
    """The chart below its tabs."""

    BINDINGS = bindings(ACTIONS)
    SECTION = Section("In the charts", ACTIONS)
    explanation = explanations.CHART

    @dataclass
    class Moved(Message):
        """The user moves the Jacobian's cursor."""

        dx: int
        dy: int

    def compose(self) -> ComposeResult:
        """Lay out the tabs above the chart."""
        yield Bar(id="tabs")
        yield ChartMosaic(TILES, id="chart")

    def action_move(self, dx: int, dy: int) -> None:
        """Ask for the cursor to move."""
        self.post_message(self.Moved(dx, dy))
