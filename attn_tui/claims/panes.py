"""The panes of Claims: the list of claims, and the finding on one of them."""

from collections.abc import Iterable
from textwrap import wrap
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import DataTable, Label, OptionList, Static
from textual.widgets.option_list import Option

from attn_tui.claims.charts import VERDICT_GLYPHS
from attn_tui.claims.claim import Claim, ClaimVerdict, TriedClaim
from attn_tui.claims.headline import headline
from attn_tui.claims.ledger import ledger
from attn_tui.claims.matches import hits
from attn_tui.claims.report import BASES, TITLES, WORDS, numbers_of, trial_text
from attn_tui.compute.text import visible
from attn_tui.ui.action import LINES
from attn_tui.ui.editors import Filter
from attn_tui.ui.markup import plain
from attn_tui.ui.pane import Pane
from attn_tui.ui.whole_words import Sentences, first_of, sentence_lines

COLOURS = {
    "holds": "$success", "conditional": "$warning", "false": "$error", "wording": "$secondary",
}  # fmt: skip
"""The colours of verdicts; those that decide nothing are muted instead."""

COUNTED: tuple[ClaimVerdict, ...] = ("holds", "false", "conditional", "wording")

SIGNS = {True: ("✓", "success"), False: ("✗", "error"), None: ("–", "foreground")}
"""The signs for a claim that holds, fails or does not apply in a case, with their colours."""

LEAST_NAME = 10
"""The least width of the name of a number, in columns."""


LEAST_LINES = 12
"""A list of claims with fewer lines shows the first words of each; a longer one all of them."""

BEFORE_WORDS = 8
"""The columns of verdict and id in the list."""


class ClaimList(OptionList):
    """A list of claims: verdict, id and words of each."""

    BINDINGS: ClassVar[list[BindingType]] = [*LINES]


class ListPane(Pane):
    """Lists the claims, filtered by words."""

    def __init__(self) -> None:
        words = Filter(placeholder="cosine, overflow, S1, false …", compact=True, id="filter")
        claims = ClaimList(id="list", compact=True)
        super().__init__("", words, claims, key="e", binding="entries", id="list-pane")
        self._listed: tuple[Claim, ...] = ()
        self._words_in = LEAST_NAME, False
        """How many columns there are for the words of a claim, and whether for all its lines."""

    def list_claims(self, words: str) -> None:
        """List the claims that some words find, the best first; all claims without words."""
        every, kept = ledger(), hits(words)
        self._listed = (*kept,)
        self._write_list()
        of_all = f" of {len(every)}" if len(kept) < len(every) else ""
        verdicts = [claim.verdict for claim in kept]
        counts = (f"{VERDICT_GLYPHS[verdict]} {verdicts.count(verdict)}" for verdict in COUNTED)
        self.describe(f"{len(kept)}{of_all} claims", "  ".join(counts))

    def on_resize(self) -> None:
        """Break the words of claims anew for the new width."""
        super().on_resize()
        size = self.query_one(ClaimList).size
        # The last columns are a blank and the scroll bar.
        room = size.width - BEFORE_WORDS - 2, size.height >= LEAST_LINES
        if room != self._words_in:
            self._words_in = room
            claims = self.query_one(ClaimList)
            place = claims.highlighted
            self._write_list()
            with claims.prevent(OptionList.OptionHighlighted):
                claims.highlighted = place

    def _write_list(self) -> None:
        claims = self.query_one(ClaimList)
        claims.clear_options()
        claims.add_options(
            [Option(_line(claim, *self._words_in), claim.id) for claim in self._listed]
        )

    def first_without(self, claim: Claim) -> str:
        """Return the id of the first claim listed, or "" if none is, or a certain one is too."""
        ids = [option.id or "" for option in self.query_one(ClaimList).options]
        return "" if not ids or claim.id in ids else ids[0]

    def select(self, claim: Claim) -> None:
        """Highlight a claim, if it is listed."""
        claims = self.query_one(ClaimList)
        ids = [option.id for option in claims.options]
        place = ids.index(claim.id) if claim.id in ids else None
        if claims.highlighted != place:
            with claims.prevent(OptionList.OptionHighlighted):
                claims.highlighted = place


