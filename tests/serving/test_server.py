"""A class: each page has a program, and as many as there are places."""

import asyncio
import os
import re
import sys
from contextlib import AsyncExitStack
from math import sqrt
from pathlib import Path

import aiohttp
import pytest

from attn_tui.compute.log_scale import D_K
from attn_tui.serving import server
from tests.serving.served import Page, served, visitor
from tests.test_cli import call

pytestmark = pytest.mark.slow

START = "Divided by 32"


async def test_each_page_has_a_program_of_its_own_which_ends_with_it() -> None:
    async with served() as room:
        async with visitor(room) as one, visitor(room) as other:
            await one.until_shows(START)
            await other.until_shows(START)
            await one.press("+")
            await one.until_shows("Divided by 35.8")
            await other.press("-")
            await other.until_shows("Divided by 29.9")
            assert room.count == 2
        await room.until_empty()


async def test_who_quits_sees_that_the_program_has_ended() -> None:
    async with served() as room, visitor(room) as page:
        await page.until_shows(START)
        await page.press("q")
        with pytest.raises(AssertionError, match="CLOSE"):
            await page.until(lambda: False)


async def test_who_waits_takes_the_place_of_one_that_is_free() -> None:
    async with served(visitors=1) as room, visitor(room) as first:
        await first.until_shows(START)
        async with visitor(room) as second:
            await second.until_shows("All places are taken")
            await first.press("q")
            await second.until_shows(START)


async def test_an_idle_one_gives_its_place_to_who_waits_and_only_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with served(visitors=1) as room, visitor(room) as idle:
        await idle.until_shows(START)
        monkeypatch.setattr(server, "IDLE", 0.0)
        async with visitor(room) as waiting:
            await waiting.until_shows(START)
            with pytest.raises(AssertionError, match="CLOSE"):
                await idle.until(lambda: False)


async def test_rubbish_from_a_page_ends_nothing() -> None:
    async with served() as room, visitor(room) as page:
        await page.until_shows(START)
        for rubbish in ("", "{", "[" * 100_000, "[]", "7", '["stdin"]', '["stdin", 7]',
                        '["resize", 7]',
                        '["resize", {"width": "x"}]', '["resize", {"width": -1, "height": 1e9}]',
                        '["resize", {"width": 120, "height": 40}]'):  # fmt: skip
            await page.socket.send_str(rubbish)
        await page.socket.send_bytes(b"\xff")
        await page.press("+")
        await page.until_shows("Divided by 35.8")


async def test_a_page_of_another_site_gets_no_program() -> None:
    async with served() as room:
        with pytest.raises(aiohttp.WSServerHandshakeError):
            async with visitor(room, "http://example.org"):
                pass


async def test_the_page_names_no_other_server() -> None:
    async with served() as room, aiohttp.ClientSession() as session:
        text = await (await session.get(f"http://127.0.0.1:{room.port}/")).text()
        assert "//" not in re.sub(r"// [A-Z]", "", text)


def test_a_lesson_that_is_none_is_told_before_anything_is_served() -> None:
    done = call("serve", "no-lesson.toml")
    assert done.exit_code == 2
    assert "no-lesson.toml" in done.stderr
    assert done.stdout == ""


async def hold(page: Page, place: int) -> None:
    """Hold keys, look around, and end so many steps above the beginning."""
    await page.until_shows(START)
    await page.press(20 * "+" + "3[]tt1" + 20 * "-" + place * "+")
    await page.until_shows(f"Divided by {sqrt(D_K.step(1024, place)):.3g}")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_eight_at_once_see_what_each_did_and_nothing_of_them_stays() -> None:
    async with served(visitors=9) as room:
        files = os.listdir("/proc/self/fd")
        async with AsyncExitStack() as stack:
            pages = [await stack.enter_async_context(visitor(room)) for _ in range(8)]
            async with asyncio.TaskGroup() as group:
                for place, page in enumerate(pages):
                    group.create_task(hold(page, place))
            alone = await stack.enter_async_context(visitor(room))
            await hold(alone, 5)
            await alone.until_like(pages[5])
            assert alone.screen.display != pages[4].screen.display
            programs = room.programs
            assert len(programs) == 9
        await room.until_empty()
        assert not [number for number in programs if Path(f"/proc/{number}").exists()]
        assert len(os.listdir("/proc/self/fd")) <= len(files)
