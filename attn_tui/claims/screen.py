"""The Claims screen: claims about dividing by √d_k, the verdicts, and what is right."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Input, OptionList

from attn_tui.claims.answer import Answer, answer, opened
from attn_tui.claims.charts import CurvesDrawing, marked_text
from attn_tui.claims.claim import Claim, TriedClaim
from attn_tui.claims.headline import headline
from attn_tui.claims.ledger import find
from attn_tui.claims.panes import ClaimList, ClaimPane, ListPane
from attn_tui.claims.report import BASES, report_of
from attn_tui.claims.settings import Settings
from attn_tui.compute.errors import Stop
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.field import fields_of
from attn_tui.files import edits
from attn_tui.files.draft import draft_of
from attn_tui.files.history import Question
from attn_tui.report.report import Report
from attn_tui.report.rows import WIDTH
from attn_tui.ui.action import ANOTHER, Action
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.markup import plain
from attn_tui.ui.picture import PicturePane
from attn_tui.ui.setting import Setting, of_field

FIELDS = {name: of_field(field) for name, field in fields_of(Settings).items()}

NO_SCALE = "Each claim says which scale it is about: enter opens it where there is a choice"

TRYING = Lock()
"""Held while a claim is tried: otherwise scrolling through the list would try many at once."""


def _one_at_a_time(experiment: Experiment, stop: Stop) -> Iterator[Answer]:
    """Yield the answer for a claim, once the claim tried before has stopped."""
    with TRYING:
        yield from answer(experiment, stop)


class ClaimsScreen(InstrumentScreen):
    """The claims about dividing by √d_k, tried one at a time."""

    CSS_PATH = "claims.tcss"
    NAME = "claims"
    OPENS_SCORES = "explore"
    HAS_D_K = False
    AUTO_FOCUS = "ClaimList"
    VIEWS: ClassVar = ("list-pane", "claim-pane", "picture-pane")
    GROUPS: ClassVar = (
        ("Claim", (FIELDS["claim"],)),
        ("Tried with", tuple(FIELDS[name] for name in ("seed", "d_k", "n", "draws"))),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open_instrument", "Open", show=False, id="open_instrument",
                tooltip="Open the instrument that shows it"),
        Binding("e", "filter", "Filter", show=False, id="entries",
                tooltip="List the claims with some words"),
        # From the filter: the list has a binding of its own.
        Binding("down", "leave_filter", "To the list", show=False, id="leave_filter"),
        Action("a", "again", "Another draw", show=False, id="again", synonyms=ANOTHER),
        Binding("r,m", "refuse_scale", "Rule", show=False, id="refuse_scale"),
    ]  # fmt: skip

    answer: var[Answer | None] = var(None, init=False)

    def compose_body(self) -> ComposeResult:
        """Lay out the panes."""
        with Container(id="panes"):
            yield ListPane()
            yield ClaimPane()
            yield PicturePane("", id="picture-pane")

    def on_mount(self) -> None:
        """List all claims."""
        super().on_mount()
        self.query_one(ListPane).list_claims("")

    # The question

    @property
    def home(self) -> Widget:
        """The list of claims."""
        return self.query_one(ClaimList)

    @property
    def settings(self) -> list[Setting]:
        """The settings of Claims: the claim, and the fields of its trial."""
        return [*FIELDS.values()]

    @property
    def claim(self) -> Claim:
        """The claim of the present question."""
        return find(self.present.draft.setup.get(Settings).claim)

    @on(OptionList.OptionHighlighted)
    def _choose(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        name = str(event.option_id)
        if self.question is not None and name != self.claim.id:
            self.ask(FIELDS["claim"].edit(name), "claim")

    @on(OptionList.OptionSelected)
    async def _open(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        await self.run_action("screen.open_instrument")

    def action_open_instrument(self) -> None:
        """Set up the instrument that shows the claim, and go there."""
        settings = self.present.draft.setup.get(Settings)
        target = opened(self.claim, settings.trial)
        if target is None:
            self.notify("No instrument shows this: its numbers are here, and its picture")
            return
        instrument, experiment = target
        draft = draft_of(experiment)
        self.ask(edits.become(replace(draft, setup=draft.setup.put(settings))))
        self.app.notify(f"{self.claim.id}: {self.claim.says}\n6 goes back", markup=False)
        self.post_message(self.Go(instrument.name))

    def action_filter(self) -> None:
        """Focus the filter, for typing words to search claims for."""
        if "list-pane" in self.views:
            self.view = "list-pane"
        self.query_one("#filter", Input).focus()

    @on(Input.Changed, "#filter")
    def _filter(self, event: Input.Changed) -> None:
        event.stop()
        claims = self.query_one(ListPane)
        claims.list_claims(event.value)
        if self.question is None:
            return
        # What is shown beside the list is in the list.
        first = claims.first_without(self.claim)
        if first:
            self.ask(FIELDS["claim"].edit(first), "claim")
        claims.select(self.claim)

    @on(Input.Submitted, "#filter")
    def action_leave_filter(self) -> None:
        """Go from the filter to the list."""
        self.set_focus(self.home)

    async def action_back(self) -> None:
        """Clear the filter, and go back as on every screen."""
        words = self.query_one("#filter", Input)
        is_elsewhere = self.has_class("-full") or self.has_class("-settings")
        if words.value and not is_elsewhere:
            words.value = ""
        await super().action_back()

    def action_full(self) -> None:
        """Show one pane alone, and take the focus from a hidden one."""
        super().action_full()
        if self.has_class("-full") and not self.query(".-large :focus"):
            self.set_focus(None)

    def _show_all(self) -> None:
        """Show all panes again, and focus the list, which may have been hidden."""
        super()._show_all()
        # Textual cannot focus a widget that is not shown yet.
        self.call_after_refresh(self.set_focus, self.home)

    def _change(self, name: str, steps: int) -> None:
        """Move a field of the trial by some steps, or say why it has no effect."""
        setting = FIELDS[name]
        why = setting.no_effect(self.present)
        if why:
            self.notify(why, timeout=3)
            return
        value = setting.kind.step(setting.value(self.present), steps)
        self.ask(setting.edit(value), name)

    def action_again(self) -> None:
        """Draw with the next seed."""
        self._change("seed", 1)

    def action_step_d_k(self, steps: int) -> None:
        """Move d_k by some stops."""
        self._change("d_k", steps)

    def action_double_d_k(self, times: int) -> None:
        """Halve or double d_k."""
        why = FIELDS["d_k"].no_effect(self.present)
        d_k = self.present.draft.setup.get(Settings).d_k
        wanted = d_k * 2 if times > 0 else max(d_k // 2, 1)
        if why or not FIELDS["d_k"].kind.admits(wanted):
            self.notify(why or f"d_k is {d_k:,} already", timeout=3)
        else:
            self.ask(FIELDS["d_k"].edit(wanted), "d_k double")

    def action_step_n(self, steps: int) -> None:
        """Move the number of keys by some stops."""
        self._change("n", steps)

    async def open_setting(self, name: str) -> None:
        """Open the panel of settings, which includes d_k here."""
        await self.open_panel(name)

    def action_type_d_k(self) -> None:
        """Open the settings at d_k."""
        self.call_later(self._type, "d_k")

    async def action_type_n(self) -> None:
        """Open the settings at the number of keys."""
        await self._type("n")

    async def _type(self, name: str) -> None:
        why = FIELDS[name].no_effect(self.present)
        if why:
            self.notify(why, timeout=3)
        else:
            await self.open_panel(FIELDS[name].name)

    def action_refuse_scale(self) -> None:
        """Say that each claim fixes its scale."""
        self.notify(NO_SCALE, timeout=3)

    def action_go_on(self) -> None:
        """Say that there is nothing to play here."""
        self.notify("There is nothing to stop or to play here", timeout=3)

    # Answers

    def watch_question(self, question: Question) -> None:
        """Show the claim at once, as in the ledger, and try it in a thread."""
        settings = question.draft.setup.get(Settings)
        claim = find(settings.claim)
        self.query_one(ListPane).select(claim)
        untried = TriedClaim(claim, settings.trial)
        self.headline = headline(claim, None if untried.changes else untried)
        self.query_one(ClaimPane).show_texts(untried)
        self.answer_in_thread(partial(_one_at_a_time, question.experiment))

    # Files and texts

    def report(self, answer: Answer, width: int | None = None) -> Report:
        """Return the claim and its finding."""
        return report_of(answer, width or WIDTH)

    # Views

    @property
    def views(self) -> Sequence[str]:
        """The panes to cycle through if not all fit; the picture only if there is one."""
        if self.size.width >= 100:
            return ("list-pane",)
        has_picture = self.answer is not None and self.answer.finding.picture is not None
        return self.VIEWS if has_picture else self.VIEWS[:-1]

    def watch_view(self) -> None:
        """Show the chosen pane if there is room for only one."""
        for name in self.VIEWS:
            self.pane(name).set_class(name == self.view, "-shown")
        places = {"list-pane": self.home, "claim-pane": self.query_one("#claim")}
        self.set_focus(places.get(self.view))
        self._fit_numbers()

    def on_resize(self) -> None:
        """Fit the numbers to the new width."""
        super().on_resize()
        self._fit_numbers()

    def _fit_numbers(self) -> None:
        """Show the numbers at the present width, once it is known."""
        if self.answer is not None:
            self.call_after_refresh(self.query_one(ClaimPane).show_numbers, self.answer.finding)

    def watch_answer(self, answer: Answer) -> None:
        """Show the verdict, the deciding numbers and the picture."""
        finding = answer.finding
        self.headline = headline(finding.claim, finding)
        claim = self.query_one(ClaimPane)
        claim.show_texts(finding)
        claim.show_numbers(finding)
        pane, picture = self.pane("picture-pane"), finding.picture
        self.query_one("#panes").set_class(picture is not None, "-drawn")
        if picture is None:
            pane.describe("There is nothing to draw", BASES[finding.claim.basis])
            self.draw("picture-pane", None)
        else:
            pane.describe(f"{plain(picture.title)}, over {picture.x}", marked_text(picture))
            self.draw("picture-pane", CurvesDrawing(picture))