def _line(claim: Claim, room: int, is_whole: bool) -> str:
    """Return a claim in the list, as markup: all its words within some columns, or the first."""
    colour = COLOURS[claim.verdict]
    room = max(room, LEAST_NAME)
    words = wrap(claim.says, room) if is_whole else [first_of(claim.says, room)]
    says = f"\n{' ' * BEFORE_WORDS}".join(map(plain, words))
    return f"[{colour}]{VERDICT_GLYPHS[claim.verdict]}[/] [dim]{claim.id:<6}[/]{says}"


class ClaimPane(Pane):
    """Shows the verdict on a claim, what is right, and the deciding numbers."""

    def __init__(self) -> None:
        super().__init__("", id="claim-pane")

    def compose(self) -> ComposeResult:
        """Lay out the texts above the numbers."""
        with VerticalScroll(id="claim"):
            yield Sentences(id="source")
            with Horizontal(id="verdict"):
                yield Label(id="badge")
                yield Sentences(id="condition")
            yield Sentences(id="right")
            yield Sentences(id="formula")
            yield DataTable(id="numbers", cursor_type="none", zebra_stripes=False)
            yield Sentences(id="trial")

    def on_mount(self) -> None:
        """Make the table unfocusable: the container scrolls all of it."""
        self.query_one(DataTable).can_focus = False
        super().on_mount()

    def show_texts(self, finding: TriedClaim) -> None:
        """Show the texts on a claim; while a changed trial is running, there is no verdict."""
        claim, verdict = finding.claim, finding.verdict
        is_tried = bool(finding.cases) or not finding.changes
        badge = self.query_one("#badge", Label)
        badge.update(f"{VERDICT_GLYPHS[verdict]} {WORDS[verdict].upper()}" if is_tried else "…")
        badge.set_classes(f"-{verdict}" if is_tried else "")
        trial = trial_text(finding)
        basis = BASES[claim.basis].capitalize()
        if claim.check is not None and not finding.cases:
            basis = "Being tried"
        # The headline has the condition already, if it fits.
        is_said = finding.condition in headline(claim, finding)
        texts = {
            "condition": "" if is_said else f"Holds only {finding.condition}.",
            "source": claim.source,
            "right": finding.right,
            "formula": claim.formula,
            "trial": f"{basis} with {trial}." if trial else f"{basis}.",
        }
        for name, text in texts.items():
            widget = self.query_one(f"#{name}", Static)
            widget.update(Content(text))
            widget.display = bool(text)
        self.describe(claim.id, "enter opens it" if claim.command else "")

    def show_numbers(self, finding: TriedClaim) -> None:
        """Show the deciding numbers, case by case, at the present width."""
        table = self.query_one(DataTable)
        table.clear(columns=True)
        table.display = bool(finding.cases)
        if not finding.cases:
            return
        rows = [numbers_of(evidence) for case in finding.cases for evidence in case.evidence]
        kept = [place for place in range(3) if any(row[place] for row in rows)]
        widths = {place: max(len(text) for text in _column(place, rows)) for place in kept}
        # Each column has a blank on either side, and so has the scroll bar.
        width = self.query_one("#claim").scrollable_content_region.width - 1
        room = max(width - 5 - sum(widths.values()) - 2 * len(kept), LEAST_NAME)
        table.add_column("", width=1)
        table.add_column("worked out", width=room)
        for place in kept:
            table.add_column(Text(TITLES[place], justify="right"), width=widths[place])
        for case in finding.cases:
            sign, colour = SIGNS[case.holds]
            glyph = Text(sign, style=self.app.theme_variables[colour])
            blanks = [""] * len(kept)
            table.add_row(glyph, Text(_lines(case.where, room), style="bold"), *blanks, height=None)
            for evidence in case.evidence:
                numbers = numbers_of(evidence)
                cells = [Text(numbers[place], justify="right") for place in kept]
                table.add_row("", Text(_lines(evidence.name, room)), *cells, height=None)


def _lines(text: str, room: int) -> str:
    return "\n".join(sentence_lines(visible(text), room))


def _column(place: int, rows: Iterable[tuple[str, str, str]]) -> list[str]:
    """Return the texts of a column, with its heading first."""
    return [TITLES[place], *(row[place] for row in rows)]
