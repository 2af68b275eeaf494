"""Find: everything that can be asked, looked at or done, by any of its names; and what is typed."""

from ast import literal_eval
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache

from attn_tui.compute.errors import InputError
from attn_tui.files import edits
from attn_tui.old.tui.choices import Choice, matching
from attn_tui.old.tui.dialogs import FindDialog
from attn_tui.old.tui.everywhere import SHARED
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.settings import Setting, refused

HELD = "not here"
"""What stands in the place of the value of a setting that is of no use now."""

MOST = 60
"""Values of a setting that are offered one by one."""


def find_dialog(screen: InstrumentScreen, themes: bool) -> FindDialog:
    """Return the dialogue that finds anything; what is chosen is a Textual action."""

    def preview(value: str) -> str:
        """Return what a value of a setting would do, where that is known at once."""
        if not value.startswith("fields.set("):
            return ""
        name, text = literal_eval(value.removeprefix("fields.set"))
        setting = screen.SETTINGS[name]
        if setting.becomes is None:
            return ""
        read = setting.kind.parse(name, text)
        return screen.preview(edits.setup(setting.becomes(lambda _: read)))

    return FindDialog("Find", finder(screen, themes), preview=preview)


def finder(screen: InstrumentScreen, themes: bool) -> Callable[[str], Sequence[Choice]]:
    """Return what offers, for a typed text, what can be done: values are Textual actions.

    Args:
        screen: Where it is done.
        themes: Whether there are colours to choose.
    """

    @cache
    def every() -> tuple[Choice, ...]:
        return tuple(offered(screen, themes))

    def found(typed: str) -> Sequence[Choice]:
        # As texts write it, with the key that opens the dialogue.
        typed = typed.lstrip().removeprefix("/")
        said = [*typed_values(screen, typed)]
        told = {choice.value for choice in said}
        # Until something is typed, first what is done: settings have a place of their own.
        rest = (
            # What is of no use now is not what is meant, however well it matches.
            sorted(matching(every(), typed), key=lambda choice: choice.note == HELD)
            if typed.strip()
            else sorted(every(), key=lambda choice: choice.value.startswith("fields."))
        )
        return [*said, *(choice for choice in rest if choice.value not in told)]

    return found


def offered(screen: InstrumentScreen, themes: bool) -> Iterator[Choice]:
    """Yield settings, actions, the values of settings, and then views and examples."""
    settings = sorted(screen.SETTINGS.values(), key=lambda each: bool(each.held(screen)))
    for setting in settings:
        yield _setting(screen, setting)
    for action in (*screen.ACTIONS, *SHARED):
        if action.palette and screen.can(action):
            # What an instrument is about is no name of it: what is typed may be a setting's.
            goes = action.run.startswith("app.instrument")
            yield Choice(
                action.run,
                action.help.partition(": ")[0] if goes else action.help,
                action.help.partition(": ")[2] if goes else "",
                words=f"{action.label} {action.words}",
                note=action.all_shown,
            )
    for setting in settings:
        yield from _values(screen, setting)
    # Examples are found by what they are about too, and take the place of what is asked.
    for part in screen.parts.values():
        yield from part.commands()
    if themes:
        yield Choice("app.change_theme", "Theme", "Choose the colours", "colours dark light")
    yield Choice("app.suspend_process", "Suspend", "Go back to the shell; fg returns")


def _setting(screen: InstrumentScreen, setting: Setting) -> Choice:
    meaning = f"{setting.title}: {setting.expected}"
    why = setting.held(screen)
    return Choice(
        f"fields.enter('{setting.name}')",
        setting.label,
        why or meaning,
        " ".join(setting.names[1:]),
        HELD if why else setting.shown(screen) or "none",
    )


def _values(screen: InstrumentScreen, setting: Setting) -> Iterator[Choice]:
    """Yield each value of a setting that has few, but that which it has."""
    kind = setting.kind
    if setting.held(screen) or not 0 < len(kind.choices) <= MOST:
        return
    present = kind.text(setting.value(screen))
    for text, detail in kind.choices.items():
        if text != present:
            title = f"{setting.label}: {kind.shown(kind.parse(setting.name, text))}"
            words = f"{text} {' '.join(setting.names)}"
            yield Choice(f"fields.set({setting.name!r}, {text!r})", title, detail, words)


def typed_values(screen: InstrumentScreen, typed: str) -> Iterator[Choice]:
    """Yield what a name of a setting, with a value behind it, would set."""
    behind = [(each, _value_behind(each, typed)) for each in screen.SETTINGS.values()]
    # Where a name begins like another one, the longer is meant.
    shortest = min((len(value) for _, value in behind if value), default=0)
    for setting, value in behind:
        if value and len(value) == shortest:
            why = setting.held(screen) or refused(setting, screen, value)
            if why and setting.kind.choices and not setting.held(screen):
                # It may be the beginning of one of them, which are offered by name.
                continue
            if why:
                yield Choice(f"keyboard.say({why!r})", f"{setting.label} {value}", why, note="no")
                continue
            before = setting.shown(screen) or "none"
            after = setting.kind.shown(setting.kind.parse(setting.name, value)) or "none"
            run = f"fields.set({setting.name!r}, {value!r})"
            yield Choice(run, f"{setting.label}: {before} → {after}", setting.help, note="set")


def _value_behind(setting: Setting, typed: str) -> str:
    """Return what is typed behind a name of a setting, or nothing."""
    words, behind = typed.replace("=", " = ").split(), ""
    for name in sorted(setting.names, key=len, reverse=True):
        parts = name.casefold().split()
        if [word.casefold() for word in words[: len(parts)]] == parts:
            behind = " ".join(words[len(parts) :]).removeprefix("=").strip()
            break
    return _with_parameter(setting, typed) or _with_parameter(setting, behind) or behind


def _with_parameter(setting: Setting, typed: str) -> str:
    """Return a value that is typed with its parameter: ``temperature 4`` means temperature:4."""
    name, _, parameter = typed.strip().partition(" ")
    text = f"{name}:{parameter.strip()}"
    if parameter and name in setting.kind.choices:
        with suppress(InputError):
            setting.kind.parse(setting.name, text)
            return text
    return ""
