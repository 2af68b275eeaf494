"""Everything that can be done on a screen, to be searched."""

from collections.abc import Iterator

from attn_tui.tui.choices import Choice
from attn_tui.tui.everywhere import SHARED
from attn_tui.tui.instrument_screen import InstrumentScreen


def offered(screen: InstrumentScreen, themes: bool) -> Iterator[Choice]:
    """Yield what can be done: each value is the Textual action that does it.

    Args:
        screen: Where it is done.
        themes: Whether there are colours to choose.
    """
    for action in (*screen.ACTIONS, *SHARED):
        if action.palette and screen.can(action):
            yield Choice(action.run, action.help, words=action.label, note=action.all_shown)
    yield from screen.commands()
    if themes:
        yield Choice("app.change_theme", "Theme", "Choose the colours")
    yield Choice("app.suspend_process", "Suspend", "Go back to the shell; fg returns")
