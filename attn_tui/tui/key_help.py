"""Every key there is, for the help, for docs/keys.md and for tests."""

import sys
from collections.abc import Iterable
from pathlib import Path

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.tui import dialogs, everywhere, file_dialogs, work
from attn_tui.tui.actions import Section, key_table

_KEYS = 12
"""Cells for keys, beside which stands what they do."""


def sections(first: Iterable[Section] = ()) -> tuple[Section, ...]:
    """Return every place with the keys that work there, each once, some of them first."""
    screens = [load(instrument.screen).SECTIONS for instrument in INSTRUMENTS]
    every = (
        *first,
        everywhere.SECTION,
        *(section for each in screens for section in each),
        dialogs.FindDialog.SECTION,
        dialogs.SeveralDialog.SECTION,
        file_dialogs.FileDialog.SECTION,
        dialogs.ReadDialog.SECTION,
        work.WorkDialog.SECTION,
    )
    return tuple(dict.fromkeys(every))


def key_help(first: Iterable[Section] = ()) -> Group:
    """Return every key as text to read, those of some places first."""
    parts: list[RenderableType] = []
    for section in sections(first):
        table = Table.grid(Column(width=_KEYS, style="bold"), Column(), padding=(0, 1, 0, 0))
        for action in section.actions:
            if action.all_shown:
                table.add_row(action.all_shown, action.help)
        parts += [Text(section.title, "bold"), Padding(table, (0, 0, 1, 2))]
    return Group(*parts)


START = "<!-- keys: python -m attn_tui.tui.key_help docs/keys.md -->\n"
END = "<!-- end of keys -->"


def with_keys(document: str) -> str:
    """Return a Markdown document with the present key table between its two marks."""
    before, start, rest = document.partition(START)
    _, end, after = rest.partition(END)
    return f"{before}{start}\n{key_table(sections())}\n{end}{after}"


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(with_keys(path.read_text("utf-8")), "utf-8")
