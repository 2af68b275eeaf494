"""Asks for other values of fields: stepped, chosen next or typed, on any screen."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from attn_tui.compute.errors import InputError
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.setup import Setup
from attn_tui.files.kinds import KINDS
from attn_tui.tui import edits
from attn_tui.tui.actions import Action
from attn_tui.tui.parts import Host, Part
from attn_tui.tui.state import Gesture
from attn_tui.tui.widgets.entry import Request

Change = Callable[[Setup], Setup]


class Fields(Part[Host]):
    """What is asked besides the scores."""

    NAME = "fields"

    gesture: Gesture | None = None
    """The run that the last change belongs to which was asked for, or None."""

    @property
    def setup(self) -> Setup:
        """What is asked besides the scores, as the screen shows it."""
        return self._screen.asked.draft.setup if self._screen.asked else Setup()

    def ask(self, change: Change, gesture: Gesture | None = None) -> None:
        """Ask for another setup, or say why that cannot be asked."""
        self.gesture = gesture
        try:
            self._screen.check(change(self.setup))
        except InputError as error:
            self._screen.notify(str(error), timeout=4, markup=False)
        else:
            self._screen.ask(edits.setup(change), gesture)

    def put(self, name: str, change: Callable[[Any], Any], gesture: Gesture | None = None) -> None:
        """Ask for another value of a field, or say why it is held."""
        if why := self.why_held(name):
            self._screen.notify(why, timeout=3)
        else:
            field = self._screen.FIELDS[name]
            self.ask(lambda setup: setup.changed(field, change), gesture)

    def why_held(self, name: str) -> str:
        """Return why a field is of no use now, or nothing."""
        if (asked := self._screen.asked) is None:
            return ""
        return self._screen.FIELDS[name].held(self.setup, KINDS[asked.draft.source].source)

    def change(self, name: str, steps: int) -> None:
        """Move a field by steps; a run of them is one step of history."""
        kind = self._screen.FIELDS[name].kind
        self.put(name, lambda value: kind.step(value, steps), Gesture(name))

    def nudge(self, by: int) -> None:
        """Move d_k by ones."""
        self.put("d_k", lambda value: D_K.clamp(value + by), Gesture("d_k"))

    def next(self, name: str) -> None:
        """Ask for the next value of a field."""
        self.put(name, lambda value: self._screen.FIELDS[name].kind.step(value, 1))

    def set(self, name: str, text: str) -> None:
        """Ask for the value that a text says."""
        field = self._screen.FIELDS[name]
        value = field.kind.parse(field.key, text)
        self.put(name, lambda _: value)

    def type(self, name: str, text: str | None = None) -> None:
        """Ask for a field to be typed, from a text on; without one that is its value."""
        field = self._screen.FIELDS[name]
        value = self.setup.value(field)
        if text is None:
            text = "" if value is None else field.kind.text(value)

        def read(typed: str) -> Any:
            value = field.kind.parse(field.key, typed)
            self._try(self.setup.changed(field, lambda _: value))
            return value

        self._request(field.label, text, read, lambda value: self.put(name, lambda _: value))

    def request(self, label: str, text: str, read: Callable[[str], Change]) -> None:
        """Ask for a text that makes a change; what would have no answer is refused at once."""

        def tried(typed: str) -> Change:
            change = read(typed)
            self._try(change(self.setup))
            return change

        self._request(label, text, tried, self.ask)

    def _try(self, setup: Setup) -> None:
        self._screen.check(setup)
        if self._screen.asked:
            replace(self._screen.asked.experiment, setup=setup)

    def _request(
        self, label: str, text: str, read: Callable[[str], Any], take: Callable[[Any], object]
    ) -> None:
        self.gesture = None
        self._screen.choosing.request(Request(label, text, read, take))


D_K_ACTIONS = (
    Action(
        "fields.change('d_k', -1)", ("left_square_bracket",), "[", "", "Move d_k to the stop below",
        bar=1, full=True,
    ),
    Action(
        "fields.change('d_k', 1)", ("right_square_bracket",), "]", "d_k",
        "Move d_k to the stop above", bar=1, full=True,
    ),
    Action("fields.nudge(-1)", ("minus",), "-", "d_k − 1", "Make d_k one less"),
    Action("fields.nudge(1)", ("plus",), "+", "d_k + 1", "Make d_k one more"),
    Action("fields.type('d_k')", ("d",), "d", "Type", "Type a d_k", bar=2),
)  # fmt: skip
