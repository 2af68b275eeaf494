"""What the Explore screen offers by name: sources and examples."""

from collections.abc import Iterator

from attn_tui.files.examples import EXAMPLES
from attn_tui.files.kinds import KINDS
from attn_tui.tui.dialogs import Choice
from attn_tui.tui.instrument_screen import Command


def sources() -> list[Choice]:
    """Return every kind of source."""
    return [Choice(name, kind.title, kind.detail) for name, kind in KINDS.items()]


def examples() -> list[Choice]:
    """Return every example with what to look at."""
    return [Choice(name, example.title, example.look) for name, example in EXAMPLES.items()]


def commands() -> Iterator[Command]:
    """Yield a command for each source and example."""
    for name, kind in KINDS.items():
        yield Command(f"Scores {kind.title}", kind.detail, f"screen.source('{name}')")
    for name, example in EXAMPLES.items():
        yield Command(f"Example {example.title}", example.look, f"screen.example('{name}')")
