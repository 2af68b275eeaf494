"""The panes of the Explore screen."""

from dataclasses import replace
from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.screen import Screen

from attn_tui.files.draft import Draft
from attn_tui.files.history import Asked, are_others
from attn_tui.files.kinds import KINDS
from attn_tui.old.report.explore.formula import formula_row
from attn_tui.old.tui.actions import Section, textual_action
from attn_tui.old.tui.explore import drawing, explanations
from attn_tui.old.tui.explore.charts import CHARTS, Drawn
from attn_tui.old.tui.explore.key_table import KeyTable
from attn_tui.old.tui.explore.scene import Scene
from attn_tui.old.tui.explore.view import View
from attn_tui.old.tui.widgets.canvas import Canvas, Target
from attn_tui.old.tui.widgets.chart import ChartPane, arrows
from attn_tui.old.tui.widgets.score_editor import ScoreEditor
from attn_tui.report.rows import message


class Formula(Canvas):
    """What softmax is taken of; a click opens the editor."""

    def see(self, scene: Scene) -> None:
        """Show the formula of the vector that is shown, or why the scores cannot be read."""
        if found := scene.answer:
            room = max(scene.width - 2, 1)
            row = formula_row(found.answer, found.question.experiment, room)
            self.show([((" ", "text"), *row)])
            self.fade(scene.is_unread)

    def target_at(self, x: int, y: int) -> Target | None:
        """Return what opens the editor."""
        return Target("scores.edit", "Edit the scores")


class ScoresPane(Vertical):
    """The editor and what there is to say of its text; in sight while it is needed."""

    BLANK = True
    explanation = explanations.SCORES

    class Left(Message):
        """The editor has the keys no more."""

    _asked: Asked | None = None
    _vector = 0

    def compose(self) -> ComposeResult:
        """Lay out the editor above its message."""
        yield ScoreEditor(id="editor")
        yield Canvas(id="message")

    @property
    def editor(self) -> ScoreEditor:
        """Where the text is typed."""
        return self.query_one(ScoreEditor)

    def open(self) -> None:
        """Come into sight, with the keys; what is typed takes the place of what is shown."""
        self.display = self.editor.display = True
        self.editor.focus()
        if (asked := self._asked) and not asked.error:
            self.editor.select_lines(lines_of(asked.draft, self._vector))

    def on_descendant_blur(self) -> None:
        """Say that the keys go elsewhere."""
        self.post_message(self.Left())

    @on(ScoreEditor.CursorMoved)
    async def _on_cursor(self, event: ScoreEditor.CursorMoved) -> None:
        event.stop()
        await self.run_action(textual_action("scores.follow"))

    def followed(self, before: Asked | None, asked: Asked, view: View) -> View:
        """Return the view of the vector on whose line the cursor is, while the text is edited.

        Of other scores that come in another way one is seen, from its first key on.
        """
        draft, editor = asked.draft, self.editor
        if not (editor.has_focus and draft.text == editor.text):
            if not (before and are_others(before, asked)):
                return view
            return replace(view.at(view.first), first=0)
        line = editor.cursor_location[0]
        index = KINDS[draft.source].index_at(draft.text, line, draft.attachments)
        return view if asked.error or index in (None, view.vector) else view.at(index)

    def see(self, scene: Scene) -> None:
        """Show the text, and what it is or why it cannot be read; or go."""
        before, self._asked, self._vector = self._asked, scene.asked, scene.view.vector
        editing = scene.editing or scene.is_unread
        self.display = editing or bool(scene.view.pinned) or scene.n_vectors > 1
        title = f" Scores: {KINDS[scene.asked.draft.source].title} "
        # The same would send the whole pane again.
        if title != self.border_title:
            self.border_title = title
        self.editor.show_text(scene.asked.draft.text)
        if before and before.draft.source != scene.asked.draft.source and self.editor.display:
            # What is typed takes the place of an example of the new kind.
            self.editor.select_lines(lines_of(scene.asked.draft, self._vector))
        self.editor.display = editing
        if scene.answer:
            message = self.query_one("#message", Canvas)
            rows = drawing.message_rows(scene, scene.answer)
            message.styles.height = len(rows)
            message.show(rows)


def lines_of(draft: Draft, vector: int) -> tuple[int, int]:
    """Return the first and the last line about a vector; of all, where there is no other."""
    at, last = KINDS[draft.source].index_at, draft.text.count("\n")
    owners = [at(draft.text, y, draft.attachments) for y in range(last + 1)]
    own = [y for y, owner in enumerate(owners) if owner == vector]
    others = {*owners} - {vector, None}
    return (own[0], own[-1]) if own and others else (0, last)


class ExploreTable(KeyTable):
    """The table with what there is to say of it."""

    explanation = explanations.TABLE

    def see(self, scene: Scene) -> None:
        """Show the keys that are in sight."""
        self.display = scene.shows_table
        if scene.answer:
            fits = scene.shows_chart
            self.styles.height = scene.lines + scene.around if fits else "1fr"
            self.show_page(drawing.page(scene, scene.answer))
        for canvas in self.query(Canvas):
            canvas.fade(scene.is_old)


class ExploreChart(ChartPane):
    """The chart of the vector."""

    ACTIONS = arrows(
        "looking.arrow", "Jacobian: another entry; over d_k: another quantity, where there is one"
    )
    SECTION = Section("In the charts", ACTIONS)
    explanation = explanations.CHART

    def see(self, scene: Scene) -> None:
        """Come into sight, or go."""
        self.display = scene.shows_chart
        self.canvas.fade(scene.is_old)

    def draw(self, drawn: Drawn) -> None:
        """Draw what the view shows."""
        chart = CHARTS[drawn.view.chart]
        self.canvas.show(chart.draw(drawn))
        self.canvas.targets = partial(chart.pointed, drawn)
        self.wheel = "looking.arrow(0, {})" * chart.scrolls

    def wait(self, failed: bool) -> None:
        """Say that the chart is still to come, or will not."""
        self.canvas.targets = None
        self.canvas.show(message(" not computed" if failed else " computing …", *self.canvas.size))


def height_around(screen: Screen[Any]) -> int:
    """Return the lines that are taken by what stands around the table and the chart."""
    names = ("#title", "#headline", "#formula", "#scores", "#scale", "#key-bar")
    others = [screen.query_one(name) for name in names]
    return sum(each.outer_size.height for each in others if each.display)
