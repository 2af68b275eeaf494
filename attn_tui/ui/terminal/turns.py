"""Gives keys, pastes and the mouse to the screen one at a time, in the order in which they came.

Textual 8 hands a key to what has the focus when the key comes in, though the keys before it may
still be about to open a dialogue or move the focus: `/` and a word in one packet lose the first
letters. Here a key waits until those before it have had their effect. The contract's tests of
typing need it.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial

from textual.app import App
from textual.dom import DOMNode
from textual.events import Event, MouseMove
from textual.widget import Widget

Give = Callable[[Event], Awaitable[None]]

ROUNDS = 50
"""How often those that always have more to do are asked whether they are done."""

LOOK = 0.05
"""Seconds after which a part of the screen that has not answered may be gone."""


class Turns:
    """The line in which events wait.

    Args:
        app: The application, in whose own queue each gets its turn.
        give: Hands one to the part of the screen it is for.
    """

    def __init__(self, app: App[None], give: Give) -> None:
        self._app = app
        self._give = give
        self._line: deque[Event] = deque()
        self._task: asyncio.Task[None] | None = None
        self._is_open = False

    @property
    def idle(self) -> bool:
        """Whether all that have come have had their turn, and their effect."""
        return not self._line and self._task is None

    def open(self) -> None:
        """Begin with those that have come while there was no screen."""
        self._is_open = True
        self._go_on()

    def take(self, event: Event) -> None:
        """Let one stand in line; where the mouse moves on, its last place is enough."""
        if self._line and isinstance(event, MouseMove) and isinstance(self._line[-1], MouseMove):
            self._line.pop()
        self._line.append(event)
        self._go_on()

    def _go_on(self) -> None:
        if self._is_open and self._line and self._task is None:
            self._task = asyncio.create_task(self._run())
            self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Go on with those that came last; what went wrong is for the application."""
        self._task = None
        if not task.cancelled() and (error := task.exception()):
            self._app.call_later(raised, error)
        self._go_on()

    async def _run(self) -> None:
        while self._line:
            await self._done_in(self._app, partial(self._give, self._line.popleft()))
            await self._effects()

    async def _effects(self) -> None:
        """Wait until what has the focus, and all that hears of it, has nothing left to do.

        A key goes up to the application, which may send what it leads to back down: so the way is
        gone again until nobody on it had anything waiting.
        """
        path = self._path()
        for _ in range(ROUNDS):
            is_busy = False
            for node in path:
                is_busy = is_busy or node.message_queue_size > 0
                await self._done_in(node, nothing)
            before, path = path, self._path()
            if not self._app.is_running or (path == before and not is_busy):
                return

    def _path(self) -> list[DOMNode]:
        if not self._app.screen_stack:
            return [self._app]
        return (self._app.focused or self._app.screen).ancestors_with_self

    async def _done_in(self, node: DOMNode, work: Callable[[], Awaitable[None]]) -> None:
        """Do some work in a node's own queue, unless the node is gone before."""
        done = asyncio.Event()

        async def callback() -> None:
            try:
                await work()
            finally:
                done.set()

        waiting = asyncio.create_task(done.wait())
        if node.call_later(callback):
            while not waiting.done() and self._is_there(node):
                await asyncio.wait([waiting], timeout=LOOK)
        waiting.cancel()

    def _is_there(self, node: DOMNode) -> bool:
        app = self._app
        return app.is_running and (
            node is app or (isinstance(node, Widget) and app.is_mounted(node))
        )


async def nothing() -> None:
    """Do nothing, once all that came before it is done."""


def raised(error: BaseException) -> None:
    """Raise an error where it is called: in the application, which tells of it."""
    raise error
