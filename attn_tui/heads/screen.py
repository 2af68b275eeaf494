"""The Heads screen: its settings, its keys, and the thread that computes what it shows."""

from collections.abc import Sequence, Set
from dataclasses import replace
from threading import Event
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.reactive import var
from textual.widget import Widget
from textual.worker import get_current_worker

from attn_tui.captures.capture import HeadId
from attn_tui.captures.suffixes import EXAMPLE_NAME
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.field import fields_of
from attn_tui.compute.setup import FIELDS as SETUP
from attn_tui.diffing.capture_difference import CaptureDifference
from attn_tui.engine.answer import Answer
from attn_tui.engine.settings import DIFFERENCE, ROWS, Settings
from attn_tui.engine.survey import Survey
from attn_tui.files import edits
from attn_tui.files.draft import Draft
from attn_tui.files.history import Question
from attn_tui.heads import examination, reference
from attn_tui.heads.charts import NONE
from attn_tui.heads.doctor_pane import DoctorPane, Multipliers
from attn_tui.heads.headline import WAITING, first_of, headline
from attn_tui.heads.looking import Looking, Results, key_of, nearest
from attn_tui.heads.opening import draft_of_head
from attn_tui.heads.panes import HeadPanes, shown_of
from attn_tui.heads.report import report_of
from attn_tui.heads.table import HeadList
from attn_tui.heads.views import VIEW_TITLES
from attn_tui.heads.words import head_text
from attn_tui.report.report import Report
from attn_tui.ui.action import ANOTHER, Action, moves
from attn_tui.ui.heat_map import HeatMap
from attn_tui.ui.instrument_screen import TINY, InstrumentScreen
from attn_tui.ui.setting import RULE, Setting, of_field

FIELDS = {name: of_field(field) for name, field in fields_of(Settings).items()}

THE_DOCTORS, THE_HEADS = "The doctor's report", "The heads; i in the doctor's pane reads his report"
"""The titles of the two reports."""

FIXED_D_K = "The d_k of a capture is its own"

ONE_AT_A_TIME = {
    "map-pane": ("map-pane", "card-pane"), "card-pane": ("card-pane",),
    "table-pane": ("table-pane",), "doctor-pane": ("doctor-pane",),
    "numbers-pane": ("numbers-pane",),
}  # fmt: skip
"""The panes of each view, on screens that have no room for all of them."""

TOGETHER = 100
"""The width of a screen, in columns, from which on all panes fit side by side."""

ALL_TOGETHER = ("map-pane", "card-pane", "table-pane", "doctor-pane")


