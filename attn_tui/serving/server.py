"""The web server: a page with a terminal, and a program behind each that is open."""

import json
import logging
from collections import deque
from pathlib import Path
from typing import Any

import aiohttp_jinja2
from aiohttp import WSMsgType, web
from textual_serve.server import Server, to_int

from attn_tui.console.output import NAME, tell
from attn_tui.serving.visit import Visit

IDLE = 600.0
"""Seconds without a key after which a visitor gives a place to somebody who waits."""

ROUND = 1.0
"""Seconds between two looks for a free place."""

LONGEST = 2**20
"""The most bytes of a message from a browser."""

FULL = b"\x1b[2J\x1b[H\r\n All places are taken. This page takes the first one that is free.\r\n"

ENDING = (WSMsgType.CLOSE, WSMsgType.CLOSING, WSMsgType.CLOSED, WSMsgType.ERROR)


class Classroom(Server):
    """Serves the program, or a lesson, to a class.

    textual-serve talks to a program through pipes, by a driver of its own. Here it runs on a
    pseudo-terminal, as everywhere else, and only the page and its terminal are textual-serve's.

    Args:
        host: The address to listen at.
        port: The port.
        visitors: How many may be there at once.
        lesson: The path of a lesson; empty for the program itself.
    """

    def __init__(self, host: str, port: int, visitors: int, lesson: str = "") -> None:
        templates = Path(__file__).parent / "templates"
        super().__init__(NAME, host, port, title=NAME, templates_path=templates)
        self._lesson = [lesson] if lesson else []
        self._most = visitors
        self._visits: set[Visit] = set()
        self._waiting: deque[object] = deque()

    def initialize_logging(self) -> None:
        """Leave it to the standard library: warnings on standard error."""
        logging.getLogger("aiohttp.access").setLevel(logging.WARNING)

    async def on_startup(self, app: web.Application) -> None:
        """Say where the program is."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        tell(f"at http://{host}:{self.port}/ for {self._most} at once; ctrl+c ends it")

    async def on_shutdown(self, app: web.Application) -> None:
        """End the programs of all who are still there."""
        for visit in [*self._visits]:
            await visit.end()

    @aiohttp_jinja2.template("app_index.html")
    async def handle_index(self, request: web.Request) -> dict[str, Any]:
        """Return what the page needs; addresses are below that of the page."""
        return {"title": self.title, "font_size": to_int(request.query.get("fontsize", ""), 16)}

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Run a program for as long as a page is open."""
        if not is_of_this_page(request):
            raise web.HTTPForbidden(text="Expected a page of this server")
        websocket = web.WebSocketResponse(heartbeat=15, max_msg_size=LONGEST)
        await websocket.prepare(request)
        visit = await self._visit(websocket)
        if visit is None:
            return websocket
        try:
            await self._show(request, websocket, visit)
        finally:
            await visit.end()
            self._visits.discard(visit)
        await websocket.close()
        return websocket

    async def _visit(self, websocket: web.WebSocketResponse) -> Visit | None:
        """Wait for a place, in the order of coming; None if the page is closed before."""
        ticket = object()
        self._waiting.append(ticket)
        is_told = False
        try:
            while self._waiting[0] is not ticket or not self._has_room():
                if not is_told:
                    await websocket.send_bytes(FULL)
                    is_told = True
                try:
                    message = await websocket.receive(ROUND)
                except TimeoutError:
                    continue
                if message.type in ENDING:
                    return None
            visit = Visit(websocket.send_bytes)
            self._visits.add(visit)
            return visit
        finally:
            self._waiting.remove(ticket)

    def _has_room(self) -> bool:
        """Return whether a place is free; if none is, whoever is idle for long loses his."""
        if len(self._visits) < self._most:
            return True
        longest = max(self._visits, key=lambda visit: visit.idle)
        if longest.idle >= IDLE:
            longest.leave()
        return False

    async def _show(
        self, request: web.Request, websocket: web.WebSocketResponse, visit: Visit
    ) -> None:
        """Pass on what is typed and what is shown, until one of both ends."""
        columns = to_int(request.query.get("width", ""), 80)
        lines = to_int(request.query.get("height", ""), 24)
        await visit.start(self._lesson, columns, lines, websocket.close)
        async for message in websocket:
            if message.type is WSMsgType.TEXT:
                await heed(message.data, visit)


def is_of_this_page(request: web.Request) -> bool:
    """Return whether a browser was sent here by a page of this server, and no other site."""
    origin = request.headers.get("Origin", "")
    return not origin or origin.partition("://")[2] == request.host


async def heed(text: str, visit: Visit) -> None:
    """Do what a page asks for; what is not understood is left out."""
    try:
        kind, value = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return
    if kind == "stdin" and isinstance(value, str):
        await visit.press(value)
    elif kind == "resize" and isinstance(value, dict):
        columns, lines = value.get("width"), value.get("height")
        if isinstance(columns, int) and isinstance(lines, int):
            visit.resize(columns, lines)
