"""The title line and the key bar of every screen, as items that fit."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from attn_tui.instruments import INSTRUMENTS, Instrument
from attn_tui.old.tui.actions import Action
from attn_tui.old.tui.widgets.bar import Item
from attn_tui.report.rows import cells

NARROW = 72
"""Fewer columns have room for little: one pane at a time, and numbers in place of names."""

BETWEEN = " · "
"""What stands between texts of the status."""


Status = Sequence[tuple[Sequence[str], str]]
"""What the right end of a title line says: each a text at decreasing length, and what a click on it
runs."""


def title_items(name: str, status: Status, width: int) -> list[Item]:
    """Return the instruments, the one of a name with its title, and the status at the right end.

    Args:
        name: Of the instrument that is shown.
        status: The first come first in line for room.
        width: Cells.
    """
    # Where there is little room the program's name goes, and in the end all names but one.
    room = width - 2 - cells(status[0][0][-1] if status else "")
    titles = {each.name: each.title for each in INSTRUMENTS}
    shorts = {each.name: each.short or each.title for each in INSTRUMENTS}
    alone = {each: title for each, title in titles.items() if each == name}
    for program, named in ((True, titles), (False, titles), (False, shorts), (True, alone)):
        items = [Item(((" attn-tui ", "title"),))] if program and width >= 60 else []
        items += [_instrument_item(each, each.name == name, named) for each in INSTRUMENTS]
        if width >= NARROW and sum(item.width for item in items) <= room:
            break
    return [*items, *_status_items(status, width - sum(item.width for item in items), width)]


def _instrument_item(instrument: Instrument, here: bool, names: Mapping[str, str]) -> Item:
    """Return an instrument's number, with its name if it has one."""
    role = "tab" if here else "muted"
    name = names.get(instrument.name)
    text = f" {instrument.number} " + (f"{name} " if name else "")
    return Item(((text, role),), f"app.instrument('{instrument.name}')")


def _status_items(status: Status, room: int, width: int) -> list[Item]:
    """Return as much of the status as fits, at the right end of the room."""
    last = " " if width >= NARROW else ""
    parts: list[tuple[str, str]] = []
    left = room - 1 - cells(last)
    for texts, action in status:
        before = cells(BETWEEN) * bool(parts)
        text = next((text for text in texts if before + cells(text) <= left), None)
        if text is None and parts:
            break
        # The first is there in any case.
        parts.append((texts[-1] if text is None else text, action))
        left -= before + cells(parts[-1][0])
    ends = [BETWEEN] * (len(parts) - 1) + [last]
    items = [
        Item(((text, "label"), (end, "muted")), action)
        for (text, action), end in zip(parts, ends, strict=bool(parts))
    ]
    return [Item(((" " * max(left + 1, 1), "text"),)), *items]


def key_items(actions: Sequence[tuple[Action, str]], width: int) -> list[Item]:
    """Return the keys that fit, the more important ones first in line for room.

    Args:
        actions: In the order of the bar, each with what it is called now.
        width: Cells.
    """
    roomy = width >= NARROW
    groups: list[tuple[int, list[Item]]] = []
    joins = False
    for action, label in actions:
        item = _key_item(action, label, roomy and not joins, roomy)
        if joins:
            groups[-1][1].append(item)
        else:
            groups.append((action.bar, [item]))
        # A key without a label is one with the next.
        joins = not label
    shown = set()
    width += 1 if roomy else 2
    for place in sorted(range(len(groups)), key=lambda place: groups[place][0]):
        taken = sum(item.width for item in groups[place][1])
        if taken <= width:
            shown.add(place)
            width -= taken
    line = [item for place, (_, items) in enumerate(groups) if place in shown for item in items]
    *rest, last = line or [Item(())]
    return [*rest, replace(last, row=tuple((text.rstrip(), role) for text, role in last.row))]


def _key_item(action: Action, label: str, padded: bool, roomy: bool) -> Item:
    key = action.shown or action.always[0].replace("ctrl+", "^")
    end = f" {label}{' ' if roomy else '  '}" if label else ""
    return Item(((f"{' ' * padded}{key}", "key"), (end, "text")), action.run, action.help)
