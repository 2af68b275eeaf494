"""A fix for Textual 8.2: a page key in a list that has no room ended the program.

A list of options knows the lines of its options once it has a line and a column to show them in. In
a window too small for that, or before it is laid out, it asked for the line of the chosen one all
the same (docs/upstream.md).
"""

from typing import Literal

from textual.widgets import OptionList

_move_page = OptionList._move_page


def _move_page_with_room(self: OptionList, direction: Literal[-1, 1]) -> None:
    # A region is false without a line or without a column.
    if self.scrollable_content_region:
        _move_page(self, direction)


def need_room_to_page() -> None:
    """Make lists of options, those of the palette and of choices too, page only with room."""
    OptionList._move_page = _move_page_with_room  # type: ignore[method-assign]
