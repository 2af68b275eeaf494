"""Lets what a person does take effect one thing at a time, in the order it was done.

Textual hands a key to what has the focus when the key comes in, though the keys before it may
still be about to open a dialogue, move the focus or end the screen they were meant for. Here a key
waits until those before it have had their effect, so that keys mean the same at any speed.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from textual.app import App
from textual.dom import DOMNode
from textual.events import Event, Key, MouseMove
from textual.widget import Widget

Give = Callable[[Event], Awaitable[None]]

_PATIENCE = 50
"""How often those that always have more to do are asked whether they are done."""


class Turns:
    """The line in which keys, pastes and the mouse wait for their turn.

    Args:
        app: The application, in whose own queue each gets its turn.
        give: Hands one to the part of the screen it is for.
        rest: Called before one that differs from the one before it, and when all are done.
    """

    def __init__(self, app: App[None], give: Give, rest: Callable[[], None]) -> None:
        self._app = app
        self._give = give
        self._rest = rest
        self._line: deque[Event] = deque()
        self._last: Event | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_open = False

    @property
    def repeating(self) -> bool:
        """Whether the next one in line is the same key as the last, as when it is held."""
        one, other = self._last, self._line[0] if self._line else None
        return isinstance(one, Key) and isinstance(other, Key) and one.key == other.key

    @property
    def idle(self) -> bool:
        """Whether all that may have their turn now have had it, and their effect."""
        return self._next is None and self._task is None

    def open(self) -> None:
        """Go on with those that have come, and do not let later ones wait for this."""
        self._is_open = True
        self._go_on()

    def take(self, event: Event) -> None:
        """Let one stand in line; where the mouse moves on, its last place is enough."""
        if self._line and isinstance(event, MouseMove) and isinstance(self._line[-1], MouseMove):
            self._line.pop()
        self._line.append(event)
        self._go_on()

    def hand_over(self) -> list[Event]:
        """Return those that had no turn yet, which are no longer in line: others take them."""
        left = [*self._line]
        self._line.clear()
        return left

    def _go_on(self) -> None:
        if self._is_open and self._next is not None and self._task is None:
            self._task = asyncio.create_task(self._run())
            self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Go on with those that came last; what went wrong is for the application."""
        self._task = None
        if not task.cancelled() and (error := task.exception()):
            self._app.call_later(raised, error)
        self._go_on()

    @property
    def _next(self) -> Event | None:
        """Whose turn it is; what was typed before a dialogue opened by itself waits behind it."""
        since = max(
            (getattr(each, "shown_at", 0.0) for each in self._app.screen_stack), default=0.0
        )
        return next((each for each in self._line if each.time >= since), None)

    async def _run(self) -> None:
        while (event := self._next) is not None:
            if not self.repeating:
                await self._done_in(self._app, self._rest)
            self._line.remove(event)
            self._last = event
            await self._done_in(self._app, partial(self._give, self._last))
            await self._effects()
        self._app.call_later(self._rest)

    async def _effects(self) -> None:
        """Wait until what has the focus, and all that hears of it, has nothing left to do.

        A key goes up to the application, which may send it, or what it leads to, back down: so
        the way is gone again and again until nobody on it had anything waiting.
        """
        path, busy = self._path(), True
        for _ in range(_PATIENCE):
            if not (busy and self._app.is_running):
                return
            busy = False
            for node in path:
                busy = busy or node.message_queue_size > 0
                await self._done_in(node, _nothing)
            before, path = path, self._path()
            busy = busy or path != before

    def _path(self) -> Sequence[DOMNode]:
        if not self._app.screen_stack:
            return [self._app]
        return (self._app.focused or self._app.screen).ancestors_with_self

    async def _done_in(self, node: DOMNode, work: Callable[[], Awaitable[None] | None]) -> None:
        """Do some work in a node's own queue, unless the node is gone before."""
        done = False

        async def callback() -> None:
            nonlocal done
            result = work()
            if result is not None:
                await result
            done = True

        looks = 0
        if node.call_later(callback):
            while not done and self._is_there(node):
                # Most is done within a few rounds of the loop; what is not takes its time.
                await asyncio.sleep(0 if looks < 100 else 0.002)
                looks += 1

    def _is_there(self, node: DOMNode) -> bool:
        app = self._app
        return app.is_running and (
            node is app or (isinstance(node, Widget) and app.is_mounted(node))
        )


def raised(error: BaseException) -> None:
    """Raise an error where it is called: in the application, which tells of it."""
    raise error


def _nothing() -> None:
    pass
