"""Until the program has done all that it was told, so that a test may look at what it shows."""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Any

from textual.dom import DOMNode

from attn_tui.old.tui.app import AttnApp
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.work import WorkDialog

_COMPUTES = "compute"
"""The threads of answers; what is stopped may go on there a while, and shows nothing any more."""

_CALM = 10
"""Rounds of the event loop in which nothing happens: a widget that is taken away takes some."""


async def until_settled(
    app: AttnApp,
    seconds: float,
    beside: bool = True,
    hurries: bool = True,
    is_answered: Callable[[InstrumentScreen], bool] = lambda screen: screen.settled,
) -> None:
    """Wait until all that was begun is over, and what came of it is drawn.

    Args:
        app: The program.
        seconds: For which it is waited at most.
        beside: Whether what goes on beside the screen is waited for too, as a file that is read.
        hurries: Whether to draw without waiting for the time of the next frame.
        is_answered: Whether an instrument has computed all that is asked.

    Raises:
        AssertionError: If it is not.
    """
    end, looks, calm = monotonic() + seconds, 0, 0
    while calm < _CALM:
        assert monotonic() < end, "the screen does not settle"
        # Most is done within a few rounds of the loop; what is not takes its time.
        await asyncio.sleep(0 if calm or looks < 100 else 0.002)
        is_done, is_seen = _is_done(app, beside, is_answered), _is_drawn(app)
        if is_done and not is_seen and hurries:
            app.screen._on_timer_update()
        calm, looks = (calm + 1 if is_done and is_seen else 0), looks + 1


def _is_done(app: AttnApp, beside: bool, is_answered: Callable[[InstrumentScreen], bool]) -> bool:
    """Return whether nothing waits, runs or is still to be answered."""
    if not app.is_running:
        return True
    if not app.turns.idle or (beside and _goes_on(app)):
        return False
    base = app.screen_stack[0] if app.screen_stack else None
    if not (isinstance(base, InstrumentScreen) and is_answered(base) and _waits(app)):
        return False
    shown = (node for each in app.screen_stack for node in each.walk_children(with_self=True))
    return app.animator._complete_event.is_set() and all(map(_waits, shown))


def _goes_on(app: AttnApp) -> bool:
    """Return whether anything goes on beside the screen, or is not yet known to be over."""
    is_told = any(isinstance(each, WorkDialog) for each in app.screen_stack)
    return is_told or any(each.group != _COMPUTES for each in app.workers)


def _is_drawn(app: AttnApp) -> bool:
    """Return whether all that changed is on the screen."""
    if not (app.is_running and app.screen_stack):
        return True
    top = app.screen
    flags = top._layout_required, top._scroll_required, top._repaint_required
    left = top._recompose_required, top._dirty_widgets, top._callbacks, app._batch_count
    return not any((*flags, *left))


def _waits(node: DOMNode) -> bool:
    """Return whether a part of the program has nothing to do until it is sent something."""
    queue: Any = node._message_queue
    return queue.empty() and bool(queue.ready_event._waiters)
