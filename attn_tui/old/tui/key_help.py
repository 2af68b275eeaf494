"""Every key there is, for the help, for docs/keys.md and for tests."""

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.table import Column, Table
from rich.text import Text
from textual.screen import Screen

from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.old.tui import dialogs, drawer, everywhere, file_dialogs, full, work
from attn_tui.old.tui.actions import Action, Section, key_table
from attn_tui.old.tui.explaining import explanation_of
from attn_tui.old.tui.reading import ReadDialog
from attn_tui.old.tui.widgets import entry
from attn_tui.report.generated import Generated

_KEYS = 12
"""Cells for keys, beside which stands what they do."""


def sections(first: Iterable[Section] = ()) -> tuple[Section, ...]:
    """Return every place with the keys that work there, each once, some of them first."""
    screens = [load(each.screen).SECTIONS for each in INSTRUMENTS if each.screen]
    common = (drawer.SECTION, entry.SECTION, full.SECTION)
    every = (
        *first,
        everywhere.SECTION,
        *(section for each in screens for section in each),
        *common,
        dialogs.FindDialog.SECTION,
        dialogs.SeveralDialog.SECTION,
        file_dialogs.FileDialog.SECTION,
        ReadDialog.SECTION,
        work.WorkDialog.SECTION,
    )
    return tuple(dict.fromkeys(every))


def key_help(first: Iterable[Section] = ()) -> Group:
    """Return every key as text to read, those of some places first, whose rows can be clicked."""
    parts: list[RenderableType] = []
    here = (*first, everywhere.SECTION) if first else ()
    for section in sections(first):
        table = Table.grid(Column(width=_KEYS, style="bold"), Column(), padding=(0, 1, 0, 0))
        for action in section.actions:
            if action.all_shown:
                table.add_row(*_row(action, section in here))
        parts += [Text(section.title, "bold"), Padding(table, (0, 0, 1, 2))]
    return Group(*parts)


def _row(action: Action, clicks: bool) -> Iterator[Text]:
    """Yield the keys of an action and what it does; a click on them is a press of its key."""
    key = (*action.keys, *action.always)[0]
    style = Style(meta={"@click": f"screen.press({key!r})"}) if clicks else ""
    for text in (action.all_shown, action.help):
        yield Text(text, style)


def help_dialog(base: Screen[None], top: Screen[Any]) -> ReadDialog | None:
    """Return what explains the pane that has the keys, and lists them; nothing over itself.

    Args:
        base: The screen of an instrument.
        top: What is open over it, or the screen itself, which alone is explained.
    """
    if isinstance(top, ReadDialog):
        return None
    keys = key_help(getattr(base, "SECTIONS", ()))
    if top is not base:
        return ReadDialog("Keys", keys)
    explanation = explanation_of(base)
    return ReadDialog(explanation.title, Group(explanation.text(), "", keys))


KEYS = Generated(
    "keys", "attn_tui.old.tui.key_help docs/keys.md", lambda: key_table(sections()).split("\n")
)

if __name__ == "__main__":
    KEYS.write()
