"""Passes keys, pastes and the mouse to the screen one at a time, in the order they came.

Textual 8 gives a key to the widget that has the focus when the key arrives, even if the keys before
it are still about to open a dialogue or move the focus: `/` and a word in one packet lose the first
letters. Here a key waits until those before it have taken effect. The contract tests of typing
depend on it.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from textual._queue import Queue
from textual.app import App
from textual.command import CommandPalette
from textual.dom import DOMNode
from textual.errors import NoWidget
from textual.events import Callback, Event, Key, MouseEvent, MouseMove
from textual.message import Message
from textual.widget import Widget
from textual.worker import WorkerCancelled, WorkerFailed

from attn_tui.ui.typing import Typing

Give = Callable[[Event], Awaitable[None]]

ROUNDS = 50
"""The most times that nodes which are always busy are asked whether they are done."""

LOOK = 0.05
"""Seconds between checks that a node which has not answered still exists."""


class Turns:
    """A queue of events from the user.

    Args:
        app: The application, in whose own message queue each event is handled.
        give: Passes an event to the part of the screen it is for.
        rest: Called once an event has taken effect, unless the same key comes next; returns
            whether that has effects, too.

    Attributes:
        typing: When the last event came, or took effect.
    """

    def __init__(self, app: App[None], give: Give, rest: Callable[[], bool]) -> None:
        self.typing = Typing()
        self._app = app
        self._give = give
        self._rest = rest
        self._line: deque[Event] = deque()
        self._present: Event | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_open = False

    @property
    def idle(self) -> bool:
        """Whether all events so far have been handled and have taken effect."""
        return not self._line and self._task is None

    @property
    def repeats(self) -> bool:
        """Whether the key being handled comes again right after it: it is held."""
        if not (self._line and isinstance(self._present, Key)):
            return False
        following = self._line[0]
        return isinstance(following, Key) and following.key == self._present.key

    def open(self) -> None:
        """Begin, with the events that came before there was a screen."""
        self._is_open = True
        self._go_on()

    def take(self, event: Event) -> None:
        """Add an event; of several mouse moves in a row, only the last is kept."""
        if self._line and isinstance(event, MouseMove) and isinstance(self._line[-1], MouseMove):
            self._line.pop()
        self._line.append(event)
        self.typing.note()
        self._go_on()

    def take_next(self, event: Event) -> None:
        """Add an event that the present one stands for: it comes before those that wait."""
        self._line.appendleft(event)
        self._go_on()

    def _go_on(self) -> None:
        if self._is_open and self._line and self._task is None:
            self._task = asyncio.create_task(self._run())
            self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Handle events that came meanwhile, and pass an error on to the application."""
        self._task = None
        if not task.cancelled() and (error := task.exception()):
            self._app.call_later(raised, error)
        self._go_on()

    async def _run(self) -> None:
        while self._line:
            self._present = self._line.popleft()
            self.typing.is_pending = True
            try:
                await self._done_in(self._app, partial(self._pass, self._present))
                await self._effects()
                if not self.repeats and self._rest():
                    await self._effects()
            finally:
                self.typing.is_pending = False
            if self._app.screen_stack:
                # Once idle, it paints.
                await self._done_in(self._app.screen, nothing)
            self.typing.note()

    async def _pass(self, event: Event) -> None:
        """Pass an event on, unless it is of the mouse over a widget that was just removed.

        That stands on the screen until the next layout, and Textual 8 asks it for its parent.
        """
        if isinstance(event, MouseEvent) and self._app.screen_stack:
            with suppress(NoWidget):
                widget, _ = self._app.get_widget_at(event.x, event.y)
                if not widget.is_attached:
                    return
        await self._give(event)

    async def _effects(self) -> None:
        """Wait until the focused widget, all its ancestors and the screen have nothing left to do.

        A key bubbles up to the application, which may send messages back down; a message that
        bubbles is always with one of the nodes. The palette has to have found what it is asked for,
        or enter would choose what was found for fewer letters.
        """
        for _ in range(ROUNDS):
            busy = [node for node in self._path() if not is_idle(node)]
            for node in busy:
                await self._done_in(node, nothing)
            if not self._app.is_running or not (busy or self._has_busy_widgets()):
                break
            await asyncio.sleep(0)
        if self._app.screen_stack and isinstance(self._app.screen, CommandPalette):
            await self._listed(self._app.screen)

    async def _listed(self, palette: CommandPalette) -> None:
        """Wait until the palette lists what it has found."""
        for worker in [one for one in self._app.workers if one.node is palette]:
            with suppress(WorkerCancelled, WorkerFailed):
                await worker.wait()

    def _path(self) -> list[DOMNode]:
        if not self._app.screen_stack:
            return [self._app]
        return (self._app.focused or self._app.screen).ancestors_with_self

    def _has_busy_widgets(self) -> bool:
        """Return whether any widget of the screen, in focus or not, has something to do."""
        nodes: list[DOMNode] = [self._app.screen] if self._app.screen_stack else []
        for node in nodes:
            if not is_idle(node):
                return True
            nodes += node.children
        return False

    async def _done_in(self, node: DOMNode, work: Callable[[], Awaitable[None]]) -> None:
        """Do some work in a node's message queue, unless the node is removed first."""
        visit = _Visit(work)
        if node.post_message(Callback(callback=visit.run)):
            while not visit.done.done() and self._is_there(node):
                await asyncio.wait([visit.done], timeout=LOOK)

    def _is_there(self, node: DOMNode) -> bool:
        app = self._app
        return app.is_running and (
            node is app or (isinstance(node, Widget) and app.is_mounted(node))
        )


class _Visit:
    """Some work in a node's message queue.

    Textual counts the parameters of every callback, and remembers them for methods alone: a
    function made for each visit costs more than the visit.

    Attributes:
        done: Set when the work has ended.
    """

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work = work
        self.done = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        """Do the work."""
        try:
            await self._work()
        finally:
            self.done.set_result(None)


async def nothing() -> None:
    """Do nothing: used to wait for the messages before it."""


def is_idle(node: DOMNode) -> bool:
    """Return whether a node has nothing to handle: it waits for its next message.

    Neither Textual nor asyncio has a public name for that. To ask each node of a path in its turn
    takes a tenth of a key's time.
    """
    queue: Queue[Message | None] = node._message_queue
    return queue.empty() and bool(queue.ready_event._waiters)


def raised(error: BaseException) -> None:
    """Raise an error in the application, which reports it."""
    raise error
