"""How somebody wants the program: what stands in config.toml, and themes in files beside it.

Nothing here is asked: commands, copied lines, JSON and sessions mean the same wherever they are
read. What cannot be used is named, its default stays, and the program runs on.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attn_tui.captures.disk import place_of, reason_of
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.setup import FIELDS
from attn_tui.ui.preferences import NONE, Preferences

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.theme import Theme

    from attn_tui.files.values import Values

FILE, THEMES = "config.toml", "themes"
"""The names of the file and of the folder with themes, in the configuration directory."""

KEYS, COLOUR = "keys, such as u, f2 or ctrl+s", "a colour, such as #b9a3ff"
STYLE = "a style of text, such as bold underline"
"""What is expected of a key, a colour and a style."""

_THEME_TYPES: Mapping[str, type] = {
    "dark": bool, "ansi": bool, "variables": dict, "luminosity_spread": float, "text_alpha": float,
}  # fmt: skip
"""The types of a theme's fields that are no colours."""

_OF_ANSI = ("ansi-background", "ansi-foreground")
"""The variables without which a theme of the terminal's own colours cannot be shown."""

MOST_THEMES = 100
"""The most files of themes that are read."""

MOST_PROBLEMS, MOST_OF_THEME = 10, 1
"""The most problems of the file that are said, and of a theme, which one is enough to leave out."""


def folder() -> Path:
    """Return the configuration directory of the program, which may not be there."""
    # Imported here because most commands need no preferences.
    from platformdirs import user_config_path

    return user_config_path("attn-tui", appauthor=False)


def preferences(place: Path | None = None) -> Preferences:
    """Return what somebody prefers; ours, with a problem, where a file cannot be read.

    Args:
        place: The configuration directory; None for that of the program.
    """
    place = place or folder()
    problems: list[str] = []
    themes = tuple(_themes(place / THEMES, problems))
    read = NONE
    if not _is_missing(place / FILE):
        of_file: list[str] = []
        read = _read(place / FILE, [theme.name for theme in themes], of_file)
        problems += _first(of_file, MOST_PROBLEMS)
    return replace(read, themes=themes, problems=tuple(problems))


def _first(problems: Sequence[str], most: int) -> list[str]:
    """Return the first problems of a file, and how many more there are."""
    said = [*problems[:most]]
    if len(problems) > most:
        said[-1] += f" (and {len(problems) - most:,} more)"
    return said


