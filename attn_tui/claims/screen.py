"""The Claims screen: what is said about dividing by √d_k, what comes of it, and what is right."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from threading import Lock
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, VerticalScroll
from textual.content import Content
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import DataTable, Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from attn_tui.claims.answer import Answer, answer, opened
from attn_tui.claims.charts import VERDICT_GLYPHS, Curves, Tracks, marked_text
from attn_tui.claims.claim import Claim, Finding, Verdict
from attn_tui.claims.headline import headline
from attn_tui.claims.ledger import find, ledger
from attn_tui.claims.palette import ClaimsProvider
from attn_tui.claims.report import BASES, WORDS, numbers_of, report_of, trial_text
from attn_tui.claims.settings import Settings
from attn_tui.compute.errors import Stop
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.field import fields_of
from attn_tui.compute.text import visible
from attn_tui.files import edits
from attn_tui.files.draft import draft_of
from attn_tui.files.history import Asked
from attn_tui.report.export import Forms
from attn_tui.report.forms import forms
from attn_tui.report.text import text
from attn_tui.ui.dialogs import columns_of_text
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.markup import plain
from attn_tui.ui.pane import Pane
from attn_tui.ui.picture import Picture
from attn_tui.ui.setting import Setting, of_field
from attn_tui.ui.settings_panel import SettingsPanel

FIELDS = {name: of_field(field) for name, field in fields_of(Settings).items()}

COLOURS = {
    "holds": "$success", "conditional": "$warning", "false": "$error", "wording": "$secondary",
}  # fmt: skip
"""The colours of verdicts; of one that tells nothing it is muted."""

COUNTED: tuple[Verdict, ...] = ("holds", "false", "conditional", "wording")

SIGNS = {True: "✓", False: "✗", None: "–"}
"""Whether a claim holds in a case, or does not apply."""

TITLES = ("found", "stated", "exact")
"""What stands above numbers and what they are held against."""

LEAST_NAME = 10
"""Columns of what a number is at least."""

NO_SCALE = "Each claim says which scale it is about: enter opens it where there is a choice"

TRYING = Lock()
"""One claim is tried at a time: who runs through the list would else try all of them at once."""


class ClaimList(OptionList):
    """A line for each claim: its verdict, its id and its words."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
    ]


def _one_at_a_time(experiment: Experiment, stop: Stop) -> Iterator[Answer]:
    """Yield what comes of a claim, once the one that was tried before has stopped."""
    with TRYING:
        yield from answer(experiment, stop)


