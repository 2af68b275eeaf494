"""A picture of a matrix: keys, wheel and drag ask to move the cursor, but do not move it."""

import numpy as np
from textual import events
from textual.app import App, ComposeResult

from attn_tui.charts.heat_map import HeatMapDrawing as Map
from attn_tui.ui.heat_map import HeatMap
from attn_tui.ui.theme import DARK, data_variables

LEVELS = np.linspace(0.0, 1.0, 12).reshape(3, 4)


class Host(App[None]):
    """An application with one map, which records its messages."""

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self.said: list[object] = []

    def get_css_variables(self) -> dict[str, str]:
        return super().get_css_variables() | data_variables(self)

    def compose(self) -> ComposeResult:
        yield HeatMap(id="map")

    def on_mount(self) -> None:
        self.query_one(HeatMap).drawing = Map(LEVELS, "scaled", cursor=(1, 1))

    def on_heat_map_moved(self, event: HeatMap.Moved) -> None:
        self.said.append((*event.place, event.gesture))

    def on_heat_map_hovered(self, event: HeatMap.Hovered) -> None:
        self.said.append(("over", event.place))

    def on_heat_map_chosen(self) -> None:
        self.said.append("chosen")


async def test_whoever_hears_it_moves_the_cursor() -> None:
    app = Host()
    async with app.run_test(size=(42, 13)) as pilot:
        picture = app.query_one(HeatMap)
        picture.focus()

        async def said(*keys: str) -> list[object]:
            await pilot.press(*keys)
            await pilot.pause()
            messages, app.said = app.said, []
            return messages

        # The cursor has not moved, since nobody handles the messages.
        assert await said("up", "down", "h", "l") == [
            (0, 1, "map move"), (2, 1, "map move"), (1, 0, "map move"), (1, 2, "map move"),
        ]  # fmt: skip
        assert await said("home", "end", "enter") == [
            (1, 0, "map move"), (1, 3, "map move"), "chosen",
        ]  # fmt: skip
        picture.drawing = Map(LEVELS, "scaled", cursor=(0, 3))
        assert await said("up", "right", "end") == []
        picture.drawing = Map(LEVELS, "scaled", cursor=(2, 0))
        assert await said("down", "left", "home") == []
        picture.drawing = Map(LEVELS, "scaled")
        assert await said("down", "enter") == []


async def test_what_it_says_of_an_entry_is_what_the_entry_stands_for() -> None:
    app = Host()
    async with app.run_test(size=(42, 13)) as pilot:
        picture = app.query_one(HeatMap)
        named = Map(LEVELS, "scaled", cursor=(1, 1), place=lambda row, key: ("xyz"[row], 2**key))
        picture.drawing = named
        picture.focus()
        await pilot.press("right", "up")
        await pilot.hover("#map", offset=(30, 9))
        await pilot.pause()
        assert app.said == [("y", 4, "map move"), ("x", 2, "map move"), ("over", ("z", 4))]


async def test_the_mouse_points_drags_and_turns_the_wheel() -> None:
    app = Host()
    async with app.run_test(size=(42, 13)) as pilot:
        picture = app.query_one(HeatMap)
        await pilot.hover("#map", offset=(30, 9))
        await pilot.hover("#map", offset=(31, 9))
        await pilot.mouse_down("#map", offset=(4, 1))
        await pilot.hover("#map", offset=(14, 1))
        await pilot.hover("#map", offset=(4, 10))
        await pilot.mouse_up("#map", offset=(4, 10))
        await pilot.pause()
        first, *rest = app.said
        assert first == ("over", (2, 2))
        # The cursor stays at (1, 1) throughout: one drag, whose moves share a name.
        moves = [message for message in rest if isinstance(message, tuple) and message[0] != "over"]
        assert [*dict.fromkeys(moves)] == [
            (0, 0, "map drag 1"),
            (0, 1, "map drag 1"),
            (2, 0, "map drag 1"),
        ]
        app.said.clear()
        for kind, shift in (
            (events.MouseScrollUp, False), (events.MouseScrollDown, False),
            (events.MouseScrollUp, True), (events.MouseScrollDown, True),
        ):  # fmt: skip
            picture.post_message(kind(picture, 3, 3, 0, 0, 0, shift, False, False))
        await pilot.pause()
        assert [message[:2] for message in app.said if isinstance(message, tuple)] == [
            (0, 1), (2, 1), (1, 0), (1, 2),
        ]  # fmt: skip


async def test_it_knows_what_it_hides_with_colours_and_without() -> None:
    app = Host()
    async with app.run_test(size=(42, 3)) as pilot:
        picture = app.query_one(HeatMap)
        # Two lines above the margin: three rows have half lines, but no line each.
        assert not picture.hides
        app.add_class("-textures")
        assert picture.hides
        await pilot.resize_terminal(42, 13)
        assert not picture.hides
