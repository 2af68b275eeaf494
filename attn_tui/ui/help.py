"""The help of a screen: Markdown on its panes, from files, and a table of its keys."""

import re
from functools import cache
from typing import Any

from textual.keys import format_key
from textual.screen import Screen

from attn_tui.ui.keymap import Keymap, keys_by_id, shown_key
from attn_tui.ui.pane import Pane

KEY = re.compile("`[^`]+`")
"""A key, or other code, in Markdown."""


def help_text(screen: Screen[Any], pane: Pane | None) -> str:
    """Return Markdown on a pane, the screen, the keys that work now, and the other panes.

    Args:
        screen: The screen.
        pane: The focused pane, if any; a pane that fills the screen takes its place.
    """
    panes = [other for other in screen.query(Pane) if other.display]
    first = next((other for other in panes if other.has_class("-large")), pane)
    others = [other for other in panes if other is not first]
    name = getattr(screen, "NAME", "")
    texts = [read(name), key_table(screen), *(read(name_of(name, other)) for other in others)]
    if first is not None:
        texts.insert(0, read(name_of(name, first)))
    return with_keys("\n\n".join(text for text in texts if text), screen)


def with_keys(text: str, screen: Screen[Any]) -> str:
    """Return Markdown with the keys that somebody has chosen in place of ours."""
    chosen: Keymap = getattr(screen.app, "chosen_keys", {})
    ours = keys_by_id([type(screen.app), type(screen)]) if chosen else {}
    others = {
        f"`{format_key(key)}`": f"`{shown_key(screen, name, '')}`"
        for name in chosen
        for key in ours.get(name, ())
    }
    return KEY.sub(lambda found: others.get(found[0], found[0]), text)


def name_of(screen: str, pane: Pane) -> str:
    """Return the name of a pane's help file, without its suffix."""
    return f"{screen}-{(pane.id or '').removesuffix('-pane')}"


@cache
def read(name: str) -> str:
    """Return the text of a help file, or nothing if there is none."""
    # Imported here because nobody asks for help before the first screen.
    from importlib.resources import files

    file = files("attn_tui").joinpath("help", f"{name}.md")
    return file.read_text("utf-8") if file.is_file() else ""


def key_table(screen: Screen[Any]) -> str:
    """Return the keys that work on a screen now, as a table in Markdown."""
    lines = ["| key | what it does |", "| --- | --- |"]
    seen: set[str] = set()
    for active in screen.active_bindings.values():
        binding = active.binding
        if binding.description and binding.action not in seen and not binding.system:
            seen.add(binding.action)
            key = screen.app.get_key_display(binding)
            lines.append(f"| `{key}` | {binding.tooltip or binding.description} |")
    return "\n".join(lines)
