"""A server of the program, and how a page talks to it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import aiohttp
import pyte
from aiohttp import web

from attn_tui.serving.server import Classroom

DEADLINE = 60.0
"""Seconds after which a wait fails; nothing waits for a time."""


PAUSE = 0.1
"""Seconds after which another page is read; nothing that is found depends on it."""


class Room(Classroom):
    """A server whose visitors can be counted."""

    @property
    def count(self) -> int:
        """How many are there."""
        return len(self._visits)

    @property
    def programs(self) -> list[int]:
        """The numbers of the processes of their programs."""
        return [visit._process.pid for visit in self._visits if visit._process is not None]

    async def until_empty(self) -> None:
        """Wait until the programs of all have ended."""
        async with asyncio.timeout(DEADLINE):
            while self._visits:
                await asyncio.sleep(0.01)


@asynccontextmanager
async def served(visitors: int = 30, lesson: str = "") -> AsyncIterator[Room]:
    """Serve at a port that is free."""
    room = Room("127.0.0.1", 0, visitors, lesson)
    runner = web.AppRunner(await room._make_app())
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        room.port = runner.addresses[0][1]
        yield room
    finally:
        await runner.cleanup()


class Page:
    """What a page in a browser does, without the browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.screen = pyte.Screen(120, 40)
        self._stream = pyte.ByteStream(self.screen)

    async def press(self, keys: str) -> None:
        """Type keys."""
        await self.socket.send_str(json.dumps(["stdin", keys]))

    async def read(self, seconds: float | None = None) -> None:
        """Show the next piece of what the program writes, if it comes within some time."""
        try:
            message = await self.socket.receive(seconds)
        except TimeoutError:
            return
        if message.type is not aiohttp.WSMsgType.BINARY:
            raise AssertionError(f"{message} before that:\n" + "\n".join(self.screen.display))
        self._stream.feed(message.data)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Read until something holds, or the server closes."""
        async with asyncio.timeout(DEADLINE):
            while not holds():
                await self.read()

    async def until_like(self, other: "Page") -> None:
        """Read both until they show the same."""
        async with asyncio.timeout(DEADLINE):
            while self.screen.display != other.screen.display:
                await self.read(PAUSE)
                await other.read(PAUSE)

    async def until_shows(self, text: str) -> None:
        """Read until a text stands on the screen."""
        await self.until(lambda: any(text in line for line in self.screen.display))


@asynccontextmanager
async def visitor(room: Room, origin: str = "") -> AsyncIterator[Page]:
    """Open a page."""
    headers = {"Origin": origin or f"http://127.0.0.1:{room.port}"}
    address = f"http://127.0.0.1:{room.port}/ws?width=120&height=40"
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(address, headers=headers) as socket,
    ):
        yield Page(socket)
