"""Painting: a key repaints only what changes, and the result is right."""

import pyte
import pytest
from rich.console import RenderableType
from textual._compositor import CompositorUpdate, LayoutUpdate
from textual.app import App
from textual.screen import Screen

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.terminal.compositor import SpansUpdate
from tests.pairs import slow_after
from tests.sweep.asked import DRAFT as SWEEP
from tests.ui.person import press, shown


@pytest.mark.slow
async def test_the_first_frame_of_an_instrument_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    frames: list[tuple[Screen[object], RenderableType]] = []
    display = App._display

    def record(app: App[None], screen: Screen[object], frame: RenderableType | None) -> None:
        # Textual drops what it draws in a batch.
        if frame is not None and not app._batch_count:
            frames.append((screen, frame))
        display(app, screen, frame)

    monkeypatch.setattr(App, "_display", record)
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        for key in "426":
            screen = await press(pilot, key)
            first = next(frame for of, frame in frames if of is screen)
            # Among what is left of the instrument before, parts of it would stand.
            assert isinstance(first, LayoutUpdate), key


async def test_the_first_frame_of_all_has_the_keys_that_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frames: list[LayoutUpdate] = []
    display = App._display

    def record(app: App[None], screen: Screen[object], frame: RenderableType | None) -> None:
        if isinstance(frame, LayoutUpdate) and not app._batch_count:
            frames.append(frame)
        display(app, screen, frame)

    monkeypatch.setattr(App, "_display", record)
    async with AttnApp(EXAMPLE).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
    text = "\n".join("".join(segment.text for segment in strip) for strip in frames[0].strips)
    assert "13.1 %" in text
    assert "q Quit" in text


@pytest.mark.slow
@pytest.mark.parametrize("instrument", ["explore", "dots"])
async def test_a_screen_painted_bit_by_bit_is_the_one_that_is_painted_as_a_whole(
    instrument: str,
) -> None:
    async with AttnApp(EXAMPLE, instrument).run_test(size=(120, 40)) as pilot:
        await press(pilot, "minus", "plus", "plus", "right_curly_bracket")
        bits = pilot.app.export_screenshot(simplify=True)
        for widget in (pilot.app.screen, *pilot.app.screen.walk_children()):
            widget.refresh()
            widget.notify_style_update()
        await pilot.pause()
        assert pilot.app.export_screenshot(simplify=True) == bits


WAYS = {
    "steps": ("explore", ["minus", "plus", "plus", "right_curly_bracket", "t", "tab", "plus"]),
    "a message": ("dots", ["0", "u", "plus", "g", "plus"]),
    "a list": ("explore", ["r", "down", "escape", "plus"]),
    "wide keys": ("attention", ["down", "right", "plus", "question_mark", "up"]),
}
"""Keys after which the screen was painted bit by bit, by what is special about them."""


@pytest.mark.parametrize("way", slow_after(1, [*WAYS]))
async def test_the_cells_that_are_sent_make_the_screen(
    monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    sent = pyte.Screen(80, 24)
    stream = pyte.Stream(sent)
    kinds: set[type[CompositorUpdate]] = set()
    display = App._display

    def record(app: App[None], screen: Screen[object], frame: RenderableType | None) -> None:
        if isinstance(frame, CompositorUpdate) and not app._batch_count:
            kinds.add(type(frame))
            stream.feed(_lines(frame.render_segments(app.console)))
        display(app, screen, frame)

    monkeypatch.setattr(App, "_display", record)
    instrument, keys = WAYS[way]
    async with AttnApp(EXAMPLE, instrument).run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        for key in keys:
            await press(pilot, key)
        app = pilot.app
        whole = pyte.Screen(80, 24)
        frame = app.screen._compositor.render_update(
            full=True, screen_stack=app._background_screens
        )
        assert isinstance(frame, CompositorUpdate)
        pyte.Stream(whole).feed(_lines(frame.render_segments(app.console)))
        assert sent.display == whole.display
        assert sent.buffer == whole.buffer
    assert SpansUpdate in kinds


@pytest.mark.slow
async def test_a_key_is_painted_in_one_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    frames: list[SpansUpdate] = []
    display = App._display

    def record(app: App[None], screen: Screen[object], frame: RenderableType | None) -> None:
        if isinstance(frame, SpansUpdate):
            frames.append(frame)
        display(app, screen, frame)

    monkeypatch.setattr(App, "_display", record)
    async with AttnApp(SWEEP, "sweep").run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        for key in ("left", "left", "right"):
            frames.clear()
            await press(pilot, key)
            # The number on its slider, and what is left of the screen.
            assert {5, 8} <= {y for y, _, _ in frames[0].strips}
            assert len(frames) == 1


def _lines(data: str) -> str:
    """Return data as a terminal that only feeds lines wants it."""
    return data.replace("\n", "\r\n")
