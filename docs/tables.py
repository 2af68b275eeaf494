"""Write what docs/ takes from the program, its tables and help: ``python -m docs.tables``."""

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import format_key

from attn_tui.attention.screen import AttentionScreen
from attn_tui.claims.claim import Claim
from attn_tui.claims.ledger import ledger
from attn_tui.compute.field import Field, fields_of
from attn_tui.compute.setup import FIELDS, Draw
from attn_tui.dots.screen import DotsScreen
from attn_tui.explore.screen import ExploreScreen
from attn_tui.explore.weights import WeightsPane
from attn_tui.files.faq import faq
from attn_tui.heads.doctor_pane import Multipliers
from attn_tui.heads.screen import HeadsScreen
from attn_tui.heads.table import HeadList
from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.sweep.screen import SweepScreen
from attn_tui.ui.app import AttnApp
from attn_tui.ui.heat_map import HeatMap
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.slider import Slider

DOCS = Path(__file__).parent
HELP = DOCS.parent / "attn_tui" / "help"

PLACES: Mapping[str, type[DOMNode]] = {
    "Everywhere": AttnApp,
    "On any instrument": InstrumentScreen,
    "In Explore": ExploreScreen,
    "In Dot products": DotsScreen,
    "In Sweep": SweepScreen,
    "In Attention": AttentionScreen,
    "In Heads": HeadsScreen,
    "On the slider": Slider,
    "In the weights": WeightsPane,
    "On a map": HeatMap,
    "In the table of heads": HeadList,
    "In the doctor's chart": Multipliers,
}
"""Where keys work, and which widget has them."""

MANY_CHOICES = 9
"""A field with more choices than this is not listed with all of them."""


def keys() -> Iterator[str]:
    """Yield a table with the keys of each place."""
    yield "| where | keys |"
    yield "|---|---|"
    for place, widget in PLACES.items():
        texts = []
        for binding in widget.BINDINGS:
            assert isinstance(binding, Binding)
            names = [
                "+".join(format_key(part) for part in key.split("+"))
                for key in binding.key.split(",")
            ]
            shown = ", ".join(dict.fromkeys(names))
            texts.append(f"`{shown}` {binding.tooltip or binding.description}")
        yield f"| {place} | {' · '.join(texts)} |".replace("`|", "`\\|")


def fields() -> Iterator[str]:
    """Yield a table with the fields of a question, by the object of JSON that holds them."""
    yield from _fields_table("`experiment`", FIELDS)
    by_key = {field.key: field for field in fields_of(Draw).values()}
    yield from _fields_table("`experiment.draw`", by_key)
    for instrument in INSTRUMENTS:
        title = f"`experiment.settings.{instrument.name}`"
        yield from _fields_table(title, fields_of(load(instrument.settings)))


def _fields_table(title: str, fields: Mapping[str, Field]) -> Iterator[str]:
    yield ""
    yield f"| {title} | option | what it is |"
    yield "|---|---|---|"
    for name, field in fields.items():
        option = f"`{field.option}`" if field.option else ""
        expected = field.kind.expected
        if len(field.kind.choices) > MANY_CHOICES:
            expected = f"one of {len(field.kind.choices)} names"
        yield f"| `{name}` | {option} | {field.help}: {expected} |"


def claims() -> Iterator[str]:
    """Yield the ledger: each claim with its verdict and what is right."""
    for heading, group in groupby(ledger().values(), _heading):
        yield ""
        yield f"## {heading}"
        yield ""
        yield "| claim | what is said | verdict | what is right |"
        yield "|---|---|---|---|"
        for claim in group:
            cells = [claim.id, claim.says, claim.verdict, claim.right]
            yield "| " + " | ".join(text.replace("|", "\\|") for text in cells) + " |"


def questions() -> Iterator[str]:
    """Yield what people ask, each with its reply and the command line that shows it."""
    for entry in faq():
        yield from ["", f"## {entry.asks}", "", entry.reply, "", f"    attn-tui {entry.command}"]


def _heading(claim: Claim) -> str:
    text = claim.id.partition("-")[0]
    return "Literature, courses and forums" if text == "L" else f"{text}: {claim.source}"


TABLES = {"keys": keys, "fields": fields, "claims": claims, "questions": questions}


def renewed(document: str) -> str:
    """Return a document whose tables and help, each between two comments, are the program's.

    The first help gives the page its title; the headings of the others are a level below it.
    """

    def table(match: re.Match[str]) -> str:
        begin, name, end = match.groups()
        return "\n".join([begin, "", *TABLES[name](), "", end])

    def help_text(match: re.Match[str]) -> str:
        begin, name, end = match.groups()
        level = "#" if match.start() else ""
        text = (HELP / f"{name}.md").read_text("utf-8").strip()
        return "\n".join([begin, "", f"{level}{text}", "", end])

    document = re.sub(r"(<!-- table: (\w+) -->).*?(<!-- end -->)", table, document, flags=re.DOTALL)
    return re.sub(r"(<!-- help: (\S+) -->).*?(<!-- end -->)", help_text, document, flags=re.DOTALL)


if __name__ == "__main__":
    for page in DOCS.rglob("*.md"):
        page.write_text(renewed(page.read_text("utf-8")), "utf-8")
