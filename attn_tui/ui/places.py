"""Where settings are: on the screen or on another instrument, and how they are set there."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.types import IgnoreReturnCallbackType

from attn_tui.compute.errors import InputError
from attn_tui.compute.explore.settings import Settings as Explore
from attn_tui.compute.field import fields_of
from attn_tui.instruments import INSTRUMENTS, Instrument, load
from attn_tui.search import words
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.setting import (
    D_K,
    DRAW,
    PARAMETERS,
    PRECISION,
    RULE,
    SCALE,
    Setting,
    of_field,
)

SHARED = (D_K, *SCALE, *PRECISION, *DRAW, *map(of_field, fields_of(Explore).values()))
"""The settings of Explore, which other instruments lead to."""


LEADING = ("set ", "use ", "change ")
"""What people type before the name of a setting, and may leave out."""


@dataclass(frozen=True)
class SettingPlace:
    """A setting, and where it is.

    Attributes:
        setting: The setting.
        there: The instrument that has it, or None if it is that on the screen.
    """

    setting: Setting
    there: Instrument | None = None

    @property
    def group(self) -> str:
        """The title of another instrument, or nothing."""
        return "" if self.there is None else self.there.title


def instrument(name: str) -> Instrument:
    """Return an instrument by its name."""
    return next(one for one in INSTRUMENTS if one.name == name)


def places(screen: InstrumentScreen) -> list[SettingPlace]:
    """Return the settings that can be found: those of a screen, then those of other instruments.

    The parameters of the present rule come before those of other rules.
    """
    all_places = [SettingPlace(setting) for setting in screen.settings]
    names = {setting.name for setting in screen.settings}
    explore = instrument("explore")
    rule = screen.present.draft.setup.scale.rule
    by_rule = sorted(PARAMETERS, key=lambda name: name != rule)
    for name in by_rule:
        there = None if RULE.name in names else explore
        all_places += [SettingPlace(setting, there) for setting in PARAMETERS[name]]
    for there in INSTRUMENTS:
        # The settings of Claims belong to each claim's trial, and are slow to import.
        if there.name in (screen.NAME, "claims", "explore"):
            continue
        others = map(of_field, fields_of(load(there.settings)).values())
        all_places += [
            SettingPlace(setting, there) for setting in others if setting.name not in names
        ]
    all_places += [
        SettingPlace(setting, explore) for setting in SHARED if setting.name not in names
    ]
    return all_places


def value_behind(names: Sequence[str], text: str) -> str:
    """Return the text behind one of some names, or nothing; ``=`` between them is a blank.

    >>> value_behind(["T", "temperature"], "T = 0.5"), value_behind(["rule"], "temperature:T=0.5")
    ('0.5', '')
    """
    for word in LEADING:
        text = text.removeprefix(word)
    spelled = {words(name).letters for name in names}
    name, _, value = text.partition("=")
    if value.strip() and words(name).letters in spelled:
        return value.strip()
    parts = text.split()
    for count in range(len(parts) - 1, 0, -1):
        if words(" ".join(parts[:count])).letters in spelled:
            return " ".join(parts[count:]).removeprefix("to ").removeprefix("of ")
    return ""


def taking(screen: InstrumentScreen, place: SettingPlace, text: str) -> IgnoreReturnCallbackType:
    """Return a command that sets a setting to the value of a text, or says why it cannot.

    It goes to the instrument that has the setting, and says so if the setting has that value.
    """
    setting, question = place.setting, screen.present

    async def take() -> None:
        shown = await go(screen, place.there)
        try:
            reason = setting.no_effect(question)
            edit = setting.read(question, text) if not reason else None
        except InputError as error:
            shown.notify(str(error), severity="warning", markup=False)
            return
        if edit is None:
            shown.notify(reason, markup=False)
        elif edit(question.draft) == question.draft:
            shown.notify(setting.already(question), markup=False)
        else:
            shown.ask(edit)

    return take


async def go(screen: InstrumentScreen, there: Instrument | None) -> InstrumentScreen:
    """Go to an instrument, and return its screen; the present one if there is no other."""
    if there is None or there.name == screen.NAME:
        return screen
    app = screen.app
    await app.switch_mode(there.name)
    assert isinstance(app.screen, InstrumentScreen)
    return app.screen


def is_parameter(setting: Setting) -> bool:
    """Return whether a setting is a parameter of a rule."""
    return any(setting in parameters for parameters in PARAMETERS.values())


def rule_places(screen: InstrumentScreen) -> list[SettingPlace]:
    """Return where the rule and its parameters are set."""
    return [place for place in places(screen) if is_parameter(place.setting)] + [rule_place(screen)]


def rule_place(screen: InstrumentScreen) -> SettingPlace:
    """Return where the rule is set: here, or in Explore."""
    is_here = RULE.name in {setting.name for setting in screen.settings}
    return SettingPlace(RULE, None if is_here else instrument("explore"))
