"""What the Explore screen offers by name: sources and examples."""

from collections.abc import Iterator

from attn_tui.compute.source import Kind
from attn_tui.files.examples import EXAMPLES
from attn_tui.tui.dialogs import Choice
from attn_tui.tui.instrument_screen import Command

SOURCES: dict[Kind, tuple[str, str]] = {
    "typed": ("typed", "your own numbers; d_k moves only what they are divided by"),
    "drawn": ("drawn", "q and k of independent N(0, 1) entries; d_k moves the scores too"),
    "vectors": ("from q and K", "your own queries and keys, values too; d_k is their length"),
}
"""The kinds of source: their names and what they are."""


def sources() -> list[Choice]:
    """Return every kind of source."""
    return [Choice(kind, title, detail) for kind, (title, detail) in SOURCES.items()]


def examples() -> list[Choice]:
    """Return every example with what to look at."""
    return [Choice(name, example.title, example.look) for name, example in EXAMPLES.items()]


def commands() -> Iterator[Command]:
    """Yield a command for each source and example."""
    for kind, (title, detail) in SOURCES.items():
        yield Command(f"Scores {title}", detail, f"screen.source('{kind}')")
    for name, example in EXAMPLES.items():
        yield Command(f"Example {example.title}", example.look, f"screen.example('{name}')")
