"""Drives a real Chromium by its debugging protocol."""

import asyncio
import base64
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pyte

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""

OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--remote-debugging-port=0",
)  # fmt: skip

DEADLINE = 60.0
"""Seconds after which a wait fails; nothing waits for a time."""


class Browser:
    """A page in a browser, with what its websocket has brought.

    Attributes:
        requests: The addresses that the page asked for.
        raw: What the program wrote.
        screen: The same as a terminal shows it.
        columns: The columns that the page has told the program.
        lines: The lines that it has told.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._changed = asyncio.Event()
        self.requests: list[str] = []
        self.raw = b""
        self.columns, self.lines = 80, 24
        self.screen = pyte.Screen(self.columns, self.lines)
        self._stream = pyte.ByteStream(self.screen)

    async def listen(self) -> None:
        """Take what the browser tells, until it is gone."""
        async for message in self._socket:
            self._take(json.loads(message.data))
            self._changed.set()

    def _take(self, told: dict[str, Any]) -> None:
        if "id" in told:
            self._answers.pop(told["id"]).set_result(told.get("result", told))
        elif told["method"] == "Network.requestWillBeSent":
            self.requests.append(told["params"]["request"]["url"])
        elif told["method"] == "Network.webSocketCreated":
            self.requests.append(told["params"]["url"])
        elif told["method"] == "Network.webSocketFrameSent":
            kind, *values = json.loads(told["params"]["response"]["payloadData"])
            if kind == "resize":
                self.columns, self.lines = values[0]["width"], values[0]["height"]
                self.screen.resize(self.lines, self.columns)
        elif told["method"] == "Network.webSocketFrameReceived":
            frame = told["params"]["response"]
            if frame["opcode"] == 2:
                data = base64.b64decode(frame["payloadData"])
                self.raw += data
                self._stream.feed(data)

    async def do(self, method: str, **parameters: object) -> Any:
        """Have the browser do something, and return its answer."""
        self._number += 1
        answer = self._answers[self._number] = asyncio.get_running_loop().create_future()
        request = {"id": self._number, "method": method, "params": parameters}
        await self._socket.send_str(json.dumps(request))
        return await asyncio.wait_for(answer, DEADLINE)

    async def until(self, holds: Callable[[], bool], wanted: str) -> None:
        """Wait until something holds of what the page was sent."""
        try:
            async with asyncio.timeout(DEADLINE):
                while not holds():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"no {wanted} on\n" + "\n".join(self.screen.display)) from None

    def has(self, text: str) -> bool:
        """Return whether a text stands on the terminal."""
        return any(text in line for line in self.screen.display)

    async def until_shows(self, text: str) -> None:
        """Wait until a text stands on the terminal."""
        await self.until(lambda: self.has(text), text)

    async def asked(self, expression: str) -> Any:
        """Return what an expression of JavaScript is."""
        done = await self.do("Runtime.evaluate", expression=expression, returnByValue=True)
        return done["result"].get("value")

    async def press(self, text: str) -> None:
        """Type text into the page."""
        for key in text:
            for kind in ("keyDown", "keyUp"):
                await self.do("Input.dispatchKeyEvent", type=kind, text=key, key=key)

    async def click(self, column: float, line: float) -> None:
        """Click on a cell of the terminal."""
        box = await self.asked(
            "(() => { const box = document.querySelector('.xterm-screen').getBoundingClientRect();"
            " return [box.left, box.top, box.width, box.height]; })()"
        )
        left, top, width, height = box
        place = {
            "x": left + (column + 0.5) * width / self.columns,
            "y": top + (line + 0.5) * height / self.lines,
            "button": "left", "clickCount": 1,
        }  # fmt: skip
        for kind in ("mousePressed", "mouseReleased"):
            await self.do("Input.dispatchMouseEvent", type=kind, **place)

    async def picture(self, path: Path) -> None:
        """Save a picture of the page."""
        done = await self.do("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(done["data"]))


@asynccontextmanager
async def page(address: str, width: int, height: int) -> AsyncIterator[Browser]:
    """Open a page in a browser of its own."""
    with tempfile.TemporaryDirectory(prefix="attn-tui-browser-") as folder:
        process = await asyncio.create_subprocess_exec(
            CHROMIUM, *OPTIONS, f"--user-data-dir={folder}", f"--window-size={width},{height}",
            "about:blank", stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            assert process.stderr is not None
            line = b""
            async with asyncio.timeout(DEADLINE):
                while b"DevTools listening on " not in line:
                    line = await process.stderr.readline()
            port = line.split(b"127.0.0.1:")[1].split(b"/")[0].decode()
            drain = asyncio.create_task(process.stderr.read())
            async with aiohttp.ClientSession() as session:
                targets = await (await session.get(f"http://127.0.0.1:{port}/json/list")).json()
                target = next(one for one in targets if one["type"] == "page")
                socket = session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0)
                async with socket as connection:
                    browser = Browser(connection)
                    listening = asyncio.create_task(browser.listen())
                    await browser.do("Network.enable")
                    await browser.do("Page.enable")
                    await browser.do("Page.navigate", url=address)
                    yield browser
                    listening.cancel()
            drain.cancel()
        finally:
            process.terminate()
            await process.wait()
