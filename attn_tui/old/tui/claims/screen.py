"""The screen of Claims: what is said, and what comes of trying it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult

from attn_tui.claims.answer import Answer, answer
from attn_tui.claims.claim import Claim, Finding
from attn_tui.claims.ledger import ledger, own_finding
from attn_tui.claims.settings import Settings
from attn_tui.compute.experiment import Experiment, Stop
from attn_tui.files.history import Asked
from attn_tui.old.tui import view as looked
from attn_tui.old.tui.bars import Status
from attn_tui.old.tui.claims import drawing, explanations, panes
from attn_tui.old.tui.claims.actions import ACTIONS
from attn_tui.old.tui.claims.ledger import Ledger
from attn_tui.old.tui.claims.scene import Scene
from attn_tui.old.tui.claims.settings import ABSENT, GROUPS
from attn_tui.old.tui.claims.view import TABS, View
from attn_tui.old.tui.computing import Computing
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.parts import Part
from attn_tui.old.tui.stopping import Stopping
from attn_tui.old.tui.widgets.bar import Item, TabBar
from attn_tui.old.tui.widgets.entry import Entry
from attn_tui.report.claims import json, text

_LEDGER = "ledger"
"""The question that all claims are, as they are tried unless something else is asked."""


class ClaimsScreen(InstrumentScreen):
    """The claims above; what is right of the one that is asked below."""

    NAME = "claims"
    SECTIONS = (panes.ListPane.SECTION, panes.FindingPane.SECTION)
    ACTIONS = ACTIONS
    GROUPS, ABSENT = GROUPS, ABSENT
    TABS = TABS
    WRITERS: ClassVar = {".txt": text.render_answer, ".json": json.render_answer}
    KEPT = 16
    explanation = explanations.LIST
    answer: Answer | None = None
    view: View = View()

    def __init__(self) -> None:
        super().__init__()
        self.trying: Computing[Mapping[str, Finding]] = Computing(
            self, lambda found: len(found) / len(ledger())
        )
        self.computings = (self.computing, self.trying)

    def make_parts(self) -> Iterable[Part[Any]]:
        """Return what can be done here."""
        return Ledger(self), StoppingTrials(self)

    def compose_panes(self) -> ComposeResult:
        """Lay out the panes."""
        yield panes.ListTitle(id="list-title")
        yield TabBar(id="narrow-tabs")
        yield panes.ListPane(id="list")
        yield panes.FindingPane(id="charts")
        yield Entry(id="entry")

    # What is asked and found

    @property
    def settings(self) -> Settings:
        """Which claim is tried, and with what."""
        return self.asked.experiment.setup.get(Settings) if self.asked else Settings()

    @property
    def findings(self) -> Mapping[str, Finding]:
        """What came of the claims that were tried as they are, by id."""
        return self.trying.job.result(_LEDGER) or {}

    @property
    def listed(self) -> Sequence[Claim]:
        """The claims that are listed."""
        return self.scene(self.asked).listed if self.asked else ()

    def look(self, view: looked.View) -> None:
        """Look another way; where other claims are listed, at one of them."""
        super().look(view)
        names = [each.id for each in self.listed]
        if names and self.settings.claim not in names:
            self.fields.put("claim", lambda _: names[0])

    def seek(self, experiment: Experiment) -> None:
        """Try the claim that is asked, and then all the others."""
        settings = self.settings
        self.computing.ask(settings, lambda stop: answer(experiment, stop))
        # A text of another claim says nothing of this one.
        self.answer = self.job.result(settings)
        if self.job.state == "done":
            self.trying.ask(_LEDGER, self.try_all)

    def try_all(self, stop: Stop) -> Iterator[Mapping[str, Finding]]:
        """Yield what came of claims, of one more each time; what is known already comes at once."""
        found: dict[str, Finding] = {}
        for name in ledger():
            if stop():
                return
            found[name] = own_finding(name)
            yield dict(found)

    # What is shown

    def status(self, asked: Asked) -> Status:
        """Return the seed."""
        return [((f"seed {self.settings.seed}",), "fields.type('seed')")]

    def scene(self, asked: Asked) -> Scene:
        """Return what panes are to show."""
        return Scene(
            asked, self.answer, self.job, self.problem, *self.room, self.view, self.findings,
            self.trying.job.running,
        )  # fmt: skip

    def tab_items(self, asked: Asked, focused: bool) -> Sequence[Item]:
        """Return the line of tabs."""
        listed = self.narrow and isinstance(self.focused, panes.ListPane)
        return drawing.tabs(self.scene(asked), focused or listed)


class StoppingTrials(Stopping[Any]):
    """Stops trying the other claims, or goes on with it."""

    @property
    def computing(self) -> Computing[Any]:
        """What tries the others, unless all are tried or none is yet."""
        trying: Computing[Any] = self._screen.trying
        return trying if trying.job.state in ("running", "stopped", "failed") else super().computing
