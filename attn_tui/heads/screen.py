"""The Heads screen: a map of layers × heads, a card of one head, all heads, and the doctor."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from threading import Event
from typing import Any, ClassVar

import numpy as np
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Label
from textual.worker import get_current_worker

from attn_tui.captures.capture import HeadId
from attn_tui.captures.suffixes import EXAMPLE_NAME, SUFFIXES
from attn_tui.charts import heat_map
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.field import fields_of
from attn_tui.compute.setup import FIELDS as SETUP
from attn_tui.compute.visible import visible
from attn_tui.doctor.pane import Diagnosis, DoctorPane, Multipliers
from attn_tui.engine.answer import Answer
from attn_tui.engine.settings import ROWS, Settings
from attn_tui.engine.table import HeadTable
from attn_tui.files import edits
from attn_tui.files.draft import Draft
from attn_tui.files.history import Asked
from attn_tui.heads import charts, examination
from attn_tui.heads.card import CardDrawing, card
from attn_tui.heads.headline import WAITING, headline
from attn_tui.heads.looking import Known, Looking, is_exact, key_of, nearest, rows_text
from attn_tui.heads.opening import draft_of_head, open_capture
from attn_tui.heads.report import report_of
from attn_tui.heads.table import HeadList, Listing
from attn_tui.heads.words import head_text, looked_at
from attn_tui.report.export import Forms
from attn_tui.report.forms import forms
from attn_tui.report.miss import made_text
from attn_tui.report.text import text
from attn_tui.ui.dialogs import FileScreen, columns_of_text
from attn_tui.ui.heat_map import HeatMap
from attn_tui.ui.instrument_screen import TINY, InstrumentScreen
from attn_tui.ui.markup import plain
from attn_tui.ui.pane import Pane
from attn_tui.ui.picture import Picture, Sheet
from attn_tui.ui.setting import RULE, Setting, of_field

FIELDS = {name: of_field(field) for name, field in fields_of(Settings).items()}

LOOK_EVERY = 2.0
"""Seconds between two looks at whether files of the capture have changed."""

OWN_D_K = "The d_k of a capture is its own"
NO_MODEL = "A capture is of a model already: rule, soft cap and sink are settings"

ONE_AT_A_TIME = {
    "map-pane": ("map-pane", "card-pane"), "card-pane": ("card-pane",),
    "table-pane": ("table-pane",), "doctor-pane": ("doctor-pane",),
    "numbers-pane": ("numbers-pane",),
}  # fmt: skip
"""What is shown in each view where there is no room for all."""

TOGETHER = 100
"""Columns from which on there is room for all."""

ALL_TOGETHER = ("map-pane", "card-pane", "table-pane", "doctor-pane")


class HeadsScreen(InstrumentScreen):
    """The heads of a capture: which saturate, whether it matters, and what the doctor says."""

    CSS_PATH = "heads.tcss"
    NAME = "heads"
    AUTO_FOCUS = "#map"
    VIEWS: ClassVar = tuple(ONE_AT_A_TIME)
    VIEW_TITLES: ClassVar = {
        "map-pane": "Map of layers and heads", "card-pane": "Card of one head",
        "numbers-pane": "Table of all numbers", "table-pane": "Table of all heads",
        "doctor-pane": "Doctor",
    }  # fmt: skip
    NO_N = "The number of keys of a capture is its own"
    GROUPS: ClassVar = (
        ("Capture", tuple(FIELDS[name] for name in ("capture", "rows", "seed"))),
        ("Head", tuple(FIELDS[name] for name in ("layer", "head", "batch"))),
        ("Shown", (FIELDS["statistic"], FIELDS["tau"])),
        ("Weights", (RULE, FIELDS["what_if"], FIELDS["mask"], of_field(SETUP["softcap"]),
                     of_field(SETUP["sink"]))),
        ("Read as", tuple(FIELDS[name] for name in ("layouts", "names", "config"))),
    )  # fmt: skip
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open_head", "Open", tooltip="Open the head in Attention", id="open_head"),
        Binding("e", "choose_statistic", "Statistic", show=False, id="entries",
                tooltip="Choose the statistic of the map"),
        Binding("w", "whole", "All rows", tooltip="Take all rows, or sample them again",
                id="whole"),
        Binding("a", "again", "Another sample", show=False, id="again"),
        Binding("plus,right_square_bracket,equals_sign", "step_d_k(1)", "d_k", show=False),
        Binding("left,h", "go(0, -1)", "Head before", show=False),
        Binding("right,l", "go(0, 1)", "Next head", show=False),
        Binding("up,k", "go(-1, 0)", "Layer before", show=False),
        Binding("down,j", "go(1, 0)", "Next layer", show=False),
    ]  # fmt: skip

    known: var[Known] = var(Known(), init=False)
    hovered: var[HeadId | None] = var(None, init=False)
    """The head under the mouse, if it is over one."""
    stopped: var[bool] = var(False, init=False)

    def __init__(self) -> None:
        super().__init__()
        self._looking = Looking()
        self._asked_for: object = None
        """What is looked up."""
        self._going = Event()
        self._going.set()
        self._outdated: object = None
        self._shown: object = None
        """What the headline and the map were made of."""
        self._map = heat_map.HeatMap(np.zeros((1, 1)), "saturation")

    def compose_body(self) -> ComposeResult:
        """Lay out the panes."""
        with Vertical():
            with Horizontal(id="about"):
                yield Label("", id="capture", markup=False)
                yield Label("o opens your own", id="opens")
            with Container(id="panes"):
                yield Pane("", HeatMap("map"), id="map-pane")
                yield Pane("", Picture("card"), id="card-pane")
                yield Pane("", HeadList(id="table"), id="table-pane")
                yield DoctorPane("", id="doctor-pane")
                yield Pane("", VerticalScroll(Sheet("numbers")), id="numbers-pane")

    def on_mount(self) -> None:
        """Look now and then whether files have changed."""
        super().on_mount()
        self.set_interval(LOOK_EVERY, self._look_at_disk)

    def on_unmount(self) -> None:
        """Let a thread that was stopped end."""
        self._going.set()

    # What is asked

    @property
    def home(self) -> Widget:
        """The map."""
        return self.query_one("#map")

    @property
    def settings(self) -> list[Setting]:
        """All settings but d_k, which is the capture's own."""
        return [setting for _, group in self.GROUPS for setting in group]

    @property
    def experiment(self) -> Experiment:
        """What is asked; of the example where nobody has opened a capture."""
        experiment = self.present.experiment
        settings = experiment.setup.get(Settings)
        if settings.capture:
            return experiment
        settings = replace(settings, capture=(EXAMPLE_NAME,))
        return replace(experiment, setup=experiment.setup.put(settings))

    @property
    def asked_of_heads(self) -> Settings:
        """The settings of the instrument."""
        return self.experiment.setup.get(Settings)

    @property
    def answer(self) -> Answer | None:
        """Statistics of the heads, as far as they are known."""
        return self.known.answer

    @property
    def table(self) -> HeadTable | None:
        """What is known of the heads."""
        return self.answer.table if self.answer else None

    @property
    def here(self) -> HeadId | None:
        """The head with the cursor: the one that is asked, or the nearest there is."""
        return None if self.table is None else nearest(self.table, self.asked_of_heads)

    def go(self, head: HeadId, gesture: str = "head") -> None:
        """Ask for another head."""
        place = {"batch": head.batch, "layer": head.layer, "head": head.head}

        def edit(draft: Draft) -> Draft:
            settings = replace(draft.setup.get(Settings), **place)  # type: ignore[arg-type]
            return replace(draft, setup=draft.setup.put(settings))

        if head != self.here:
            self.ask(edit, gesture)

    def action_go(self, down: int, right: int) -> None:
        """Go some layers down, and heads to the right."""
        here, table = self.here, self.table
        if here is None or table is None:
            return
        rows = table.layers
        layer = rows[min(max(rows.index(here.layer) + down, 0), len(rows) - 1)]
        own = [head.head for head in table.heads if (head.batch, head.layer) == (here.batch, layer)]
        self.go(HeadId(here.batch, layer, min(max(here.head + right, 0), max(own))))

    @on(HeatMap.Moved)
    def _move(self, event: HeatMap.Moved) -> None:
        if self.table is not None and self.here is not None:
            head = HeadId(self.here.batch, self.table.layers[event.row], event.column)
            if head in self.table.places:
                self.go(head, event.gesture)

    @on(HeatMap.Hovered)
    def _hover(self, event: HeatMap.Hovered) -> None:
        head = None
        if event.entry and self.table is not None and self.here is not None:
            row, column = event.entry
            head = HeadId(self.here.batch, self.table.layers[row], column)
        self.hovered = head if self.table and head in self.table.places else None

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
        is_touring = self.has_class("-touring")
        await self.app.run_action("tour_next" if is_touring else "screen.open_head")

    @work(thread=True, exclusive=True, group="open", exit_on_error=False)
    def action_open_head(self) -> None:
        """Open the head with the cursor in Attention."""
        here, table = self.here, self.table
        if here is None or table is None:
            return
        try:
            draft = draft_of_head(table, self.asked_of_heads, here, self.present.draft)
        except InputError as error:
            self.app.call_from_thread(self.notify, str(error), severity="warning", markup=False)
            return
        self.app.call_from_thread(self._go_to_attention, draft)

    def _go_to_attention(self, draft: Draft) -> None:
        self.ask(edits.become(draft))
        self.post_message(self.Go("attention"))
        self.notify("5 goes back to Heads, u to what you had asked", timeout=5)

    async def action_choose_statistic(self) -> None:
        """Choose the statistic of the map in the settings."""
        await self.open_panel(FIELDS["statistic"].name)

    async def open_setting(self, name: str) -> None:
        """Open the panel of settings, with the focus on one of them."""
        await self.open_panel(name)

    def action_whole(self) -> None:
        """Take all rows, or sample them again."""
        rows = None if self.asked_of_heads.rows is not None else ROWS
        if rows is None and self.table is not None and is_exact(self.table):
            self.notify("These are all rows: the heads have no more", timeout=3)
        else:
            self.ask(FIELDS["rows"].edit(rows))

    def action_again(self) -> None:
        """Sample rows with the next seed."""
        self.ask(FIELDS["seed"].edit(self.asked_of_heads.seed + 1))

    def action_step_d_k(self, steps: int) -> None:
        """Say whose d_k it is."""
        self.notify(OWN_D_K, timeout=3)

    def action_double_d_k(self, times: int) -> None:
        """Say whose d_k it is."""
        self.notify(OWN_D_K, timeout=3)

    def action_type_d_k(self) -> None:
        """Say whose d_k it is."""
        self.notify(OWN_D_K, timeout=3)

    def action_go_on(self) -> None:
        """Stop what goes on, or go on; read a file that has changed again."""
        if self._outdated is not None or self.failure:
            self._read_again()
        elif self.is_working or self.stopped:
            self.stopped = not self.stopped
        else:
            self.notify("All is known: w takes all rows, a samples others", timeout=3)

    def action_full(self) -> None:
        """Show one pane alone, the table too, which is no picture."""
        if self.query_one(HeadList).has_focus and not self.has_class("-full"):
            self.pane("table-pane").add_class("-large")
            self.add_class("-full")
        else:
            super().action_full()

    def action_open(self) -> None:
        """Open a capture."""
        draft = self.present.draft

        def read(path: str) -> Draft:
            return open_capture(path, draft)

        hint = f"q, k, v and out of a model's heads: {', '.join(SUFFIXES)}"
        self.app.push_screen(FileScreen("Open a capture", read, hint=hint), self._ask_draft)

    # What is computed

    @property
    def is_working(self) -> bool:
        """Whether heads are being looked at, or the doctor is."""
        return any(each.group == "look" and each.is_running for each in self.workers)

    def watch_asked(self, asked: Asked) -> None:
        """Show what is known at once, and find out the rest."""
        experiment = self.experiment
        self.set_reactive(HeadsScreen.hovered, None)
        asked_for = key_of(experiment), examination.key_of(self.asked_of_heads)
        if self._asked_for != asked_for:
            self._asked_for, self._outdated = asked_for, None
            self.stopped = False
            self.set_reactive(HeadsScreen.known, self._looking.known(experiment))
            self._look(experiment)
        self._show()

    @work(thread=True, exclusive=True, group="look", exit_on_error=False)
    def _look(self, experiment: Experiment) -> None:
        """Find out what is not known, waiting while somebody has stopped it."""
        worker = get_current_worker()

        def stop() -> bool:
            self._going.wait()
            return worker.is_cancelled

        for known in self._looking.look(experiment, stop):
            if worker.is_cancelled:
                return
            self.app.call_from_thread(self.set_known, known)

    def set_known(self, known: Known) -> None:
        """Show what a thread has found."""
        self.known = known

    def watch_stopped(self) -> None:
        """Let the thread wait, or go on, and say so."""
        if self.stopped:
            self._going.clear()
        else:
            self._going.set()
        self._show_progress()

    def _look_at_disk(self) -> None:
        if self.table is not None and self.is_current and self._outdated is None:
            self._verify(self.table.capture.fingerprint)

    @work(thread=True, exclusive=True, group="disk", exit_on_error=False)
    def _verify(self, mark: Any) -> None:
        """Say so if files are not what they were; a disk may be far away."""
        try:
            mark.verify()
        except InputError as error:
            self.app.call_from_thread(self._say_outdated, mark, error.problem)

    def _say_outdated(self, mark: object, problem: str) -> None:
        if self.table is not None and self.table.capture.fingerprint is mark:
            self._outdated = mark
            self.failure = f"{problem}: space reads it again"

    def _read_again(self) -> None:
        self._looking.forget()
        self._outdated, self._asked_for, self.failure = None, None, ""
        self.watch_asked(self.present)

    # Files and texts

    def forms(self) -> Forms:
        """Return what can be saved of what is known."""
        found = self.answer
        return {} if found is None else forms(lambda: report_of(found))

    def report(self) -> str:
        """Return all that is known as text: what the doctor says where his pane is looked at."""
        from attn_tui.report.doctor.text import render

        is_of_doctor = self.view == "doctor-pane" or self.query_one(DoctorPane).has_focus_within
        if is_of_doctor and self.known.examination is not None:
            return "".join(render(self.known.examination.report))
        if self.answer is None:
            return ""
        return "".join(text(report_of(self.answer), columns_of_text(self.size.width)))

    # What is shown

    @property
    def views(self) -> Sequence[str]:
        """What `t` goes through at this size."""
        if self.size.width >= TOGETHER:
            return ("map-pane", "numbers-pane")
        is_tiny = self.size.width < TINY
        return [view for view in self.VIEWS if is_tiny or view != "card-pane"]

    def watch_view(self) -> None:
        """Show another view."""
        if self.size.width >= TOGETHER and self.view != "numbers-pane":
            shown: Sequence[str] = ALL_TOGETHER
        elif self.size.width < TINY:
            shown = (self.view,)
        else:
            shown = ONE_AT_A_TIME[self.view]
        for pane in self.query("#panes > Pane").results(Pane):
            pane.set_class(pane.id in shown, "-shown")
        self.query_one("#panes").set_class(len(shown) == 1, "-one")
        self._show()

    def on_resize(self) -> None:
        """Show what there is room for now."""
        super().on_resize()
        self.watch_view()

    def watch_known(self, before: Known, now: Known) -> None:
        """Show more of the heads, or more of what the doctor says."""
        if now.failure:
            self.failure = now.failure
        elif before.answer is not now.answer:
            self._show()
        else:
            self._show_doctor()
            self._show_progress()

    def watch_hovered(self) -> None:
        """Show the card of the head under the mouse, or of that with the cursor."""
        self._show_card()

    def _show(self) -> None:
        """Show what is known, with the cursor where it is asked."""
        found, here = self.answer, self.here
        if self.asked is None:
            return
        if found is None or here is None:
            self.headline, self._shown = WAITING, None
            return
        settings, table = self.asked_of_heads, found.table
        name, tau = settings.statistic, settings.tau
        shown = found, name, tau, here.batch, self.size
        if shown != self._shown:
            self._shown = shown
            self._show_heads(found, here)
        else:
            # Nothing but the cursor has moved.
            self.draw("map", charts.at_head(self._map, table, here))
        self._show_capture(table)
        self.query_one(HeadList).show(Listing(table, name, here, tau, self.size.width))
        self._show_card()
        self._show_doctor()
        if self.view == "numbers-pane":
            self.draw("numbers", charts.numbers_table(table, here, tau))
            self.pane("numbers-pane").describe(
                f"{head_text(here, table.n_batches).capitalize()}, all numbers"
            )

    def _show_heads(self, found: Answer, here: HeadId) -> None:
        """Show what is known of all heads: the headline and the map."""
        settings, table = self.asked_of_heads, found.table
        name, tau = settings.statistic, settings.tau
        self.headline = headline(table, name, tau)
        self._map = charts.head_map(table, name, here, tau)
        self.draw("map", self._map)
        self.pane("table-pane").describe("All heads", "← → or a heading sorts")
        # What a map leaves out depends on its size, which a resize has not given it yet.
        self.call_after_refresh(self._show_progress)

    def _show_capture(self, table: HeadTable) -> None:
        """Say what is looked at, and how another is opened."""
        settings = self.asked_of_heads
        shape = table.capture.shape(table.heads[0])
        name = visible(PurePath(settings.capture[0]).name)
        if len(settings.capture) > 1:
            name += f" and {len(settings.capture) - 1} more"
        here = self.here or table.heads[0]
        size = f"{len(table.layers)} layers × {table.n_heads} heads"
        if table.n_batches > 1:
            size = f"{table.n_batches} sequences × {size}"
        keys = f"{shape.n_queries:,} × {shape.n_keys:,}, d_k {shape.d_k}"
        parts = [name, size, keys, made_text(table.masks[here.layer])]
        text, label = " · ".join(parts), self.query_one("#capture", Label)
        if text != label.content:
            label.update(text, layout=False)
        self.query_one("#opens").display = settings.capture == (EXAMPLE_NAME,)

    def _show_card(self) -> None:
        """Show the card of a head."""
        table, head = self.table, self.hovered or self.here
        if table is None or head is None:
            return
        where = " under the mouse" if head == self.hovered else ""
        shape, partial = table.capture.shape(head), table.partials.get(head)
        looked = "" if partial is None else looked_at(partial)
        if shape.kv_head != head.head:
            looked += f", keys of head {shape.kv_head}"
        title = f"{head_text(head, table.n_batches).capitalize()}{where}"
        self.pane("card-pane").describe(title, looked)
        self.draw("card", CardDrawing(card(partial)))

    def _show_doctor(self) -> None:
        """Show what the doctor says, of the head with the cursor too."""
        said, here, pane = self.known.examination, self.here, self.query_one(DoctorPane)
        if here is not None:
            pane.cursor = (here.batch, here.layer, here.head)
        if self.known.refusal:
            pane.diagnosis = Diagnosis("cannot tell", self.known.refusal)
            pane.words = ""
            return
        if said is None:
            pane.diagnosis = Diagnosis("", "The doctor comes when the heads are looked at.")
            pane.words = ""
            return
        pane.diagnosis = said.diagnosis
        finding = None if here is None else said.finding(here)
        pane.words = "" if finding is None else examination.words_of(finding)

    def _show_progress(self) -> None:
        """Say in the subtitle of the map how numbers were made, and how far that is."""
        found = self.answer
        if found is None:
            return
        name = self.asked_of_heads.statistic
        parts = [f"layers × heads, {rows_text(found.table)}".rstrip(", ")]
        progress = found.survey.progress
        if progress < 1.0:
            parts.append(f"{progress:.0%}".replace("%", " %"))
            parts.append("stopped: space goes on" if self.stopped else "looking")
        widget = self.query_one("#map", HeatMap)
        drawing = widget.drawing
        if isinstance(drawing, heat_map.HeatMap):
            if widget.hides:
                parts.append("each the gravest of several")
            texts = drawing.texts_in(*widget.content_size)
            if any(charts.SINK in text for row in texts for text in row):
                parts.append(f"{charts.SINK} parked on the first key")
        self.pane("map-pane").describe(charts.title_of(name), *map(plain, parts))