class HeadsScreen(InstrumentScreen):
    """The heads of a capture: which saturate, whether it matters, and what the doctor says."""

    CSS_PATH = "heads.tcss"
    NAME = "heads"
    OPENS_SCORES = "explore"
    AUTO_FOCUS = "#map-pane"
    VIEWS: ClassVar = tuple(ONE_AT_A_TIME)
    VIEW_TITLES = VIEW_TITLES
    HAS_D_K = False
    NO_N = "The number of keys of a capture is its own"
    GROUPS: ClassVar = (
        ("Capture", tuple(FIELDS[name] for name in ("capture", "reference", "rows", "seed"))),
        ("Head", tuple(FIELDS[name] for name in ("layer", "head", "batch"))),
        ("Shown", (FIELDS["statistic"],)),
        ("Weights", (RULE, FIELDS["mask"], of_field(SETUP["softcap"]),
                     of_field(SETUP["sink"]))),
        ("Read as", tuple(FIELDS[name] for name in ("layouts", "names", "config"))),
    )  # fmt: skip
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open_head", "Head", tooltip="Open the head in Attention", id="open_head"),
        Binding("e", "open_setting('statistic')", "Statistic", show=False, id="entries",
                tooltip="Choose the statistic of the map"),
        Binding("w", "all_rows", "All rows", tooltip="Take all rows, or sample them again",
                id="whole"),
        Action("a", "again", "Another sample", show=False, id="again", synonyms=ANOTHER),
        Binding("plus,right_square_bracket,equals_sign", "step_d_k(1)", "d_k", show=False,
                id="more"),
        *moves(
            left=("go(0, -1)", "Previous head"),
            right=("go(0, 1)", "Next head"),
            up=("go(-1, 0)", "Previous layer"),
            down=("go(1, 0)", "Next layer"),
        ),
    ]  # fmt: skip

    results: var[Results] = var(Results(), init=False)
    stopped: var[bool] = var(False, init=False)

    def __init__(self) -> None:
        super().__init__()
        self._looking = Looking()
        self._asked_for: object = None
        """The keys of the question whose answer is shown or being computed."""
        self._marked = NONE
        """The heads that the map and the table mark, since the doctor says that they differ."""
        self._going = Event()
        self._going.set()

    def compose_body(self) -> ComposeResult:
        """Lay out the panes."""
        yield HeadPanes()

    def on_unmount(self) -> None:
        """Wake a thread that is paused, so that it can end."""
        self._going.set()

    # The question

    @property
    def home(self) -> Widget:
        """The map."""
        return self.query_one("#map-pane")

    @property
    def settings(self) -> list[Setting]:
        """All settings but d_k, which the capture fixes."""
        return [setting for _, group in self.GROUPS for setting in group]

    @property
    def experiment(self) -> Experiment:
        """The question; it is about the example until a capture is opened."""
        experiment = self.present.experiment
        settings = experiment.setup.get(Settings)
        if settings.capture:
            return experiment
        settings = replace(settings, capture=(EXAMPLE_NAME,))
        return replace(experiment, setup=experiment.setup.put(settings))

    @property
    def asked_of_heads(self) -> Settings:
        """The settings of Heads."""
        return self.experiment.setup.get(Settings)

    @property
    def answer(self) -> Answer | None:
        """The statistics of the heads so far; None while there are none."""
        return self.results.answer

    @property
    def survey(self) -> Survey | None:
        """The survey of the heads so far; None while there is none."""
        return self.answer.survey if self.answer else None

    @property
    def here(self) -> HeadId | None:
        """The head with the cursor: the one in the settings or the nearest, else the gravest."""
        survey, settings = self.survey, self.asked_of_heads
        if survey is None:
            return None
        if settings.layer is None or settings.head is None:
            found = self.difference and reference.first_head(self.difference)
            return found or first_of(survey, shown_of(settings))
        return nearest(survey.plan, HeadId(settings.batch, settings.layer, settings.head))

    def go(self, head: HeadId, gesture: str = "head") -> None:
        """Move the cursor to another head."""

        def edit(draft: Draft) -> Draft:
            settings = draft.setup.get(Settings)
            settings = replace(settings, batch=head.batch, layer=head.layer, head=head.head)
            return replace(draft, setup=draft.setup.put(settings))

        if head != self.here:
            self.ask(edit, gesture)

    def action_go(self, down: int, right: int) -> None:
        """Move the cursor some layers down and some heads to the right."""
        self.query_one("#map-pane", HeatMap).action_move(down, right)

    @on(HeatMap.Moved)
    def _move(self, event: HeatMap.Moved) -> None:
        if self.survey is not None and event.place in self.survey.plan.places:
            self.go(event.place, event.gesture)

    @on(Multipliers.Moved)
    def _move_in_chart(self, event: Multipliers.Moved) -> None:
        self.go(HeadId(*event.place), "chart move")

    @on(HeadList.Moved)
    def _move_in_list(self, event: HeadList.Moved) -> None:
        self.go(event.head, "table move")

    @on(HeatMap.Chosen)
    @on(Multipliers.Chosen)
    @on(HeadList.Chosen)
    async def _choose(self) -> None:
        await self.run_action("screen.open_head")

    @work(thread=True, exclusive=True, group="open", exit_on_error=False)
    def action_open_head(self) -> None:
        """Open the head with the cursor in Attention."""
        here, survey = self.here, self.survey
        if here is None or survey is None:
            return
        try:
            draft = draft_of_head(survey.plan, self.asked_of_heads, here, self.present.draft)
        except InputError as error:
            self.app.call_from_thread(self.notify, str(error), severity="warning", markup=False)
            return
        title = head_text(here, survey.plan.n_batches).capitalize()
        self.show_read(title, lambda: self._go_to_attention(draft))

    def _go_to_attention(self, draft: Draft) -> None:
        self.ask(edits.become(draft))
        self.post_message(self.Go("attention"))
        self.notify("5 goes back to Heads, u to what you had asked", timeout=5)

    async def open_setting(self, name: str) -> None:
        """Open the panel of settings with the focus on the one named."""
        await self.open_panel(name)

    def action_all_rows(self) -> None:
        """Take all rows, or sample them again."""
        rows = None if self.asked_of_heads.rows is not None else ROWS
        if rows is None and self.survey is not None and self.survey.is_exact:
            self.notify("These are all rows: the heads have no more", timeout=3)
        else:
            self.ask(FIELDS["rows"].edit(rows))

    def action_again(self) -> None:
        """Sample rows with the next seed."""
        self.ask(FIELDS["seed"].edit(self.asked_of_heads.seed + 1))

    def action_step_d_k(self, steps: int) -> None:
        """Say that the capture fixes d_k."""
        self.notify(FIXED_D_K, timeout=3)

    def action_double_d_k(self, times: int) -> None:
        """Say that the capture fixes d_k."""
        self.notify(FIXED_D_K, timeout=3)

    def action_type_d_k(self) -> None:
        """Say that the capture fixes d_k."""
        self.notify(FIXED_D_K, timeout=3)

    def action_go_on(self) -> None:
        """Pause the work or resume it; after a failure, try again."""
        if self.failure:
            self._looking.forget()
            self._asked_for, self.failure = None, ""
            self.watch_question(self.present)
        elif self.is_working or self.stopped:
            self.stopped = not self.stopped
        else:
            self.notify("All is known: w takes all rows, a samples others", timeout=3)

    def action_full(self) -> None:
        """Show the focused pane alone, the table included, although it is no picture."""
        if self.query_one(HeadList).has_focus and not self.has_class("-full"):
            self.pane("table-pane").add_class("-large")
            self.add_class("-full")
        else:
            super().action_full()

    # The work

    def follow(self, question: Question) -> bool:
        """Take over no question without its answer: the cursors move from where they are shown."""
        return False

    @property
    def is_working(self) -> bool:
        """Whether a thread computes statistics or the doctor's examination."""
        return any(worker.group == "look" and worker.is_running for worker in self.workers)

    def watch_question(self, question: Question) -> None:
        """Show the result so far at once, and compute the rest."""
        experiment = self.experiment
        settings = self.asked_of_heads
        asked_for = key_of(experiment), examination.key_of(settings), reference.key_of(settings)
        if self._asked_for != asked_for:
            self._asked_for = asked_for
            self.stopped = False
            self.set_reactive(HeadsScreen.results, self._looking.results(experiment))
            self._look(experiment)
        self._show()

    # Without a description, Textual writes down all numbers of the arguments.
    @work(thread=True, exclusive=True, group="look", exit_on_error=False, description="")
    def _look(self, experiment: Experiment) -> None:
        """Compute what is missing, in a thread; wait while the user has paused it."""
        worker = get_current_worker()

        def stop() -> bool:
            self._going.wait()
            if self.results.answer is None:
                return worker.is_cancelled
            return self.typing.stand_aside(lambda: worker.is_cancelled)

        for results in self._looking.look(experiment, stop):
            if worker.is_cancelled:
                return
            self.app.call_from_thread(self.set_results, results)

    def set_results(self, results: Results) -> None:
        """Show the result of a thread so far."""
        self.results = results

    def watch_stopped(self) -> None:
        """Pause the thread or resume it, and show which."""
        if self.stopped:
            self._going.clear()
        else:
            self._going.set()
        self._show_progress()

    # Reports

    def report(self, answer: Answer, width: int | None = None) -> Report:
        """Return the report on the heads known so far."""
        return report_of(answer)

    @property
    def _is_at_doctor(self) -> bool:
        """Whether the doctor's pane is in use."""
        return self.view == "doctor-pane" or self.query_one(DoctorPane).has_focus_within

    @property
    def report_title(self) -> str:
        """The title of the report, which says what leads to the other one."""
        return THE_DOCTORS if self._is_at_doctor else THE_HEADS

    def report_text(self) -> str:
        """Return the answer so far as text, or the doctor's report if his pane is in use."""
        from attn_tui.doctor.text import render

        if self._is_at_doctor and self.results.examination is not None:
            return "".join(render(self.results.examination.report))
        if self.difference is not None:
            return str(self.difference)
        return super().report_text()

    # The panes

    @property
    def panes(self) -> HeadPanes:
        """The panes of this screen."""
        return self.query_one(HeadPanes)

    @property
    def views(self) -> Sequence[str]:
        """The views that `t` cycles through at this size."""
        if self.size.width >= TOGETHER:
            return ("map-pane", "numbers-pane")
        is_tiny = self.size.width < TINY
        return [view for view in self.VIEWS if is_tiny or view != "card-pane"]

    def watch_view(self) -> None:
        """Show the panes of the view."""
        panes: Sequence[str] = ONE_AT_A_TIME[self.view]
        if self.size.width >= TOGETHER and self.view != "numbers-pane":
            panes = ALL_TOGETHER
        elif self.size.width < TINY:
            panes = (self.view,)
        self.panes.choose(panes)
        self._show()

    def on_resize(self) -> None:
        """Show the panes that fit the new size."""
        super().on_resize()
        self.watch_view()

    def watch_results(self, before: Results, now: Results) -> None:
        """Show the new statistics, or the new findings of the doctor."""
        if now.failure:
            self.failure = now.failure
        elif (
            before.answer is not now.answer
            or before.difference is not now.difference
            or self.differing != self._marked
        ):
            self._show()
        elif self.here is not None:
            self._show_headline()
            self.panes.show_doctor(now, self.here)
            self._show_progress()

    def _show(self) -> None:
        """Show the result so far, with the cursor on the head in the settings."""
        survey, here = self.survey, self.here
        if self.question is None:
            return
        if survey is None or here is None:
            self.headline = WAITING
            return
        settings, self._marked = self.asked_of_heads, self.differing
        self._show_headline()
        units = None
        if settings.statistic == DIFFERENCE:
            # Until it is known the map is empty.
            units = reference.units_of(self.difference) if self.difference else {}
        self.panes.show(survey, settings, here, self.differing, units)
        self.panes.show_doctor(self.results, here)
        # Which heads the map leaves out depends on its size, which a resize sets only later.
        self.call_after_refresh(self._show_progress)

    def has_content(self, view: str) -> bool:
        """Return whether a view has anything to show yet."""
        results = self.results
        if view == "doctor-pane":
            return results.examination is not None or bool(results.refusal)
        return self.survey is not None or bool(self.failure)

    @property
    def differing(self) -> Set[HeadId]:
        """The heads that differ from what is promised, or from the reference."""
        if self.difference is not None:
            return reference.differing_from(self.difference)
        examination = self.results.examination
        return NONE if examination is None else examination.differing

    @property
    def difference(self) -> CaptureDifference | None:
        """What differs from the reference, if the map shows that and it is known."""
        shows = self.asked_of_heads.statistic == DIFFERENCE
        return self.results.difference if shows else None

    def _show_headline(self) -> None:
        """Say how many heads saturate and on how many the doctor differs, or what differs."""
        settings = self.asked_of_heads
        if settings.statistic == DIFFERENCE:
            said = reference.headline_of(self.difference, settings)
            self.headline = self.results.unlike or said
        elif self.survey is not None:
            statistic = self.asked_of_heads.statistic
            examination = self.results.examination
            is_promised = examination is not None and examination.is_promised
            self.headline = headline(self.survey, statistic, len(self.differing), is_promised)

    def _show_progress(self) -> None:
        if self.survey is not None:
            statistic = self.asked_of_heads.statistic
            units = reference.subtitle_of(self.asked_of_heads)
            self.panes.show_progress(self.survey, statistic, self.stopped, units)
