"""The changes that are sent show the same as all the data would, and are short."""

from collections.abc import Sequence

import pyte
from hypothesis import example, given
from hypothesis import strategies as st

from attn_tui.ui.terminal.cells import TerminalCells

COLUMNS, LINES = 24, 6
TEXTS = st.text("ab █▁∂√─ ", min_size=1, max_size=COLUMNS) | st.sampled_from(["宽字", "a宽b", "é̂x"])
STYLES = st.sampled_from(["", "1", "31", "31;44", "31;42", "1;38;2;1;2;3;48;2;9;9;9", "7", "4;32"])


def update(row: int, column: int, style: str, text: str) -> str:
    """Return a piece of an update as Textual writes it."""
    fitting = text[: (COLUMNS - column) // 2 if not text.isascii() else COLUMNS - column]
    styled = f"\x1b[{style}m{fitting}\x1b[0m" if style else fitting
    return f"\x1b[{row + 1};{column + 1}H{styled}\n"


UPDATES = st.lists(
    st.builds(update, st.integers(0, LINES - 2), st.integers(0, COLUMNS - 1), STYLES, TEXTS),
    min_size=1,
    max_size=8,
).map("".join)


class Shown:
    """A terminal that interprets the data written to it."""

    def __init__(self) -> None:
        self.screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.Stream(self.screen)

    def write(self, data: str) -> None:
        self._stream.feed(data)

    @property
    def cells(self) -> list[list[pyte.screens.Char]]:
        return [[seen(self.screen.buffer[y][x]) for x in range(COLUMNS)] for y in range(LINES)]


def seen(cell: pyte.screens.Char) -> pyte.screens.Char:
    """Return what a person sees of a cell: of a blank, its background and lines."""
    if cell.data != " " or cell.reverse:
        return cell
    return pyte.screens.Char(
        " ", bg=cell.bg, underscore=cell.underscore, strikethrough=cell.strikethrough
    )


@example([update(0, 15, "", "宽字"), update(0, 13, "", "aaaaa"),
          update(0, 15, "", "宽字") + update(0, 18, "", "a")])  # fmt: skip
@example([update(0, 15, "", "宽"), update(0, 15, "", "字") + update(0, 16, "", "b")])
@given(st.lists(UPDATES, min_size=1, max_size=8))
def test_the_terminal_shows_the_same_as_if_all_were_sent(updates: Sequence[str]) -> None:
    cells, every, changed = TerminalCells(), Shown(), Shown()
    for data in updates:
        every.write(data + "\x1b[2;3H")
        changed.write(cells.changes(data + "\x1b[2;3H"))
        assert changed.cells == every.cells
        assert (changed.screen.cursor.x, changed.screen.cursor.y) == (2, 1)


@given(
    st.lists(st.text("ab█ ", min_size=COLUMNS, max_size=COLUMNS), min_size=LINES, max_size=LINES),
    st.integers(1, COLUMNS),
    st.integers(1, LINES),
)
def test_what_is_laid_out_for_a_larger_terminal_spoils_nothing(
    large: Sequence[str], columns: int, lines: int
) -> None:
    cells, terminal = TerminalCells(), Shown()
    terminal.screen.resize(lines, columns)
    terminal.write("\x1b[?7l")
    cells.fit(columns, lines)
    small = [row[:columns] for row in large[:lines]]
    for rows in (large, small):
        whole = "".join(f"\x1b[{row};1H{text}\n" for row, text in enumerate(rows, 1))
        terminal.write(cells.changes(whole))
    assert list(terminal.screen.display) == small


def test_of_a_terminal_of_another_size_nothing_is_known() -> None:
    cells = TerminalCells()
    cells.fit(80, 24)
    cells.changes("\x1b[1;1Hsame")
    cells.fit(80, 24)
    assert cells.changes("\x1b[1;1Hsame") == ""
    cells.fit(40, 24)
    assert "same" in cells.changes("\x1b[1;1Hsame")


def test_of_a_line_only_what_differs_is_sent() -> None:
    cells = TerminalCells()
    cells.changes("\x1b[1;1H\x1b[31mkey 1   0.1309\x1b[0m  and more")
    assert cells.changes("\x1b[1;1H\x1b[31mkey 1   0.1310\x1b[0m  and more") == (
        "\x1b[31m\x1b[1;13H10\x1b[0m\x1b[1;25H"
    )


def test_an_update_without_a_change_sends_nothing() -> None:
    cells = TerminalCells()
    cells.changes("\x1b[1;1Hsame")
    for part in ("\x1b[?2026h", "\x1b[1;1Hsame", "\x1b[?2026l"):
        assert cells.changes(part) == ""
    assert cells.changes("\x1b[?2026h") == ""
    assert cells.changes("\x1b[1;1Hsome") == "\x1b[?2026h\x1b[1;2Ho\x1b[1;5H"
    assert cells.changes("\x1b[?2026l") == "\x1b[?2026l"


def test_what_is_not_text_is_sent_as_it_is_and_what_clears_is_heeded() -> None:
    cells = TerminalCells()
    cells.changes("\x1b[1;1Hsame")
    assert cells.changes("\x1b[?25l\x07\x1b]52;c;YQ==\x07") == "\x1b[?25l\x07\x1b]52;c;YQ==\x07"
    assert cells.changes("\x1b[?1049h") == "\x1b[?1049h"
    assert "same" in cells.changes("\x1b[1;1Hsame")
    cells.forget()
    assert "same" in cells.changes("\x1b[1;1Hsame")