class ClaimsScreen(InstrumentScreen):
    """What is said about dividing by √d_k, tried one at a time."""

    CSS_PATH = "claims.tcss"
    NAME = "claims"
    AUTO_FOCUS = "ClaimList"
    VIEWS: ClassVar = ("list-pane", "claim-pane", "picture-pane")
    GROUPS: ClassVar = (
        ("Claim", (FIELDS["claim"],)),
        ("Tried with", tuple(FIELDS[name] for name in ("seed", "d_k", "n", "draws"))),
    )
    COMMANDS: ClassVar = {ClaimsProvider}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open_instrument", "Open", tooltip="Open the instrument that shows it",
                id="open_instrument"),
        Binding("e", "filter", "Filter", tooltip="List the claims with some words", id="entries"),
        Binding("a", "again", "Another draw", show=False, id="again"),
        Binding("r,m", "refuse_scale", "Rule", show=False, id="refuse_scale"),
    ]  # fmt: skip

    answer: var[Answer | None] = var(None, init=False)

    def compose_body(self) -> ComposeResult:
        """Lay out the panes."""
        with Container(id="panes"):
            find_words = Input(
                placeholder="words, S1, false, gradients …", compact=True, id="filter"
            )
            yield Pane("", find_words, ClaimList(id="list", compact=True), id="list-pane")
            with Pane("", id="claim-pane"), VerticalScroll(id="claim"):
                yield Static(id="source")
                with Horizontal(id="verdict"):
                    yield Label(id="badge")
                    yield Static(id="condition")
                yield Static(id="right")
                yield Static(id="formula")
                yield DataTable(id="numbers", cursor_type="none", zebra_stripes=False)
                yield Static(id="trial")
            yield Pane("", Picture("picture"), id="picture-pane")

    def on_mount(self) -> None:
        """List all claims."""
        super().on_mount()
        self.query_one(DataTable).can_focus = False
        self._list("")

    # What is asked

    @property
    def home(self) -> Widget:
        """The list of claims."""
        return self.query_one(ClaimList)

    @property
    def settings(self) -> list[Setting]:
        """The claim, and what it is tried with."""
        return [*FIELDS.values()]

    @property
    def claim(self) -> Claim:
        """The claim that is asked."""
        return find(self.present.draft.setup.get(Settings).claim)

    @on(OptionList.OptionHighlighted)
    def _choose(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        name = str(event.option_id)
        if self.asked is not None and name != self.claim.id:
            self.ask(FIELDS["claim"].edit(name), "claim")

    @on(OptionList.OptionSelected)
    def _open(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_open_instrument()

    def action_open_instrument(self) -> None:
        """Set up the instrument that shows the claim, and go there."""
        settings = self.present.draft.setup.get(Settings)
        shown = opened(self.claim, settings.trial)
        if shown is None:
            self.notify("No instrument shows this: its numbers are here, and its picture")
            return
        instrument, experiment = shown
        draft = draft_of(experiment)
        self.ask(edits.become(replace(draft, setup=draft.setup.put(settings))))
        self.app.notify(f"{self.claim.id}: {self.claim.says}\n6 goes back", markup=False)
        self.post_message(self.Go(instrument.name))

    def action_filter(self) -> None:
        """Type words that claims are to have."""
        if "list-pane" in self.views:
            self.view = "list-pane"
        self.query_one("#filter", Input).focus()

    @on(Input.Changed, "#filter")
    def _filter(self, event: Input.Changed) -> None:
        event.stop()
        self._list(event.value)

    @on(Input.Submitted, "#filter")
    def _leave_filter(self, event: Input.Submitted) -> None:
        event.stop()
        self.set_focus(self.home)

    async def action_back(self) -> None:
        """List all claims again, or go back as everywhere."""
        words = self.query_one("#filter", Input)
        is_elsewhere = self.has_class("-full") or bool(self.query(SettingsPanel))
        if words.value and not is_elsewhere:
            words.value = ""
        await super().action_back()

    def action_full(self) -> None:
        """Show one pane alone; what is out of sight is not typed into."""
        super().action_full()
        if self.has_class("-full") and not self.query(".-large :focus"):
            self.set_focus(None)

    def _show_all(self) -> None:
        """Show all panes again, and stand in the list, which was out of sight."""
        super()._show_all()
        # Textual gives the focus to nothing that it does not show yet.
        self.call_after_refresh(self.set_focus, self.home)

    def _change(self, name: str, steps: int) -> None:
        """Move what a claim is tried with some steps, where it plays a part."""
        setting = FIELDS[name]
        why = setting.held(self.present)
        if why:
            self.notify(why, timeout=3)
            return
        value = setting.kind.step(setting.value(self.present), steps)
        self.ask(setting.edit(value), name)

    def action_again(self) -> None:
        """Draw with the next seed."""
        self._change("seed", 1)

    def action_step_d_k(self, steps: int) -> None:
        """Move d_k some stops."""
        self._change("d_k", steps)

    def action_double_d_k(self, times: int) -> None:
        """Halve d_k, or double it."""
        why = FIELDS["d_k"].held(self.present)
        d_k = self.present.draft.setup.get(Settings).d_k
        wanted = d_k * 2 if times > 0 else max(d_k // 2, 1)
        if why or not FIELDS["d_k"].kind.admits(wanted):
            self.notify(why or f"d_k is {d_k:,} already", timeout=3)
        else:
            self.ask(FIELDS["d_k"].edit(wanted), "d_k double")

    def action_step_n(self, steps: int) -> None:
        """Move the number of keys some stops."""
        self._change("n", steps)

    async def open_setting(self, name: str) -> None:
        """Open the panel of settings, in which d_k is too."""
        await self.open_panel(name)

    def action_type_d_k(self) -> None:
        """Type d_k in the settings."""
        self.call_later(self._type, "d_k")

    async def action_type_n(self) -> None:
        """Type the number of keys in the settings."""
        await self._type("n")

    async def _type(self, name: str) -> None:
        why = FIELDS[name].held(self.present)
        if why:
            self.notify(why, timeout=3)
        else:
            await self.open_panel(FIELDS[name].name)

    def action_refuse_scale(self) -> None:
        """Say where a scale can be chosen."""
        self.notify(NO_SCALE, timeout=3)

    def action_go_on(self) -> None:
        """Say that nothing plays here."""
        self.notify("There is nothing to stop or to play here", timeout=3)

    # What is computed

    def watch_asked(self, asked: Asked) -> None:
        """Show the claim at once, as the ledger has it, and try it in a thread."""
        settings = asked.draft.setup.get(Settings)
        claim = find(settings.claim)
        self._select(claim)
        untried = Finding(claim, settings.trial)
        self.headline = headline(claim, None if untried.changes else untried)
        self.query_one("#panes").set_class(claim.check is not None, "-drawn")
        self._show_texts(untried)
        self.answer_in_thread(partial(_one_at_a_time, asked.experiment))

    # Files and texts

    def forms(self) -> Forms:
        """Return what can be saved of the claim."""
        found = self.answer
        return {} if found is None else forms(lambda: report_of(found))

    def report(self) -> str:
        """Return the claim and what came of it as text."""
        width = columns_of_text(self.size.width)
        return "" if self.answer is None else "".join(text(report_of(self.answer, width), width))

    # What is shown

    @property
    def views(self) -> Sequence[str]:
        """One pane at a time, where there is no room for all."""
        return self.VIEWS if self.size.width < 100 else ("list-pane",)

    def watch_view(self) -> None:
        """Show another pane, where there is room for one alone."""
        for name in self.VIEWS:
            self.pane(name).set_class(name == self.view, "-shown")
        places = {"list-pane": self.home, "claim-pane": self.query_one("#claim")}
        self.set_focus(places.get(self.view))
        self._fit_numbers()

    def on_resize(self) -> None:
        """Fit the numbers to another width."""
        super().on_resize()
        self._fit_numbers()

    def _fit_numbers(self) -> None:
        """Show the numbers in the width there is, once that is known."""
        if self.answer is not None:
            self.call_after_refresh(self._show_numbers, self.answer.finding)

    def _list(self, words: str) -> None:
        """List the claims that have all of some words in what there is to say of them."""
        wanted = words.casefold().split()
        listed = [
            claim
            for claim in ledger().values()
            if all(word in _searched(claim.id) for word in wanted)
        ]
        claims = self.query_one(ClaimList)
        claims.clear_options()
        claims.add_options([Option(_line(claim), id=claim.id) for claim in listed])
        if self.asked is not None:
            self._select(self.claim)
        every = f" of {len(ledger())}" if wanted else ""
        verdicts = [claim.verdict for claim in listed]
        counts = (f"{VERDICT_GLYPHS[verdict]} {verdicts.count(verdict)}" for verdict in COUNTED)
        self.pane("list-pane").describe(f"{len(listed)}{every} claims", "  ".join(counts))

    def _select(self, claim: Claim) -> None:
        """Stand on a claim in the list, if it is there."""
        claims = self.query_one(ClaimList)
        ids = [option.id for option in claims.options]
        place = ids.index(claim.id) if claim.id in ids else None
        if claims.highlighted != place:
            with claims.prevent(OptionList.OptionHighlighted):
                claims.highlighted = place

    def watch_answer(self, found: Answer) -> None:
        """Show the verdict, the numbers that decide and the picture."""
        finding = found.finding
        self.headline = headline(finding.claim, finding)
        self._show_texts(finding)
        self._show_numbers(finding)
        self._draw_picture(finding)

    def _show_texts(self, finding: Finding) -> None:
        """Show all of a claim that is text."""
        claim, verdict = finding.claim, finding.verdict
        is_known = bool(finding.cases) or not finding.changes
        word = f"{VERDICT_GLYPHS[verdict]} {WORDS[verdict].upper()}" if is_known else "…"
        badge = self.query_one("#badge", Label)
        badge.update(word)
        badge.set_classes(f"-{verdict}" if is_known else "")
        condition = f"Holds only {finding.condition}." if finding.condition else ""
        self._write("condition", condition)
        self._write("source", claim.source)
        self._write("right", finding.right)
        self._write("formula", claim.formula)
        self._write("trial", basis_text(finding))
        self.pane("claim-pane").describe(claim.id, "enter opens it" if claim.command else "")

    def _write(self, id: str, words: str) -> None:
        widget = self.query_one(f"#{id}", Static)
        widget.update(Content(words))
        widget.display = bool(words)

    def _show_numbers(self, finding: Finding) -> None:
        """Show the numbers that decide, a case below another."""
        table = self.query_one(DataTable)
        table.clear(columns=True)
        table.display = bool(finding.cases)
        if not finding.cases:
            return
        rows = [numbers_of(evidence) for case in finding.cases for evidence in case.evidence]
        kept = [place for place in range(3) if any(row[place] for row in rows)]
        widths = {
            place: max(len(TITLES[place]), *(len(row[place]) for row in rows)) for place in kept
        }
        # Beside each column there is a blank on either side.
        width_there_is = self.query_one("#claim").scrollable_content_region.width
        room = max(width_there_is - 5 - sum(widths.values()) - 2 * len(kept), LEAST_NAME)
        table.add_column("", width=1)
        table.add_column("worked out", width=room)
        for place, width in widths.items():
            table.add_column(Text(TITLES[place], justify="right"), width=width)
        for case in finding.cases:
            sign = Text(SIGNS[case.holds], style=self._ink_of(case.holds))
            blanks = [""] * len(kept)
            table.add_row(sign, Text(visible(case.where), style="bold"), *blanks, height=None)
            for evidence in case.evidence:
                numbers = numbers_of(evidence)
                cells = [Text(numbers[place], justify="right") for place in kept]
                table.add_row("", Text(visible(evidence.name)), *cells, height=None)

    def _ink_of(self, holds: bool | None) -> str:
        """Return the colour of the sign of a case."""
        if holds is None:
            return ""
        return self.app.theme_variables["success" if holds else "error"]

    def _draw_picture(self, finding: Finding) -> None:
        """Draw curves, or numbers beside what they are held against, where there are any."""
        pane = self.pane("picture-pane")
        if finding.picture is not None:
            picture = finding.picture
            pane.describe(f"{plain(picture.title)}, over {picture.x}", marked_text(picture))
            self.draw("picture", Curves(picture))
        elif finding.cases:
            pane.describe("Numbers, each beside what it is held against", "")
            self.draw("picture", Tracks(finding.cases))
        else:
            pane.describe("There is nothing to draw", BASES[finding.claim.basis])
            self.draw("picture", None)


def basis_text(finding: Finding) -> str:
    """Return what a verdict rests on, with what it was tried with; or that it is being tried."""
    trial = trial_text(finding)
    with_trial = f" with {trial}" if trial else ""
    if finding.claim.check is not None and not finding.cases:
        return f"Being tried{with_trial} …"
    return f"{BASES[finding.claim.basis].capitalize()}{with_trial}."


@lru_cache(maxsize=256)
def _searched(id: str) -> str:
    """Return all that a claim is found by."""
    claim = find(id)
    parts = (id, claim.says, claim.source, claim.verdict, claim.basis, *claim.topics)
    return " ".join(parts).casefold()


def _line(claim: Claim) -> str:
    """Return the line of a claim in the list, as markup."""
    colour = COLOURS[claim.verdict]
    return f"[{colour}]{VERDICT_GLYPHS[claim.verdict]}[/] [dim]{claim.id:<6}[/]{plain(claim.says)}"
