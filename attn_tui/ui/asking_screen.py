"""What somebody asks on the screen of an instrument: d_k, the number of keys, settings."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.message import Message
from textual.reactive import var
from textual.screen import Screen
from textual.timer import Timer

from attn_tui.files import edits
from attn_tui.files.history import Asked, Edit
from attn_tui.ui.d_k import DkPane
from attn_tui.ui.setting import D_K, Setting
from attn_tui.ui.settings_panel import SettingsPanel
from attn_tui.ui.slider import Slider

PACE = 0.25
"""Seconds between two stops of d_k that are played."""


class AskingScreen(Screen[None]):
    """A question, and the ways to ask another: each ends in `ask`, which posts a message.

    Attributes:
        GROUPS: Headings of the settings panel with the settings below each.
    """

    GROUPS: ClassVar[Sequence[tuple[str, Sequence[Setting]]]] = ()
    NO_N: ClassVar[str] = "There is no number of keys to move here"
    """Why the number of keys cannot be moved."""

    asked: var[Asked | None] = var(None, init=False)

    class Ask(Message):
        """Something else is asked.

        Attributes:
            edit: The change to the question.
            gesture: A name that all changes of one run share, as of a drag; or nothing.
        """

        def __init__(self, edit: Edit, gesture: str) -> None:
            super().__init__()
            self.edit = edit
            self.gesture = gesture

    class Go(Message):
        """Somebody wants to go to another instrument.

        Attributes:
            instrument: Its name.
            index: Which of several vectors is to be shown there, if that matters.
        """

        def __init__(self, instrument: str, index: int | None = None) -> None:
            super().__init__()
            self.instrument = instrument
            self.index = index

    class Back(Message):
        """Somebody wants to go back, and the instrument has nowhere to go back to."""

    class Ready(Message):
        """An instrument is there to be shown what is asked."""

    def __init__(self) -> None:
        super().__init__()
        self._player: Timer | None = None
        self._direction = 1

    @property
    def present(self) -> Asked:
        """What is asked, once the screen was shown it."""
        assert self.asked is not None
        return self.asked

    @property
    def settings(self) -> list[Setting]:
        """All settings of the instrument, d_k among them, which has a place of its own."""
        return [D_K, *(setting for _, group in self.GROUPS for setting in group)]

    def on_screen_suspend(self) -> None:
        """Play no longer than the screen is seen."""
        self._stop_playing()

    def ask(self, edit: Edit, gesture: str = "") -> None:
        """Ask something else."""
        self.post_message(self.Ask(edit, gesture))

    def look_at(self, index: int) -> None:
        """Show one of several vectors, where only one is shown."""

    def preview(self, edit: Edit) -> str:
        """Return the headline that an edit would bring, where that is known at once."""
        return ""

    @on(DkPane.Changed, "#d_k-pane")
    def _move_d_k(self, event: DkPane.Changed) -> None:
        self.ask(edits.setup(lambda setup: replace(setup, d_k=event.value)), event.gesture)

    def action_step_d_k(self, steps: int) -> None:
        """Move d_k some stops up or down."""
        self.query_one(DkPane).step(steps)

    def action_double_d_k(self, times: int) -> None:
        """Double d_k or halve it."""
        self.query_one(DkPane).double(times)

    def action_type_d_k(self) -> None:
        """Type d_k."""
        self.query_one(DkPane).edit()

    def action_step_n(self, steps: int) -> None:
        """Move the number of keys some stops up or down, where there is one to move."""
        self.notify(self.NO_N, timeout=3)

    async def action_type_n(self) -> None:
        """Type the number of keys."""
        self.notify(self.NO_N, timeout=3)

    def action_go_on(self) -> None:
        """Play d_k, or stop, where a pane is shown alone; elsewhere stop what goes on, or go on."""
        if self.is_playing:
            self._stop_playing()
        elif self.has_class("-full"):
            self._player = self.set_interval(PACE, self._play)
        else:
            self.stop_or_go_on()

    @property
    def is_playing(self) -> bool:
        """Whether d_k is played."""
        return self._player is not None

    def stop_or_go_on(self) -> None:
        """Stop what takes long, or go on with it."""

    def _play(self) -> None:
        """Go a stop on in d_k, and back from where it ends."""
        slider = self.query_one(Slider)
        if slider.value in (slider.scale.minimum, slider.scale.maximum):
            self._direction = 1 if slider.value == slider.scale.minimum else -1
        slider.action_step(self._direction)

    def _stop_playing(self) -> None:
        if self._player is not None:
            self._player.stop()
            self._player = None

    @on(SettingsPanel.Changed)
    def _change_setting(self, event: SettingsPanel.Changed) -> None:
        self.ask(event.edit, f"set {event.name}")
