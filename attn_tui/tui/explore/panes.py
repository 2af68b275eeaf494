"""The panes of the Explore screen."""

from textual.app import ComposeResult
from textual.containers import Vertical

from attn_tui.charts.rows import Row, message
from attn_tui.files.kinds import KINDS
from attn_tui.tui.actions import Section
from attn_tui.tui.explore import drawing, explanations
from attn_tui.tui.explore.charts import CHARTS, Drawn
from attn_tui.tui.explore.key_table import KeyTable
from attn_tui.tui.explore.scene import Scene
from attn_tui.tui.explore.view import View
from attn_tui.tui.scale import ScalePane
from attn_tui.tui.state import Asked
from attn_tui.tui.widgets.canvas import Canvas
from attn_tui.tui.widgets.chart import ChartPane, arrows
from attn_tui.tui.widgets.score_editor import ScoreEditor
from attn_tui.tui.widgets.words import Words


class ScoresPane(Vertical):
    """The editor and what there is to say of its text."""

    explanation = explanations.SCORES

    def compose(self) -> ComposeResult:
        """Lay out the editor above its message."""
        yield ScoreEditor(id="editor")
        yield Canvas(id="message")

    def followed(self, asked: Asked, view: View) -> View:
        """Return the view of the vector on whose line the cursor is, while the text is edited."""
        editor = self.query_one(ScoreEditor)
        if asked.error or not editor.has_focus or asked.draft.text != editor.text:
            return view
        draft, line = asked.draft, editor.cursor_location[0]
        index = KINDS[draft.source].index_at(draft.text, line, draft.attachments)
        return view if index in (None, view.vector) else view.at(index)

    def see(self, scene: Scene) -> None:
        """Show the text, and what it is or why it cannot be read."""
        title = drawing.source_title(scene.asked.draft.source)
        # The same would send the whole pane again.
        if title != self.border_title:
            self.border_title = title
        self.query_one(ScoreEditor).show_text(scene.asked.draft.text)
        if scene.answer:
            message = self.query_one("#message", Canvas)
            rows = drawing.message_rows(scene, scene.answer)
            several = len(scene.answer.question.experiment.vectors) > 1 or bool(scene.view.pinned)
            message.display = not scene.narrow or scene.asked.error is not None or several
            message.styles.height = len(rows)
            message.show(rows)


class ExploreScale(ScalePane):
    """The slider, the rule and what they do to the scores."""

    title = " Scale "
    explanation = explanations.SCALE

    def rows_of(self, scene: Scene, width: int, height: int) -> list[Row]:
        """Return what is done to the scores of the vector, and where they come from."""
        return drawing.rule_rows(scene.answer, width, height) if scene.answer else []


class ExploreTable(KeyTable):
    """The table with what there is to say of it."""

    explanation = explanations.TABLE

    def see(self, scene: Scene) -> None:
        """Show the keys that are in sight."""
        self.display = scene.shows_table
        if scene.answer:
            self.styles.height = "1fr" if scene.narrow else scene.lines + scene.around
            self.show_page(drawing.page(scene, scene.answer))


class ExploreChart(ChartPane):
    """The chart of the vector."""

    ACTIONS = arrows(
        "looking.arrow",
        "Jacobian: the score on the left; over d_k: another quantity",
        "Jacobian: the score on the right; over d_k: another one",
        "Jacobian: the weight above",
        "Jacobian: the weight below",
    )
    SECTION = Section("In the charts", ACTIONS)
    explanation = explanations.CHART

    def see(self, scene: Scene) -> None:
        """Come into sight, or go."""
        self.display = not scene.narrow or not scene.shows_table

    def draw(self, drawn: Drawn) -> None:
        """Draw what the view shows."""
        self.canvas.show(CHARTS[drawn.view.chart].draw(drawn))

    def wait(self, failed: bool) -> None:
        """Say that the chart is still to come, or will not."""
        self.canvas.show(message(" not computed" if failed else " computing …", *self.canvas.size))


class ExploreWords(Words):
    """What the numbers mean."""

    def text_of(self, scene: Scene) -> str:
        """Return what the numbers mean, or what to look at if what is asked is an example."""
        if (found := scene.answer) is None:
            return ""
        setup = found.question.experiment.setup
        return " ".join(drawing.words(scene.asked.draft, found.shown, setup))
