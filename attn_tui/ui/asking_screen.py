"""The part of an instrument's screen that changes the question: d_k, n and settings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import on
from textual.events import Idle
from textual.geometry import Size
from textual.message import Message
from textual.messages import Update
from textual.reactive import var
from textual.screen import Screen
from textual.timer import Timer

from attn_tui.files import edits
from attn_tui.files.history import Edit, Question
from attn_tui.ui.d_k import DkPane
from attn_tui.ui.setting import D_K, Setting
from attn_tui.ui.settings_panel import SettingsPanel
from attn_tui.ui.slider import Slider
from attn_tui.ui.terminal.compositor import SparseCompositor
from attn_tui.ui.typing import Typing

PACE = 0.25
"""Seconds between two stops while d_k is played."""

COMMENT_SECONDS = 12.0
"""How long stays what is said about what is shown."""

ROOM = Size(80, 24)
"""The least screen on which something is said beside what it is about."""


class AskingScreen(Screen[None]):
    """A screen with a question; every change to it goes through `ask`, which posts a message.

    Attributes:
        GROUPS: Headings of the settings panel, each with its settings.
        HAS_D_K: Whether it has a pane of d_k.
    """

    GROUPS: ClassVar[Sequence[tuple[str, Sequence[Setting]]]] = ()
    HAS_D_K: ClassVar[bool] = True
    NO_N: ClassVar[str] = "There is no number of keys to move here"
    """Why the number of keys cannot be moved."""

    question: var[Question | None] = var(None, init=False)

    @dataclass
    class Ask(Message):
        """The user changes the question.

        Attributes:
            edit: The change.
            gesture: A name shared by all changes of one gesture, such as a drag; or nothing.
        """

        edit: Edit
        gesture: str

    @dataclass
    class Go(Message):
        """The user goes to another instrument.

        Attributes:
            instrument: The name of the instrument.
            vector: The name of the vector to show there, or nothing.
        """

        instrument: str
        vector: str = ""

    class Back(Message):
        """The user goes back, and the instrument itself has nowhere to go back to."""

    class Ready(Message):
        """An instrument is ready to be given the present question."""

    def __init__(self) -> None:
        super().__init__()
        # Textual offers no other place for one; a step of d_k takes a sixth less with it.
        self._compositor = SparseCompositor()
        self.typing = Typing()
        """When somebody has typed last: what only refines an answer stands aside."""
        self._player: Timer | None = None
        self._direction = 1

    def post_message(self, message: Message) -> bool:
        """Note which widgets a key repaints; a message for each would cost more than its paint."""
        if self.typing.is_pending and isinstance(message, Update):
            self._dirty_widgets.add(message.widget)
            self.check_idle()
            return True
        return super().post_message(message)

    def on_idle(self, event: Idle) -> None:
        """Paint what a key changes once all of it has taken effect: in one frame, not in two."""
        if self.typing.is_pending:
            event.prevent_default()

    @property
    def present(self) -> Question:
        """The present question; the screen must have been given it."""
        assert self.question is not None
        return self.question

    @property
    def settings(self) -> list[Setting]:
        """All settings of the instrument, including d_k, which has a pane of its own."""
        return [D_K, *(setting for _, group in self.GROUPS for setting in group)]

    def on_screen_suspend(self) -> None:
        """Stop playing when the screen is hidden."""
        self._stop_playing()

    def ask(self, edit: Edit, gesture: str = "") -> None:
        """Change the question by an edit."""
        self.app.post_message(self.Ask(edit, gesture))

    def follow(self, question: Question) -> bool:
        """Take over a question that another one follows at once, without answering it.

        Returns:
            Whether that is possible: whether no key acts on what the answer before has drawn.
        """
        self.set_reactive(AskingScreen.question, question)
        self.show_numbers(question)
        return True

    def show_numbers(self, question: Question) -> None:
        """Show the numbers of a question that have sliders."""
        if self.HAS_D_K:
            self.query_one(DkPane).value = question.experiment.setup.d_k

    def comment(self, text: str) -> None:
        """Say something about what is shown, unless it would cover that on a small screen."""
        if self.size.width >= ROOM.width and self.size.height >= ROOM.height:
            self.app.notify(text, timeout=COMMENT_SECONDS, markup=False)

    def look_at(self, vector: str) -> None:
        """Show the vector with this name, if the instrument shows one at a time."""

    def preview(self, edit: Edit) -> str:
        """Return the headline after an edit, if it is known at once; else an empty text."""
        return ""

    @on(DkPane.Changed, "#d_k-pane")
    def _move_d_k(self, event: DkPane.Changed) -> None:
        self._ask_d_k(event.value, event.gesture)

    def _ask_d_k(self, d_k: int, gesture: str) -> None:
        self.ask(edits.setup(lambda setup: replace(setup, d_k=d_k)), gesture)

    def action_step_d_k(self, steps: int) -> None:
        """Move d_k by some stops, up or down."""
        # A message of the pane would go through all that is around it, at each key.
        self._ask_d_k(self.query_one(DkPane).after(steps), f"{D_K.name} step")

    def action_double_d_k(self, times: int) -> None:
        """Double or halve d_k."""
        self._ask_d_k(self.query_one(DkPane).doubled(times), f"{D_K.name} double")

    def action_type_d_k(self) -> None:
        """Focus the field of d_k."""
        self.query_one(DkPane).edit()

    def action_step_n(self, steps: int) -> None:
        """Move the number of keys by some stops, or say that it cannot be moved."""
        self.notify(self.NO_N, timeout=3)

    async def action_type_n(self) -> None:
        """Focus the field of the number of keys, or say that it cannot be moved."""
        self.notify(self.NO_N, timeout=3)

    def action_go_on(self) -> None:
        """Play d_k or stop if one pane is shown alone; otherwise stop or resume long work."""
        if self.is_playing:
            self._stop_playing()
        elif self.has_class("-full"):
            self._player = self.set_interval(PACE, self._play)
        else:
            self.stop_or_go_on()

    @property
    def is_playing(self) -> bool:
        """Whether d_k is being played."""
        return self._player is not None

    def stop_or_go_on(self) -> None:
        """Stop or resume long work."""

    def _play(self) -> None:
        """Move d_k by a stop, turning around at the ends of its scale."""
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
