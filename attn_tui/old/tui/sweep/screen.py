"""The Sweep screen: composes panes and parts, and shows the best answer there is at any moment."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep.answer import Answer, restated
from attn_tui.compute.sweep.places import check_vectors
from attn_tui.compute.sweep.settings import Settings
from attn_tui.files.history import Asked
from attn_tui.old.tui import view as base
from attn_tui.old.tui.at_place import AtPlace
from attn_tui.old.tui.bars import Status
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.parts import Part
from attn_tui.old.tui.scale import ScalePane
from attn_tui.old.tui.sweep import drawing, explanations, panes, results
from attn_tui.old.tui.sweep.actions import ACTIONS
from attn_tui.old.tui.sweep.looking import Looking
from attn_tui.old.tui.sweep.places import Places
from attn_tui.old.tui.sweep.rules import Rules
from attn_tui.old.tui.sweep.scene import Scene
from attn_tui.old.tui.sweep.settings import GROUPS
from attn_tui.old.tui.sweep.view import TABS, Shown, View
from attn_tui.old.tui.widgets.bar import Item
from attn_tui.report.forms import csv, json
from attn_tui.report.head import not_applied
from attn_tui.report.text import text
from attn_tui.sweep.report import report


class SweepScreen(InstrumentScreen):
    """What is drawn and compared above; the chart; what it means.

    Attributes:
        answer: The best there is so far.
        question: What is asked, with the statistic that is looked at.
        view: What is looked at.
    """

    NAME = "sweep"
    SECTIONS = (panes.SweepChart.SECTION,)
    ACTIONS = ACTIONS
    GROUPS = GROUPS
    TABS = TABS
    WRITERS: ClassVar = {
        ".txt": lambda answer: text(report(answer)),
        ".json": lambda answer: json(report(answer)),
        ".csv": lambda answer: csv(report(answer)),
    }
    KEPT = results.MOST
    explanation = explanations.WORDS
    answer: Answer | None = None
    view: View = View()

    def __init__(self) -> None:
        super().__init__()
        self.question: Experiment | None = None
        self.at_place = AtPlace(self)
        self.row = results.RowCrossovers(self)
        self.computings += (self.at_place.computing, self.row.computing)
        self._begun: Shown | None = None

    def make_parts(self) -> Iterable[Part[Any]]:
        """Return what can be done here."""
        self.rules, self.places = Rules(self), Places(self)
        return Looking(self), self.rules, self.places

    def compose_panes(self) -> ComposeResult:
        """Lay out the panes."""
        with Horizontal(id="top"):
            yield ScalePane(id="scale")
            yield panes.KeysPane(id="keys")
        yield panes.SweepChart(id="charts")

    # What is asked and found

    @property
    def settings(self) -> Settings:
        """What is asked of this instrument, with the statistic that is looked at."""
        asked = self.fields.setup.get(Settings)
        with suppress(InputError):
            return self.view.shown.put(asked)
        return replace(asked, statistic=self.view.shown.statistic)

    def check(self, setup: Setup) -> None:
        """Raise InputError if other settings could not be swept, or looked at as these are."""
        settings = setup.get(Settings)
        if settings != self.fields.setup.get(Settings):
            check_vectors(Shown.of(self.settings).put(settings))

    def show(self, asked: Asked) -> None:
        """Show what is known of what is asked, and find out the rest."""
        tab = drawing.tab_of(self.settings) if self.asked else ""
        begin = Shown.of(asked.draft.setup.get(Settings))
        if begin != self._begun:
            self._begun, self.view = begin, replace(self.view, shown=begin)
        if tab != (now := drawing.tab_of(asked.draft.setup.get(Settings))):
            self.view = replace(self.view, numbers=False)
            if now == "map":
                # Its cursor moves both ways, and enter opens Explore there.
                self.query_one(panes.SweepChart).focus()
        super().show(asked)

    def look_as(self, view: base.View | None) -> None:
        """Look another way, or at what is asked for."""
        super().look_as(view)
        self._begun = None if view is None else self._begun

    def seek(self, experiment: Experiment) -> None:
        """Show the best there is of what is asked, and find out the rest."""
        experiment = replace(experiment, setup=experiment.setup.put(self.settings))
        self.question = experiment
        question, drawn = results.question_of(experiment, self.job)
        self.computing.ask(question, partial(results.work, experiment, drawn))
        if best := self.job.result(question) or drawn:
            self.answer = restated(best, experiment)
            if best.progress == 1.0 and self.settings.view == "map":
                self.answer = replace(self.answer, crossovers=self.row.found(experiment))
        place = drawing.place_of(experiment)
        if self.answer and self.answer.progress == 1.0 and place not in self.answer.points.places:
            self.at_place.go_on(experiment, *place)
            self.answer = replace(self.answer, here=self.at_place.points)

    # What is shown

    def status(self, asked: Asked) -> Status:
        """Return the statistic that is shown, and the model."""
        return drawing.status(self.settings, self.fields.setup, self.size.width)

    @property
    def chart(self) -> str:
        """The name of the chart that is looked at."""
        return "numbers" if self.view.numbers else drawing.tab_of(self.settings)

    def scene(self, asked: Asked) -> Scene:
        """Return what panes are to show."""
        question = self.question or asked.experiment
        return Scene(asked, self.answer, self.job, self.problem, *self.room, self.view, question)

    def draw(self, later: bool = False) -> None:
        """Show everything but the chart at once, and the chart soon."""
        super().draw(later)

    def tab_items(self, asked: Asked, focused: bool) -> Sequence[Item]:
        """Return the line of tabs, and how the chart is drawn."""
        progress = drawing.progress_text(self.scene(asked))
        left_out = not_applied(self.fields.setup.scale, but_qk_norm=True)
        return drawing.tabs(self.settings, self.view, focused, self.room.width, progress, left_out)
