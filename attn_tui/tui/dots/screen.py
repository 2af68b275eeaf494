"""The screen of Dot products: what is drawn, what the draws say, and what the law says."""

import time
from collections.abc import Iterable
from dataclasses import replace

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.timer import Timer

from attn_tui.compute.dots.answer import Answer, law_of
from attn_tui.compute.law.entries import LAWS
from attn_tui.report.dots import csv, json, text
from attn_tui.report.dots.tables import readout_rows
from attn_tui.report.export import Forms, forms_of
from attn_tui.report.progress import Pace
from attn_tui.tui import scaling
from attn_tui.tui.actions import Action, Section
from attn_tui.tui.computing import Computing
from attn_tui.tui.dots import drawing, explanations, panes
from attn_tui.tui.dots.actions import ACTIONS
from attn_tui.tui.dots.asking import AskingActions
from attn_tui.tui.dots.sampling import Sampling
from attn_tui.tui.dots.view import CHARTS, FIELDS, PANES, View
from attn_tui.tui.filing import Filing
from attn_tui.tui.instrument_screen import SHORT, Command
from attn_tui.tui.parts import Part
from attn_tui.tui.state import Asked
from attn_tui.tui.widgets.bar import Bar
from attn_tui.tui.widgets.canvas import Canvas
from attn_tui.tui.widgets.chart import ChartCanvas, ChartPane
from attn_tui.tui.widgets.slider import Slider

LINES_OF_DERIVATION = 14
"""Rows of the derivation where each step takes two."""

BETWEEN = 0.2
"""Seconds between two pictures of a sample that grows."""


