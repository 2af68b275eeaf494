"""What a terminal can show, as its name and the locale tell."""

from io import BytesIO, TextIOWrapper

import pytest

from attn_tui.charts.look_alikes import write_look_alikes
from attn_tui.tui.terminal import lacks_blocks
from tests.tui.person import at_screen, settle


class OnTerminal(TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("encoding", "environment", "lacks"),
    [
        ("utf-8", {}, False),
        ("utf-8", {"TERM": "xterm-256color", "LC_ALL": "en_US.UTF-8"}, False),
        ("utf-8", {"TERM": "screen.linux"}, False),
        ("utf-8", {"TERM": "linux"}, True),
        ("utf-8", {"TERM": "linux-16color"}, True),
        ("utf-8", {"TERM": "vt220"}, True),
        ("utf-8", {"TERM": "dumb"}, True),
        ("utf-8", {"LC_ALL": "C"}, True),
        ("iso8859-1", {"TERM": "xterm"}, True),
    ],
)
def test_drawings_keep_to_ascii_where_blocks_are_lacking(
    encoding: str, environment: dict[str, str], lacks: bool
) -> None:
    stream = OnTerminal(BytesIO(), encoding)
    write_look_alikes(stream, environment)
    assert lacks_blocks(stream.encoding, environment) == lacks


async def test_ascii_is_chosen_for_every_instrument_at_once() -> None:
    async with at_screen() as person:
        for drawn, unwanted in ((False, "█"), (True, "█▁⣀━●▸┃")):
            for number in "123":
                await person.press(number)
                if drawn:
                    person.misses(*unwanted)
                else:
                    person.sees("━")
            await person.app.run_action("app.ascii")
            await settle(person.pilot)


async def test_the_marks_of_dot_products_are_ascii_too() -> None:
    async with at_screen(instrument="dots") as person:
        await person.app.run_action("app.ascii")
        await person.press("t")
        person.sees(": q*k", "# /sqrt(d_k)", "axis: signed log")
        await person.press("tab")
        person.sees("> d_k", "< 1,024 >")
        person.misses("▸", "█", "▒", "⣀", "├", "┴")
