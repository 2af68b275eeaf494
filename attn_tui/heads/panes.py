"""The panes of Heads: the map of layers and heads, the card of one, the table, the doctor."""

from collections.abc import Mapping, Sequence, Set
from pathlib import PurePath

import numpy as np
from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.widgets import Label

from attn_tui.captures.capture import HeadId
from attn_tui.captures.suffixes import EXAMPLE_NAME
from attn_tui.charts import heat_map
from attn_tui.compute.numbers import progress
from attn_tui.compute.text import counted, visible
from attn_tui.engine.settings import DIFFERENCE, Settings
from attn_tui.engine.survey import Survey
from attn_tui.heads import charts
from attn_tui.heads.card import CardDrawing, card
from attn_tui.heads.doctor_pane import DoctorPane, PaneDiagnosis
from attn_tui.heads.examination import words_of
from attn_tui.heads.looking import Results
from attn_tui.heads.table import HeadList, HeadListing
from attn_tui.heads.words import head_text, rows_text
from attn_tui.report.miss import reconstruction_text
from attn_tui.ui.heat_map import HeatMap, HeatMapPane
from attn_tui.ui.markup import plain
from attn_tui.ui.pane import Pane
from attn_tui.ui.picture import PicturePane, Sheet
from attn_tui.ui.whole_words import WholeWords

DIFFERING = f"{charts.DIFFERS} differs, says the doctor"
UNLIKE = f"{charts.DIFFERS} attention differs"
"""The legend of the mark of heads that are not as promised, or not as those of a reference."""


def shown_of(settings: Settings) -> str:
    """Return the statistic of the table, which the map has, too, where it shows no difference."""
    return Settings().statistic if settings.statistic == DIFFERENCE else settings.statistic


