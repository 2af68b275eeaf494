"""The title line and the key bar of every screen, as items that fit."""

from collections.abc import Sequence

from attn_tui.instruments import INSTRUMENTS
from attn_tui.tui.actions import Action
from attn_tui.tui.widgets.bar import Item

NARROW = 72
"""Fewer columns have room for little: one pane at a time, and numbers in place of names."""


def title_items(name: str, status: Sequence[tuple[str, str]], width: int) -> list[Item]:
    """Return the instruments, the one of a name with its title, and the status at the right end.

    Args:
        name: Of the instrument that is shown.
        status: Texts, each with what a click on it runs; the last ones are left out first.
        width: Cells.
    """
    items = [Item(((" attn-tui ", "title"),))] if width >= 60 else []
    for number, instrument in enumerate(INSTRUMENTS, 1):
        here = instrument.name == name
        role = "tab" if here else "muted"
        # Where there is little room, the others have their numbers alone.
        text = f" {number} {instrument.title} " if here or width >= NARROW else f" {number} "
        items.append(Item(((text, role),), f"app.instrument('{instrument.name}')"))
    return [*items, *_status_items(status, width - sum(item.width for item in items), width)]


def _status_items(status: Sequence[tuple[str, str]], room: int, width: int) -> list[Item]:
    """Return as much of the status as fits, at the right end of the room."""
    parts, last = [*status], " " if width >= NARROW else ""
    while True:
        ends = [" · "] * (len(parts) - 1) + [last]
        items = [
            Item(((text, "label"), (end, "muted")), action)
            for (text, action), end in zip(parts, ends, strict=bool(parts))
        ]
        gap = room - sum(item.width for item in items)
        if gap > 0 or len(parts) < 2:
            return [Item(((" " * max(gap, 1), "text"),)), *items]
        parts.pop()


def key_items(actions: Sequence[tuple[Action, str]], width: int) -> list[Item]:
    """Return the keys that fit, the more important ones first in line for room.

    Args:
        actions: In the order of the bar, each with what it is called now.
        width: Cells.
    """
    items = {action: _key_item(action, label) for action, label in actions}
    shown: set[Action] = set()
    for action in sorted(items, key=lambda action: action.bar):
        if items[action].width <= width:
            shown.add(action)
            width -= items[action].width
    return [item for action, item in items.items() if action in shown]


def _key_item(action: Action, label: str) -> Item:
    key = action.shown or action.always[0].replace("ctrl+", "^")
    return Item(((f" {key}", "key"), (f" {label} " if label else "", "text")), action.run)
