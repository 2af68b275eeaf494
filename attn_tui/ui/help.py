"""The help of a screen: Markdown on its panes, from files, and a table of its keys."""

from functools import cache
from typing import Any

from textual.screen import Screen

from attn_tui.ui.pane import Pane


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
    return "\n\n".join(text for text in texts if text)


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
