"""The Explore screen: scores and d_k above, weights and gradient, and curves over d_k."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.events import DescendantBlur, DescendantFocus
from textual.reactive import var
from textual.widgets import TextArea
from textual.worker import get_current_worker

from attn_tui.compute.arrays import largest
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore import settings
from attn_tui.compute.explore.answer import VectorAnswer, compare
from attn_tui.compute.field import fields_of
from attn_tui.compute.log_scale import N_KEYS as N
from attn_tui.compute.numbers import quantity
from attn_tui.compute.scale import SYMBOL
from attn_tui.compute.text import counted
from attn_tui.explore import bars, gradient
from attn_tui.explore.answer import ShownVector, is_quick
from attn_tui.explore.answer import answer as answer_one
from attn_tui.explore.headline import headline
from attn_tui.explore.jacobian import JacobianPane
from attn_tui.explore.pin import lower, pinned_scale, pinned_scores
from attn_tui.explore.views import OVER, VIEW_TITLES, both
from attn_tui.explore.weights import WeightsPane
from attn_tui.files import edits
from attn_tui.files.history import Edit, Question
from attn_tui.report.words import done
from attn_tui.ui.action import ANOTHER, SCORES, Action
from attn_tui.ui.d_k import DkPane, why_idle
from attn_tui.ui.editors import Editor
from attn_tui.ui.instrument_screen import TINY
from attn_tui.ui.markup import plain
from attn_tui.ui.pane import Pane
from attn_tui.ui.picture import PicturePane, Sheet
from attn_tui.ui.pinning_screen import PinningScreen
from attn_tui.ui.setting import (
    DRAW,
    DRAWING,
    MASK,
    N_KEYS,
    PRECISION,
    SCALE,
    Setting,
    of_field,
)

if TYPE_CHECKING:
    # Imported where they are used: the first picture does not wait for what comes after it.
    from attn_tui.compute.explore.precision_lab import Lab
    from attn_tui.report.report import Report

OF, WRT, TARGET = (of_field(field) for field in fields_of(settings.Settings).values())

TITLES = {
    "typed": "Scores s", "drawn": "Scores s, drawn", "vectors": "s, from q and K",
    "capture": "s, captured",
}  # fmt: skip
"""The titles of the pane of scores, by their source."""


UNREAD = "{error}. Below are the results for the scores before."
"""The message in place of the headline while the scores cannot be read."""

WORD = "{error}. To leave the scores, press esc. Below are the results for the scores before."
"""The message where a line begins with a letter: perhaps a key or a command was meant."""

WORD_START = re.compile(r"\s*(?:[^\W\d_]|/)")

FEW_LINES = 2
"""The most lines of scores that always stand on the screen: of more, their number is said."""

SHORT = 6
"""The most characters of a number in the subtitle of a narrow pane."""

READ_KEYS = 100
"""The most keys listed in the report on the screen; a saved report lists all."""


class ExploreScreen(PinningScreen):
    """From score vectors to weights and their gradient, unscaled beside scaled."""

    CSS_PATH = "explore.tcss"
    NAME = "explore"
    PICTURE = "weights-pane"
    VIEWS: ClassVar = (*OVER, "jacobian", "lab", "vectors")
    SMALL_VIEWS: ClassVar = ("weights-pane", "gradient-pane")
    VIEW_TITLES = VIEW_TITLES
    GROUPS: ClassVar = (
        ("Scale", SCALE), ("Gradient", (OF, TARGET, WRT)), ("Precision", PRECISION),
        ("Drawn", DRAW),
    )  # fmt: skip
    BINDINGS: ClassVar[list[BindingType]] = [
        Action("e", SCORES.action, "Scores", show=False, tooltip=SCORES.title, id="edit",
               synonyms=SCORES.synonyms),
        Action("p", "pin", "Pin", tooltip="Pin to compare", id="pin",
               synonyms=("compare", "compare with", "compare two vectors", "keep beside",
                         "before and after")),
        Action("p", "unpin", "Unpin", id="pin",
               synonyms=("stop comparing", "let go")),
        Action("a", "again", "Another draw", show=False, id="again", synonyms=ANOTHER),
        Action("delete,backspace", "mask", "Mask the key, or show it", show=False, id="remove",
               synonyms=("hide", "hide key", "mask key", "hide the key", "hide a key",
                         "remove the key", "unmask the key", "delete the key")),
        Binding("left,less_than_sign", "vector(-1)", "Previous vector", show=False,
                id="vector_before"),
        Binding("right,greater_than_sign", "vector(1)", "Next vector", show=False,
                id="vector_next"),
    ]  # fmt: skip

    answer: var[ShownVector | None] = var(None, init=False)
    key: var[int | None] = var(None, init=False)
    """The key chosen by the user; None for the one with the largest weight."""
    index: var[int] = var(0, init=False)
    """The index of the vector shown, if there are several."""
    _is_painted = False

    def compose_body(self) -> ComposeResult:
        """Lay out the panes in the order in which data flows."""
        with Vertical():
            with Horizontal(id="top"):
                yield Pane(
                    "Scores s", Editor(id="scores"), key="e", binding="edit", id="scores-pane"
                )
                yield DkPane()
            with Container(id="panes", classes="-over"):
                yield WeightsPane()
                yield PicturePane("Gradient", id="gradient-pane")
                for name, title in OVER.items():
                    is_first = name == self.first_view
                    yield PicturePane(title, id=name, classes="over -shown" if is_first else "over")
                yield JacobianPane()
                table = VerticalScroll(Sheet(id="lab-table"))
                yield Pane("Precision", table, id="lab", classes="wide")
                table = VerticalScroll(Sheet(id="vectors-table"))
                yield Pane("q, K and V", table, id="vectors", classes="wide")

    # The question

    @on(TextArea.Changed, "#scores")
    def _take_scores(self, event: TextArea.Changed) -> None:
        typed = event.text_area.text
        if self.question and typed != self.present.draft.text:
            self.ask(edits.text(typed), "typing")

    @on(DescendantFocus, "#scores")
    @on(DescendantBlur, "#scores")
    def _make_room(self, event: DescendantFocus | DescendantBlur) -> None:
        """Give scores more lines while they are typed, or all the room where there is little."""
        self.set_class(isinstance(event, DescendantFocus), "-typing")

    def action_edit(self) -> None:
        """Edit the scores, all of them selected, so that typing replaces them."""
        scores = self.query_one("#scores", TextArea)
        scores.focus()
        scores.select_all()

    def action_draw(self) -> None:
        """Draw scores in place of those that were typed."""
        self.ask(edits.text(DRAWING))

    def action_again(self) -> None:
        """Draw other scores."""
        if self.present.experiment.source.redraws:
            self.ask(edits.redraw)
        else:
            self.notify(f"Typed scores are not drawn: type {DRAWING}", timeout=3)

    def action_step_n(self, steps: int) -> None:
        """Draw more keys, or fewer if ``steps`` is negative."""
        if reason := N_KEYS.no_effect(self.present):
            self.notify(reason, timeout=3)
        else:
            self.ask(N_KEYS.edit(N.step(N_KEYS.value(self.present), steps)), "step n")

    async def action_type_n(self) -> None:
        """Type how many keys are drawn."""
        if reason := N_KEYS.no_effect(self.present):
            self.notify(reason, timeout=3)
        else:
            await self.open_setting(N_KEYS.name)

    def action_mask(self) -> None:
        """Mask the cursor's key, or unmask it; the cursor stays on it in either case."""
        key = self.cursor
        self.key = key
        self.ask(MASK.edit(self.present.draft.setup.mask.toggled(key, key + 1)))

    def action_vector(self, steps: int) -> None:
        """Show a following vector, or an earlier one if ``steps`` is negative."""
        count = len(self.present.experiment.vectors)
        self.index = min(max(self.index + steps, 0), count - 1)

    def look_at(self, vector: str) -> None:
        """Show one of several vectors, along with the question that has them."""
        index = self.present.experiment.vectors.index(vector)
        if index is not None:
            self.set_reactive(ExploreScreen.index, index)
        if self.is_mounted:
            self.mutate_reactive(ExploreScreen.question)

    @on(WeightsPane.Pointed)
    def _point(self, event: WeightsPane.Pointed) -> None:
        self.key = event.key

    @on(WeightsPane.Chosen)
    def _choose(self) -> None:
        self.ask(self._differentiated.edit(self.cursor))

    @on(JacobianPane.Chosen)
    def _choose_row(self, event: JacobianPane.Chosen) -> None:
        self.ask(OF.edit(event.key))

    @property
    def _differentiated(self) -> Setting:
        """The setting of the key that the gradient is of: the answer, where there is a loss."""
        return OF if TARGET.value(self.present) is None else TARGET

    @property
    def cursor(self) -> int:
        """The key that is marked."""
        if self.key is not None or self.answer is None:
            return self.key or 0
        return self.answer.vector.leader

    # The answer

    def watch_question(self, question: Question) -> None:
        """Show the question, and answer it."""
        self._say_what_is_unread()
        scores = self.query_one("#scores", TextArea)
        if scores.text != question.draft.text:
            with self.prevent(TextArea.Changed):
                scores.text = question.draft.text
        self.set_reactive(
            ExploreScreen.index, min(self.index, len(question.experiment.vectors) - 1)
        )
        self._answer()

    def _say_what_is_unread(self) -> None:
        error = self.present.error
        if error is None:
            return
        lines = ["", *self.present.draft.text.splitlines()]
        line = lines[error.line] if error.line < len(lines) else ""
        self.failure = (WORD if WORD_START.match(line) else UNREAD).format(error=error)

    def why_idle(self, question: Question) -> str:
        """Return why another d_k would change nothing; empty if it would."""
        return why_idle(question.experiment)

    def answers_to(self, experiment: Experiment) -> Iterator[ShownVector]:
        """Yield better and better answers for the first vector of a question."""
        return answer_one(experiment, 0)

    def watch_index(self) -> None:
        """Answer the question for another vector."""
        self._answer()

    def _answer(self) -> None:
        """Answer at once if that takes less than a frame, otherwise in a thread."""
        self.workers.cancel_group(self, "answer")
        experiment = self.present.experiment
        if is_quick(experiment):
            self.answer = next(answer_one(experiment, self.index))
        else:
            self.answer_in_thread(partial(answer_one, experiment, self.index))

    def preview(self, edit: Edit) -> str:
        """Return the headline after an edit; empty if that is an error or takes over a frame."""
        question = self.present.ask(edit(self.present.draft))
        if question.error or not is_quick(question.experiment):
            return ""
        answer = list(answer_one(question.experiment, 0))[-1]
        return headline(answer.vector, answer.experiment, answer.over)

    # Files and reports

    @property
    def compared(self) -> Sequence[VectorAnswer]:
        """The pinned answer that a report compares every vector with, if there is one."""
        return () if self.pinned is None else (self.pinned.vector,)

    def report(self, answer: ShownVector, width: int | None = None) -> "Report":
        """Return the report on all vectors; to be read, on the largest keys of the one shown."""
        from attn_tui.compute.explore.answer import Answer
        from attn_tui.compute.explore.answer import answer as answer_all
        from attn_tui.explore.report import Contents, report

        if width is None:
            return report(next(answer_all(self.present.experiment)), Contents(pinned=self.compared))
        top = READ_KEYS if answer.vector.vector.n_keys > READ_KEYS else None
        contents = Contents(top, pinned=self.compared, first=answer.index)
        return report(Answer(answer.experiment, (answer.vector,)), contents)

    # Drawing

    @property
    def first_view(self) -> str:
        """The name of the first view; the weights where there is room for only one pane."""
        return self.SMALL_VIEWS[0] if self.app.size.width < TINY else self.VIEWS[0]

    @property
    def views(self) -> Sequence[str]:
        """The names of the views, which depend on the room.

        On a wide screen all curves over d_k are one view; on a tiny one every pane is its own view.
        """
        has_vectors = self.answer is not None and self.answer.through is not None
        views = tuple(view for view in self.VIEWS if has_vectors or view != "vectors")
        if self.has_class("-wide"):
            return (views[0], *views[len(OVER) :])
        if self.has_class("-tiny"):
            return (*self.SMALL_VIEWS, *views)
        return views

    @property
    def named_views(self) -> Sequence[str]:
        """All views that have something to show, those too that stand side by side here."""
        return [name for name in self.VIEW_TITLES if name != "vectors" or name in self.views]

    def show_view(self, name: str) -> None:
        """Show a view by its name; curves over d_k stand side by side on a wide screen."""
        is_among = name in OVER and name not in self.views and self.view not in OVER
        super().show_view(self.views[0] if is_among else name)

    def watch_view(self) -> None:
        """Show the pane of the new view."""
        if self.question is not None:
            self._say_what_is_unread()
        for pane in self.query("#panes > Pane"):
            pane.set_class(pane.id == self.view, "-shown")
        self.query_one("#panes").set_class(self.view in OVER, "-over")
        if self.answer is not None:
            self._draw_numbers(self.answer)
        self._draw_view()

    def watch_key(self) -> None:
        """Mark another key."""
        if self.answer:
            self._draw_numbers(self.answer)

    def watch_answer(self, answer: ShownVector) -> None:
        """Show an answer, with the cursor on the key chosen or that of the largest weight."""
        vector = answer.vector
        if self.key is not None and self.key >= vector.vector.n_keys:
            self.set_reactive(ExploreScreen.key, None)
        self._draw_numbers(answer)
        self._draw_view()

    def _side_by_side(self, answer: ShownVector) -> VectorAnswer:
        return compare(self.pinned.vector, answer.vector) if self.pinned else answer.vector

    def _draw_numbers(self, answer: ShownVector) -> None:
        vector = self._side_by_side(answer)
        setup = answer.experiment.setup
        self.headline = headline(vector, answer.experiment, answer.over, answer.typical)
        how = done(vector.scaled.map)
        heads = ("pinned", "now") if self.pinned else ("unscaled", how.lower())
        n_keys, n_vectors = vector.vector.n_keys, len(answer.experiment.vectors)
        error = self.present.error
        short = count = counted(n_keys, "key")
        if n_vectors > 1:
            moves = "[@click='screen.vector(-1)']<[/] [@click='screen.vector(1)']>[/]"
            place = f"{answer.index + 1} of {n_vectors:,}"
            short, count = f"{moves} {place}", f"{moves} vector {place}, {count}"
        source = answer.experiment.source
        title = TITLES[source.kind]
        if source.note:
            title = f"{title}: row numbers left out"
        lines = self.query_one("#scores", TextArea).document.line_count
        length = counted(lines, "line") if lines > FEW_LINES else ""
        if error:
            short = count = "not read"
        before = self.pinned.vector if self.pinned else None
        # Of several vectors, the way from one to another matters more.
        about = [count, pinned_scores(before)]
        if n_vectors > 1:
            about.reverse()
        self.pane("scores-pane").describe(title, length, *about, short=short)
        self.pane("scores-pane").set_class(error is not None, "-wrong")
        pane = self.query_one(DkPane)
        rule = f"{setup.scale.named_formula}: {lower(how)}"
        pane.describe(pane.heading, pinned_scale(before), rule)
        self.draw("weights-pane", bars.WeightBars(vector, self.cursor, heads))
        keys = np.arange(n_keys)
        if n_keys > bars.FEW:
            keys = largest(vector.scaled.ranking(), 40)
        has_maps = self.view != "jacobian"
        self.draw("gradient-pane", gradient.GradientTable(vector, keys, self.cursor, has_maps))
        trouble = plain(answer.vector.reason)
        self.query_one(WeightsPane).show(vector, answer.experiment, trouble, self.cursor)
        self.pane("gradient-pane").describe(
            gradient.title(vector), gradient.norm_change(vector), gradient.capped(vector)
        )

    def _draw_view(self) -> None:
        """Draw only the current view."""
        answer = self.answer
        if answer is None:
            return
        if self.view in OVER:
            self._draw_curves(answer)
        elif self.view == "jacobian":
            self.query_one(JacobianPane).show(self._side_by_side(answer), self.cursor)
        elif self.view == "lab":
            self._try_precisions(answer)
        elif self.view == "vectors" and answer.through is not None:
            from attn_tui.explore.vectors import vectors_drawing

            self.draw("vectors-table", vectors_drawing(answer.through, answer.vector))

    # Without a description, Textual writes down all numbers of the arguments.
    @work(thread=True, exclusive=True, group="lab", exit_on_error=False, description="")
    def _try_precisions(self, answer: ShownVector) -> None:
        from attn_tui.compute.explore.precision_lab import lab

        worker = get_current_worker()
        tried = lab(answer.experiment, answer.index, self.cursor, lambda: worker.is_cancelled)
        if tried is not None:
            self.app.call_from_thread(self._draw_lab, tried)

    def _draw_lab(self, tried: "Lab") -> None:
        from attn_tui.charts.table import TableDrawing
        from attn_tui.explore.lab import lab_table

        self.pane("lab").describe(f"Precision: the weight of key {tried.key:,} in every format")
        self.draw("lab-table", TableDrawing.of(lab_table(tried)))

    def _draw_curves(self, answer: ShownVector) -> None:
        """Draw the curves over d_k; the first time only after the bars are on the terminal."""
        if answer.over is None:
            for name, title in OVER.items():
                self.pane(name).describe(title, "being worked out")
            return
        if not self._is_painted:
            self._is_painted = True
            self.call_after_refresh(self._draw_view)
            return
        from attn_tui.explore import curves

        how = "drawn anew at each d_k" if answer.unscaled_over else ""
        if self.pinned:
            # Amber is what is pinned here too: its numbers, which do not move.
            how = both("pinned", "now")
            answer = replace(answer, vector=self._side_by_side(answer), unscaled_over=None)
        vector = answer.vector
        self.draw("weights-over", curves.weights_figure(answer))
        self.draw("gradient-over", curves.gradient_figure(answer))
        self.draw("keys-over", curves.keys_figure(answer))
        self.pane("weights-over").describe(OVER["weights-over"], how)
        among = counted(vector.vector.n_attended, "key")
        if any(side.map.sink is not None for side in vector.sides):
            among += " and the sink"
        self.pane("keys-over").describe(OVER["keys-over"], f"of {among}")
        sizes = both(*(quantity(*size) for size in vector.gradients))
        self.pane("gradient-over").describe(
            f"{OVER['gradient-over']}: ‖∂{gradient.of_norm(vector)}/∂{SYMBOL[vector.wrt]}‖",
            sizes,
            short=both(*(quantity(*size, width=SHORT) for size in vector.gradients)),
        )
