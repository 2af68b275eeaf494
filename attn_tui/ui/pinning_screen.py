"""The part of an instrument's screen that pins an answer, to compare later ones with it."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from textual import work
from textual.reactive import var

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.files.draft import Draft, parse
from attn_tui.ui.instrument_screen import InstrumentScreen


class PinningScreen(InstrumentScreen):
    """An instrument that shows a pinned answer in place of the unscaled side."""

    pinned: var[Any] = var(None, init=False)
    """The answer shown beside the present one in place of the unscaled side."""

    _pin: Draft | None = None
    """The question of the pinned answer."""

    def answers_to(self, experiment: Experiment) -> Iterator[Any]:
        """Yield better and better answers to a question."""
        raise NotImplementedError

    def watch_answer(self, answer: Any) -> None:
        """Show an answer."""
        raise NotImplementedError

    def action_pin(self) -> None:
        """Pin the present answer, so that later ones are shown beside it."""
        if self.answer is not None:
            self._show_pinned(self.answer, self.present.draft)

    def action_unpin(self) -> None:
        """Let go the pinned answer, so that both sides are of the present one again."""
        self._show_pinned(None, None)

    @property
    def pin(self) -> Draft | None:
        """What is pinned, as it was asked; None if nothing is."""
        return self._pin

    def restore_pin(self, draft: Draft) -> None:
        """Pin the answer to a draft; what can no longer be read is not pinned."""
        self._pin_in_thread(draft)

    @work(thread=True, group="pin", exit_on_error=False)
    def _pin_in_thread(self, draft: Draft) -> None:
        with suppress(InputError):
            *_, answer = self.answers_to(parse(draft))
            self.app.call_from_thread(self._show_pinned, answer, draft)

    def _show_pinned(self, pinned: Any, draft: Draft | None) -> None:
        self.pinned, self._pin = pinned, draft
        self.refresh_bindings()
        if self.answer is not None:
            self.watch_answer(self.answer)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is available: pinning, or else letting go."""
        if action in ("pin", "unpin") and (action == "unpin") != (self.pinned is not None):
            return False
        return super().check_action(action, parameters)
