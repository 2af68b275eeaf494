"""The help of a screen: what a pane shows, from a Markdown file, and what keys do there."""

from functools import cache
from importlib.resources import files
from typing import Any

from textual.screen import Screen

from attn_tui.ui.pane import Pane


def help_text(screen: Screen[Any], pane: Pane | None) -> str:
    """Return Markdown on a pane, or on the whole screen, with the keys that work now."""
    names = [getattr(screen, "NAME", "")]
    if pane is not None and pane.id:
        names.insert(0, f"{names[0]}-{pane.id.removesuffix('-pane')}")
    texts = [text for name in names if (text := read(name))]
    return f"{texts[0] if texts else ''}\n\n{key_table(screen)}"


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
