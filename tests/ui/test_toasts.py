"""A notice whose time is over in the very moment it is shown does not stop the program."""

from typing import Any

from textual.notifications import Notification
from textual.widgets._toast import Toast

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from tests.ui.person import shown


class Noted(Toast):
    """Notes for how long its timer would run: one for less than 0 seconds never ends."""

    delay = 0.0

    def set_timer(self, delay: float, *_: Any, **__: Any) -> Any:
        """Note the seconds, and start no timer."""
        self.delay = delay


async def test_a_notice_of_no_time_left_is_shown_for_a_moment() -> None:
    async with AttnApp(EXAMPLE).run_test() as pilot:
        screen = await shown(pilot)
        late = Noted(Notification("d_k is 64 already"))
        late._timeout = -0.002
        await screen.mount(late)
        assert late.delay > 0.1