class DotsScreen(AskingActions):
    """What is drawn and d_k above; readouts; a chart; what it means."""

    NAME = "dots"
    ACTIONS = ACTIONS
    SECTIONS = (
        Section("In Dot products", ACTIONS),
        Slider.SECTION,
        panes.FieldsPane.SECTION,
        panes.DotsChart.SECTION,
    )
    explanation = explanations.READOUTS

    def __init__(self) -> None:
        super().__init__()
        self.answer: Answer | None = None
        self._sampling = Sampling()
        self._wanted: tuple[object, ...] = ()
        self._shown: object = None
        self._found_timer: Timer | None = None
        self._pace = Pace(0)

    def compose_panes(self) -> ComposeResult:
        """Lay out the panes."""
        with Horizontal(id="top"):
            yield panes.FieldsPane(id="draws")
            yield panes.DotsScale(id="scale")
        yield Canvas(id="progress")
        yield Bar(id="narrow-tabs")
        yield panes.FieldsPane(id="narrow-draws")
        yield panes.ReadoutsPane(id="readouts")
        yield panes.DotsChart(id="charts")
        yield Canvas(id="words")

    def on_mount(self) -> None:
        """Give the slider the keys."""
        self.query_one(Slider).focus()

    def clock(self) -> float:
        """Return seconds, from any moment on."""
        return time.monotonic()

    # What is asked

    @property
    def status(self) -> list[tuple[str, str]]:
        """The rule and the seed."""
        return drawing.status(self.asked.experiment) if self.asked else []

    @property
    def settled(self) -> bool:
        """Whether all that will be drawn is, and is shown."""
        return self._found_timer is None and super().settled

    def show(self, asked: Asked) -> None:
        """Draw for what is asked, or go on, and show what there is."""
        self.asked = asked
        setup, settings = asked.experiment.setup, self.settings
        self._wanted = (law_of(settings, setup.d_k), settings.seed, settings.samples)
        self._go_on()
        self._draw()
        self.draw_chart_soon()

    def make_computing(self) -> Computing[Answer]:
        """Return what has samples drawn."""
        return Computing(self, lambda answer: answer.progress, clock=self.clock)

    def _go_on(self) -> None:
        """Draw what is not drawn yet, unless the user stopped that."""
        if self.asked:
            experiment = self.asked.experiment
            if self.job.question != experiment or not self.job.running:
                self._shown = None
            self.computing.ask(experiment, self._sampling.work(self._wanted, experiment))
            self.answer = self.job.result(experiment) or self.answer

    def show_job(self) -> None:
        """Show what is drawn so far: the first and the last at once, others now and then."""
        job, answer = self.job, self.job.result(self.job.question)
        first = self._shown is not job.question
        if answer is not None:
            self.answer = answer
            if first:
                # What was drawn before says nothing of how long the rest takes.
                self._pace = Pace(self.settings.samples, answer.drawn, self.clock())
        if first or not job.running:
            self._shown = job.question
            self._show_found()
        elif self._found_timer is None:
            self._found_timer = self.set_timer(BETWEEN, self._show_found)

    def _show_found(self) -> None:
        if self._found_timer:
            self._found_timer.stop()
            self._found_timer = None
        self._draw()
        self.draw_chart_soon(later=False)

    # What is shown

    def look(self, view: View) -> None:
        """Look another way."""
        self.view = view
        self._draw()
        self.draw_chart_soon()

    def on_resize(self) -> None:
        """Draw everything in the new size."""
        self.query_one("#draws").display = not self.narrow
        self.call_after_refresh(self._redraw)

    def _redraw(self) -> None:
        self._draw()
        self.draw_chart_soon()

    def _draw(self) -> None:
        """Show everything but the chart at once."""
        if self.asked is None or not self.size:
            return
        narrow, width = self.narrow, self.size.width
        tab = self.view.tab
        self.query_one("#narrow-draws").display = narrow and tab == "draws"
        self.query_one("#readouts").display = not narrow or tab == "readouts"
        self.query_one("#charts").display = not narrow or tab in CHARTS
        experiment = self.asked.experiment
        held = experiment.source.d_k is not None
        self.query_one(Slider).show_value(experiment.setup.d_k, held)
        rule = self.query_one("#rule", Canvas)
        setup = experiment.setup
        m = setup.scale.multiplier(setup.d_k, max(self.n_attended, 1))
        rule.show(drawing.rule_rows(experiment, m, self.n_attended, *rule.size))
        self._draw_fields()
        progress = drawing.progress_row(
            self.answer, self.settings, self._pace, self.clock(), self.job.state, width,
        )  # fmt: skip
        self.query_one("#progress", Canvas).show([progress])
        if self.answer:
            rows = readout_rows(self.answer, self.view.side, max(width - 2, 1))
            shifted = [((" ", "text"), *row) for row in rows]
            self.query_one(panes.ReadoutsPane).show(shifted)
        height = 2 if self.size.height < SHORT and not narrow else 3
        said = drawing.words_rows(self.answer, width, height) if self.answer else []
        self.show_words(said, height)
        self._draw_tabs()
        self.frame()

    def _draw_fields(self) -> None:
        for pane in self.query(panes.FieldsPane):
            rows = drawing.field_rows(self.settings, self.view, pane.has_focus, *pane.size)
            pane.show(rows)

    def _draw_tabs(self) -> None:
        focused = self.query_one(panes.DotsChart).has_focus
        bar = self.query_one("#narrow-tabs" if self.narrow else "#tabs", Bar)
        bar.show_items(drawing.tab_items(self.view, self.narrow, focused, self.size.width))

    @on(panes.FieldsPane.Resized)
    def _on_fields_resized(self) -> None:
        self._draw_fields()

    def draw_chart(self) -> None:
        """Draw the chart that is chosen."""
        chart = self.query_one(ChartCanvas)
        if not chart.size:
            return
        if self.answer is None:
            chart.show(drawing.waiting(*chart.size))
        else:
            name = self.view.chart
            chart.show(drawing.chart_rows(self.answer, name, self.view, *chart.size))

    def on_descendant_focus(self) -> None:
        """Show where the keys go."""
        if self.asked:
            self._draw_fields()
            self._draw_tabs()

    def on_descendant_blur(self) -> None:
        """Show that the keys go elsewhere."""
        if self.asked:
            self._draw_fields()

    # What keys do

    def action_stop(self) -> None:
        """Stop drawing and keep what was drawn, or go on."""
        if self.job.running:
            self._sampling.stopped.add(self._wanted)
        elif self.job.state != "done":
            self._sampling.stopped.discard(self._wanted)
            self.computing.leave()
            self._go_on()
        else:
            self.notify("All is drawn: a draws anew, > draws more", timeout=3)
        self._draw()

    def label_of(self, action: Action) -> str:
        """Say what x does now."""
        if action.run != "screen.stop" or self.job.running:
            return action.label
        return "Done" if self.job.state == "done" else "Go"

    def make_parts(self) -> Iterable[Part]:
        """Return the part that deals with files."""
        return (Filing(self),)

    def forms(self) -> Forms:
        """Return what can be written of what was found so far."""
        return forms_of(self.answer, text.render, json.render, csv.render) if self.answer else {}

    def said(self) -> str:
        """Return all that the sample says."""
        return "".join(text.render(self.answer)) if self.answer else ""

    def action_next_tab(self) -> None:
        """Show the next tab."""
        self.look(self.view.next_tab(self.narrow))

    def action_tab(self, name: str) -> None:
        """Show a tab by its name."""
        self.look(self.view.at(name))

    def action_log(self) -> None:
        """Switch the axis of densities between linear and logarithmic."""
        self.look(replace(self.view, log=not self.view.log))

    def action_other_side(self) -> None:
        """Show the other side where there is room for one."""
        self.look(self.view.other_side())

    # What panes say

    @on(panes.FieldsPane.Moved)
    def _on_field_moved(self, event: panes.FieldsPane.Moved) -> None:
        self.look(self.view.field_moved(event.by))

    @on(panes.FieldsPane.Stepped)
    def _on_field_stepped(self, event: panes.FieldsPane.Stepped) -> None:
        self.action_change(FIELDS[self.view.field].name, event.steps)

    @on(panes.FieldsPane.Typing)
    def _on_field_typing(self) -> None:
        name = FIELDS[self.view.field].name
        if name == "entries":
            self.action_choose_entries()
        elif name == "tied":
            self.action_change(name, 1)
        else:
            self.action_type(name)

    @on(panes.FieldsPane.Pointed)
    def _on_field_pointed(self, event: panes.FieldsPane.Pointed) -> None:
        at = (event.x, event.y, event.width, event.height)
        if (place := drawing.field_at(self.settings, *at)) is not None:
            self.look(replace(self.view, field=place))

    @on(ChartPane.Moved)
    def _on_chart_moved(self, event: ChartPane.Moved) -> None:
        room = self.query_one(ChartCanvas).size.height
        most = max(LINES_OF_DERIVATION - room, 0)
        self.look(self.view.moved(event.dx, event.dy, len(self.settings.d_ks), most))

    def commands(self) -> Iterable[Command]:
        """Yield what is chosen by name: each rule, model, law of entries and tab."""
        yield from scaling.commands()
        for law in LAWS.values():
            yield Command(f"Entries {law.title}", "Draw these", f"screen.entries('{law.name}')")
        for name, title in (PANES | CHARTS).items():
            yield Command(f"Tab {title}", "Show this tab", f"screen.tab('{name}')")
