"""The help of a screen: what its panes show, from Markdown files, and what keys do there."""

from functools import cache
from importlib.resources import files
from typing import Any

from textual.screen import Screen

from attn_tui.ui.pane import Pane


def help_text(screen: Screen[Any], pane: Pane | None) -> str:
    """Return Markdown on a pane, on the screen, the keys that work now, and on the other panes.

    Args:
        screen: What is helped with.
        pane: The one with the focus, if any; where one fills the screen, that one counts.
    """
    shown = [other for other in screen.query(Pane) if other.display]
    first = next((other for other in shown if other.has_class("-large")), pane)
    others = [other for other in shown if other is not first]
    name = getattr(screen, "NAME", "")
    texts = [read(name), key_table(screen), *(read(name_of(name, other)) for other in others)]
    if first is not None:
        texts.insert(0, read(name_of(name, first)))
    return "\n\n".join(text for text in texts if text)


def name_of(screen: str, pane: Pane) -> str:
    """Return the name of the file on a pane, without its ending."""
    return f"{screen}-{(pane.id or '').removesuffix('-pane')}"


@cache
def read(name: str) -> str:
    """Return a file of help, or nothing where there is none."""
    file = files("attn_tui").joinpath("help", f"{name}.md")
    return file.read_text("utf-8") if file.is_file() else ""


def key_table(screen: Screen[Any]) -> str:
    """Return the keys that do something on a screen now, as a table in Markdown."""
    lines = ["| key | what it does |", "| --- | --- |"]
    shown: set[str] = set()
    for active in screen.active_bindings.values():
        binding = active.binding
        if binding.description and binding.action not in shown and not binding.system:
            shown.add(binding.action)
            key = screen.app.get_key_display(binding)
            lines.append(f"| `{key}` | {binding.tooltip or binding.description} |")
    return "\n".join(lines)
