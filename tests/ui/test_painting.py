"""Painting: a key repaints only what changes, and the result is right."""

import pytest
from rich.console import RenderableType
from textual._compositor import LayoutUpdate
from textual.app import App
from textual.screen import Screen

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
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