def _is_missing(path: Path) -> bool:
    """Return whether there is no such file; one that cannot be looked at may be there."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _read(path: Path, themes: Sequence[str], problems: list[str]) -> Preferences:
    """Return what a file says; what cannot be used of it is added to the problems."""
    values = _values(path, problems)
    if values is None:
        return NONE
    names = [each.name for each in fields(Preferences) if each.name not in ("themes", "problems")]
    _drop(values, names, problems)
    found = {name: _of_type(values, name, problems) for name in names if name in values.of}
    found = {name: value for name, value in found.items() if value is not None}
    if "theme" in found:
        found["theme"] = _known_theme(values, themes, problems)
    if "d_k" in found and not FIELDS["d_k"].kind.admits(found["d_k"]):
        _note(problems, partial(values.refuse, "d_k", FIELDS["d_k"].kind.expected))
        del found["d_k"]
    if "keys" in found:
        found["keys"] = _keys(values, problems)
    return Preferences(**found)


TYPES: Mapping[str, type] = {
    "theme": str, "ascii": bool, "d_k": int, "offer_tour": bool, "offer_session": bool,
    "keys": dict,
}  # fmt: skip


def _of_type(values: "Values", name: str, problems: list[str]) -> Any:
    """Return a value, or None if it has another type."""
    return _note(problems, partial(values.get, name, TYPES[name]))


def _note(problems: list[str], read: Callable[[], Any]) -> Any:
    """Return what is read; if it cannot be, add why to the problems and return None."""
    try:
        return read()
    except InputError as error:
        problems.append(f"{error.where}: {error.problem}; expected {error.expected}")
        return None


def _values(path: Path, problems: list[str]) -> "Values | None":
    """Return the values of a TOML file; None, with a problem, if it cannot be read."""
    from attn_tui.files.content import read_toml

    values: Values | None = _note(problems, partial(read_toml, str(path), "config"))
    return values


def _drop(values: "Values", names: Sequence[str], problems: list[str], path: str = "") -> None:
    """Add to the problems the names that are unknown."""
    for name in values.of:
        if name not in names:
            likely = get_close_matches(name, names, 1)
            expected = likely[0] if likely else "one that attn-tui config lists"
            whole = f"{path}.{name}" if path else name
            problems.append(
                f'{values.where}: "{inert(whole)[1:-1]}" is unknown; expected {expected}'
            )


def _known_theme(values: "Values", own: Sequence[str], problems: list[str]) -> str:
    """Return the name of a theme that there is, or nothing."""
    from textual.theme import BUILTIN_THEMES

    from attn_tui.ui.theme import THEMES as OURS

    names = [*OURS, *own, *BUILTIN_THEMES]
    name: str = values.of["theme"]
    if name in names:
        return name
    likely = get_close_matches(name, names, 3) or OURS
    _note(problems, partial(values.refuse, "theme", f"one such as {', '.join(likely)}"))
    return ""


# Keys


def _keys(values: "Values", problems: list[str]) -> Mapping[str, str]:
    """Return the keys that can be used."""
    from textual.binding import Binding

    from attn_tui.ui.keymap import clashes, is_key, keys_by_id

    places = key_places()
    defaults = keys_by_id(place for together in places for place in together)
    inner = replace(values, of=values.of["keys"], path="keys")
    _drop(inner, [*defaults], problems, "keys")
    keymap: dict[str, str] = {}
    for name in inner.of:
        if name not in defaults:
            continue
        text = _note(problems, partial(inner.get, name, str))
        if text is None:
            continue
        texts = [key.strip() for key in text.split(",")]
        if not all(map(is_key, texts)):
            _note(problems, partial(inner.refuse, name, KEYS))
            continue
        # Textual calls ? question_mark.
        named = Binding.make_bindings([Binding(",".join(texts), "")])
        keys = [binding.key for binding in named]
        # What is ours anyway may be the key of something else in another place.
        if set(keys) != set(defaults[name]):
            keymap[name] = ",".join(keys)
    while clash := next(clashes(keymap, places), None):
        first, second, key = clash
        problems.append(
            f'{values.where}: "keys.{first}" and "keys.{second}" are both {inert(key)}; '
            "expected different keys, and both keep ours"
        )
        for name in (first, second):
            keymap.pop(name, None)
    return keymap


def key_places() -> "list[list[type[DOMNode]]]":
    """Return the classes whose keys work at the same time.

    Those of a screen work together with those of the application; a widget that has the focus, or a
    dialogue, takes its own first.
    """
    from textual.dom import DOMNode

    from attn_tui.instruments import INSTRUMENTS, load
    from attn_tui.ui import dialogs, file_dialogs  # noqa: F401 - a class is known once loaded
    from attn_tui.ui.app import AttnApp

    screens = [load(instrument.screen) for instrument in INSTRUMENTS]
    together = {base for screen in screens for base in screen.__mro__} | {AttnApp}
    others = [kind for kind in _with_keys(DOMNode) if kind not in together]
    return [*([AttnApp, screen] for screen in screens), *([one] for one in others)]


def _with_keys(kind: "type[DOMNode]") -> "list[type[DOMNode]]":
    """Return the classes of ours that inherit from one and have keys of their own."""
    found = {below for one in kind.__subclasses__() for below in (one, *_with_keys(one))}
    ours = [one for one in found if one.__module__.startswith("attn_tui.")]
    keyed = [one for one in ours if any(binding.id for binding in one.__dict__.get("BINDINGS", ()))]
    return sorted(keyed, key=lambda one: (one.__module__, one.__qualname__))


# Themes


def _themes(place: Path, problems: list[str]) -> Iterator["Theme"]:
    """Yield the themes in a folder, in the order of their names."""
    try:
        paths = sorted(path for path in place.iterdir() if path.suffix == ".toml")
    except OSError as error:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            problem, _ = reason_of(error)
            problems.append(f"{place_of(str(place))}: {problem}")
        return
    for path in paths[:MOST_THEMES]:
        of_theme: list[str] = []
        theme = _theme(path, of_theme)
        problems += _first(of_theme, MOST_OF_THEME)
        if theme is not None:
            yield theme


def _theme(path: Path, problems: list[str]) -> "Theme | None":
    """Return the theme in a file; None, with a problem, if there is none."""
    from textual.theme import Theme

    values = _values(path, problems)
    if values is None:
        return None
    names = [each.name for each in fields(Theme) if each.name != "name"]
    before = len(problems)
    _drop(values, names, problems)
    found: dict[str, Any] = {}
    for name in names:
        if name not in values.of:
            continue
        kind = _THEME_TYPES.get(name, str)
        found[name] = _note(problems, partial(values.get, name, kind))
        if kind is str and found[name] is not None and not _is_colour(found[name]):
            _note(problems, partial(values.refuse, name, COLOUR))
    variables = replace(values, of=found.get("variables") or {}, path="variables")
    for name, value in variables.of.items():
        is_style = "style" in name.split("-")
        is_right = _is_style if is_style else _is_colour
        if not (isinstance(value, str) and is_right(value)):
            _note(problems, partial(variables.refuse, name, STYLE if is_style else COLOUR))
    for name in _OF_ANSI:
        # Textual's own style sheets name them in such a theme.
        if found.get("ansi") and name not in variables.of:
            _note(problems, partial(variables.refuse, name, COLOUR))
    if "primary" not in values.of:
        _note(problems, partial(values.refuse, "primary", COLOUR))
    return Theme(path.stem, **found) if len(problems) == before else None


def _is_style(text: str) -> bool:
    """Return whether Textual can read a style of text: one that it cannot ends the program."""
    from textual.css.constants import VALID_STYLE_FLAGS

    words = text.split()
    return bool(words) and VALID_STYLE_FLAGS.issuperset(words)


def _is_colour(text: str) -> bool:
    """Return whether Textual can read a colour: one that it cannot ends the program."""
    from textual.color import Color, ColorParseError

    try:
        Color.parse(text)
    except ColorParseError:
        return False
    return True
