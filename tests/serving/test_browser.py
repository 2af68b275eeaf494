"""The program in a real browser, behind another port than the server's, as a tunnel has it."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.serving.browser import CHROMIUM, page
from tests.serving.served import served

KEEP = os.environ.get("ATTN_TUI_PICTURES", "")
"""A folder in which the picture stays."""


@asynccontextmanager
async def tunnel(port: int) -> AsyncIterator[int]:
    """Lead another port to that of a server."""

    async def lead(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(copy(reader, back), copy(there, writer))

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
        writer.close()

    server = await asyncio.start_server(lead, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="needs Chromium")
async def test_a_visitor_uses_keys_mouse_and_window(tmp_path: Path) -> None:
    async with served() as room, tunnel(room.port) as port:
        async with page(f"http://127.0.0.1:{port}/", 1200, 800) as browser:
            await browser.until_shows("Divided by 32")
            await browser.press("+")
            await browser.until_shows("Divided by 35.8")
            # Somewhere on the slider, left of the handle.
            line = next(
                number for number, text in enumerate(browser.screen.display) if "●──" in text
            )
            column = browser.screen.display[line].index("━━━") + 3
            await browser.click(column, line)
            await browser.until(lambda: not browser.has("35.8"), "a smaller d_k")
            before = browser.columns
            await browser.do(
                "Emulation.setDeviceMetricsOverride",
                width=800, height=600, deviceScaleFactor=1, mobile=False,
            )  # fmt: skip
            await browser.until(lambda: browser.columns < before, "another size")
            await browser.press("e")
            await browser.press("\x15")
            await browser.press("0,0")
            await browser.until_shows("50.0 %")
            await browser.picture(Path(KEEP or tmp_path) / "browser.png")
            # Nothing comes from anywhere else, and the websocket is where the page is.
            assert {address.split("/")[2] for address in browser.requests if "//" in address} == {
                f"127.0.0.1:{port}"
            }
        await room.until_empty()