class HeadPanes(Vertical):
    """The panes of a capture's heads, with one cursor in all of them."""

    def __init__(self) -> None:
        super().__init__()
        self._map = heat_map.HeatMapDrawing(np.zeros((1, 1)), "saturation")
        self._map_of: object = None
        """The survey, statistic and sequence that the map was drawn from."""
        self._survey: Survey | None = None
        self._cursor = self._hovered = HeadId(0, 0, 0)

    def compose(self) -> ComposeResult:
        """Lay out the panes."""
        with Horizontal(id="about"):
            yield WholeWords(id="capture")
            yield Label("o opens your own", id="opens")
        with Container(id="panes"):
            yield HeatMapPane("Heads", key="e", binding="entries", id="map-pane")
            yield PicturePane("One head", id="card-pane")
            yield Pane("All heads", HeadList(id="table"), id="table-pane")
            yield DoctorPane("Doctor", id="doctor-pane")
            yield Pane("", VerticalScroll(Sheet(id="numbers")), id="numbers-pane")

    def choose(self, names: Sequence[str]) -> None:
        """Show only the panes with the given ids."""
        for pane in self.query("#panes > Pane").results(Pane):
            pane.set_class(pane.id in names, "-shown")
        self.query_one("#panes").set_class(len(names) == 1, "-one")

    def show(
        self,
        survey: Survey,
        settings: Settings,
        cursor: HeadId,
        differing: Set[HeadId],
        units: Mapping[HeadId, float] | None = None,
    ) -> None:
        """Show a survey; if only the cursor has moved, the map is not computed again.

        Args:
            survey: The statistics.
            settings: The settings, which name one of them.
            cursor: The head with the cursor.
            differing: The heads of which the doctor says that they differ.
            units: How far each is from the reference, in place of the statistic of the map.
        """
        self._survey, self._cursor, self._hovered = survey, cursor, cursor
        name, width = shown_of(settings), self.screen.size.width
        map_of = survey, name, cursor.batch, differing, units
        if map_of == self._map_of:
            self._map = charts.at_head(self._map, survey, cursor)
        else:
            self._map_of, self._map = map_of, charts.head_map(survey, name, cursor, differing)
            if units is not None:
                self._map = charts.difference_map(survey.plan, units, cursor, differing)
            said = DIFFERING if units is None else UNLIKE
            legend = said if differing else ""
            self.query_one("#table-pane", Pane).describe(
                "All heads", "← → or a heading sorts", legend
            )
        self.query_one("#map-pane", HeatMap).drawing = self._map
        self.query_one(HeadList).show(HeadListing(survey, name, cursor, width, differing))
        self._show_capture(survey, settings)
        self._show_card(cursor)
        numbers = self.query_one("#numbers-pane", Pane)
        if numbers.has_class("-shown"):
            title = head_text(cursor, survey.plan.n_batches).capitalize()
            numbers.describe(f"{title}, all numbers")
            sheet = self.query_one("#numbers", Sheet)
            sheet.drawing = charts.numbers_table(survey.heads.get(cursor))

    def _show_capture(self, survey: Survey, settings: Settings) -> None:
        """Show the name and size of the capture, and for the example how to open another."""
        plan = survey.plan
        shape = plan.capture.shape(plan.heads[0])
        name = visible(PurePath(settings.capture[0]).name)
        if len(settings.capture) > 1:
            name += f" and {len(settings.capture) - 1} more"
        size = f"{counted(len(plan.capture.layers), 'layer')} × {counted(plan.n_heads, 'head')}"
        if plan.n_batches > 1:
            size = f"{plan.n_batches} sequences × {size}"
        keys = f"{shape.n_queries:,} × {shape.n_keys:,}, d_k {shape.d_k:,}"
        text = " · ".join([name, size, keys, reconstruction_text(plan.masks[self._cursor.layer])])
        self.query_one("#capture", WholeWords).show(text)
        self.query_one("#opens").display = settings.capture == (EXAMPLE_NAME,)

    def _show_card(self, head: HeadId) -> None:
        """Show the card of the head with the cursor, or under the mouse."""
        assert self._survey
        plan, partial = self._survey.plan, self._survey.heads.get(head)
        rows = "" if partial is None else rows_text(partial)
        shape = plan.capture.shape(head)
        if shape.kv_head != head.head:
            rows += f", reads KV head {shape.kv_head}"
        title = head_text(head, plan.n_batches).capitalize()
        if head != self._cursor:
            title += " under the mouse"
        self.query_one("#card-pane", Pane).describe(title, rows)
        self.query_one("#card-pane", PicturePane).drawing = CardDrawing(card(partial))

    @on(HeatMap.Hovered)
    def _hover(self, event: HeatMap.Hovered) -> None:
        """Show the card of the head under the mouse while the mouse is on it."""
        if self._survey is None:
            return
        head = event.place or self._cursor
        if head in self._survey.plan.places and head != self._hovered:
            self._hovered = head
            self._show_card(head)

    def show_progress(self, survey: Survey, statistic: str, stopped: bool, units: str) -> None:
        """Show the rows taken and the progress in the subtitle of the map, or its units."""
        parts = ["layers × heads"]
        if statistic == DIFFERENCE:
            parts = [f"layers × heads, {units}"]
        elif survey.heads:
            most = max(survey.heads.values(), key=lambda partial: partial.n_queries)
            rows = f"all {most.n_queries:,} rows"
            if not survey.is_exact:
                rows = f"{most.rows:,} of {most.n_queries:,} rows"
            parts = [f"layers × heads, {rows}"]
        if survey.progress < 1.0:
            parts.append(progress(survey.progress))
            parts.append("stopped: space goes on" if stopped else "looking")
        widget = self.query_one("#map-pane", HeatMap)
        if widget.hides:
            parts.append("each the gravest of several")
        texts = self._map.texts_in(*widget.content_size, self.app.has_class("-textures"))
        if any(charts.SINK in text for row in texts for text in row):
            parts.append(f"{charts.SINK} parked on the first key")
        if any(charts.DIFFERS in text for row in texts for text in row):
            parts.append(UNLIKE if statistic == DIFFERENCE else DIFFERING)
        title = charts.title_of(statistic)
        self.query_one("#map-pane", Pane).describe(title, *map(plain, parts))

    def show_doctor(self, results: Results, cursor: HeadId) -> None:
        """Show the doctor's diagnosis, and his findings on the head with the cursor."""
        pane, examination = self.query_one(DoctorPane), results.examination
        pane.cursor = (cursor.batch, cursor.layer, cursor.head)
        words = ""
        if results.refusal:
            pane.diagnosis = PaneDiagnosis("cannot tell", results.refusal)
        elif examination is None:
            pane.diagnosis = PaneDiagnosis("", "The doctor comes when the heads are looked at.")
        else:
            pane.diagnosis = examination.diagnosis
            finding = examination.findings.get(cursor)
            words = "" if finding is None else words_of(finding)
        pane.words = words
