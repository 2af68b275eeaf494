"""Asks for other values of settings: stepped, chosen or typed, on any screen."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from attn_tui.compute.errors import InputError
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.setup import Setup
from attn_tui.files import edits
from attn_tui.files.history import Edit, Gesture
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.parts import Host, Part
from attn_tui.old.tui.settings import Setting
from attn_tui.old.tui.widgets.entry import Request

Change = Callable[[Setup], Setup]


class Fields(Part[Host]):
    """What is asked besides the scores, and how it is looked at."""

    NAME = "fields"

    gesture: Gesture | None = None
    """The run that the last change belongs to which was asked for, or None."""

    @property
    def setup(self) -> Setup:
        """What is asked besides the scores, as the screen shows it."""
        return self._screen.asked.draft.setup if self._screen.asked else Setup()

    def setting(self, name: str) -> Setting | None:
        """Return a setting by its name, or say why there is none here."""
        found = self._screen.SETTINGS.get(name)
        if found is None:
            self._screen.notify(self._absent(name), timeout=3)
        return found

    def ask(self, change: Change, gesture: Gesture | None = None) -> None:
        """Ask for another setup, or say why that cannot be asked."""
        self.gesture = gesture
        self._ask(lambda: self._screen.check(change(self.setup)), edits.setup(change), gesture)

    def _ask(self, trial: Callable[[], object], edit: Edit, gesture: Gesture | None) -> None:
        try:
            trial()
        except InputError as error:
            self._screen.notify(str(error), timeout=4, markup=False)
        else:
            self._screen.ask(edit, gesture)

    def check(self, setup: Setup) -> None:
        """Raise InputError unless there would be an answer to another setup."""
        self._screen.check(setup)
        if self._screen.asked:
            replace(self._screen.asked.experiment, setup=setup)

    def put(self, name: str, change: Callable[[Any], Any], gesture: Gesture | None = None) -> None:
        """Ask for another value of a setting, or say why it is held."""
        if setting := self.setting(name):
            if why := setting.held(self._screen):
                self._screen.notify(why, timeout=3)
            else:
                setting.change(self._screen, change, gesture)

    def why_held(self, name: str) -> str:
        """Return why a setting is of no use now, or nothing."""
        setting = self._screen.SETTINGS.get(name)
        return setting.held(self._screen) if setting else self._absent(name)

    def _absent(self, name: str) -> str:
        return self._screen.ABSENT.get(name, f"There is no {name} here")

    def change(self, name: str, steps: int, fine: bool = False) -> None:
        """Move a setting by steps; a run of them is one step of history."""
        if setting := self.setting(name):
            kind = setting.kind
            self.put(name, lambda value: kind.move(value, steps, fine), Gesture(name))

    def double(self, times: int) -> None:
        """Double d_k, or halve it."""
        self.put(
            "d_k", lambda value: D_K.clamp(value * 2 if times > 0 else value // 2), Gesture("d_k")
        )

    def next(self, name: str) -> None:
        """Ask for the next value of a setting, as one step of history."""
        kind = self._screen.SETTINGS[name].kind
        self.put(name, lambda value: kind.step(value, 1))

    def default(self, name: str) -> None:
        """Go back to what a setting is unless asked."""
        if setting := self.setting(name):
            self.put(name, lambda _: setting.default_at(self._screen))

    def set(self, name: str, text: str) -> None:
        """Ask for the value that a text says."""
        if setting := self.setting(name):
            with suppress(InputError):
                value = setting.kind.parse(setting.name, text)
                if setting.takes:
                    self._screen.do(f"{setting.takes}({text!r})")
                else:
                    self.put(name, lambda _: value)

    def enter(self, name: str) -> None:
        """Let a person say what a setting is to be: typed, chosen or flipped."""
        setting = self.setting(name)
        if setting is None:
            return
        choices = setting.kind.choices
        if setting.opens:
            self._screen.do(setting.opens)
        elif why := setting.held(self._screen):
            self._screen.notify(why, timeout=3)
        elif len(choices) == 2:
            self.change(name, 1)
        elif choices:
            self.choose(setting)
        else:
            self.type(name)

    def choose(self, setting: Setting) -> None:
        """Offer the values of a setting."""
        kind = setting.kind
        offered = [
            Choice(text, kind.shown(kind.parse(setting.name, text)), detail)
            for text, detail in kind.choices.items()
        ]
        present = kind.text(setting.value(self._screen))
        self._screen.choosing.choose(
            setting.title, offered, present, lambda text: self.set(setting.name, text)
        )

    def type(self, name: str, text: str | None = None) -> None:
        """Ask for a setting to be typed, from a text on; without one that is its value."""
        setting = self.setting(name)
        if setting is None:
            return
        if why := setting.held(self._screen):
            self._screen.notify(why, timeout=3)
            return
        value = setting.value(self._screen)
        start = ("" if value is None else setting.kind.text(value)) if text is None else text

        def read(typed: str) -> Any:
            value = setting.kind.parse(setting.name, typed)
            setting.check(self._screen, value)
            return value

        self.gesture = None
        if self._screen.view.settings:
            # It is typed on the line of the cursor.
            self._screen.drawer.point(name)
        self._screen.choosing.request(
            Request(
                setting.label,
                start,
                read,
                lambda value: self.put(name, lambda _: value),
                setting.title,
                setting.formats,
            ),
            select=text is None,
        )

    def request(
        self, label: str, text: str, read: Callable[[str], Change], title: str, expected: str
    ) -> None:
        """Ask for a text that makes a change; what would have no answer is refused at once.

        Args:
            label: What it is called.
            text: What it starts with.
            read: Returns the change; raises InputError unless the text will do.
            title: What it is, in a phrase.
            expected: What will do, in lines.
        """

        def tried(typed: str) -> Change:
            change = read(typed)
            self.check(change(self.setup))
            return change

        self.gesture = None
        self._screen.choosing.request(Request(label, text, tried, self.ask, title, expected))
