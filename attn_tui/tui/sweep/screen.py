"""The Sweep screen: asks for growing answers and shows them, the best there is at any moment."""

import time
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.sweep.answer import Answer, restated
from attn_tui.compute.sweep.points import Place
from attn_tui.compute.sweep.settings import Settings
from attn_tui.report.export import Forms, forms_of
from attn_tui.report.sweep import csv, json, text
from attn_tui.report.sweep.names import NAMES
from attn_tui.tui import scaling
from attn_tui.tui.actions import Action, Section
from attn_tui.tui.computing import Computing
from attn_tui.tui.filing import Filing
from attn_tui.tui.instrument_screen import SHORT, Command
from attn_tui.tui.parts import Part
from attn_tui.tui.state import Asked
from attn_tui.tui.sweep import drawing, explanations, panes, results
from attn_tui.tui.sweep.actions import ACTIONS
from attn_tui.tui.sweep.asking import AskingActions, moved
from attn_tui.tui.sweep.view import Shown, View
from attn_tui.tui.widgets.bar import Bar
from attn_tui.tui.widgets.canvas import Canvas
from attn_tui.tui.widgets.chart import ChartCanvas, ChartPane
from attn_tui.tui.widgets.slider import SLIDE, Slider


class SweepScreen(AskingActions):
    """What is drawn and compared above; the chart; what it means."""

    NAME = "sweep"
    ACTIONS = ACTIONS
    SECTIONS = (Section("In Sweep", ACTIONS), Slider.SECTION, panes.SweepChart.SECTION)
    explanation = explanations.WORDS

    def __init__(self) -> None:
        super().__init__()
        self.answer: Answer | None = None
        self.question: Experiment | None = None
        self._begun: Shown | None = None

    def compose_panes(self) -> ComposeResult:
        """Lay out the panes."""
        with Horizontal(id="top"):
            yield panes.SweepScale(id="scale")
            yield panes.DrawnPane(id="drawn-pane")
        yield panes.SweepChart(id="charts")
        yield Canvas(id="words")

    def on_mount(self) -> None:
        """Give the slider the keys."""
        self.query_one("#slider", Slider).focus()

    # What is asked and found

    @property
    def n_attended(self) -> int:
        """N of rules that depend on it."""
        return self.settings.n

    @property
    def status(self) -> list[tuple[str, str]]:
        """The statistic that is shown."""
        return drawing.status(self.settings, self.size.width)

    @property
    def place(self) -> Place:
        """The n and d_k under the cursor: of what is asked, the nearest that is drawn."""
        if self.asked is None:
            return self.settings.n, 1
        at = drawing.place_of(self.asked.experiment)
        answer = self.answer
        drawn = answer is not None and answer.experiment is self.question
        return drawing.nearest_place(answer, at) if answer and drawn and answer.points else at

    @property
    def rule_shown(self) -> str | None:
        """The rule that a map shows, as text; None of curves, which show several."""
        is_map = self.settings.view == "map" and self.answer is not None
        return drawing.map_rule(self.answer, self.view) if self.answer and is_map else None

    def label_of(self, action: Action) -> str:
        """Return what the key bar calls an action: where Explore opens, if not at the sliders."""
        if self.asked and action.run == "screen.explore":
            n, d_k = self.place
            if (n, d_k) != drawing.place_of(self.asked.experiment):
                return f"{action.label} n {n:,}, d_k {d_k:,}"
        return action.label

    def show(self, asked: Asked) -> None:
        """Show what is known of what is asked, and find out the rest."""
        tab = drawing.tab_of(self.settings) if self.asked else ""
        self.asked = asked
        begin = Shown.of(asked.draft.setup.get(Settings))
        if begin != self._begun:
            self._begun, self.view = begin, replace(self.view, shown=begin)
        self.question = self._question(asked)
        if tab != (now := drawing.tab_of(self.settings)):
            self.view = replace(self.view, numbers=False)
            if now == "map":
                # Its cursor moves both ways, and enter opens Explore there.
                self.query_one(panes.SweepChart).focus()
        self._go_on()
        self._draw()

    def make_computing(self) -> Computing[Answer]:
        """Return what has sweeps computed; one looked at not long ago comes at once."""
        return Computing(self, lambda answer: answer.progress, results.MOST)

    def _question(self, asked: Asked) -> Experiment:
        """Return what is asked with the statistic that is looked at."""
        setup = asked.experiment.setup
        return replace(asked.experiment, setup=setup.put(self.settings))

    def look_at(self, shown: Shown) -> None:
        """Look at another statistic, or say why that cannot be."""
        try:
            shown.put(self.settings)
        except InputError as error:
            self.notify(str(error), timeout=4, markup=False)
            return
        self.view = replace(self.view, shown=shown)
        if self.asked:
            self.question = self._question(self.asked)
            self._go_on()
        self._draw()

    def _go_on(self) -> None:
        """Show the best there is of what is asked, and find out the rest."""
        if (experiment := self.question) is None:
            return
        question, drawn = results.question_of(experiment, self.job)
        self.computing.ask(question, partial(results.work, experiment, drawn))
        if best := self.job.result(question) or drawn:
            self.answer = restated(best, experiment)

    def show_job(self) -> None:
        """Show what was found so far, unless what is shown already is better."""
        self._go_on()
        self._draw()

    def action_stop(self) -> None:
        """Stop drawing, or go on."""
        if self.asked is None:
            return
        if self.job.running:
            self.computing.stop()
        elif self.job.state in ("stopped", "failed"):
            self.computing.leave()
            self._go_on()
        else:
            self.notify("Nothing is being drawn: a draws anew", timeout=3)
        self._draw()

    def make_parts(self) -> Iterable[Part]:
        """Return the part that deals with files."""
        return (Filing(self),)

    def forms(self) -> Forms:
        """Return what can be written of what was found so far."""
        return forms_of(self.answer, text.render, json.render, csv.render) if self.answer else {}

    def said(self) -> str:
        """Return all that was found, of the statistic that is shown."""
        return "".join(text.render(self.answer)) if self.answer else ""

    # What is looked at

    def look(self, view: View) -> None:
        """Look another way."""
        self.view = view
        self._draw()

    def action_log(self) -> None:
        """Switch charts between linear and logarithmic."""
        self._look(log=not self.view.look.log)

    def action_whole(self) -> None:
        """Show all decades, or the upper ones."""
        self._look(whole=not self.view.look.whole)

    def action_bands(self) -> None:
        """Show bands, or hide them."""
        self._look(bands=not self.view.look.bands)

    def _look(self, **changes: bool) -> None:
        self.look(replace(self.view, look=replace(self.view.look, **changes)))

    def action_other_of(self) -> None:
        """Let the map show the other of mean and median."""
        self.look(self.view.other_of())

    def action_other_rule(self) -> None:
        """Let the map show the next rule."""
        self.look(replace(self.view, rule=self.view.rule + 1))

    def action_numbers(self) -> None:
        """Show the numbers in place of the chart, or the chart again."""
        self.look(replace(self.view, numbers=not self.view.numbers, top=0))

    def action_tab(self, name: str) -> None:
        """Sweep d_k, n, or both, and show the chart."""
        self.look(replace(self.view, numbers=False))
        super().action_tab(name)

    # What is drawn

    def on_resize(self) -> None:
        """Draw everything in the new size."""
        self.call_after_refresh(self._draw)

    @property
    def _words_height(self) -> int:
        # A map needs every line it can have.
        low = self.settings.view == "map" and self.size.height < SHORT
        return 2 if self.narrow or low else 3

    def _draw(self) -> None:
        """Show everything but the chart at once, and the chart soon."""
        asked = self.asked
        if asked is None or not self.size:
            return
        experiment, settings = self.question or asked.experiment, self.settings
        held = experiment.source.d_k is not None
        self.query_one("#slider", Slider).show_value(experiment.setup.d_k, held)
        self.query_one("#n-slider", Slider).show_value(settings.n)
        drawn, rules = self.query_one("#drawn", Canvas), self.query_one("#rule", Canvas)
        drawn.show(drawing.drawn_rows(settings, *drawn.size))
        rules.show(drawing.rules_rows(experiment, *rules.size))
        height = self._words_height
        sentences = drawing.words(self.answer, self.job, time.monotonic())
        self.show_words(drawing.words_rows(sentences, self.size.width, height), height)
        self._draw_tabs()
        self.frame()
        self.draw_chart_soon(later=False)

    def _draw_tabs(self) -> None:
        focused = self.query_one(panes.SweepChart).has_focus
        items = drawing.tab_items(self.settings, self.view, focused, self.size.width)
        self.query_one("#tabs", Bar).show_items(items)

    def draw_chart(self) -> None:
        """Draw the chart, or the numbers in its place."""
        chart = self.query_one(ChartCanvas)
        if self.asked is None or not chart.size:
            return
        if self.answer is None or not self.answer.points:
            chart.show(drawing.waiting(self.job.running, *chart.size))
            return
        at = drawing.place_of(self.asked.experiment)
        chart.show(drawing.chart_rows(self.answer, self.view, at, *chart.size))

    # What panes say

    @on(panes.DrawnPane.Moved)
    def _on_n_moved(self, event: panes.DrawnPane.Moved) -> None:
        self.ask_n(event.event.change, event.event.gesture)

    @on(panes.DrawnPane.Typing)
    def _on_n_typing(self) -> None:
        self.action_type_n()

    @on(ChartPane.Moved)
    def _on_chart_moved(self, event: ChartPane.Moved) -> None:
        if self.view.numbers:
            self.look(replace(self.view, top=max(self.view.top + event.dy, 0)))
        elif self.answer and self.answer.points:
            is_map = self.answer.settings.view == "map"
            over_n = not is_map and self.answer.settings.over == "n"
            along = event.dx if is_map else event.dx - event.dy
            if over_n or (is_map and event.dy):
                ns = self.answer.points.ns
                by = along if over_n else -event.dy
                self.ask_n(lambda n: moved(ns, n, by), SLIDE)
            else:
                d_ks = self.answer.points.d_ks
                self.ask_d_k(lambda d_k: moved(d_ks, d_k, along), SLIDE)

    @on(ChartCanvas.Pointed)
    def _on_pointed(self, event: ChartCanvas.Pointed) -> None:
        chart = self.query_one(ChartCanvas)
        if not (self.asked and self.answer and self.answer.points):
            return
        at = drawing.place_of(self.asked.experiment)
        if place := drawing.pointed(self.answer, self.view, at, event.x, event.y, *chart.size):
            n, d_k = place
            if n != at[0]:
                self.ask_n(lambda _: n)
            if d_k != at[1]:
                self.ask_d_k(lambda _: d_k)
            if event.twice:
                self.action_explore()

    def on_descendant_focus(self) -> None:
        """Show where the keys go."""
        if self.asked:
            self._draw_tabs()

    def commands(self) -> Iterable[Command]:
        """Yield what is chosen by name: statistics, tabs and models."""
        for name, named in NAMES.items():
            yield Command(f"Statistic {named.symbol}", named.words, f"screen.statistic('{name}')")
        for tab, title in drawing.TABS.items():
            yield Command(f"Tab {title}", "Show this tab", f"screen.tab('{tab}')")
        yield from (each for each in scaling.commands() if each.title.startswith("Model"))
